// Package delta says what changed between two reports of one pull request.
//
// Input is the claims of an earlier report and a report of now; output is what
// was added, what was resolved and how much stayed. A claim is compared by what
// it is about, never by its line. The earlier report itself is not needed: its
// claims fit into a few thousand bytes of text ([Claims.Encode]), which a comment
// can carry. What cannot be told is not guessed: where either report may have
// more claims than are known, the delta is partial and says why.
//
// The blast radius is not compared. It is no claim about the pull request but
// where to look, and it moves with every commit of the base.
package delta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/previdence/previdence/review/report"
)

// listed is how many claims a delta lists of those added, and of those resolved.
const listed = 200

// order is that of the rules, what matters most first.
var order = []string{report.RuleBreaks, report.RuleAPI, report.RuleContract, report.RuleCycle, report.RuleLayer, report.RuleText, report.RuleDocument,
	report.RuleDecision, report.RuleUntested, report.RuleOwner}

// Claims are what one report says.
type Claims struct {
	Commit string         // head of the report, full object ID
	Engine string         // first hex digits of the digests of what made it
	Config string         // and of the configuration in force
	List   []report.Claim // by rule, what matters most first
	Total  int            // claims of the report, listed or not
	Unsure []string       // rules by which the report may say more than is listed, in the order of rules
}

// Of returns the claims of a report.
func Of(r *report.Report) Claims {
	c := Claims{Commit: r.Subject.Head.Commit, Engine: short(r.Provenance.EngineDigest), Config: short(r.Provenance.ConfigDigest)}
	count := map[report.Claim]int{}
	add := func(rule, symbol, from string) {
		claim := report.NewClaim(rule, symbol, from)
		nth := count[claim]
		count[claim]++
		claim.Nth = nth
		c.List = append(c.List, claim)
	}
	for _, b := range r.Breaks {
		for _, ref := range b.References {
			add(report.RuleBreaks, b.Symbol, ref.Symbol)
		}
		// One claim for each symbol: which of the places in the text are listed
		// depends on how many there are.
		if b.Checked == report.Contradicted {
			add(report.RuleText, b.Symbol, "")
		}
	}
	for _, id := range r.API.Removed {
		add(report.RuleAPI, id, "")
	}
	for _, change := range r.API.Changed {
		if change.Effect == report.Breaking {
			add(report.RuleAPI, change.Symbol, "")
		}
	}
	for _, c := range r.Contracts {
		if c.Effect == report.Breaking {
			add(report.RuleContract, c.Kind+" "+c.Name, c.Path)
		}
	}
	for _, l := range r.Dependencies.Layers {
		add(report.RuleLayer, l.From+" "+l.To, "")
	}
	for _, d := range r.Decisions {
		if d.Validity == report.InForce && d.State != report.DecisionApplies {
			add(report.RuleDecision, d.ID, "")
		}
	}
	for _, owner := range ownersOf(r) {
		add(report.RuleOwner, owner, "")
	}
	for _, ring := range r.Dependencies.CyclesAdded {
		add(report.RuleCycle, strings.Join(ring, " "), "")
	}
	for _, d := range r.Documents {
		if d.Relation == "mentions_removed" || d.Relation == "mentions_changed" {
			add(report.RuleDocument, d.Path+"#"+d.Heading, "")
		}
	}
	for _, g := range r.Tests.Gaps {
		add(report.RuleUntested, g.Symbol, "")
	}
	slices.SortStableFunc(c.List, func(a, b report.Claim) int { return rank(a.Rule) - rank(b.Rule) })
	c.Total = len(c.List)
	c.Unsure = unsure(r)
	return c
}

