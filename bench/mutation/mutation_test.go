// Package mutation_test changes repositories in ways whose effect on the call
// edges is known exactly, and compares the graphs before and after.
//
// It always runs on the small projects in testdata. With BENCH_REPOS, a list of
// clones separated by spaces, it runs on what they have checked out as well, and
// with BENCH_RESULTS it writes its table there. A mutation that finds no place in
// a repository is not counted; one that changes an edge it must not, or leaves
// one it must change, fails.
package mutation_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// A project is the text of the files that matter to a graph, by path.
type project map[string]string

// A row is one call from one line.
type row struct {
	caller, callee graph.SymbolID
	path           string // of the caller
	line, to       int    // of the declarations
	kind           string
	site           int
}

// perMutation is how many places of a repository each mutation tries.
const perMutation = 3

func TestMutations(t *testing.T) {
	fixtures, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	table := &table{}
	for _, file := range fixtures {
		language := strings.TrimSuffix(filepath.Base(file), ".txtar")
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := project{}
		for _, f := range archive.Files {
			p[f.Name] = string(f.Data)
		}
		t.Run(language, func(t *testing.T) { mutate(t, "testdata", language, p, table) })
	}
	for _, dir := range strings.Fields(os.Getenv("BENCH_REPOS")) {
		p := checkedOut(t, dir)
		t.Run(filepath.Base(dir), func(t *testing.T) { mutate(t, filepath.Base(dir), main(p), p, table) })
	}
	if out := os.Getenv("BENCH_RESULTS"); out != "" {
		if err := os.WriteFile(filepath.Join(out, "mutations.md"), []byte(table.markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkedOut reads the tracked files that decide a graph.
func checkedOut(t *testing.T, dir string) project {
	t.Helper()
	list, err := exec.Command("git", "-C", dir, "ls-files", "-z").Output()
	if err != nil {
		t.Fatal(err)
	}
	p := project{}
	for name := range strings.SplitSeq(string(list), "\x00") {
		switch path.Ext(name) {
		case ".go", ".mod", ".work", ".py", ".pyi", ".toml", ".cfg", ".ts", ".tsx", ".js", ".mjs", ".json":
			if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil && len(text) < 1<<20 && bytes.IndexByte(text, 0) < 0 {
				p[name] = string(text)
			}
		}
	}
	return p
}

// main is the language of most files.
func main(p project) string {
	count := map[string]int{}
	for name := range p {
		count[languages[path.Ext(name)]]++
	}
	delete(count, "")
	best := ""
	for _, l := range slices.Sorted(maps.Keys(count)) {
		if best == "" || count[l] > count[best] {
			best = l
		}
	}
	return best
}

var languages = map[string]string{".go": "go", ".py": "python", ".ts": "typescript", ".tsx": "typescript"}

// A subject is a repository before it is changed.
type subject struct {
	t        *testing.T
	language string
	files    project
	graph    *graph.Graph
	rows     []row
	words    map[string]int // how often a word stands in the files
}

func mutate(t *testing.T, name, language string, p project, out *table) {
	s := &subject{t: t, language: language, files: p, words: map[string]int{}}
	s.graph, s.rows = build(t, p)
	for _, text := range p {
		for _, w := range word.FindAllString(text, -1) {
			s.words[w]++
		}
	}
	for _, m := range []struct {
		name string
		run  func(*subject) (done, right int)
	}{
		{"decoy twin", (*subject).decoyTwin}, {"consistent rename", (*subject).rename}, {"import shadowed by a local", (*subject).shadow},
		{"same name in two packages", (*subject).twoPackages}, {"moved file", (*subject).move},
	} {
		done, right := m.run(s)
		if done == 0 && name == "testdata" {
			t.Errorf("%s: no place for it in the fixture", m.name)
		}
		out.add(name, language, m.name, done, right)
	}
}

var word = regexp.MustCompile(`[A-Za-z_]\w*`)

func build(t *testing.T, p project) (*graph.Graph, []row) {
	t.Helper()
	repo := worktreetest.New(t)
	commit := repo.Commit(p)
	g, _, err := index.New(index.Options{Workers: 2}).Build(t.Context(), repo.Open(), worktree.OID(repo.Git("rev-parse", string(commit)+"^{tree}")))
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, e := range g.Edges {
		if e.Kind != graph.EdgeCall && e.Kind != graph.EdgeDispatch {
			continue
		}
		from, to := &g.Symbols[e.From], &g.Symbols[e.To]
		for _, line := range e.Lines {
			rows = append(rows, row{from.ID, to.ID, from.Path, from.Line, to.Line, e.Kind.String() + "/" + e.Tier.String(), int(line)})
		}
	}
	return g, rows
}

// targets are functions that can be told apart by their name and that another
// file certainly calls, spread over the repository.
func (s *subject) targets(fits func(f *graph.Symbol, r row) bool) []row {
	names, stems := map[string]int{}, map[string]bool{}
	for i := range s.graph.Symbols {
		names[s.graph.Symbols[i].Name]++
	}
	for p := range s.files {
		stems[strings.TrimSuffix(path.Base(p), path.Ext(p))] = true
	}
	var found []row
	seen := map[graph.SymbolID]bool{}
	for _, r := range s.rows {
		i, _ := s.graph.Find(r.callee)
		f := &s.graph.Symbols[i]
		unique := f.Kind == graph.KindFunction && f.Container == "" && len(f.Name) >= 5 && names[f.Name] == 1 && !stems[f.Name]
		certain := r.kind == "call/exact" || r.kind == "call/compiler"
		if !unique || !certain || f.Path == r.path || languages[path.Ext(f.Path)] != s.language || seen[f.ID] || s.isMember(f.Name) || !fits(f, r) {
			continue
		}
		seen[f.ID] = true
		found = append(found, r)
	}
	return spread(found)
}

// isMember reports whether a name also stands behind a dot where that may be
// anything. In Go what stands before the dot is checked by the compiler.
func (s *subject) isMember(name string) bool {
	if s.language == "go" {
		return false
	}
	for _, text := range s.files {
		if strings.Contains(text, "."+name) {
			return true
		}
	}
	return false
}

func spread[T any](all []T) []T {
	if len(all) <= perMutation {
		return all
	}
	var out []T
	for i := range perMutation {
		out = append(out, all[i*(len(all)-1)/(perMutation-1)])
	}
	return out
}

func (s *subject) symbol(id graph.SymbolID) *graph.Symbol {
	i, ok := s.graph.Find(id)
	if !ok {
		s.t.Fatalf("no symbol %s", id)
	}
	return &s.graph.Symbols[i]
}

// place is a row without names: what must stay the same when names change.
func place(r row, callee string) string {
	return fmt.Sprintf("%s:%d → %s:%d %s line %d", r.path, r.line, callee, r.to, r.kind, r.site)
}

func pathOf(id graph.SymbolID) string {
	p, _, _ := strings.Cut(string(id), "#")
	_, p, _ = strings.Cut(p, ":")
	return p
}

func (s *subject) same(what string, got, want []string) bool {
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		return true
	}
	for _, g := range got {
		if _, found := slices.BinarySearch(want, g); !found {
			s.t.Errorf("%s: more: %s", what, g)
		}
	}
	for _, w := range want {
		if _, found := slices.BinarySearch(got, w); !found {
			s.t.Errorf("%s: less: %s", what, w)
		}
	}
	return false
}

func places(rows []row, change func(*row, *string) bool) []string {
	var out []string
	for _, r := range rows {
		callee := pathOf(r.callee)
		if change == nil || change(&r, &callee) {
			out = append(out, place(r, callee))
		}
	}
	return out
}

// decoyTwin adds a function of the same name elsewhere. Nothing may lead to it.
func (s *subject) decoyTwin() (done, right int) {
	for _, r := range s.targets(func(*graph.Symbol, row) bool { return true }) {
		name, dir := s.symbol(r.callee).Name, path.Dir(r.path)
		files := maps.Clone(s.files)
		switch s.language {
		case "go":
			files[path.Join(dir, "decoytwin", "decoy.go")] = "package decoytwin\n\nfunc " + name + "() {}\n"
		case "python":
			files[path.Join(dir, "decoytwin.py")] = "def " + name + "(*args, **kwargs):\n    pass\n"
		case "typescript":
			files[path.Join(dir, "decoytwin.ts")] = "export function " + name + "(...args: any[]): any {}\n"
		}
		_, after := build(s.t, files)
		done++
		if s.same("decoy of "+name, places(after, nil), places(s.rows, nil)) {
			right++
		}
	}
	return done, right
}

// rename gives a function another name everywhere. No edge may change.
func (s *subject) rename() (done, right int) {
	for _, r := range s.targets(func(f *graph.Symbol, _ row) bool { return s.words[f.Name+"Renamed"] == 0 }) {
		name := s.symbol(r.callee).Name
		whole := regexp.MustCompile(`\b` + name + `\b`)
		files := project{}
		for p, text := range s.files {
			files[p] = whole.ReplaceAllString(text, name+"Renamed")
		}
		_, after := build(s.t, files)
		done++
		if s.same("rename of "+name, places(after, nil), places(s.rows, nil)) {
			right++
		}
	}
	return done, right
}

// shadow declares a local of the callee's name at the top of a caller that
// nobody calls. The call must no longer lead to the function.
func (s *subject) shadow() (done, right int) {
	called := map[graph.SymbolID]bool{}
	for _, r := range s.rows {
		called[r.callee] = true
	}
	fits := func(f *graph.Symbol, r row) bool {
		caller := s.symbol(r.caller)
		site := strings.Split(s.files[r.path], "\n")[r.site-1]
		plain := regexp.MustCompile(`(^|[^.\w])` + f.Name + `\(`).MatchString(site)
		return caller.Kind == graph.KindFunction && caller.Container == "" && !called[r.caller] && plain && s.shadowed(f, caller) != ""
	}
	for _, r := range s.targets(fits) {
		f, caller := s.symbol(r.callee), s.symbol(r.caller)
		local := s.shadowed(f, caller)
		lines := strings.Split(s.files[r.path], "\n")
		at := bodyLine(lines, caller.Line, s.language)
		files := maps.Clone(s.files)
		files[r.path] = strings.Join(slices.Insert(slices.Clone(lines), at, local), "\n")
		_, after := build(s.t, files)
		moved := func(line int) int {
			if line > at {
				return line + 1
			}
			return line
		}
		inside := strings.TrimSuffix(string(r.caller), "/function") + "."
		want := places(s.rows, func(w *row, callee *string) bool {
			if w.path == r.path {
				w.line, w.site = moved(w.line), moved(w.site)
			}
			if *callee == r.path {
				w.to = moved(w.to)
			}
			return w.caller != r.caller && !strings.HasPrefix(string(w.caller), inside)
		})
		got := places(after, func(w *row, _ *string) bool {
			return w.caller != r.caller && !strings.HasPrefix(string(w.caller), inside)
		})
		done++
		ok := s.same("shadow of "+f.Name+" in "+string(r.caller), got, want)
		for _, w := range after {
			if w.caller == r.caller && w.callee == r.callee {
				s.t.Errorf("%s: the call of %s still leads to the function behind the local", r.caller, f.Name)
				ok = false
			}
		}
		if ok {
			right++
		}
	}
	return done, right
}

// shadowed is the statement that hides f in caller; "" where there is no simple one.
func (s *subject) shadowed(f, caller *graph.Symbol) string {
	lines := strings.Split(s.files[caller.Path], "\n")
	at := bodyLine(lines, caller.Line, s.language)
	if at <= 0 || at >= len(lines) {
		return ""
	}
	indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " \t"))]
	switch s.language {
	case "python":
		if indent == "" {
			return ""
		}
		return indent + f.Name + " = lambda *args, **kwargs: None"
	case "typescript":
		return indent + "const " + f.Name + " = (...args: any[]): any => undefined;"
	}
	// In Go the local must have the function's type, or the file has type errors.
	declared := strings.Split(s.files[f.Path], "\n")[f.Line-1]
	head, ok := strings.CutPrefix(declared, "func "+f.Name+"(")
	if !ok || !strings.HasSuffix(head, "{") || path.Dir(f.Path) != path.Dir(caller.Path) || strings.Contains(head, ".") {
		return ""
	}
	return "\t" + f.Name + " := func(" + strings.TrimSuffix(head, "{") + ` { panic("local") }; _ = ` + f.Name
}

