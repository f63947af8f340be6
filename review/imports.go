package review

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/manifest"
	"github.com/previdence/previdence/review/report"
)

// Bounds of what is listed for one manifest and one package.
const (
	maxPackages   = 500
	maxImports    = 20
	maxImportUses = 20
)

// An outer import is one that a changed file makes from outside the tree.
type outerImport struct {
	file   string
	family string
	module string   // as written: "golang.org/x/mod/modfile", "@scope/name/sub", "yaml.nodes"
	names  []string // under which the file knows it
}

var (
	goImport     = regexp.MustCompile(`(?m)^\s*(?:import\s+)?(?:([\w.]+)\s+)?"([^"\s]+)"\s*(?://.*)?$`)
	scriptImport = regexp.MustCompile(`(?:import\s+([\w$*{}\s,]+?)\s+from\s*|import\s*\(?\s*|(?:const|let|var)\s+([\w$*{}\s,:]+?)\s*=\s*require\s*\(\s*|export\s+[\w$*{}\s,]+?\s+from\s*|require\s*\(\s*)["']([^"'\n]+)["']`)
	pythonImport = regexp.MustCompile(`(?m)^\s*(?:from\s+([\w.]+)\s+import\s+\(?([\w\s,*]+)|import\s+([\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*))`)
	anyName      = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)
)

// outerImports reads the imports of the changed files of head.
func (r *reviewer) outerImports(ctx context.Context) ([]outerImport, error) {
	var out []outerImport
	for i, c := range r.Changes {
		f := &r.out.Changes.Files[i]
		if !f.Analysed || c.OID == "" {
			continue
		}
		family := family(f.Language)
		if family != "go" && family != "python" && family != "ecmascript" {
			continue
		}
		data, err := r.blob(ctx, c.OID)
		if err != nil {
			return nil, err
		}
		for _, imp := range importsOf(family, string(data)) {
			imp.file, imp.family = c.Path, family
			out = append(out, imp)
		}
	}
	return out, nil
}

func importsOf(family, src string) (out []outerImport) {
	switch family {
	case "go":
		head, _, _ := strings.Cut(src, "\nfunc ")
		for _, m := range goImport.FindAllStringSubmatch(head, -1) {
			name := m[1]
			if name == "" {
				name = goName(m[2])
			}
			out = append(out, outerImport{module: m[2], names: []string{name}})
		}
	case "ecmascript":
		for _, m := range scriptImport.FindAllStringSubmatch(src, -1) {
			out = append(out, outerImport{module: m[3], names: anyName.FindAllString(m[1]+m[2], -1)})
		}
	case "python":
		for _, m := range pythonImport.FindAllStringSubmatch(src, -1) {
			if m[1] != "" {
				out = append(out, outerImport{module: m[1], names: anyName.FindAllString(m[2], -1)})
				continue
			}
			for part := range strings.SplitSeq(m[3], ",") {
				words := strings.Fields(part)
				if len(words) > 0 {
					root, _, _ := strings.Cut(words[len(words)-1], ".")
					out = append(out, outerImport{module: words[0], names: []string{root}})
				}
			}
		}
	}
	return out
}

// goName is what a package is usually called by its import path.
func goName(imp string) string {
	name := path.Base(imp)
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = path.Base(path.Dir(imp))
	}
	name, _, _ = strings.Cut(name, ".v")
	return strings.TrimPrefix(strings.TrimSuffix(name, "-go"), "go-")
}

// ecosystems say which family of languages a manifest speaks of.
func ecosystem(manifest string) string {
	switch base := path.Base(manifest); {
	case base == "go.mod" || base == "go.sum":
		return "go"
	case base == "package.json" || base == "package-lock.json" || base == "npm-shrinkwrap.json" || base == "pnpm-lock.yaml" || base == "yarn.lock":
		return "ecmascript"
	case base == "pyproject.toml" || base == "poetry.lock" || base == "uv.lock" || base == "setup.cfg" || strings.HasSuffix(base, ".txt"):
		return "python"
	}
	return ""
}

// importedAs are Python packages whose modules have another name.
var importedAs = map[string]string{
	"pyyaml": "yaml", "beautifulsoup4": "bs4", "pillow": "pil", "python-dateutil": "dateutil", "scikit-learn": "sklearn", "opencv-python": "cv2",
	"protobuf": "google", "pyjwt": "jwt", "python-dotenv": "dotenv", "attrs": "attr", "msgpack-python": "msgpack", "psycopg2-binary": "psycopg2",
}

// takesFrom reports whether an import is of a package by the name of its manifest.
func takesFrom(imp outerImport, name string) bool {
	switch imp.family {
	case "python":
		name, _, _ = strings.Cut(strings.ToLower(name), "[")
		if other, ok := importedAs[name]; ok {
			name = other
		}
		root, _, _ := strings.Cut(strings.ToLower(imp.module), ".")
		return strings.ReplaceAll(name, "-", "_") == root
	case "ecmascript":
		if i := strings.LastIndex(name, "node_modules/"); i >= 0 {
			name = name[i+len("node_modules/"):]
		}
	}
	return imp.module == name || strings.HasPrefix(imp.module, name+"/")
}

// packagesOf lists what became of the packages of one manifest, and which changed
// code imports them.
func (r *reviewer) packagesOf(ctx context.Context, p string, old, now []byte, imports []outerImport) ([]report.Required, int, error) {
	changes, _, err := manifest.Packages(p, old, now)
	if err != nil {
		return nil, 0, nil //nolint:nilerr // the caller has said that the manifest cannot be read
	}
	of := ecosystem(p)
	out := make([]report.Required, 0, min(len(changes), maxPackages))
	for _, c := range changes[:min(len(changes), maxPackages)] {
		row := report.Required{Name: c.Name, Part: c.Part, Change: c.Kind, From: c.From, To: c.To}
		for _, imp := range imports {
			if imp.family != of || !takesFrom(imp, c.Name) {
				continue
			}
			if !slices.Contains(row.Imports, imp.file) && len(row.Imports) < maxImports {
				row.Imports = append(row.Imports, imp.file)
			}
			if err := r.usesOf(ctx, imp, &row.Symbols); err != nil {
				return nil, 0, err
			}
		}
		out = append(out, row)
	}
	return out, len(changes), nil
}

// usesOf adds the changed symbols of a file whose text has a name that an import
// gives.
func (r *reviewer) usesOf(ctx context.Context, imp outerImport, symbols *[]string) error {
	var text []byte
	for _, c := range r.changes {
		if c.head == graph.None {
			continue
		}
		s := &r.Head.Symbols[c.head]
		if s.Path != imp.file || s.Kind == graph.KindModule || len(*symbols) >= maxImportUses || slices.Contains(*symbols, string(s.ID)) {
			continue
		}
		if text == nil {
			contents, err := r.readFiles(ctx, r.Head, []string{imp.file})
			if err != nil {
				return err
			}
			if text = contents[imp.file]; text == nil {
				return nil
			}
		}
		if s.Start < 0 || s.Start > s.End || s.End > len(text) {
			continue
		}
		for _, name := range anyName.FindAllString(string(text[s.Start:s.End]), -1) {
			if slices.Contains(imp.names, name) {
				*symbols = append(*symbols, string(s.ID))
				break
			}
		}
	}
	return nil
}
