package reporterstest

import (
	"fmt"
	"strings"

	"github.com/previdence/previdence/review/report"
)

// Planted is a line that some hostile names try to put into the output.
const Planted = "# APPROVED by the maintainers"

// HostileNames are names of symbols, paths, branches and titles that something
// between a repository and a reader acts on if they are not escaped: a terminal,
// two Markdown parsers, a browser, a mail client, a diagram, a spreadsheet, the
// log of a workflow, its outputs and its expressions, SARIF. Every reporter is
// tried on all of them, and so is all else that shows a name.
func HostileNames() []string {
	return []string{
		"a\n\n" + Planted + "\n\n- [x] checked\n",
		"a\r\n" + Planted + "\r\n",
		"a|b|c",
		`a\|b`,
		`a\\|b`,
		`foo\`,
		"`code` ``two`` ```three",
		"```\n" + Planted,
		"``",
		"<script>alert(1)</script>",
		"<img src=x onerror=alert(1)>",
		"</code></summary></details><h1>" + Planted,
		"<!-- previdence v=1 -->",
		"[click](https://evil.example/x)",
		"![pixel](https://evil.example/p.png)",
		"https://evil.example/www.evil.example",
		"[ref]: https://evil.example",
		"mailto:a@evil.example a@evil.example",
		"@acme/admins please @octocat approve",
		"#1 acme/pay#2 GH-3 " + strings.Repeat("abcdef0", 5),
		":tada: $x^2$ $$y$$",
		"**bold** __init__ ~~gone~~ *it*",
		"&lt;b&gt; &#64;x &copy;",
		"evil\u202Egnp.exe \u2066x\u2069",
		"zero\u200Bwidth\u200Djoin\uFEFFed \u3164 \uFE0F \u2800",
		"\x1b[31mred\x1b]8;;https://evil.example\x07link\x1b]8;;\x07\x9b2J",
		"bell\a back\b\b\b del\x7f c1\u009b31m",
		"bad\xff\xfeutf8\xc3",
		"\u2028line\u2029sep\u0085nel",
		"::warning file=x::" + Planted + "%0A",
		" leading and trailing ",
		"   ",
		"",
		"tab\tin\tname",
		strings.Repeat("very/long/", 400) + "name.go",
		strings.Repeat("`", 300),
		strings.Repeat("|", 300),
		strings.Repeat("😀", 200),
		`"]; click n0 "https://evil.example" %% x`,
		"`**md** string`",
		"end\nsubgraph x",
		"%%{init: {'securityLevel':'loose'}}%%",
		"{{template}} ${env} $(cmd)",
		"1. first", "- item", "+ plus", "> quote", "    indented code", "---", "===", "| a |\n| --- |\n| b |",
		"مرحبا/файл/文件.go",
		"e\u0301\u0301\u0301\u0301\u0301",
		"-->", "]]>", "fa:fa-ban #quot; #35;",
		// pages
		"</script><script>alert(1)</script>", "</style></title></textarea><svg onload=alert(1)>",
		`" onmouseover="alert(1)" x="`, "' autofocus onfocus=alert(1) '", "javascript:alert(1)", "data:text/html,<script>alert(1)</script>",
		"<iframe srcdoc='&lt;script&gt;alert(1)&lt;/script&gt;'>", "<!--><img src=x onerror=alert(1)>-->", "<![CDATA[x]]>", "<?xml version='1.0'?>",
		"<picture><source srcset=//evil.example/p></picture>", "&#x202e;&lrm;&NewLine;&nbsp;",
		// comments
		"> [!WARNING]\n> " + Planted, "[^1]: note [^1]", "```suggestion\n" + Planted + "\n```", "~~~\n" + Planted, "<details open><summary>x",
		"a\\\n\n# b", "| --- | --- |", "* * *", "- [ ] todo", "<https://evil.example>", "//evil.example", "acme/pay@abcdef0123", "acme/pay#12",
		strings.Repeat("0123456789abcdef", 4), "@octocat", ":+1::shipit:", "$`x^2`$", "\\(x\\) \\[y\\]",
		// workflows
		"\n::error file=app.js,line=1::" + Planted, "::set-output name=outcome::pass", "::add-mask::a", "::stop-commands::x", "##[command]rm", "%0A::notice::x%0D%25",
		"${{ github.token }}", "${{ secrets.X }}", "outcome<<EOF\npass\nEOF", "x\noutcome=pass", "ghadelimiter_1\noutcome=pass\nghadelimiter_1",
		"$(touch pwned)", "`touch pwned`", "; rm -rf .", "--upload-pack=x", "-rf",
		// paths
		"../../etc/passwd", "/etc/passwd", `C:\Windows\system32`, "file:///etc/passwd", ".git/config", "a/./b//c", "%2e%2e%2f", "100%", "a?b=c#d", "nul\x00byte", "aux.txt ",
		// spreadsheets, diagrams, SARIF
		"=HYPERLINK(\"https://evil.example\")", "+1+1", "-2+3", "@SUM(A1)", "=cmd|' /C calc'!A0", "a,b\"c\";d",
		"A --> B; B --> A", "classDef x fill:#f00", "---\nconfig:\n  securityLevel: loose\n---", "n0[\"x\"]:::c", "graph TD;", "\"]\nclick n0 call alert()\n",
		"[see](1) {0} {{1}}", `[a\](https://evil.example)`,
		// letters
		"\u0430dmin/p\u0430y.go", "\U0001F468\u200D\U0001F469\u200D\U0001F467", "tag\U000E0041\U000E007F", "\uFFFD\uFFFE\U0010FFFF", "\u202B\u05D0\u05D1 \u202Aabc\u202C",
		"\u061C\u0627\u200F1\u200E", "Z" + strings.Repeat("\u0310", 80), "\r", "\x00", "\x1b]0;title\a\x1bP1$r\x1b\\\x1b[2J\x1b[H", strings.Repeat("\u05D0", 300), strings.Repeat("ab ", 400),
	}
}