// ownersOf are those who own a changed file, each once: who is asked to look changes
// with the files, not with their number.
func ownersOf(r *report.Report) []string {
	var all []string
	for _, o := range r.Owners {
		if o.Why == "changed" {
			all = append(all, o.Owners...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func rank(rule string) int { return slices.Index(order, rule) }

// short is the start of a digest: enough to tell two engines apart.
func short(digest string) string {
	_, hex, found := strings.Cut(digest, ":")
	if !found {
		hex = digest
	}
	return hex[:min(len(hex), 16)]
}

// sections say where the claims of a rule stand.
var sections = map[string]string{
	report.RuleBreaks: "breaks", report.RuleText: "breaks", report.RuleAPI: "api", report.RuleCycle: "dependencies",
	report.RuleContract: "contracts", report.RuleLayer: "dependencies", report.RuleDocument: "documents", report.RuleDecision: "decisions",
	report.RuleUntested: "tests", report.RuleOwner: "owners",
}

// cutBy are the caveats that say that not all claims of a rule are listed.
var cutBy = map[string]string{
	"review.documents_cut": report.RuleDocument, "owners.cut": report.RuleOwner,
	"decisions.unread": report.RuleDecision, "decisions.left_out": report.RuleDecision,
}

// unsure lists the rules by which a report may have more claims than it lists:
// nobody looked, or the list was cut.
func unsure(r *report.Report) []string {
	cut := map[string]bool{report.RuleUntested: r.Tests.Untested() > len(r.Tests.Gaps)}
	for _, b := range r.Breaks {
		if b.Total > len(b.References) {
			cut[report.RuleBreaks] = true
		}
	}
	for _, c := range r.Caveats {
		if rule, ok := cutBy[c.ID]; ok {
			cut[rule] = true
		}
	}
	var rules []string
	for _, rule := range order {
		if cut[rule] || r.Section(sections[rule]).State == report.Unavailable {
			rules = append(rules, rule)
		}
	}
	return rules
}

// Compare says what became of the claims of an earlier report. Whether commits were
// pushed by force since is for the caller to know, who has the repository.
func Compare(earlier Claims, now *report.Report) *report.Delta {
	current := Of(now)
	then, today := set(earlier.List), set(current.List)
	d := &report.Delta{Since: report.Since{Commit: earlier.Commit, Head: report.UnknownPast}, State: report.Complete, Added: []report.Claim{}, Resolved: []report.Claim{}}
	maybeNew, maybeResolved := 0, 0
	for _, c := range current.List {
		switch {
		case then[c]:
			d.Unchanged++
		case slices.Contains(earlier.Unsure, c.Rule):
			maybeNew++
		default:
			d.Added = append(d.Added, c)
		}
	}
	for _, c := range earlier.List {
		switch {
		case today[c]:
		case slices.Contains(current.Unsure, c.Rule):
			maybeResolved++
		default:
			d.Resolved = append(d.Resolved, c)
		}
	}
	d.AddedTotal, d.ResolvedTotal = len(d.Added), len(d.Resolved)
	d.Added, d.Resolved = d.Added[:min(listed, len(d.Added))], d.Resolved[:min(listed, len(d.Resolved))]
	if d.Reason = reason(earlier, current, maybeNew, maybeResolved); d.Reason != "" {
		d.State = report.Partial
	}
	return d
}

func set(list []report.Claim) map[report.Claim]bool {
	m := map[report.Claim]bool{}
	for _, c := range list {
		m[c] = true
	}
	return m
}

// reason says what a delta could not tell.
func reason(earlier, now Claims, maybeNew, maybeResolved int) string {
	var all []string
	if earlier.Engine != now.Engine {
		all = append(all, "the earlier report was made by another version")
	}
	if earlier.Config != now.Config {
		all = append(all, "the earlier report was made under another configuration")
	}
	if left := earlier.Total - len(earlier.List); left > 0 {
		all = append(all, fmt.Sprintf("%d of %d earlier claims were not kept", left, earlier.Total))
	}
	if maybeNew > 0 {
		all = append(all, fmt.Sprintf("%d may be new", maybeNew))
	}
	if maybeResolved > 0 {
		all = append(all, fmt.Sprintf("%d may be resolved", maybeResolved))
	}
	return strings.Join(all, ", ")
}
