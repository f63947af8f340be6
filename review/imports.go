package review

import (
	"cmp"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/manifest"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// Bounds of what is listed for one manifest and one package.
const (
	maxPackages   = 500
	maxImports    = 20
	maxImportUses = 20
)

// An outer import is one that a file of head makes from outside the tree.
type outerImport struct {
	file    string
	changed bool
	module  string   // as written: "golang.org/x/mod/modfile", "@scope/name/sub", "yaml.nodes"
	names   []string // under which the file knows it
}

// importers are the outer imports of one family of languages, by the key of the
// package that they may be of.
type importers map[string][]outerImport

var (
	goImport     = regexp.MustCompile(`(?m)^\s*(?:import\s+)?(?:([\w.]+)\s+)?"([^"\s]+)"\s*(?://.*)?$`)
	scriptImport = regexp.MustCompile(`(?:import\s+([\w$*{}\s,]+?)\s+from\s*|import\s*\(?\s*|(?:const|let|var)\s+([\w$*{}\s,:]+?)\s*=\s*require\s*\(\s*|export\s+[\w$*{}\s,]+?\s+from\s*|require\s*\(\s*)["']([^"'\n]+)["']`)
	pythonImport = regexp.MustCompile(`(?m)^\s*(?:from\s+([\w.]+)\s+import\s+\(?([\w\s,*]+)|import\s+([\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*))`)
	anyName      = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)
)

// importersIn reads what the files of head import from outside the tree: those of
// changed files first, then those in folders that changed, then by path.
func (r *reviewer) importersIn(ctx context.Context, of string) (importers, error) {
	changed := r.changedPaths()
	folders := map[string]bool{}
	for p := range changed {
		folders[path.Dir(p)] = true
	}
	var files []*graph.File
	var oids []worktree.OID
	for i := range r.Head.Files {
		if f := &r.Head.Files[i]; f.Blob != "" && family(f.Language) == of && f.Size <= r.Limits.BlobBytes {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b *graph.File) int {
		return cmp.Or(-cmp.Compare(btoi(changed[a.Path]), btoi(changed[b.Path])),
			-cmp.Compare(btoi(folders[path.Dir(a.Path)]), btoi(folders[path.Dir(b.Path)])), cmp.Compare(a.Path, b.Path))
	})
	for _, f := range files {
		oids = append(oids, worktree.OID(f.Blob))
	}
	out := importers{}
	err := r.Blobs.Blobs(ctx, oids, r.Limits.BlobBytes, func(i int, data []byte, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read says nothing; the coverage section counts it
		}
		f := files[i]
		for _, imp := range importsOf(of, string(data)) {
			imp.file, imp.changed = f.Path, changed[f.Path]
			for _, key := range packagesNamed(of, imp.module) {
				out[key] = append(out[key], imp)
			}
		}
		return nil
	})
	return out, err
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

// packagesNamed are the packages that a module may be of, as keys: of Go that may be
// any folder above it.
func packagesNamed(family, module string) (keys []string) {
	switch family {
	case "python":
		root, _, _ := strings.Cut(strings.ToLower(module), ".")
		return []string{root}
	case "ecmascript":
		parts := strings.SplitN(module, "/", 3)
		if strings.HasPrefix(module, "@") && len(parts) > 1 {
			return []string{parts[0] + "/" + parts[1]}
		}
		return parts[:1]
	}
	for p := module; p != "." && p != "/"; p = path.Dir(p) {
		keys = append(keys, p)
	}
	return keys
}

// packageKey is what a package of a manifest has in common with imports of it.
func packageKey(family, name string) string {
	switch family {
	case "python":
		name, _, _ = strings.Cut(strings.ToLower(name), "[")
		if other, ok := importedAs[name]; ok {
			return other
		}
		return strings.ReplaceAll(name, "-", "_")
	case "ecmascript":
		if i := strings.LastIndex(name, "node_modules/"); i >= 0 {
			return name[i+len("node_modules/"):]
		}
	}
	return name
}

// packagesOf lists what became of the packages of one manifest, and who imports
// them.
func (r *reviewer) packagesOf(ctx context.Context, p string, old, now []byte, found importers) ([]report.Required, int, error) {
	changes, _, err := manifest.Packages(p, old, now)
	if err != nil {
		return nil, 0, nil //nolint:nilerr // the caller has said that the manifest cannot be read
	}
	of := ecosystem(p)
	out := make([]report.Required, 0, min(len(changes), maxPackages))
	for _, c := range changes[:min(len(changes), maxPackages)] {
		row := report.Required{Name: c.Name, Part: c.Part, Change: c.Kind, From: c.From, To: c.To}
		if of != "" {
			if err := r.addImporters(ctx, &row, below(found[packageKey(of, c.Name)], scope(p))); err != nil {
				return nil, 0, err
			}
		}
		out = append(out, row)
	}
	return out, len(changes), nil
}

// scope is the folder whose files a manifest speaks for. Lists of requirements lie
// anywhere.
func scope(manifest string) string {
	if ecosystem(manifest) == "python" {
		return ""
	}
	return dirOf(manifest)
}

func below(list []outerImport, folder string) []outerImport {
	if folder == "" {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(i outerImport) bool { return !strings.HasPrefix(i.file, folder+"/") })
}

// addImporters says who imports a package.
func (r *reviewer) addImporters(ctx context.Context, row *report.Required, imports []outerImport) error {
	row.Importers = new(int)
	last := "" // a file's imports stand together
	for _, imp := range imports {
		if imp.changed {
			if err := r.usesOf(ctx, imp, &row.Symbols); err != nil {
				return err
			}
		}
		if imp.file == last {
			continue
		}
		last = imp.file
		*row.Importers++
		list := &row.Elsewhere
		if imp.changed {
			list = &row.Imports
		}
		if len(*list) < maxImports {
			*list = append(*list, imp.file)
		}
	}
	return nil
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