// bodyLine is the index of the first line behind the head of a definition; 0 if
// the head is not plain.
func bodyLine(lines []string, declaration int, language string) int {
	end := "{"
	if language == "python" {
		end = ":"
	}
	open := 0
	for i := declaration - 1; i < len(lines) && i < declaration+20; i++ {
		text := strings.TrimSpace(lines[i])
		open += strings.Count(text, "(") - strings.Count(text, ")")
		if strings.HasSuffix(text, end) && open == 0 {
			return i + 1
		}
		if text == "" {
			return 0
		}
	}
	return 0
}

// twoPackages adds two packages that define one name and callers of each.
func (s *subject) twoPackages() (done, right int) {
	files := maps.Clone(s.files)
	var want []string
	switch s.language {
	case "go":
		module := regexp.MustCompile(`(?m)^module\s+(\S+)`).FindStringSubmatch(s.files["go.mod"])
		if module == nil {
			return 0, 0
		}
		files["twinone/one.go"] = "package twinone\n\nfunc TwinName() {}\n"
		files["twintwo/two.go"] = "package twintwo\n\nfunc TwinName() {}\n"
		files["twinuse/use.go"] = "package twinuse\n\nimport (\n\t\"" + module[1] + "/twinone\"\n\tother \"" + module[1] + "/twintwo\"\n)\n\n" +
			"func One() { twinone.TwinName() }\n\nfunc Two() { other.TwinName() }\n"
		want = []string{"twinuse/use.go:8 → twinone/one.go:3 call/compiler line 8", "twinuse/use.go:10 → twintwo/two.go:3 call/compiler line 10"}
	case "python":
		files["twinone/__init__.py"], files["twintwo/__init__.py"] = "", ""
		files["twinone/m.py"] = "def twin_name():\n    pass\n"
		files["twintwo/m.py"] = "def twin_name():\n    pass\n"
		files["twinuse.py"] = "from twinone.m import twin_name\nimport twintwo.m as other\n\n\ndef one():\n    twin_name()\n\n\ndef two():\n    other.twin_name()\n"
		want = []string{"twinuse.py:5 → twinone/m.py:1 call/exact line 6", "twinuse.py:9 → twintwo/m.py:1 call/exact line 10"}
	case "typescript":
		files["twinone/m.ts"] = "export function twinName() {}\n"
		files["twintwo/m.ts"] = "export function twinName() {}\n"
		files["twinuse.ts"] = "import { twinName } from './twinone/m'\nimport * as other from './twintwo/m'\n\n" +
			"export function one() {\n  twinName()\n}\n\nexport function two() {\n  other.twinName()\n}\n"
		want = []string{"twinuse.ts:4 → twinone/m.ts:1 call/exact line 5", "twinuse.ts:8 → twintwo/m.ts:1 call/exact line 9"}
	}
	_, after := build(s.t, files)
	if s.same("same name in two packages", places(after, nil), append(places(s.rows, nil), want...)) {
		return 1, 1
	}
	return 1, 0
}

