// Package annotate says which claims of a report belong beside which lines.
//
// Input is a report; output is one list, the most important first. The check
// run, the log of a workflow, SARIF and review comments take as many from its
// front as they may show. Every place is a file and a line of head: a claim that
// has none there, such as a function that went with its file, is not in the list,
// and stands in the other renderings only. Texts are plain and inert, and hold
// no markup; what a medium acts on beyond that is escaped where it is written.
package annotate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/report"
)

// A Level says how loud an annotation is, in the words of a check run.
type Level string

// The levels. Failure is kept for what the policy of the repository fails on.
const (
	Notice  Level = "notice"
	Warning Level = "warning"
	Failure Level = "failure"
)

// The longest texts, in bytes. A title is shown in one line; GitHub allows 255
// characters. A message is one short paragraph; GitHub allows 64 KB.
const (
	LongestTitle   = 200
	LongestMessage = 1000
)

// An Annotation is one claim beside one line of head.
type Annotation struct {
	Path        string // as the tree of head has it, not escaped
	StartLine   int    // from 1
	EndLine     int
	Level       Level
	Rule        string // a rule of a [report.Claim]
	Title       string
	Message     string
	Fingerprint string // of the claim: the same as long as the claim is made
}

// List returns the annotations of a report, the loudest first. Of those equally
// loud the first of every symbol come before the second of any, so that a short
// list shows most of what there is to see.
func List(r *report.Report) []Annotation {
	l := &list{report: r, count: map[report.Claim]int{}, of: map[string]int{}, fails: map[string]bool{}}
	for _, v := range r.Verdict.Reasons {
		if v.Fails {
			l.fails[v.Rule] = true
		}
	}
	l.index()
	l.breaks()
	l.api()
	l.contracts()
	l.cycles()
	l.gaps()
	l.documents()
	slices.SortStableFunc(l.out, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(loudness(b.Level), loudness(a.Level)), cmp.Compare(a.round, b.round))
	})
	out := make([]Annotation, len(l.out))
	for i, a := range l.out {
		out[i] = a.Annotation
	}
	return out
}

func loudness(l Level) int { return slices.Index([]Level{Notice, Warning, Failure}, l) }

// A list is the annotations while they are collected.
type list struct {
	report  *report.Report
	fails   map[string]bool                // rules that policy fails on
	symbols map[string]report.SymbolChange // changed symbols by ID
	renamed map[string]report.SymbolChange // and by the ID that they had
	lines   map[[2]string]int              // lines of changed symbols of head by path and name
	gone    map[string]bool                // paths of the merge base that head lacks
	now     map[string]string              // paths of the merge base that head has under another name
	count   map[report.Claim]int           // claims so far that are the same but for their number
	of      map[string]int                 // annotations so far by rule and symbol
	out     []ranked
}

// A ranked annotation knows how many about the same symbol precede it, roughly.
type ranked struct {
	Annotation
	round int
}

// index finds places of head for what the report names by ID or by the path of
// the merge base.
func (l *list) index() {
	l.symbols, l.renamed = map[string]report.SymbolChange{}, map[string]report.SymbolChange{}
	l.lines = map[[2]string]int{}
	for _, s := range l.report.Changes.Symbols {
		l.symbols[s.ID] = s
		if s.Change != report.Removed {
			l.lines[[2]string{s.Path, s.Name}] = s.Line
		}
		if s.Old != nil && s.Old.Name != "" {
			l.renamed[s.Language+":"+s.Old.Path+"#"+s.Old.Name+"/"+s.Kind] = s
		}
	}
	l.gone, l.now = map[string]bool{}, map[string]string{}
	for _, f := range l.report.Changes.Files {
		switch f.Status {
		case "removed":
			l.gone[f.Path] = true
		case "renamed":
			l.now[f.OldPath] = f.Path
		}
	}
}

// claim numbers a claim among those that are the same otherwise.
func (l *list) claim(rule, symbol, from string) report.Claim {
	first := report.NewClaim(rule, symbol, from)
	c := first
	c.Nth = l.count[first]
	l.count[first]++
	return c
}

// inTree reports whether git lets a tree hold a path. A report that was not made
// by looking at one may say anything.
func inTree(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return !strings.Contains(path, "\x00")
}

// add appends an annotation beside one line. What policy fails on is a failure.
func (l *list) add(c report.Claim, path string, line int, level Level, title, message string) {
	if !inTree(path) {
		return
	}
	if l.fails[c.Rule] {
		level = Failure
	}
	about := c.Rule + "\x00" + c.Symbol
	nth := l.of[about]
	l.of[about]++
	line = max(1, line)
	l.out = append(l.out, ranked{round: round(nth), Annotation: Annotation{
		Path: path, StartLine: line, EndLine: line, Level: level, Rule: c.Rule,
		Title: text(title, LongestTitle), Message: text(message, LongestMessage), Fingerprint: c.Fingerprint()}})
}

// round puts the first about a symbol before the next two, and these before the
// rest.
func round(nth int) int {
	switch {
	case nth == 0:
		return 0
	case nth < 3:
		return 1
	}
	return 2
}

// name is what a symbol is called.
func (l *list) name(id string) string {
	if s, ok := l.symbols[id]; ok {
		return s.Name
	}
	return outline.NameOf(id)
}

// text is plain text of at most longest bytes.
func text(s string, longest int) string {
	s = escape.Plain(s)
	for width := longest; len(s) > longest; width = width * 3 / 4 {
		s = escape.Shorten(s, width)
	}
	return s
}
