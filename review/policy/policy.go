// Package policy judges findings by the rules of a repository.
//
// Input is the findings of a report, which rules fail a run, where they do not, and
// what reviewers decided; output is for each finding whether it fails, is only told,
// or is suppressed, with the reason that somebody wrote down. A suppression needs a
// recorded decision that is in force and about code that is still what it was, and it
// ends at a commit or after a day of the commits that are reviewed. One that does not
// hold suppresses nothing, and is named. There is no clock and no order of findings:
// the same input gives the same judgement.
package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/previdence/previdence/review/memory"
	"github.com/previdence/previdence/review/report"
)

// A Finding is one claim of a report that a rule can fail.
type Finding struct {
	Rule   string
	Symbol string   // ID; "" if it is about none
	Kind   string   // of the symbol: "function"
	Paths  []string // where it stands; several for a cycle
	Tier   string   // of a broken reference; "" for all others
}

// A Decided is a decision as a suppression needs it: held against the merge base.
type Decided struct {
	Decision memory.Decision
	State    memory.State
	Validity memory.Validity
	Reason   string // why it is not in force
}

// A Judge holds what findings are judged by.
type Judge struct {
	FailOn    []string
	Policy    report.Policy
	Decisions map[string]Decided // by ID
	At        memory.Moment
}

// A Judgement says what became of the findings of one rule.
type Judgement struct {
	Fails      int
	Told       int // they do not fail
	Excused    []Excused
	Suppressed []report.Suppressed // by suppression, in the order of the file
}

// An Excused is how many findings one entry of the policy keeps from failing, or
// makes fail.
type Excused struct {
	Rule  report.PolicyRule
	Count int
}

// Judge judges the findings of one rule.
func (j *Judge) Judge(rule string, findings []Finding) Judgement {
	var out Judgement
	excused := make([]int, len(j.Policy.Rules))
	suppressed := make([]int, len(j.Policy.Suppress))
	for _, f := range findings {
		if i := j.suppression(f); i >= 0 {
			suppressed[i]++
			continue
		}
		fails := slices.Contains(j.FailOn, rule)
		if i := slices.IndexFunc(j.Policy.Rules, func(r report.PolicyRule) bool { return applies(r, f) }); i >= 0 {
			fails = j.Policy.Rules[i].Fail
			excused[i]++
		}
		if fails {
			out.Fails++
		} else {
			out.Told++
		}
	}
	for i, n := range excused {
		if n > 0 {
			out.Excused = append(out.Excused, Excused{j.Policy.Rules[i], n})
		}
	}
	for i, n := range suppressed {
		if s := j.Policy.Suppress[i]; n > 0 {
			out.Suppressed = append(out.Suppressed, report.Suppressed{Rule: s.Rule, Decision: s.Decision, Until: s.Until, Count: n})
		}
	}
	return out
}

// suppression is the first that covers a finding; -1 if there is none.
func (j *Judge) suppression(f Finding) int {
	return slices.IndexFunc(j.Policy.Suppress, func(s report.Suppression) bool {
		return s.Rule == f.Rule && j.Lapsed(s) == "" && in(s.Paths, f.Paths) && (len(s.Paths) > 0 || j.cites(s.Decision, f))
	})
}

// cites reports whether a decision is about what a finding is about: its symbol, or
// the whole file that it stands in.
func (j *Judge) cites(id string, f Finding) bool {
	return slices.ContainsFunc(j.Decisions[id].Decision.Cites, func(c memory.Cite) bool {
		if c.Symbol == f.Symbol {
			return true
		}
		_, file, _ := strings.Cut(strings.TrimSuffix(c.Symbol, "#/module"), ":")
		return strings.HasSuffix(c.Symbol, "#/module") && slices.Contains(f.Paths, file)
	})
}

// Lapsed says why a suppression does not hold; "" if it does.
func (j *Judge) Lapsed(s report.Suppression) string {
	until := memory.Decision{ValidUntil: s.Until}
	if validity, why := until.At(j.At); validity != memory.InForce {
		return why
	}
	d, found := j.Decisions[s.Decision]
	switch {
	case !found:
		return fmt.Sprintf("the merge base has no decision %q", s.Decision)
	case d.Validity != memory.InForce:
		return fmt.Sprintf("the decision %q is not in force: %s", s.Decision, d.Reason)
	case d.State != memory.Applies:
		return fmt.Sprintf("the code that the decision %q cites is not what it was", s.Decision)
	}
	return ""
}

func applies(r report.PolicyRule, f Finding) bool {
	return r.Rule == f.Rule && in(r.Paths, f.Paths) &&
		(len(r.Kinds) == 0 || slices.Contains(r.Kinds, f.Kind)) && (len(r.Tiers) == 0 || slices.Contains(r.Tiers, f.Tier))
}

// in reports whether one of some paths matches one of the patterns, if there are any.
func in(patterns, paths []string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(paths, func(p string) bool {
		return slices.ContainsFunc(patterns, func(glob string) bool { return doublestar.MatchUnvalidated(glob, p) })
	})
}
