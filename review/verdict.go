package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/filekind"
	"github.com/previdence/previdence/review/memory"
	"github.com/previdence/previdence/review/policy"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// Rules that a policy may let fail.
const (
	RuleBreaks     = report.RuleBreaks
	RuleAPI        = report.RuleAPI
	RuleContract   = report.RuleContract
	RuleUntested   = report.RuleUntested
	RuleCycle      = report.RuleCycle
	RuleLayer      = report.RuleLayer
	RuleDocument   = report.RuleDocument
	RuleDecision   = report.RuleDecision
	RuleIncomplete = "incomplete"
)

// Rules lists every rule, in the order in which reasons are given.
var Rules = []string{RuleBreaks, RuleAPI, RuleContract, RuleUntested, RuleCycle, RuleLayer, RuleDocument, RuleDecision, RuleIncomplete}

// A ruling is what one rule has to say: where its evidence stands, and the sentence
// about so many findings.
type ruling struct {
	rule, section string
	findings      []policy.Finding
	text          func(n int) string
	quiet         bool // the section says it well enough where it does not fail
}

// reportVerdict gives the outcome and its reasons. There is no score: a reason
// says what was found and where.
func (r *reviewer) reportVerdict() {
	v := &r.out.Verdict
	*v = report.Verdict{Outcome: report.Pass, Reasons: []report.Reason{}, Suppressed: []report.Suppressed{}}
	judge := r.newJudge()
	for _, rule := range r.rulings() {
		if len(rule.findings) > 0 {
			r.rule(judge, rule)
		}
	}
	incomplete := func(n int, text string) {
		if n == 0 {
			return
		}
		fails := slices.Contains(r.FailOn, RuleIncomplete)
		v.Reasons = append(v.Reasons, report.Reason{Rule: RuleIncomplete, Text: text, Section: "coverage", Fails: fails})
		switch {
		case fails:
			v.Outcome = report.Fail
		case v.Outcome == report.Pass:
			v.Outcome = report.Incomplete
		}
	}
	n := r.unseenChanges()
	incomplete(n, fmt.Sprintf("%s of this pull request not compared, or not whole.", plural(n, "source file")))
	n = r.unlisted()
	incomplete(n, fmt.Sprintf("%s of head not listed, so what lies there was not compared.", plural(n, "place")))
}

// rule adds what one rule says to the verdict: what fails, what is only told, and
// what a decision keeps out of it.
func (r *reviewer) rule(judge *policy.Judge, rule ruling) {
	v := &r.out.Verdict
	j := judge.Judge(rule.rule, rule.findings)
	add := func(text string, fails bool) {
		v.Reasons = append(v.Reasons, report.Reason{Rule: rule.rule, Text: text, Section: rule.section, Fails: fails})
	}
	if j.Fails > 0 {
		v.Outcome = report.Fail
		add(rule.text(j.Fails), true)
	}
	if j.Told > 0 && (!rule.quiet || len(j.Excused) > 0) {
		add(rule.text(j.Told), false)
	}
	for _, e := range j.Excused {
		does := "do not fail"
		if e.Rule.Fail {
			does = "fail"
		}
		add(fmt.Sprintf("Of these, %s %s by the configuration: %s", humanize.Comma(int64(e.Count)), does, e.Rule.Reason), e.Rule.Fail)
	}
	for _, s := range j.Suppressed {
		add(fmt.Sprintf("Suppressed until %s by the decision %s: %s", s.Until, s.Decision, rule.text(s.Count)), false)
	}
	v.Suppressed = append(v.Suppressed, j.Suppressed...)
}

// newJudge returns what the findings are judged by. Decisions are held against the code of
// the merge base, where the rules come from.
func (r *reviewer) newJudge() *policy.Judge {
	j := &policy.Judge{FailOn: r.FailOn, Policy: r.Policy, Decisions: map[string]policy.Decided{}, At: r.moment}
	for _, f := range r.decided {
		held := memory.Hold(f.decision, func(id string) (memory.Code, bool) { return codeOf(r.Base, id) })
		validity, reason := f.decision.At(r.moment)
		j.Decisions[f.decision.ID] = policy.Decided{Decision: f.decision, State: held.State, Validity: validity, Reason: reason}
	}
	return j
}

// lapsed says which suppressions of the configuration do not hold.
func (r *reviewer) lapsed() {
	judge := r.newJudge()
	var lapsed []string
	for _, s := range r.Policy.Suppress {
		if why := judge.Lapsed(s); why != "" {
			lapsed = append(lapsed, fmt.Sprintf("%s by %s: %s", s.Rule, s.Decision, why))
		}
	}
	if len(lapsed) > 0 {
		r.caveat("rules.suppressions_lapsed", "changes", "Suppressions of the configuration do not hold any more.", len(lapsed), len(r.Policy.Suppress), lapsed...)
	}
}

