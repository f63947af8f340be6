package outline

import (
	"strings"

	"github.com/previdence/previdence/review/report"
)

// mostClaims is how many claims are named of those that are new, and of those
// that are resolved. All of them stand in their sections, or stood there.
const mostClaims = 3

// since says in one line what changed since an earlier report, or nothing if
// there is none.
func since(r *report.Report, n map[string]symbol) Cell {
	d := r.Delta
	if d == nil {
		return nil
	}
	c := Cell{word("Since "), name(Short(d.Since.Commit)), word(": ")}
	if d.Since.Head == report.Rewritten {
		c = Cell{word("Since "), name(Short(d.Since.Commit)), word(", which was "), strong("pushed over"), word(": ")}
	}
	c = append(c, turn("new", d.AddedTotal, d.Added, n)...)
	c = append(append(c, word("; ")), turn("resolved", d.ResolvedTotal, d.Resolved, n)...)
	c = append(c, word("; %s as before", Number(d.Unchanged)))
	if d.State != report.Complete {
		c = append(c, word(" (seen in part: %s)", d.Reason))
	}
	return c
}

// turn names the first few claims that took one turn: "2 new: …, …".
func turn(what string, total int, list []report.Claim, n map[string]symbol) Cell {
	if total == 0 {
		return Cell{word("nothing %s", what)}
	}
	c := Cell{strong(Number(total) + " " + what)}
	for i, claim := range list[:min(mostClaims, len(list))] {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		c = append(append(c, word("%s", sep)), claimed(claim, n)...)
	}
	if total > mostClaims {
		c = append(c, word(" and %s more", Number(total-mostClaims)))
	}
	return c
}

// claimed says what a claim is, in a few words.
func claimed(c report.Claim, n map[string]symbol) Cell {
	about := name(lookup(n, c.Symbol).name)
	switch c.Rule {
	case report.RuleBreaks:
		return Cell{word("broken reference to "), about, word(" in "), name(lookup(n, c.From).name)}
	case report.RuleAPI:
		return Cell{word("breaking change of "), about}
	case report.RuleUntested:
		return Cell{about, word(" without a test")}
	case report.RuleCycle:
		return Cell{word("cycle of "), name(strings.ReplaceAll(c.Symbol, " ", " → "))}
	case report.RuleContract:
		return Cell{word("breaking change of "), name(c.Symbol)}
	case report.RuleLayer:
		return Cell{word("import against the layers "), name(strings.ReplaceAll(c.Symbol, " ", " → "))}
	case report.RuleDecision:
		return Cell{word("drifted decision "), name(c.Symbol)}
	case report.RuleOwner:
		return Cell{name(c.Symbol), word(" owning what changes")}
	case report.RuleText:
		return Cell{about, word(" named in text that was not parsed")}
	case report.RuleDocument:
		path, heading, _ := strings.Cut(c.Symbol, "#")
		if heading == "" {
			return Cell{word("stale text in "), place(path, 0)}
		}
		return Cell{word("stale section "), name(heading), word(" of "), place(path, 0)}
	}
	return Cell{word("%s of ", c.Rule), about}
}
