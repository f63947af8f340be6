package python

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// A root is a directory from which absolute imports start.
type root struct {
	dir      string
	declared bool // the project says so, or convention does; else it only holds packages
}

// readConfig finds the roots: the tree itself, src, what project files name,
// and every directory that holds a top-level package.
func (p *project) readConfig(ctx context.Context) error {
	declared := map[string]bool{"": true}
	if p.dirs["src"] && !p.regular("src") {
		declared["src"] = true
	}
	for _, name := range p.in.Tree.Paths() {
		var read func(string, []byte) []string
		switch path.Base(name) {
		case "pyproject.toml":
			read = pyprojectRoots
		case "setup.cfg":
			read = setupRoots
		case ".gitignore":
			read = p.addIgnored
		default:
			continue
		}
		content, err := p.in.Tree.Read(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, d := range read(dirOf(name), content) {
			if d = clean(d); p.dirs[d] && !p.regular(d) {
				declared[d] = true
			}
		}
	}
	inferred := map[string]bool{}
	for d := range p.dirs {
		if d != "" && p.regular(d) && !p.regular(dirOf(d)) {
			inferred[dirOf(d)] = true
		}
	}
	for d := range declared {
		p.roots = append(p.roots, root{d, true})
		delete(inferred, d)
	}
	for d := range inferred {
		p.roots = append(p.roots, root{d, false})
	}
	slices.SortFunc(p.roots, func(a, b root) int { return cmp.Compare(a.dir, b.dir) })
	return nil
}

func clean(dir string) string {
	dir = path.Clean("/" + dir)[1:]
	return dir
}

// pyprojectRoots reads where a project says that its packages lie.
func pyprojectRoots(dir string, content []byte) []string {
	var c struct {
		Tool struct {
			Setuptools struct {
				PackageDir map[string]string `toml:"package-dir"`
				Packages   any               `toml:"packages"`
			} `toml:"setuptools"`
			Poetry struct {
				Packages []struct{ From string } `toml:"packages"`
			} `toml:"poetry"`
			Pytest struct {
				Options struct {
					Pythonpath any `toml:"pythonpath"`
				} `toml:"ini_options"`
			} `toml:"pytest"`
			Pyright struct {
				ExtraPaths []string `toml:"extraPaths"`
			} `toml:"pyright"`
			Pdm struct {
				Build struct {
					PackageDir string `toml:"package-dir"`
				} `toml:"build"`
			} `toml:"pdm"`
		} `toml:"tool"`
	}
	out := []string{dir, join(dir, "src")}
	// A file that is not valid TOML names nothing.
	if _, err := toml.Decode(string(content), &c); err != nil {
		return out
	}
	add := func(s string) { out = append(out, join(dir, s)) }
	if d := c.Tool.Setuptools.PackageDir[""]; d != "" {
		add(d)
	}
	if packages, ok := c.Tool.Setuptools.Packages.(map[string]any); ok {
		if find, ok := packages["find"].(map[string]any); ok {
			stringsIn(find["where"], add)
		}
	}
	for _, e := range c.Tool.Poetry.Packages {
		add(e.From)
	}
	stringsIn(c.Tool.Pytest.Options.Pythonpath, add)
	for _, e := range c.Tool.Pyright.ExtraPaths {
		add(e)
	}
	if d := c.Tool.Pdm.Build.PackageDir; d != "" {
		add(d)
	}
	return out
}

// stringsIn calls f for a string, the words in it, or the strings of a list.
func stringsIn(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		for _, w := range strings.Fields(v) {
			f(w)
		}
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok {
				f(s)
			}
		}
	}
}

// setupRoots reads package_dir and where of a setup.cfg.
func setupRoots(dir string, content []byte) []string {
	out := []string{dir, join(dir, "src")}
	key := ""
	lines := bufio.NewScanner(strings.NewReader(string(content)))
	for lines.Scan() {
		line := lines.Text()
		value := strings.TrimSpace(line)
		if name, rest, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			key, value = strings.TrimSpace(name), strings.TrimSpace(rest)
		}
		switch {
		case value == "":
		case key == "package_dir":
			if name, d, ok := strings.Cut(value, "="); ok && strings.TrimSpace(name) == "" {
				out = append(out, join(dir, strings.TrimSpace(d)))
			}
		case key == "where", key == "pythonpath":
			out = append(out, join(dir, value))
		}
	}
	return out
}

// addIgnored remembers patterns of a .gitignore; it names no roots.
func (p *project) addIgnored(_ string, content []byte) []string {
	lines := bufio.NewScanner(strings.NewReader(string(content)))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line != "" && line[0] != '#' && line[0] != '!' {
			p.ignored = append(p.ignored, line)
		}
	}
	return nil
}

// A candidate is a module that a top-level name may mean.
type candidate struct {
	module    module
	root      string
	namespace bool // without a file: any regular package wins
	common    int  // how many leading directories root and importer share
	around    bool // the root is a directory around the importer
	declared  bool
}

// topLevel finds what the first part of an absolute import means in a file of
// directory dir. Python's own path puts the script's or test's directory
// first, so the root nearest to the importer wins; equals are ambiguous.
func (p *project) topLevel(dir, name string) (found []module, sure bool) {
	var all []candidate
	add := func(r string, around, declared bool) {
		m, ok := p.child(r, name)
		if !ok || slices.ContainsFunc(all, func(c candidate) bool { return c.root == r }) {
			return
		}
		c := candidate{module: m, root: r, namespace: m.namespace(), common: commonDirs(r, dir), around: around, declared: declared}
		if !around && !declared && (c.namespace || stdlib[name] || !m.pkg) {
			return
		}
		all = append(all, c)
	}
	for d := dir; ; d = dirOf(d) {
		if !p.regular(d) {
			add(d, true, true)
		}
		if d == "" {
			break
		}
	}
	for _, r := range p.roots {
		add(r.dir, false, r.declared)
	}
	if len(all) == 0 {
		return nil, false
	}
	slices.SortStableFunc(all, compareCandidates)
	for _, c := range all {
		if compareCandidates(c, all[0]) == 0 {
			found = append(found, c.module)
		}
	}
	return found, len(found) == 1 && all[0].declared
}

func compareCandidates(a, b candidate) int {
	return cmp.Or(compareBool(b.namespace, a.namespace), cmp.Compare(b.common, a.common), compareBool(a.around, b.around), compareBool(a.declared, b.declared))
}

// compareBool puts true first.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func commonDirs(a, b string) int {
	if a == "" || b == "" {
		return 0
	}
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(as) && n < len(bs) && as[n] == bs[n] {
		n++
	}
	return n
}
