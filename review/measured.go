package review

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/mod/modfile"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/cover"
	"github.com/previdence/previdence/review/diff"
	"github.com/previdence/previdence/review/filekind"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// maxMissed bounds the list of files with changed lines that did not run.
const maxMissed = 500

// A measurement is what the given coverage says about the changed files of head.
type measurement struct {
	files  map[string]*measuredFile // by path; those whose content is what was measured
	ran    map[int32]bool           // tests that ran, by symbol
	inputs []report.CoverageInput
	source []string // changed files of source code at head
}

// A measuredFile is one changed file. Lines without code are left out.
type measuredFile struct {
	lines   map[int]bool           // measured line → it ran
	tests   map[int]map[int32]bool // line → tests that ran it
	told    bool                   // whoever measured it told the tests apart
	untold  bool                   // but not all of them
	changed []diff.Hunk
}

// readCoverage holds the given coverage against the changed files of head.
func (r *reviewer) readCoverage(ctx context.Context) error {
	if len(r.Coverage) == 0 {
		return nil
	}
	r.measured = &measurement{files: map[string]*measuredFile{}, ran: map[int32]bool{}}
	modules, err := r.goModules(ctx)
	if err != nil {
		return err
	}
	var paths []string
	for i := range r.Head.Files {
		paths = append(paths, r.Head.Files[i].Path)
	}
	tree := cover.NewTree(paths, modules)
	changed, err := r.changedSource(ctx)
	if err != nil {
		return err
	}
	r.measured.source = slices.Sorted(maps.Keys(changed))
	other := map[string]bool{} // measured with another content
	unknown, named := 0, 0
	for _, p := range r.Coverage {
		found := tree.Locate(p)
		tests, lost := r.testsNamed(p.Tests, tree)
		unknown, named = unknown+lost, named+len(p.Tests)
		in := report.CoverageInput{Format: p.Format, Digest: p.Digest, State: "used", Files: len(p.Files), Found: len(found), Tests: len(p.Tests)}
		fit, misfit := 0, 0
		for i, at := range found {
			file := changed[at]
			switch {
			case file == nil:
			case p.Files[i].Fits(file.data):
				fit++
				r.measured.add(at, file, &p.Files[i], tests, p.Format == cover.LCOV && lost > 0)
			default:
				misfit++
				other[at] = true
			}
		}
		switch {
		case len(found) == 0:
			in.State, in.Reason = "unknown", "it names no file of head"
		case misfit > 0 && fit == 0:
			in.State, in.Reason = "unknown", "what it measured are not the changed files as head has them"
		case misfit > 0:
			in.Reason = fmt.Sprintf("%s not as head has it", plural(misfit, "changed file"))
		}
		if in.State == "used" {
			for _, t := range tests {
				if t != graph.None {
					r.measured.ran[t] = true
				}
			}
		}
		r.measured.inputs = append(r.measured.inputs, in)
	}
	slices.SortFunc(r.measured.inputs, func(a, b report.CoverageInput) int { return cmp.Compare(a.Digest, b.Digest) })
	r.measuredCaveats(other, unknown, named)
	return nil
}

// measuredCaveats says what the given coverage could not be used for.
func (r *reviewer) measuredCaveats(other map[string]bool, unknown, named int) {
	m := r.measured
	if n := len(other); n > 0 {
		r.caveat("measured.other_content", "tests", "Changed files that were measured with another content than head has: what was measured of them was not used.",
			n, len(m.source), slices.Sorted(maps.Keys(other))...)
	}
	var missing []string
	for _, p := range m.source {
		if m.files[p] == nil && !other[p] {
			missing = append(missing, p)
		}
	}
	if len(missing) > 0 {
		r.caveat("measured.absent", "tests", "Changed source files that the given coverage does not name: for them the graph decides.", len(missing), len(m.source), missing...)
	}
	if unknown > 0 {
		r.caveat("measured.tests_unknown", "tests", "Tests named by the given coverage that the graph of head does not know.", unknown, named)
	}
}

// goModules maps the modules of head to their folders.
func (r *reviewer) goModules(ctx context.Context) (map[string]string, error) {
	var manifests []string
	for i := range r.Head.Files {
		if p := r.Head.Files[i].Path; path.Base(p) == "go.mod" {
			manifests = append(manifests, p)
		}
	}
	data, err := r.readFiles(ctx, r.Head, manifests)
	if err != nil {
		return nil, err
	}
	modules := map[string]string{}
	for _, p := range manifests {
		if name := modfile.ModulePath(data[p]); name != "" && modules[name] == "" {
			modules[name] = path.Dir(p)
		}
	}
	return modules, nil
}

