// Seeds scores what a review finds of repositories that were broken on purpose.
//
// Input are seeds, one JSON object a line, that typescript.mjs or python.py made
// with a compiler or type checker as truth: README.md has their shape. With
// -commits it prints a stream for git fast-import that makes a branch of each,
// seed-0, seed-1, …; with -reports it reads the reports of the reviews of these
// branches and writes figures and what was missed. It reads no repository and
// runs nothing: bench/run-seeds does.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/review/report"
)

func main() {
	seeds := flag.String("seeds", "", "`FILE` of seeds")
	commits := flag.String("commits", "", "print a stream for git fast-import, of branches on top of this `COMMIT`")
	reports := flag.String("reports", "", "`DIR` with the reports of the branches")
	name := flag.String("name", "", "name of the repository in the results")
	results := flag.String("results", "bench/results", "folder to write to")
	flag.Parse()
	if err := run(*seeds, *commits, *reports, *name, *results); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(seeds, commits, reports, name, results string) error {
	f, err := os.Open(seeds)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := readSeeds(f)
	if err != nil {
		return fmt.Errorf("%s: %w", seeds, err)
	}
	if commits != "" {
		return s.stream(os.Stdout, commits)
	}
	r, err := s.score(reports)
	if err != nil {
		return err
	}
	return r.write(name, s.MadeBy, results)
}

// A place is a line of a file as the seed leaves it.
type place struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

// A seed is one way in which a repository was broken, and what follows.
type seed struct {
	Kind   string            `json:"kind"`  // "delete", "rename", "add", "drop", "stale"
	Name   string            `json:"name"`  // what was broken, for people
	Files  map[string]string `json:"files"` // the files that change, as they then stand
	Asked  []string          `json:"asked"` // files that the oracle was asked about; others are not judged
	Errors []struct {
		place
		Message string `json:"message"`
	} `json:"errors"` // every line on which the oracle finds an error that it did not find before
	Follows []place `json:"follows"` // lines that use what an error on another line is about; neither right nor wrong
}

// Seeds are all of one repository.
type seeds struct {
	MadeBy string `json:"made_by"` // the oracle
	all    []seed
}

// errNoSeeds means that a file of seeds lacks its first line or any seed.
var errNoSeeds = errors.New("no seeds")

func readSeeds(r io.Reader) (*seeds, error) {
	s := &seeds{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for n := 0; lines.Scan(); n++ {
		var one seed
		var into any = s
		if n > 0 {
			into = &one
		}
		if err := json.Unmarshal(lines.Bytes(), into); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		if n > 0 {
			s.all = append(s.all, one)
		}
	}
	if len(s.all) == 0 {
		return nil, cmp.Or(lines.Err(), errNoSeeds)
	}
	return s, lines.Err()
}

// stream writes one commit per seed on a branch of its own.
func (s *seeds) stream(w io.Writer, base string) error {
	out := bufio.NewWriter(w)
	for i, one := range s.all {
		fmt.Fprintf(out, "commit refs/heads/seed-%d\ncommitter seeds <seeds@example.invalid> 0 +0000\ndata 4\nseed\nfrom %s\n", i, base)
		for _, path := range slices.Sorted(maps.Keys(one.Files)) {
			fmt.Fprintf(out, "M 100644 inline %s\ndata %d\n%s\n", strconv.Quote(path), len(one.Files[path]), one.Files[path])
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// A tally counts one kind of seeds by lines.
type tally struct{ seeds, truth, found, said, wrong int }

// A result is what the reviews of one repository found.
type result struct {
	kinds map[string]*tally
	rows  []string // missed and wrong lines
}

// score compares the reports of the branches with what the oracle found.
func (s *seeds) score(dir string) (*result, error) {
	r := &result{kinds: map[string]*tally{}}
	for i, one := range s.all {
		said, err := broken(dir, i)
		if err != nil {
			return nil, err
		}
		if r.kinds[one.Kind] == nil {
			r.kinds[one.Kind] = &tally{}
		}
		t := r.kinds[one.Kind]
		t.seeds++
		truth := map[place]bool{}
		for _, e := range one.Errors {
			truth[e.place] = true
			t.truth++
			if said[e.place] {
				t.found++
				continue
			}
			r.rows = append(r.rows, row("missed", one, e.place, e.Message))
		}
		for p := range said {
			if !slices.Contains(one.Asked, p.Path) || slices.Contains(one.Follows, p) {
				continue
			}
			t.said++
			if !truth[p] {
				t.wrong++
				r.rows = append(r.rows, row("wrong", one, p, ""))
			}
		}
	}
	slices.Sort(r.rows)
	return r, nil
}

func row(what string, s seed, p place, message string) string {
	message = strings.Join(strings.Fields(message), " ")
	return strings.Join([]string{what, s.Kind, s.Name, p.Path, strconv.Itoa(p.Line), message}, "\t")
}

// broken are the lines of the references that the review of a branch lists.
func broken(dir string, i int) (map[place]bool, error) {
	names, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("seed-%d-*.json", i)))
	if err != nil || len(names) != 1 {
		return nil, fmt.Errorf("reports of seed-%d: %d of them, %w", i, len(names), cmp.Or(err, os.ErrNotExist))
	}
	f, err := os.Open(names[0])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := report.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", names[0], err)
	}
	out := map[place]bool{}
	for _, b := range r.Breaks {
		for _, ref := range b.References {
			out[place{ref.Path, ref.Line}] = true
		}
	}
	return out, nil
}

// write writes the figures as NAME of results/seeds, and the rows beside them.
func (r *result) write(name, oracle, dir string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Broken on purpose: %s\n\nLines with errors by %s, and what `review` lists of them (`make bench-seeds`,\n[bench/seeds](../seeds/README.md)). What was missed and what is wrong: [seeds-%s.tsv](seeds-%s.tsv).\n\n", name, oracle, name, name)
	b.WriteString("| kind | seeds | found of true lines | wrong of listed lines |\n|---|---|---|---|\n")
	var all tally
	for _, kind := range slices.Sorted(maps.Keys(r.kinds)) {
		t := r.kinds[kind]
		all.seeds, all.truth, all.found = all.seeds+t.seeds, all.truth+t.truth, all.found+t.found
		all.said, all.wrong = all.said+t.said, all.wrong+t.wrong
		fmt.Fprintf(&b, "| %s | %d | %d of %d | %d of %d |\n", kind, t.seeds, t.found, t.truth, t.wrong, t.said)
	}
	fmt.Fprintf(&b, "| all | %d | %d of %d | %d of %d |\n", all.seeds, all.found, all.truth, all.wrong, all.said)
	fmt.Print(b.String())
	if err := os.WriteFile(filepath.Join(dir, "seeds-"+name+".md"), []byte(b.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "seeds-"+name+".tsv"), []byte(strings.Join(append(r.rows, ""), "\n")), 0o644)
}