// Hostile is a report in which every text from the repository is hostile.
func Hostile() *report.Report { return Named(HostileNames()...) }

// Named is a report that has each of the names wherever a report can have one.
// How many rows it has depends on how many names there are, not on what they
// hold.
func Named(names ...string) *report.Report {
	r := base()
	r.Verdict.Outcome = report.Incomplete
	for i, n := range names {
		everywhere(r, i, n)
	}
	last := names[len(names)-1]
	r.Subject.Repository = "acme/" + names[0]
	r.Subject.Head.Ref = "x" + last
	set(r, "tests", report.Partial, "x"+names[0])
	r.Delta = &report.Delta{Since: report.Since{Commit: oid("8"), Head: report.UnknownPast}, State: report.Partial, Reason: names[0]}
	for i, n := range names {
		rule := []string{report.RuleBreaks, report.RuleAPI, report.RuleUntested, report.RuleCycle, report.RuleText, report.RuleDocument}[i%6]
		claim := report.NewClaim(rule, n, n)
		r.Delta.Added, r.Delta.Resolved = append(r.Delta.Added, claim), append(r.Delta.Resolved, claim)
	}
	r.Delta.AddedTotal, r.Delta.ResolvedTotal = len(names), len(names)
	set(r, "documents", report.Unavailable, "x"+last)
	return r
}