// move gives a file another name and mends the imports. Edges follow it.
func (s *subject) move() (done, right int) {
	var paths []string
	for _, r := range s.targets(func(f *graph.Symbol, _ row) bool { return s.movable(f.Path) }) {
		if p := pathOf(r.callee); !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	for _, from := range paths {
		stem := strings.TrimSuffix(path.Base(from), path.Ext(from))
		to := path.Join(path.Dir(from), stem+"moved"+path.Ext(from))
		if s.language == "go" {
			to = path.Join(path.Dir(from), "moved"+path.Base(from))
		}
		files := project{}
		for p, text := range s.files {
			if p == from {
				p = to
			}
			files[p] = s.mended(text, stem)
		}
		_, after := build(s.t, files)
		done++
		want := places(s.rows, func(r *row, callee *string) bool {
			if r.path == from {
				r.path = to
			}
			if *callee == from {
				*callee = to
			}
			return true
		})
		if s.same("move of "+from, places(after, nil), want) {
			right++
		}
	}
	return done, right
}

var imports = regexp.MustCompile(`^\s*(from|import)\b`)

// movable reports whether all mentions of a file's name are imports of it.
func (s *subject) movable(p string) bool {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	if s.language == "go" {
		return true
	}
	if len(stem) < 4 || strings.HasPrefix(stem, "test") || strings.HasSuffix(stem, "test") || stem == "conftest" || stem == "index" || strings.ContainsAny(stem, ".-") {
		return false
	}
	alias := regexp.MustCompile(`['"][^.'"][^'"]*/` + stem + `(\.[cm]?[jt]sx?)?['"]`)
	for q, text := range s.files {
		if s.language == "typescript" && alias.MatchString(text) {
			return false
		}
		if q != p && slices.Contains(strings.FieldsFunc(strings.TrimSuffix(q, path.Ext(q)), func(c rune) bool { return c == '/' }), stem) {
			return false
		}
		for line := range strings.Lines(text) {
			if s.language == "python" && strings.HasSuffix(q, ".py") && !imports.MatchString(line) && slices.Contains(word.FindAllString(line, -1), stem) {
				return false
			}
		}
	}
	return true
}

func (s *subject) mended(text, stem string) string {
	switch s.language {
	case "python":
		whole := regexp.MustCompile(`\b` + stem + `\b`)
		var b strings.Builder
		for line := range strings.Lines(text) {
			if imports.MatchString(line) {
				line = whole.ReplaceAllString(line, stem+"moved")
			}
			b.WriteString(line)
		}
		return b.String()
	case "typescript":
		return regexp.MustCompile(`(['"]\.[^'"]*/)`+stem+`((\.[cm]?[jt]sx?)?['"])`).ReplaceAllString(text, "${1}"+stem+"moved${2}")
	}
	return text
}

// A table counts what was tried and what was right.
type table struct{ lines []string }

func (t *table) add(repository, language, mutation string, done, right int) {
	if done > 0 {
		t.lines = append(t.lines, fmt.Sprintf("| %s | %s | %s | %d of %d |", repository, language, mutation, right, done))
	}
}

func (t *table) markdown() string {
	return "# Mutations\n\nRepositories changed in ways whose effect on the call edges is known; an edge too many or too few fails the\nwhole change. Written by `make bench-accuracy`; [mutation_test.go](../mutation/mutation_test.go) says what each one does.\n\n" +
		"| repository | language | mutation | right |\n|---|---|---|--:|\n" + strings.Join(t.lines, "\n") + "\n"
}