// rulings are the findings of all rules.
func (r *reviewer) rulings() []ruling {
	count := func(noun, rest string) func(int) string {
		return func(n int) string { return plural(n, noun) + rest }
	}
	breaks, symbols := r.brokenFindings()
	left := "changed symbol"
	return []ruling{
		{rule: RuleBreaks, section: "breaks", findings: breaks, text: func(n int) string {
			if n == len(breaks) {
				return fmt.Sprintf("%s left to %s as the merge base had it.", plural(n, "reference"), plural(symbols, left))
			}
			return plural(n, "reference") + " left to changed symbols as the merge base had them."
		}},
		{rule: RuleAPI, section: "api", findings: r.apiFindings(), text: count("symbol", " of the exported surface removed or changed incompatibly.")},
		{rule: RuleContract, section: "contracts", findings: r.contractFindings(), text: count("contract", " with others removed or changed incompatibly.")},
		{rule: RuleUntested, section: "tests", findings: r.gapFindings(), text: count("changed function", " that no known test reaches.")},
		{rule: RuleCycle, section: "dependencies", findings: r.cycleFindings(), text: count("new import cycle", " between folders.")},
		{rule: RuleLayer, section: "dependencies", findings: r.layerFindings(), text: count("import", " against the layers of the configuration.")},
		{rule: RuleDocument, section: "documents", findings: r.documentFindings(), text: count("section", " of documents still about what changed."), quiet: true},
		{rule: RuleDecision, section: "decisions", findings: r.decisionFindings(), text: count("earlier decision", " about code that changes or goes here.")},
	}
}

func (r *reviewer) brokenFindings() (all []policy.Finding, symbols int) {
	for _, b := range r.out.Breaks {
		if b.Total > 0 {
			symbols++
		}
		for _, ref := range b.References {
			all = append(all, policy.Finding{Rule: RuleBreaks, Symbol: b.Symbol, Kind: b.Kind, Paths: []string{ref.Path}, Tier: ref.Tier})
		}
		for range b.Total - len(b.References) { // beyond what is listed: no policy excuses it
			all = append(all, policy.Finding{Rule: RuleBreaks, Symbol: b.Symbol, Kind: b.Kind})
		}
	}
	return all, symbols
}

func (r *reviewer) apiFindings() (all []policy.Finding) {
	for _, id := range r.out.API.Removed {
		all = append(all, r.findingAbout(RuleAPI, id))
	}
	for _, c := range r.out.API.Changed {
		if c.Effect == report.Breaking {
			all = append(all, r.findingAbout(RuleAPI, c.Symbol))
		}
	}
	return all
}

// findingAbout is a finding about a symbol of head, or of the merge base if it went.
func (r *reviewer) findingAbout(rule, id string) policy.Finding {
	f := policy.Finding{Rule: rule, Symbol: id}
	for _, g := range []*graph.Graph{r.Head, r.Base} {
		if i, ok := g.Find(graph.SymbolID(id)); ok {
			f.Kind, f.Paths = g.Symbols[i].Kind.String(), []string{g.Symbols[i].Path}
			return f
		}
	}
	return f
}

func (r *reviewer) contractFindings() (all []policy.Finding) {
	for _, c := range r.out.Contracts {
		if c.Effect == report.Breaking {
			all = append(all, policy.Finding{Rule: RuleContract, Kind: c.Kind, Paths: []string{c.Path}})
		}
	}
	return all
}

func (r *reviewer) gapFindings() (all []policy.Finding) {
	for _, g := range r.out.Tests.Gaps {
		f := r.findingAbout(RuleUntested, g.Symbol)
		f.Paths = []string{g.Path}
		all = append(all, f)
	}
	return all
}

func (r *reviewer) cycleFindings() (all []policy.Finding) {
	for _, ring := range r.out.Dependencies.CyclesAdded {
		all = append(all, policy.Finding{Rule: RuleCycle, Paths: ring})
	}
	return all
}

func (r *reviewer) layerFindings() (all []policy.Finding) {
	for _, l := range r.out.Dependencies.Layers {
		path, _, _ := strings.Cut(l.Site, ":")
		all = append(all, policy.Finding{Rule: RuleLayer, Paths: []string{path}})
	}
	return all
}

func (r *reviewer) documentFindings() (all []policy.Finding) {
	for _, d := range r.out.Documents {
		if d.Relation == "mentions_removed" || d.Relation == "mentions_changed" {
			all = append(all, policy.Finding{Rule: RuleDocument, Paths: []string{d.Path}})
		}
	}
	return all
}

// decisionFindings are the decisions in force whose code this pull request makes
// something else.
func (r *reviewer) decisionFindings() (all []policy.Finding) {
	for _, d := range r.out.Decisions {
		for _, c := range d.Cites {
			if d.Validity == report.InForce && c.Drifted == "here" {
				all = append(all, policy.Finding{Rule: RuleDecision, Symbol: c.Symbol, Paths: []string{d.Path}})
				break
			}
		}
	}
	return all
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
		r.contractsSection(),
		r.graphSection("dependencies"),
		r.graphSection("groups"),
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
