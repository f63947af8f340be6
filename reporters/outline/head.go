package outline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/review/report"
)

// subject says in one line what was reviewed.
func subject(r *report.Report) Cell {
	s := r.Subject
	var c Cell
	if s.Repository != "" {
		c = append(c, name(s.Repository), word(" "))
	}
	if s.PullRequest != 0 {
		c = append(c, word("pull request %d ", s.PullRequest))
	}
	from := "from merge base "
	if len(c) == 0 {
		from = "From merge base "
	}
	c = append(c, word("%s", from), name(Short(s.MergeBase)))
	if saysMore(s.Base) {
		c = append(c, word(" with "), name(s.Base.Ref))
	}
	c = append(c, word(" to head "), name(Short(s.Head.Commit)))
	if saysMore(s.Head) && s.Head.Ref != "HEAD" {
		c = append(c, word(" of "), name(s.Head.Ref))
	}
	c = append(c, word(": %s and %s changed", Count(len(r.Changes.Files), "file"), Count(len(r.Changes.Symbols), "symbol")))
	if n := len(s.MergeBases); n > 1 {
		c = append(c, word("; one of %s", Count(n, "merge base")))
	}
	return c
}

// saysMore reports whether a revision was asked for by more than its commit.
func saysMore(r report.Revision) bool { return !strings.HasPrefix(r.Commit, r.Ref) }

// reasons puts what fails before what is only worth knowing.
func reasons(r *report.Report) []Reason {
	var fails, others []Reason
	for _, v := range r.Verdict.Reasons {
		reason := Reason{Rule: v.Rule, Text: v.Text, Fails: v.Fails}
		if v.Fails {
			fails = append(fails, reason)
		} else {
			others = append(others, reason)
		}
	}
	return append(fails, others...)
}

// rule is how a rule is called. Anything else stays out of a command line that
// somebody may copy.
var rule = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// again is the command that makes the report again, with what may have been
// asked for by flags.
func again(r *report.Report) string {
	command := "previdence review --base " + r.Subject.Base.Commit + " --head " + r.Subject.Head.Commit
	c := r.Provenance.Config
	if c.Limits.Depth > 0 {
		command += " --depth " + strconv.Itoa(c.Limits.Depth)
	}
	rules := slices.DeleteFunc(slices.Clone(c.FailOn), func(text string) bool { return !rule.MatchString(text) })
	if len(rules) > 0 {
		command += " --fail-on " + strings.Join(rules, ",")
	}
	if c.Unread {
		command += " --no-config"
	}
	if r.Tests.Measured != nil {
		for range r.Tests.Measured.Inputs {
			command += " --coverage FILE"
		}
	}
	return command + " --format json"
}

// promise says what making the report again gives.
func promise(r *report.Report) string {
	if r.Cut() {
		return "A deadline ended the work on this report, so it cannot be made again. Run this for a whole one:"
	}
	return "Same commits, tool and limits give the same evidence. Run this and compare:"
}

// check says what the report was made from.
func check(r *report.Report) []Row {
	p := r.Provenance
	row := func(c ...Part) Row { return Row{Rank: Always, Cells: []Cell{c}} }
	if r.Cut() { // its inputs do not decide it
		return []Row{madeBy(p, row)}
	}
	return []Row{
		row(word("Inputs "), name(Short(p.InputsDigest)), word(", engine "), name(Short(p.EngineDigest)),
			word(", configuration "), name(Short(p.ConfigDigest)), word(".")),
		row(word("Graph of the merge base "), name(Short(p.Graphs.Base.Digest)),
			word(" (%s, %s), of head ", Count(p.Graphs.Base.Symbols, "symbol"), Count(p.Graphs.Base.Edges, "edge")),
			name(Short(p.Graphs.Head.Digest)),
			word(" (%s, %s).", Count(p.Graphs.Head.Symbols, "symbol"), Count(p.Graphs.Head.Edges, "edge"))),
		madeBy(p, row),
	}
}

func madeBy(p report.Provenance, row func(...Part) Row) Row {
	return row(word("Made by "), name(p.Tool.Name+" "+p.Tool.Version), word(" on git "), name(p.GitVersion), word("."))
}
