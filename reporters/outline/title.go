package outline

import (
	"strings"

	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/review/report"
)

// Title is a report in one line of plain text: what policy says, what is broken,
// what can reach the change. A comment, a check run and a page begin with it, so
// that a list of them can be read. "Pass" is not said: people take it for an
// approval.
func Title(r *report.Report) string {
	var said []string
	count := func(n int, noun string) {
		if n > 0 {
			said = append(said, Count(n, noun))
		}
	}
	references := 0
	for _, b := range r.Breaks {
		references += b.Total
	}
	count(references, "broken reference")
	count(breakingChanges(r), "breaking API change")
	count(breakingContracts(r), "breaking contract change")
	count(len(r.Dependencies.CyclesAdded), "new import cycle")
	count(len(r.Dependencies.Layers), "import against the layers")
	if len(said) == 0 {
		said = append(said, nothingBroken(r.Section("breaks")))
	}
	count(r.Tests.Untested(), "untested change")
	if n := r.Impact.Total - r.Impact.Tests; n > 0 {
		said = append(said, Count(n, "dependent")+" outside tests")
	}
	line := strings.Join(said, ", ")
	switch outcome := r.Verdict.Outcome; {
	case r.Cut():
		line = "partial, the deadline came first: " + line
	case outcome == report.Fail:
		line = "policy failed: " + line
	case outcome == report.Incomplete:
		line = "incomplete: " + line
	}
	return escape.Shorten(escape.Plain(line), 200)
}

func breakingChanges(r *report.Report) int {
	n := len(r.API.Removed)
	for _, c := range r.API.Changed {
		if c.Effect == report.Breaking {
			n++
		}
	}
	return n
}

func breakingContracts(r *report.Report) int {
	n := 0
	for _, c := range r.Contracts {
		if c.Effect == report.Breaking {
			n++
		}
	}
	return n
}

// nothingBroken says how far nobody found anything.
func nothingBroken(s report.Section) string {
	switch s.State {
	case report.Complete:
		return "nothing found to be broken"
	case report.Partial:
		return "nothing found to be broken in what was seen"
	}
	return "not searched for what breaks"
}