// A changedFile is a changed source file as head has it.
type changedFile struct {
	data  []byte
	hunks []diff.Hunk
}

// changedSource reads the changed source files of head and which lines changed.
func (r *reviewer) changedSource(ctx context.Context) (map[string]*changedFile, error) {
	var oids []worktree.OID
	var paths []string
	for i, c := range r.Changes {
		row := r.out.Changes.Files[i]
		if row.Kind != string(filekind.Source) || !row.Analysed || c.OID == "" {
			continue
		}
		old := c.OldOID
		if old == "" {
			old = c.OID // both sides are read in pairs; an added file is compared with nothing
		}
		oids, paths = append(oids, old, c.OID), append(paths, c.Path)
	}
	files := map[string]*changedFile{}
	added := r.addedPaths()
	var before []byte
	err := r.Blobs.Blobs(ctx, oids, r.Limits.BlobBytes, func(i int, data []byte, err error) error {
		at := paths[i/2]
		switch {
		case err != nil:
			return nil //nolint:nilerr // a file that is not here is not measured, and is counted as such
		case i%2 == 0:
			before = append(before[:0], data...)
			if added[at] {
				before = before[:0]
			}
		default:
			files[at] = &changedFile{data: bytes.Clone(data), hunks: diff.Lines(before, data)}
		}
		return nil
	})
	return files, err
}

func (r *reviewer) addedPaths() map[string]bool {
	added := map[string]bool{}
	for _, c := range r.Changes {
		if c.OldOID == "" {
			added[c.Path] = true
		}
	}
	return added
}

// add joins one measurement of one file with what other profiles say of it. A name
// in a tracefile that is no test's may stand for a whole suite: then any test may be
// among those that ran.
func (m *measurement) add(at string, file *changedFile, f *cover.File, tests []int32, suites bool) {
	to := m.files[at]
	if to == nil {
		to = &measuredFile{lines: map[int]bool{}, tests: map[int]map[int32]bool{}, changed: file.hunks}
		m.files[at] = to
	}
	to.told, to.untold = to.told || len(tests) > 0, to.untold || f.Untold || suites
	text := bytes.Split(file.data, []byte("\n"))
	for _, l := range f.Lines {
		n := int(l.Number)
		if !hasCode(text[n-1]) {
			continue
		}
		to.lines[n] = to.lines[n] || l.Ran
		for _, t := range l.Tests {
			if tests[t] == graph.None {
				continue
			}
			if to.tests[n] == nil {
				to.tests[n] = map[int32]bool{}
			}
			to.tests[n][tests[t]] = true
		}
	}
}

// hasCode reports whether a line holds more than signs and comments. Some tools
// measure regions, which hold both.
func hasCode(line []byte) bool {
	line = bytes.TrimSpace(line)
	for _, comment := range []string{"//", "/*", "*/", "* "} {
		if bytes.HasPrefix(line, []byte(comment)) {
			return false
		}
	}
	return bytes.ContainsFunc(line, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
}

// testsNamed finds the tests that a profile names, each [graph.None] if it is not
// in the graph, and counts those.
func (r *reviewer) testsNamed(names []string, tree *cover.Tree) (tests []int32, unknown int) {
	if len(names) == 0 {
		return nil, 0
	}
	type spot struct{ path, name string }
	known := map[spot]int32{}
	byName := map[string]int32{}
	for i := range r.Head.Symbols {
		if s := &r.Head.Symbols[i]; s.Test {
			known[spot{s.Path, s.Qualified()}] = int32(i)
			name := underscored(s.Qualified())
			if _, twice := byName[name]; twice {
				byName[name] = graph.None
			} else {
				byName[name] = int32(i)
			}
		}
	}
	tests = make([]int32, len(names))
	for i, name := range names {
		tests[i] = graph.None
		if s, ok := byName[underscored(name)]; ok {
			tests[i] = s
		}
		for _, reading := range readings(name) {
			if at, ok := tree.Find(reading.path); ok {
				if s, ok := known[spot{at, reading.name}]; ok {
					tests[i] = s
					break
				}
			}
		}
		if tests[i] == graph.None {
			unknown++
		}
	}
	return tests, unknown
}

// underscored is the name of a test as lcov lets it be written. That has no path, so
// it names a test if the tree has one of this name.
func underscored(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return '_'
	}, name)
}

// A reading is what the name of a test may mean.
type reading struct{ path, name string }

