// Apidiff compares what a review says of the exported surface of Go modules with
// what golang.org/x/exp/apidiff says of packages that the go command loaded.
//
// Input is a list of tag pairs and a folder with, for each, checkouts of both
// commits and the report of a review between them (bench/run-apidiff); output is a
// table with a line for each pair, and every verdict that differs. The go command
// loads the checkouts, so dependencies must be in the module cache; a review needs
// none. It shares no code with the product.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/packages"
)

func main() {
	pairs := flag.String("pairs", "bench/apidiff/pairs.tsv", "file of lines: repository, folder of the module, old tag, new tag")
	work := flag.String("work", ".", "folder with a folder for each pair, named by its line: old, new, report.json")
	flag.Parse()
	if err := run(os.Stdout, *pairs, *work); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// A pair is two versions of one module.
type pair struct{ repo, dir, old, new string }

// Verdicts are what one side says of each object: "breaking", "compatible",
// "unknown".
type verdicts map[string]string // by "folder Name"

func run(w io.Writer, file, work string) error {
	list, err := readPairs(file)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "| module | from | to | breaking: apidiff | breaking: review | compatible: apidiff | compatible: review | same | differ |")
	fmt.Fprintln(w, "|---|---|---|---:|---:|---:|---:|---:|---:|")
	var notes []string
	same, all, sameOutcome := 0, 0, 0
	for n, p := range list {
		want, got, err := both(p, filepath.Join(work, strconv.Itoa(n+1)))
		if err != nil {
			return fmt.Errorf("%s %s..%s: %w", p.repo, p.old, p.new, err)
		}
		equal, differ := compare(want, got)
		same, all = same+equal, all+equal+len(differ)
		if (want.count("breaking") > 0) == (got.count("breaking") > 0) {
			sameOutcome++
		}
		fmt.Fprintf(w, "| %s | %s | %s | %d | %d | %d | %d | %d | %d |\n", filepath.Join(p.repo, p.dir), p.old, p.new,
			want.count("breaking"), got.count("breaking"), want.count("compatible"), got.count("compatible"), equal, len(differ))
		for _, d := range differ {
			notes = append(notes, fmt.Sprintf("%s %s..%s: %s", p.repo, p.old, p.new, d))
		}
	}
	fmt.Fprintf(w, "\n%d of %d pairs have the same outcome, %d of %d objects the same verdict.\n", sameOutcome, len(list), same, all)
	if len(notes) > 0 {
		fmt.Fprintf(w, "\nVerdicts that differ:\n\n- %s\n", strings.Join(notes, "\n- "))
	}
	return nil
}

func readPairs(file string) ([]pair, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []pair
	for s := bufio.NewScanner(f); s.Scan(); {
		if fields := strings.Fields(s.Text()); len(fields) == 4 {
			list = append(list, pair{fields[0], fields[1], fields[2], fields[3]})
		}
	}
	return list, nil
}

func (v verdicts) count(what string) int {
	n := 0
	for _, said := range v {
		if said == what {
			n++
		}
	}
	return n
}

// note keeps the weightier of two verdicts about one object.
func (v verdicts) note(object, verdict string) {
	if v[object] != "breaking" {
		v[object] = verdict
	}
}

func compare(want, got verdicts) (same int, differ []string) {
	objects := maps.Clone(want)
	maps.Copy(objects, got)
	for _, o := range slices.Sorted(maps.Keys(objects)) {
		if want[o] == got[o] {
			same++
			continue
		}
		differ = append(differ, fmt.Sprintf("`%s`: apidiff %s, review %s", o, orNothing(want[o]), orNothing(got[o])))
	}
	return same, differ
}

func orNothing(verdict string) string {
	if verdict == "" {
		return "nothing"
	}
	return verdict
}

func both(p pair, work string) (want, got verdicts, err error) {
	if want, err = oracle(work, p.dir); err != nil {
		return nil, nil, err
	}
	report, err := os.ReadFile(filepath.Join(work, "report.json"))
	if err != nil {
		return nil, nil, err
	}
	got, err = reviewed(report, p.dir)
	return want, got, err
}

