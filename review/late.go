package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
)

// Why a section of a partial report is not whole.
const (
	LateUnmade   = "the deadline came first" // nothing was made of it
	lateChanges  = "the deadline came first: symbols were compared by their own text, not by what their names and types mean"
	lateManifest = "the deadline came first: manifests were compared, imports between folders were not"
	lateSearch   = "the deadline came first: the changed files were compared, the rest of the tree was not searched"
	lateGoverned = "the deadline came first: what names the change was not looked for, what governs its paths was"
	lateOwners   = "the deadline came first: owners of what is changed, not of what can reach it"
)

// reportLate marks a report that the deadline cut short. What was made stands; what was
// not made is unavailable; nothing is judged, since a rule that found nothing may only
// have had no time to look.
func (r *reviewer) reportLate() {
	r.out.Sections = r.lateSections()
	var not []string
	for _, s := range r.out.Sections {
		if s.State == report.Unavailable {
			not = append(not, s.Name)
		}
	}
	text := "The deadline was reached before the review was done. What is missing here was not looked for, and the same commits may give another report."
	why := "The deadline was reached, so nothing was judged."
	if len(not) > 0 {
		why = fmt.Sprintf("The deadline was reached, so nothing was judged. Nobody looked at: %s.", strings.Join(not, ", "))
	}
	Cut(r.out, report.Caveat{
		ID: report.DeadlineCaveat, Section: "coverage", Text: text, Count: len(not), Of: len(r.out.Sections), Examples: not[:min(len(not), 5)],
	}, why)
}

// Cut makes a report partial because of a deadline: the caveat and the reason say first
// of all what was not looked for. Whatever it found, it is incomplete: neither a pass nor
// a failure that somebody could check.
func Cut(r *report.Report, c report.Caveat, why string) {
	r.State = report.Partial
	r.Caveats = slices.Insert(r.Caveats, 0, c)
	r.Verdict.Outcome = report.Incomplete
	r.Verdict.Reasons = slices.Insert(r.Verdict.Reasons, 0, report.Reason{Rule: RuleIncomplete, Text: why, Section: c.Section})
}

// lateSections says of each section how much it saw: those that were made as in a
// whole report, the others by what they still have.
func (r *reviewer) lateSections() []report.Section {
	r.reportSections()
	part := map[string]string{"changes": lateChanges, "dependencies": lateManifest, "contracts": lateSearch, "documents": lateGoverned}
	sections := r.out.Sections
	for i := range sections {
		s := &sections[i]
		switch s.Name {
		case "decisions", "history":
		case "owners":
			if s.State == report.Complete && !r.made["impact"] {
				s.State, s.Reason = report.Partial, lateOwners
			}
		case "coverage":
			if r.Sketched {
				s.State, s.Reason = report.Partial, fmt.Sprintf("the deadline came first: %d of %s not read", r.unread(), plural(len(r.Head.Files), "file"))
			}
		default:
			if r.made[s.Name] {
				continue
			}
			s.State, s.Reason = report.Unavailable, LateUnmade
			if why, ok := part[s.Name]; ok {
				s.State, s.Reason = report.Partial, why
			}
		}
	}
	return sections
}

// unread counts the files of head that a sketch left out.
func (r *reviewer) unread() (n int) {
	for i := range r.Head.Files {
		n += btoi(r.Head.Files[i].State == 0)
	}
	return n
}

// sketchedCoverage says what a sketch has seen: the changed files, and of the others
// that nobody read them.
func (r *reviewer) sketchedCoverage() {
	out := report.Coverage{Total: len(r.Head.Files)}
	for i := range r.Head.Files {
		f := &r.Head.Files[i]
		out.NotParsed += btoi(f.State != graph.FileParsed)
		if f.State != 0 && f.State != graph.FileParsed && r.files.changed[f.Path] && len(out.Files) < maxCoverageFiles {
			out.Files = append(out.Files, fileCoverage(f, true))
		}
	}
	r.out.Coverage = out
}