// readings takes the name of a test apart, as pytest writes it,
// "tests/test_pay.py::TestRefund::test_all[eur]", or as coverage.py does,
// "tests.test_pay.TestRefund.test_all".
func readings(name string) []reading {
	if file, rest, ok := strings.Cut(name, "::"); ok {
		rest, _, _ = strings.Cut(rest, "[")
		return []reading{{file, strings.ReplaceAll(rest, "::", ".")}}
	}
	parts := strings.Split(name, ".")
	if len(parts) > 32 {
		return nil
	}
	var out []reading
	for n := len(parts) - 1; n > 0; n-- {
		out = append(out, reading{strings.Join(parts[:n], "/") + ".py", strings.Join(parts[n:], ".")})
	}
	return out
}

// A measure counts the measured lines of one symbol.
type measure struct {
	lines, ran               int // of its body
	changedLines, changedRan int // those of them that changed
}

// known reports whether anything of the symbol was measured.
func (m measure) known() bool { return m.lines > 0 }

// covered reports whether something ran the change: one of its lines or, where
// only lines went away, the symbol.
func (m measure) covered() bool {
	if m.changedLines > 0 {
		return m.changedRan > 0
	}
	return m.ran > 0
}

// measureOf counts what was measured of a symbol of head.
func (r *reviewer) measureOf(symbol int32) (out measure) {
	f, from, to := r.measuredBody(symbol)
	if f == nil {
		return out
	}
	for n := from; n <= to; n++ {
		ran, ok := f.lines[n]
		if !ok {
			continue
		}
		out.lines++
		out.ran += btoi(ran)
		if f.isChanged(n) {
			out.changedLines++
			out.changedRan += btoi(ran)
		}
	}
	return out
}

// measuredBody is the file of a symbol and the lines of its body. The line of
// the declaration runs when the file is loaded, in most languages, so it is not
// among them; of a function that is one line only Go tells the body apart.
func (r *reviewer) measuredBody(symbol int32) (f *measuredFile, from, to int) {
	s := &r.Head.Symbols[symbol]
	if r.measured == nil || !s.Kind.Callable() {
		return nil, 0, 0
	}
	f, from, to = r.measured.files[s.Path], s.Line+1, s.EndLine
	if s.Line == s.EndLine && s.Language == "go" {
		from = s.Line
	}
	return f, from, to
}

func (f *measuredFile) isChanged(line int) bool {
	i, _ := slices.BinarySearchFunc(f.changed, line, func(h diff.Hunk, n int) int { return cmp.Compare(h.NewStart+h.NewLines-1, n) })
	return i < len(f.changed) && f.changed[i].NewLines > 0 && f.changed[i].NewStart <= line
}

// ranBy lists the tests that ran a changed symbol: its changed lines if any of
// them ran, else any line. It is told if they are all that did.
func (r *reviewer) ranBy(symbol int32) (tests []int32, told bool) {
	f, from, to := r.measuredBody(symbol)
	if f == nil || !f.told {
		return nil, false
	}
	m := r.measureOf(symbol)
	if !m.known() {
		return nil, false
	}
	all := map[int32]bool{}
	for n := from; n <= to; n++ {
		if m.changedRan > 0 && !f.isChanged(n) {
			continue
		}
		maps.Copy(all, f.tests[n])
	}
	return slices.Sorted(maps.Keys(all)), !f.untold
}

// reportMeasured writes what was measured of the changed lines.
func (r *reviewer) reportMeasured(unrun int) *report.Measured {
	m := r.measured
	if m == nil {
		return nil
	}
	out := &report.Measured{Inputs: m.inputs, Of: len(m.source), Files: len(m.files), Missed: []report.MissedLines{}, Unrun: unrun}
	for _, p := range slices.Sorted(maps.Keys(m.files)) {
		f := m.files[p]
		row := report.MissedLines{Path: p, Blob: blobAt(r.Head, p)}
		last := 0 // the measured line before, if it was missed
		for _, n := range slices.Sorted(maps.Keys(f.lines)) {
			if !f.isChanged(n) {
				last = 0
				continue
			}
			out.Lines++
			if f.lines[n] {
				out.Ran++
				last = 0
				continue
			}
			if last > 0 {
				row.Ranges[len(row.Ranges)-1].End = n
			} else {
				row.Ranges = append(row.Ranges, report.Range{Start: n, End: n})
			}
			last = n
		}
		if len(row.Ranges) > 0 {
			out.Missed = append(out.Missed, row)
		}
	}
	if len(out.Missed) > maxMissed {
		r.caveat("measured.missed_cut", "tests", "More changed files have lines that did not run than are listed.", len(out.Missed)-maxMissed, len(out.Missed))
		out.Missed = out.Missed[:maxMissed]
	}
	return out
}
