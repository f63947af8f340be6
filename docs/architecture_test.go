// Package docs_test keeps the documents true: it compares the layers table of
// ARCHITECTURE.md with the imports in the source, and what cites a decision
// record with the records. It needs nothing but the standard library.
package docs_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/previdence/previdence"

// A layer is one row of the table: a package, or all packages one level below
// a folder, and what they may import of this module.
type layer struct {
	pattern string
	may     []string
}

// matches reports whether pattern is pkg or the folder right above it plus "/*".
func matches(pattern, pkg string) bool {
	if folder, ok := strings.CutSuffix(pattern, "/*"); ok {
		return path.Dir(pkg) == folder
	}
	return pattern == pkg
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// layersOf reads the table under the heading "Packages".
func layersOf(document string) ([]layer, error) {
	_, text, found := strings.Cut(document, "\n## Packages\n")
	if !found {
		return nil, fmt.Errorf("no heading %q", "## Packages")
	}
	var layers []layer
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "## ") {
			break
		}
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 3 {
			return nil, fmt.Errorf("row has %d cells, want 3: %s", len(cells), line)
		}
		l := layer{pattern: codeSpan.FindStringSubmatch(cells[0])[1]}
		for _, m := range codeSpan.FindAllStringSubmatch(cells[2], -1) {
			l.may = append(l.may, m[1])
		}
		layers = append(layers, l)
	}
	if len(layers) == 0 {
		return nil, fmt.Errorf("the table has no rows")
	}
	return layers, nil
}

// rowOf returns the row of a package: its own if there is one, else the one
// that names its folder.
func rowOf(layers []layer, pkg string) (layer, bool) {
	for _, l := range layers {
		if l.pattern == pkg {
			return l, true
		}
	}
	for _, l := range layers {
		if matches(l.pattern, pkg) {
			return l, true
		}
	}
	return layer{}, false
}

// violations compares packages, each with what it imports of this module, with
// the table.
func violations(layers []layer, packages map[string][]string) []string {
	var wrong []string
	used := map[string]bool{}
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		row, ok := rowOf(layers, pkg)
		if !ok {
			wrong = append(wrong, pkg+": no row of the table names it")
			continue
		}
		used[row.pattern] = true
		for _, imported := range packages[pkg] {
			allowed := imported == pkg || slices.ContainsFunc(row.may, func(p string) bool { return matches(p, imported) })
			if !allowed {
				wrong = append(wrong, pkg+": imports "+imported+", which its row does not name")
			}
		}
	}
	for _, l := range layers {
		if !used[l.pattern] {
			wrong = append(wrong, l.pattern+": the table names it and there is no such package")
		}
		for _, may := range l.may {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(packages)), func(p string) bool { return matches(may, p) }) {
				wrong = append(wrong, l.pattern+": may import "+may+", and there is no such package")
			}
		}
	}
	return wrong
}

// A source is what a package's own files import, tests left out.
type source struct {
	ours   []string // relative to the module
	others []string
}

