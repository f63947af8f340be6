package sarif

import (
	"slices"

	"github.com/previdence/previdence/review/report"
)

// rules are the kinds of results, in one order for all logs.
var rules = []rule{
	of(report.RuleBreaks, "BrokenReference", "warning", "error", "high",
		"A reference to something that was removed or changed is left.",
		"The pull request removes, renames, moves or changes a symbol, and this reference at head still uses it as the merge base had it.",
		"Change the reference, or keep what it refers to. The message gives the tier by which the reference was resolved: compiler and exact are certain, import and name are not."),
	of(report.RuleAPI, "BreakingApiChange", "warning", "warning", "high",
		"An exported symbol went or changed incompatibly.",
		"Code outside this repository that uses the symbol no longer builds or no longer works. How much code that is cannot be seen from here.",
		"Keep the old form beside the new one, or release it as a breaking change."),
	of(report.RuleContract, "BreakingContractChange", "warning", "warning", "medium",
		"A contract with those outside the code went or changed incompatibly.",
		"A route, command, flag, message, field or table that others rely on by its name is removed, renamed or demands more than at the merge base. Who relies on it cannot be seen from here.",
		"Keep the old form beside the new one, or announce the change to those who use it."),
	of(report.RuleCycle, "NewCycle", "warning", "warning", "high",
		"Folders import one another that did not at the merge base.",
		"An import that the pull request adds closes a ring of folders. None of them can be understood, tested or released without the others.",
		"Move what both sides need into a folder that imports neither."),
	of(report.RuleText, "NamedInText", "note", "recommendation", "low",
		"Text that could not be parsed names what was removed or changed.",
		"The name was found by searching the text of the tree, in a file or a part of one that the code graph does not cover. Whether it is a use was not seen.",
		"Look at the place: scripts and templates use code by name."),
	of(report.RuleDocument, "StaleDocument", "warning", "recommendation", "medium",
		"A document names what was removed, renamed or changed.",
		"The section named the symbol at the merge base, and still does at head.",
		"Bring the section up to date."),
	of(report.RuleUntested, "UntestedChange", "note", "recommendation", "medium",
		"No known test reaches a changed symbol.",
		"No path through the code graph leads from a test to the symbol, and searching the text of the tests for its name found nothing that speaks against that.",
		"Add a test, or look at the symbol by hand. Tests that reach code by reflection, generated code or another process are not seen."),
}

// kinds are the kinds of notifications.
var kinds = []rule{
	kind("section", "PartialSection", "A part of the evidence is not complete.",
		"A section of the report saw only a part of what it is about, or nothing."),
	kind("caveat", "CoverageCaveat", "Something was not seen.",
		"A coverage caveat of the report: what was not looked at, and how much of it there is."),
	kind("cut", "ResultsCut", "Not all results are listed.",
		"The report makes more claims than code scanning keeps of one run."),
}

func kind(id, name, short, full string) rule {
	return rule{ID: id, Name: name, Short: message{short}, Full: message{full}, Help: &help{Text: full, Markdown: full}}
}

func of(id, name, level, severity, precision, short, full, advice string) rule {
	return rule{ID: id, Name: name, Short: message{short}, Full: message{full},
		Help:          &help{Text: full + " " + advice, Markdown: full + "\n\n" + advice},
		Configuration: &configuration{level},
		Properties:    &ruleProperties{Tags: []string{"pull-request", "previdence"}, Precision: precision, Severity: severity}}
}

func descriptor(id string) reference {
	return reference{ID: id, Index: slices.IndexFunc(kinds, func(k rule) bool { return k.ID == id })}
}
