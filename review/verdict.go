package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/filekind"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// Rules that a policy may let fail.
const (
	RuleBreaks     = report.RuleBreaks
	RuleAPI        = report.RuleAPI
	RuleUntested   = report.RuleUntested
	RuleCycle      = report.RuleCycle
	RuleIncomplete = "incomplete"
)

// Rules lists every rule, in the order in which reasons are given.
var Rules = []string{RuleBreaks, RuleAPI, RuleUntested, RuleCycle, RuleIncomplete}

// reportVerdict gives the outcome and its reasons. There is no score: a reason
// says what was found and where.
func (r *reviewer) reportVerdict() {
	v := report.Verdict{Outcome: report.Pass, Reasons: []report.Reason{}}
	add := func(rule, section, text string) {
		fails := slices.Contains(r.FailOn, rule)
		v.Reasons = append(v.Reasons, report.Reason{Rule: rule, Text: text, Section: section, Fails: fails})
		if fails {
			v.Outcome = report.Fail
		}
	}
	if n, refs := r.brokenCount(); n > 0 {
		add(RuleBreaks, "breaks", fmt.Sprintf("%s left to %s as the merge base had it.", plural(refs, "reference"), plural(n, "changed symbol")))
	}
	if n := r.breakingAPI(); n > 0 {
		add(RuleAPI, "api", fmt.Sprintf("%s of the exported surface removed or changed incompatibly.", plural(n, "symbol")))
	}
	if n := len(r.out.Tests.Gaps); n > 0 {
		add(RuleUntested, "tests", fmt.Sprintf("%s that no known test reaches.", plural(n, "changed function")))
	}
	if n := len(r.out.Dependencies.CyclesAdded); n > 0 {
		add(RuleCycle, "dependencies", fmt.Sprintf("%s between folders.", plural(n, "new import cycle")))
	}
	if n := r.unseenChanges(); n > 0 {
		add(RuleIncomplete, "coverage", fmt.Sprintf("%s of this pull request not compared, or not whole.", plural(n, "source file")))
		if v.Outcome == report.Pass {
			v.Outcome = report.Incomplete
		}
	}
	if n := r.unlisted(); n > 0 {
		add(RuleIncomplete, "coverage", fmt.Sprintf("%s of head not listed, so what lies there was not compared.", plural(n, "place")))
		if v.Outcome == report.Pass {
			v.Outcome = report.Incomplete
		}
	}
	r.out.Verdict = v
}

// unlisted counts what no checkout may have, or what lies too deep: a folder of it
// may hold anything.
func (r *reviewer) unlisted() int {
	n := 0
	for i := range r.Head.Files {
		if r.Head.Files[i].Blob == "" {
			n++
		}
	}
	return n
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(int64(n)) + " " + noun + "s"
}

func (r *reviewer) brokenCount() (symbols, refs int) {
	for _, b := range r.out.Breaks {
		if b.Total > 0 {
			symbols++
			refs += b.Total
		}
	}
	return symbols, refs
}

func (r *reviewer) breakingAPI() int {
	n := len(r.out.API.Removed)
	for _, c := range r.out.API.Changed {
		if c.Effect == report.Breaking {
			n++
		}
	}
	return n
}

// unseenChanges counts changed source files whose symbols were not compared, or
// not all of them.
func (r *reviewer) unseenChanges() int {
	n := 0
	for _, f := range r.out.Changes.Files {
		if notCompared(f) {
			n++
		}
	}
	for _, f := range r.out.Coverage.Files {
		if f.Changed && f.State == graph.FilePartial.String() {
			n++
		}
	}
	return n
}

// notCompared is true for code that may have changed without anybody looking:
// source in a language without extractor, or source that could not be read.
// Build files and plain text have no symbols that others could use.
func notCompared(f report.FileChange) bool {
	if f.Analysed || f.Status == string(worktree.ModeChanged) || f.Kind != string(filekind.Source) && f.Kind != string(filekind.Test) {
		return false
	}
	switch f.Language {
	case "", "text", "make", "cmake", "dockerfile", "json", "yaml", "toml", "xml", "ini", "css", "html":
		return false
	}
	return true
}

// reportSections says of each section how much it saw.
func (r *reviewer) reportSections() {
	sections := []report.Section{
		r.changesSection(),
		r.graphSection("breaks"),
		r.graphSection("impact"),
		r.graphSection("tests"),
		r.graphSection("api"),
		r.graphSection("dependencies"),
		r.graphSection("documents"),
		r.decisionsSection(),
		r.ownersSection(),
		r.historySection(),
		{Name: "coverage", State: report.Complete},
	}
	r.out.Sections = sections
}

// changesSection is complete if every changed file that can hold symbols was
// compared.
func (r *reviewer) changesSection() report.Section {
	not := 0
	for _, f := range r.out.Changes.Files {
		if notCompared(f) {
			not++
		}
	}
	if not > 0 {
		return report.Section{Name: "changes", State: report.Partial, Reason: fmt.Sprintf("%s not compared", plural(not, "changed source file"))}
	}
	return report.Section{Name: "changes", State: report.Complete}
}

// graphSection is what rests on the whole graph: it is partial as soon as one
// call or file of code was not understood.
func (r *reviewer) graphSection(name string) report.Section {
	unresolved, calls := 0, 0
	for _, c := range r.Head.Counts {
		unresolved += c.Unresolved
		calls += c.Compiler + c.Exact + c.Dispatch + c.Import + c.Name + c.Unresolved + c.External
	}
	var files [256]int // by state
	for i := range r.Head.Files {
		files[r.Head.Files[i].State]++
	}
	seen := files[graph.FileParsed] + files[graph.FilePartial]
	broken := files[graph.FilePartial] + files[graph.FileFailed]
	var not []string
	if unresolved > 0 {
		not = append(not, fmt.Sprintf("%s of %s unresolved", humanize.Comma(int64(unresolved)), plural(calls, "call")))
	}
	if broken > 0 {
		not = append(not, fmt.Sprintf("%d of %s not understood whole", broken, plural(seen+files[graph.FileFailed], "file")))
	}
	switch {
	case seen == 0:
		return report.Section{Name: name, State: report.Unavailable, Reason: "no file of this tree has an extractor"}
	case len(not) > 0:
		return report.Section{Name: name, State: report.Partial, Reason: strings.Join(not, ", ")}
	}
	return report.Section{Name: name, State: report.Complete}
}