// read parses the imports of every Go file of the repository. A folder that
// holds tests only counts as a package without imports.
func read(t *testing.T) map[string]source {
	t.Helper()
	packages := map[string]source{}
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			hidden := strings.HasPrefix(name, ".") && name != ".."
			if hidden || name == "testdata" || name == "node_modules" || name == "bin" || name == "dist" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		rel, err := filepath.Rel("..", filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		s := packages[pkg]
		if !strings.HasSuffix(name, "_test.go") {
			if err := s.add(file); err != nil {
				return err
			}
		}
		packages[pkg] = s
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

func (s *source) add(file string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return err
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if own, ok := strings.CutPrefix(imported, module+"/"); ok {
			s.ours = append(s.ours, own)
		} else {
			s.others = append(s.others, imported)
		}
	}
	return nil
}

func oursOf(packages map[string]source) map[string][]string {
	ours := make(map[string][]string, len(packages))
	for pkg, s := range packages {
		ours[pkg] = s.ours
	}
	return ours
}

// leak returns how pkg comes to import something forbidden, package by package,
// or nil if it does not.
func leak(packages map[string]source, pkg string, forbidden func(string) bool) []string {
	seen := map[string]bool{}
	var visit func(string) []string
	visit = func(pkg string) []string {
		if seen[pkg] {
			return nil
		}
		seen[pkg] = true
		s := packages[pkg]
		for _, other := range slices.Concat(s.others, s.ours) {
			if forbidden(other) {
				return []string{pkg, other}
			}
		}
		for _, own := range s.ours {
			if p := visit(own); p != nil {
				return append([]string{pkg}, p...)
			}
		}
		return nil
	}
	return visit(pkg)
}

func database(imported string) bool {
	return imported == "database/sql" || strings.HasPrefix(imported, "modernc.org/sqlite")
}

func treeSitter(imported string) bool {
	return strings.HasPrefix(imported, "github.com/tree-sitter/") || imported == "graph/extract/treesitter"
}

// graphs is true for what knows a graph. The contract of answers about one does
// not: it is plain types.
func graphs(imported string) bool {
	return imported == "graph" || strings.HasPrefix(imported, "graph/") && imported != "graph/answer"
}

func in(folder, pkg string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

func TestImportsObeyTheLayersTable(t *testing.T) {
	document, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	layers, err := layersOf(string(document))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations(layers, oursOf(read(t))) {
		t.Error(v)
	}
}

func TestRulesAcrossTheTable(t *testing.T) {
	packages := read(t)
	checked := 0
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		var forbidden func(string) bool
		switch {
		case in("reporters", pkg), in("action", pkg), in("mcp", pkg):
			forbidden = func(i string) bool { return graphs(i) || database(i) || treeSitter(i) }
		case in("review", pkg):
			forbidden = func(i string) bool { return database(i) || treeSitter(i) }
		default:
			continue
		}
		checked++
		if p := leak(packages, pkg, forbidden); p != nil {
			t.Errorf("%s must not see it: %s", pkg, strings.Join(p, " → "))
		}
	}
	if checked == 0 {
		t.Error("no package was checked")
	}
}

func TestOnlyWorktreeRunsPrograms(t *testing.T) {
	for pkg, s := range read(t) {
		// worktreetest makes repositories for tests and is imported by tests only;
		// child runs this program and no other.
		runs := pkg == "worktree" || pkg == "worktree/worktreetest" || pkg == "cmd/internal/child"
		if !runs && slices.Contains(s.others, "os/exec") {
			t.Errorf("%s imports os/exec", pkg)
		}
		if slices.Contains(s.ours, "worktree/worktreetest") {
			t.Errorf("%s imports worktree/worktreetest outside tests", pkg)
		}
	}
}

func TestTheCheckItselfCanFail(t *testing.T) {
	layers := []layer{{"a", nil}, {"b", []string{"a"}}, {"b/*", []string{"a", "gone"}}, {"missing", nil}}
	packages := map[string][]string{"a": {"b"}, "b": {"a", "b"}, "b/c": {"a"}, "b/c/d": nil}
	got := violations(layers, packages)
	want := []string{
		"a: imports b, which its row does not name",
		"b/c/d: no row of the table names it",
		"b/*: may import gone, and there is no such package",
		"missing: the table names it and there is no such package",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	sources := map[string]source{"a": {ours: []string{"b"}}, "b": {ours: []string{"a", "c"}}, "c": {others: []string{"database/sql"}}}
	if got := leak(sources, "a", database); !slices.Equal(got, []string{"a", "b", "c", "database/sql"}) {
		t.Errorf("leak gives %q", got)
	}
	if got := leak(sources, "a", treeSitter); got != nil {
		t.Errorf("leak gives %q where there is none", got)
	}
}

var record = regexp.MustCompile(`docs/adr/(\d{4}[a-z0-9-]*)(\.md)?`)

func TestCitedDecisionsExist(t *testing.T) {
	cited := 0
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == ".git" || name == "testdata" || name == "node_modules" || name == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(file); ext != ".go" && ext != ".md" {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range record.FindAllStringSubmatch(string(text), -1) {
			cited++
			found, err := filepath.Glob(filepath.Join("adr", m[1]+"*.md"))
			if err != nil {
				return err
			}
			exact := m[2] == "" || slices.Contains(found, filepath.Join("adr", m[1]+".md"))
			if len(found) != 1 || !exact {
				t.Errorf("%s cites %s, which is not one record", file, m[0])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if cited == 0 {
		t.Error("no citation was found, so nothing was checked")
	}
}

func TestEveryDecisionHasANumberOfItsOwn(t *testing.T) {
	records, err := filepath.Glob("adr/*.md")
	if err != nil || len(records) == 0 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for i, file := range records { // sorted, so each has the number of its place
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(file); !strings.HasPrefix(name, fmt.Sprintf("%04d-", i+1)) || !strings.HasPrefix(string(text), fmt.Sprintf("# %d. ", i+1)) {
			t.Errorf("%s is record %d, and its name or its heading says another number", name, i+1)
		}
	}
}