// oracle compares the packages of both checkouts.
func oracle(work, dir string) (verdicts, error) {
	var sides [2]map[string]*packages.Package
	for i, side := range []string{"old", "new"} {
		tree, err := filepath.Abs(filepath.Join(work, side))
		if err != nil {
			return nil, err
		}
		if sides[i], err = load(tree, filepath.Join(tree, dir)); err != nil {
			return nil, err
		}
	}
	v := verdicts{}
	for folder, was := range sides[0] {
		now := sides[1][folder]
		if now == nil {
			for _, name := range was.Types.Scope().Names() {
				if was.Types.Scope().Lookup(name).Exported() {
					v.note(folder+" "+name, "breaking")
				}
			}
			continue
		}
		for _, c := range apidiff.Changes(was.Types, now.Types).Changes {
			verdict := "breaking"
			if c.Compatible {
				verdict = "compatible"
			}
			v.note(object(folder, strings.TrimSuffix(was.PkgPath, "/"+folder), c.Message), verdict)
		}
	}
	for folder, now := range sides[1] {
		if sides[0][folder] != nil {
			continue
		}
		for _, name := range now.Types.Scope().Names() {
			if now.Types.Scope().Lookup(name).Exported() {
				v.note(folder+" "+name, "compatible")
			}
		}
	}
	return v, nil
}

// load loads the packages of a module that others can import, by folder.
func load(tree, dir string) (map[string]*packages.Package, error) {
	list, err := packages.Load(&packages.Config{
		Dir: dir, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOOS=linux", "GOARCH=amd64"),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, "./...")
	if err != nil {
		return nil, err
	}
	out := map[string]*packages.Package{}
	for _, p := range list {
		if p.Name == "main" || len(p.GoFiles) == 0 || strings.Contains("/"+p.PkgPath+"/", "/internal/") {
			continue
		}
		for _, e := range p.Errors {
			fmt.Fprintln(os.Stderr, "apidiff:", e)
		}
		folder, err := filepath.Rel(tree, filepath.Dir(p.GoFiles[0]))
		if err != nil {
			return nil, err
		}
		out[folder] = p
	}
	return out, nil
}

// object is what a message is about, as a review would name it. What another
// package of the module declares stands under that.
func object(folder, module, message string) string {
	name, _, _ := strings.Cut(message, ": ")
	if inner, ok := strings.CutPrefix(strings.TrimLeft(name, "(*"), module+"/"); ok {
		slash := strings.LastIndexByte(inner, '/') + 1
		pkg, rest, _ := strings.Cut(inner[slash:], ".")
		folder, name = inner[:slash]+pkg, rest
	}
	if before, of, ok := strings.Cut(name, ", method set of "); ok {
		name = strings.TrimPrefix(of, "*") + before[strings.LastIndexByte(before, '.'):]
	}
	name, _, _ = strings.Cut(name, ", ")
	for {
		open, end := strings.IndexByte(name, '['), strings.IndexByte(name, ']')
		if open < 0 || end < open {
			break
		}
		name = name[:open] + name[end+1:]
	}
	return folder + " " + strings.NewReplacer("(", "", ")", "", "*", "").Replace(name)
}

// reviewed reads the verdicts of a report about one module.
func reviewed(data []byte, dir string) (verdicts, error) {
	var r struct {
		API struct {
			Added, Removed []string
			Changed        []struct{ Symbol, Effect, Reason string }
		}
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	v := verdicts{}
	note := func(id, member, verdict string) {
		path, ok := strings.CutPrefix(id, "go:")
		file, name, _ := strings.Cut(path, "#")
		folder := filepath.Dir(file)
		if !ok || dir != "." && folder != dir && !strings.HasPrefix(folder, dir+"/") {
			return
		}
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			name = name[:i]
		}
		v.note(folder+" "+name+member, verdict)
	}
	for _, id := range r.API.Removed {
		note(id, "", "breaking")
	}
	for _, id := range r.API.Added {
		note(id, "", "compatible")
	}
	for _, c := range r.API.Changed {
		member := ""
		words := strings.FieldsFunc(c.Reason, func(r rune) bool { return r == ' ' || r == ',' || r == ':' })
		switch {
		case strings.HasPrefix(c.Reason, "gains method "):
			member = "." + words[2]
		case strings.HasPrefix(c.Reason, "gains ") && len(words) == 2, strings.HasPrefix(c.Reason, "loses ") && words[1] != "parameter":
			member = "." + words[1]
		}
		note(c.Symbol, member, c.Effect)
	}
	return v, nil
}
