package ecmascript

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"

	"github.com/previdence/previdence/graph/link"
)

// configLimit bounds configuration files; larger ones are ignored.
const configLimit = 4 << 20

// configDepth bounds chains of "extends" and nested conditions.
const configDepth = 16

// An object is a JSON object that keeps the order of its keys, which has a
// meaning in "exports" and "paths".
type object struct {
	keys   []string
	values map[string]any
}

func (o *object) get(key string) any {
	if o == nil {
		return nil
	}
	return o.values[key]
}

func (o *object) object(key string) *object {
	v, _ := o.get(key).(*object)
	return v
}

func (o *object) text(key string) string {
	v, _ := o.get(key).(string)
	return v
}

// parseJSON reads JSON with comments and trailing commas. What is not an
// object, or no JSON at all, gives nil: configuration of a repository is data
// that may be broken.
func parseJSON(src []byte) *object {
	if len(src) > configLimit || nesting(src) > 200 {
		return nil
	}
	src, err := hujson.Standardize(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")))
	if err != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(src))
	v, err := parseValue(d)
	if err != nil {
		return nil
	}
	o, _ := v.(*object)
	return o
}

// nesting is an upper bound of how deep the brackets of src nest.
func nesting(src []byte) int {
	depth, deepest := 0, 0
	for _, c := range src {
		switch c {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

func parseValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := &object{values: map[string]any{}}
		for d.More() {
			k, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			key, _ := k.(string)
			if _, twice := o.values[key]; !twice {
				o.keys = append(o.keys, key)
			}
			o.values[key] = v
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		var list []any
		for d.More() {
			v, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	return t, nil
}

// readJSON reads a configuration file of the tree; nil if it is not there or
// no JSON object.
func readJSON(ctx context.Context, tree link.Tree, name string) (*object, error) {
	src, err := tree.Read(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return parseJSON(src), nil
}

// A pkg is one package.json of the tree.
type pkg struct {
	dir  string // "" for the root
	name string
	json *object
}

// A workspace is a directory whose package manager links its packages to one
// another by name.
type workspace struct {
	dir    string
	globs  []string // of directories, relative to dir
	except []string
}

// loadWorkspaces reads "workspaces" of every package.json and every
// pnpm-workspace.yaml.
func loadWorkspaces(ctx context.Context, tree link.Tree, packages []pkg) (map[string]*workspace, error) {
	out := map[string]*workspace{}
	add := func(dir string, globs []string) {
		w := out[dir]
		if w == nil {
			w = &workspace{dir: dir}
			out[dir] = w
		}
		for _, g := range globs {
			if not, ok := strings.CutPrefix(g, "!"); ok {
				w.except = append(w.except, path.Clean(not))
			} else {
				w.globs = append(w.globs, path.Clean(g))
			}
		}
	}
	for _, p := range packages {
		globs := texts(p.json.get("workspaces"))
		if len(globs) == 0 {
			globs = texts(p.json.object("workspaces").get("packages"))
		}
		if len(globs) > 0 {
			add(p.dir, globs)
		}
	}
	for _, p := range tree.Paths() {
		if path.Base(p) != "pnpm-workspace.yaml" || inNodeModules(p) {
			continue
		}
		src, err := tree.Read(ctx, p)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read %s: %w", p, err)
		}
		var pnpm struct {
			Packages []string `yaml:"packages"`
		}
		// A file that is no such YAML declares nothing.
		if len(src) <= configLimit && yaml.Unmarshal(src, &pnpm) == nil && len(pnpm.Packages) > 0 {
			add(dirOf(p), pnpm.Packages)
		}
	}
	return out, nil
}

// member reports whether the directory is a package of the workspace.
func (w *workspace) member(dir string) bool {
	rel := dir
	if w.dir != "" {
		var ok bool
		if rel, ok = strings.CutPrefix(dir, w.dir+"/"); !ok {
			return dir == w.dir
		}
	}
	if rel == "" {
		return true
	}
	match := func(globs []string) bool {
		for _, g := range globs {
			if ok, err := doublestar.Match(g, rel); ok && err == nil {
				return true
			}
		}
		return false
	}
	return match(w.globs) && !match(w.except)
}

// A project is one tsconfig.json or jsconfig.json with what it extends.
type project struct {
	base    string // directory of baseUrl
	hasBase bool
	paths   []pathRule
}

// A pathRule maps module names to places.
type pathRule struct {
	prefix, suffix string // around the star
	star           bool
	targets        []string // relative to the root, with at most one star
}

// loadPackages reads every package.json outside of node_modules.
func loadPackages(ctx context.Context, tree link.Tree) ([]pkg, error) {
	var out []pkg
	for _, p := range tree.Paths() {
		if path.Base(p) != "package.json" || inNodeModules(p) {
			continue
		}
		o, err := readJSON(ctx, tree, p)
		if err != nil {
			return nil, err
		}
		if o != nil {
			out = append(out, pkg{dir: dirOf(p), name: o.text("name"), json: o})
		}
	}
	return out, nil
}

func inNodeModules(p string) bool {
	return strings.HasPrefix(p, "node_modules/") || strings.Contains(p, "/node_modules/")
}

// dirOf is the directory of a path, "" for the root.
func dirOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// join joins a directory and a relative path; ok is false if the result lies
// outside of the tree.
func join(dir, rel string) (string, bool) {
	p := path.Join(dir, rel)
	if p == "." {
		return "", true
	}
	if p == ".." || strings.HasPrefix(p, "../") || strings.HasPrefix(p, "/") {
		return "", false
	}
	return p, true
}

// loadProjects reads every tsconfig.json and jsconfig.json, by directory. A
// tsconfig.json wins over a jsconfig.json beside it.
func loadProjects(ctx context.Context, tree link.Tree, files map[string]bool) (map[string]*project, error) {
	out := map[string]*project{}
	for _, name := range []string{"jsconfig.json", "tsconfig.json"} {
		for _, p := range tree.Paths() {
			if path.Base(p) != name || inNodeModules(p) {
				continue
			}
			pr := &project{}
			if err := pr.load(ctx, tree, files, p, 0); err != nil {
				return nil, err
			}
			out[dirOf(p)] = pr
		}
	}
	return out, nil
}

// load reads one configuration over what pr has: first what it extends, then
// its own settings, then, if it has no paths, those of the projects it refers to.
func (pr *project) load(ctx context.Context, tree link.Tree, files map[string]bool, name string, depth int) error {
	if depth > configDepth {
		return nil
	}
	o, err := readJSON(ctx, tree, name)
	if err != nil || o == nil {
		return err
	}
	dir := dirOf(name)
	for _, ext := range texts(o.get("extends")) {
		if p, ok := configPath(files, dir, ext); ok {
			if err := pr.load(ctx, tree, files, p, depth+1); err != nil {
				return err
			}
		}
	}
	options := o.object("compilerOptions")
	if b := options.text("baseUrl"); b != "" {
		if p, ok := join(dir, b); ok {
			pr.base, pr.hasBase = p, true
		}
	}
	if paths := options.object("paths"); paths != nil {
		base := dir
		if pr.hasBase {
			base = pr.base
		}
		pr.paths = pathRules(paths, base)
	}
	if len(pr.paths) > 0 {
		return nil
	}
	return pr.loadReferences(ctx, tree, files, o, dir, depth)
}

// loadReferences takes the paths of the projects that a project refers to.
func (pr *project) loadReferences(ctx context.Context, tree link.Tree, files map[string]bool, o *object, dir string, depth int) error {
	refs, _ := o.get("references").([]any)
	var rules []pathRule
	for _, r := range refs {
		ref, _ := r.(*object)
		p, ok := configPath(files, dir, ref.text("path"))
		if !ok || depth > 2 {
			continue
		}
		var other project
		if err := other.load(ctx, tree, files, p, depth+configDepth/2); err != nil {
			return err
		}
		rules = append(rules, other.paths...)
	}
	pr.paths = rules
	return nil
}

// configPath finds a configuration that another one in dir names.
func configPath(files map[string]bool, dir, name string) (string, bool) {
	if !strings.HasPrefix(name, ".") {
		return "", false // a package, which is not in the tree
	}
	p, ok := join(dir, name)
	if !ok {
		return "", false
	}
	for _, c := range []string{p, p + ".json", path.Join(p, "tsconfig.json")} {
		if files[c] {
			return c, true
		}
	}
	return "", false
}

// texts is a string or a list of strings.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

func pathRules(paths *object, base string) []pathRule {
	var out []pathRule
	for _, k := range paths.keys {
		var r pathRule
		r.prefix, r.suffix, r.star = strings.Cut(k, "*")
		for _, t := range texts(paths.get(k)) {
			if p, ok := join(base, t); ok {
				r.targets = append(r.targets, p)
			}
		}
		out = append(out, r)
	}
	return out
}

// match returns what the star of the rule stands for in name.
func (r *pathRule) match(name string) (string, bool) {
	if !r.star {
		return "", name == r.prefix
	}
	if len(name) < len(r.prefix)+len(r.suffix) || !strings.HasPrefix(name, r.prefix) || !strings.HasSuffix(name, r.suffix) {
		return "", false
	}
	return name[len(r.prefix) : len(name)-len(r.suffix)], true
}