// everywhere adds the i-th name to all parts of a report.
func everywhere(r *report.Report, i int, n string) {
	id := fmt.Sprintf("go:%d%s#%s/function", i, n, n)
	check := report.Check{Checked: report.Contradicted, CheckedText: n, MentionsTotal: 1, Mentions: []report.Mention{{Path: n, Line: i, Reason: n}}}
	r.Verdict.Reasons = append(r.Verdict.Reasons, report.Reason{Rule: "breaks", Text: n, Section: "breaks", Fails: i%2 == 0})
	r.Changes.Files = append(r.Changes.Files, report.FileChange{Path: n, OldPath: n, Status: "renamed", Kind: "other", Reason: n})
	r.Changes.Symbols = append(r.Changes.Symbols, report.SymbolChange{ID: id, Name: n, Kind: "function", Language: "go", Path: n, Line: i + 1,
		Change: report.Signature, SignatureEffect: report.UnknownEffect, EffectReason: n})
	r.Breaks = append(r.Breaks, report.Break{Symbol: id, Name: n, Kind: "function", Path: n, Line: i + 1, Change: report.Removed, Total: 1, Check: check,
		References: []report.Reference{{Symbol: id, Name: n, Path: n, Line: i + 1, Tier: "name", Kind: "call", Reason: n}}})
	r.Breaks = append(r.Breaks, report.Break{Symbol: id, Name: n, Kind: "function", Path: n, Line: i + 1, Change: report.Removed, Check: check})
	dep := report.Dependent{Symbol: id + "d", Name: n, Path: n, Line: i + 1, Distance: 2, Kind: "call", Tier: "name", PathThrough: []string{id}}
	r.Impact.Symbols = append(r.Impact.Symbols,
		report.SymbolImpact{Symbol: id, Name: n, Change: report.Body, Total: 1, ByDistance: []int{0, 1}, Dependents: []report.Dependent{dep}},
		report.SymbolImpact{Symbol: id, Name: n, Change: report.Body, Check: &check})
	r.Impact.EntryPoints = append(r.Impact.EntryPoints, report.EntryPoint{Kind: "handler", Symbol: id, Name: n, Path: n, Line: 1, Distance: 1})
	r.Impact.Total++
	r.Tests.ToRun = append(r.Tests.ToRun, report.Test{ID: id, Name: n, Path: n, Line: i + 1, Command: n, Covers: []string{id}, Distance: 1, Basis: "static", Tier: "name"})
	r.Tests.Commands = append(r.Tests.Commands, "npx vitest -t '"+n+"'")
	r.Tests.Gaps = append(r.Tests.Gaps, report.Gap{Symbol: id, Name: n, Path: n, Line: i + 1, State: "unknown", Reason: n, Check: check})
	if r.Tests.Measured == nil {
		r.Tests.Measured = &report.Measured{Lines: 9, Ran: 2}
	}
	m := r.Tests.Measured
	m.Inputs = append(m.Inputs, report.CoverageInput{Format: n, Digest: n, State: "used", Reason: n, Tests: 1})
	m.Missed = append(m.Missed, report.MissedLines{Path: n, Ranges: []report.Range{{Start: 1, End: 2}}})
	r.API.Removed = append(r.API.Removed, id)
	r.API.Changed = append(r.API.Changed, report.APIChange{Symbol: id, From: n, To: n, Effect: report.Breaking, Reason: n})
	r.Dependencies.Added = append(r.Dependencies.Added, report.Dependency{From: n, To: n, FirstSite: n})
	r.Dependencies.CyclesAdded = append(r.Dependencies.CyclesAdded, []string{n, n})
	r.Dependencies.Manifests = append(r.Dependencies.Manifests, report.Manifest{Path: n, Changes: []string{n}, Total: 1,
		Packages: []report.Required{{Name: n, Part: n, Change: "bumped", From: n, To: n, Imports: []string{n}, Symbols: []string{id}}}})
	r.Dependencies.Layers = append(r.Dependencies.Layers, report.LayerBreach{Layer: n, On: n, From: n, To: n, Site: n, Allowed: n})
	r.Contracts = append(r.Contracts,
		report.Contract{Kind: "http_route", Name: n, Change: report.Renamed, Path: n, Line: i + 1, Old: n, New: n, Effect: report.Breaking, Reason: n})
	r.Groups.Total++
	r.Groups.List = append(r.Groups.List, report.Group{Files: []string{n}, Total: 1, Symbols: []string{id}})
	r.Groups.Bridges = append(r.Groups.Bridges, report.Bridge{Symbol: id, Name: n, Path: n, Line: i + 1, Groups: []int{0, i}})
	r.Groups.Rest = append(r.Groups.Rest, n)
	r.Documents = append(r.Documents, report.Document{Path: n, Heading: n, Line: 1, Relation: "mentions_removed", Symbols: []string{id}, Names: []report.Named{{Kind: "file", Name: n, Now: n}}},
		report.Document{Path: n, Heading: n, Line: 1, Relation: "governs", Symbols: []string{id}, Governs: &report.Governance{
			SourceType: n, By: "front_matter", Status: n, Owners: []string{n}, Files: []string{n}, Total: 1}})
	r.Decisions = append(r.Decisions, report.Decision{ID: n, Kind: "accepted_risk", Title: n, Path: n, State: report.DecisionDrifted, Validity: report.Expired, Reason: n,
		SupersededBy: n, At: oid("d"), Cites: []report.DecisionCite{{Symbol: id, State: report.DecisionDrifted, Changed: true, Drifted: "here", Now: id + "n", Path: n, Line: 1,
			Lines: []report.DriftedLine{{Line: 1, Text: n}, {Added: true, Line: 1, Text: n}}}}})
	r.Owners = append(r.Owners, report.Owned{Path: n, Owners: []string{n, "@" + n}, Why: "changed", Rule: n})
	r.History.Commits++
	r.History.CoChangeTotal++
	r.History.CoChange = append(r.History.CoChange, report.CoChange{Path: n, With: n, Together: 3, Of: 4, Last: oid("f")})
	r.History.Files = append(r.History.Files, report.FileHistory{Path: n, Commits: 1, Authors: []string{n}, Last: oid("f")})
	r.History.Reverts = append(r.History.Reverts, report.Revert{Commit: oid("f"), Title: n, Relation: "reverts", Basis: "content", Files: []string{n}, Of: 1})
	r.Overlap = append(r.Overlap, report.Overlap{Ref: n, Head: strings.Repeat("a", 40), Total: 1, Symbols: []string{id}, Files: []string{n},
		Shared: []report.SharedSymbol{{Symbol: id, Name: n, Path: n, Line: i + 1, Sharing: report.ThisChangesDependent, RefersTo: id}}})
	r.Coverage.Files = append(r.Coverage.Files, report.FileCoverage{Path: n, State: "failed", Reason: n, Changed: true})
	r.Coverage.NotParsed++
	r.Coverage.Total++
	r.Caveats = append(r.Caveats, report.Caveat{ID: n, Section: "coverage", Text: CaveatToken(i) + " " + n, Count: 1, Examples: []string{n, n}})
}
