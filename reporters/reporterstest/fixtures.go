package reporterstest

import (
	"fmt"
	"strings"

	"github.com/previdence/previdence/review/report"
)

// A Fixture is a report with a name.
type Fixture struct {
	Name string
	Make func() *report.Report
}

// Fixtures returns all reports that a reporter is tried on.
func Fixtures() []Fixture {
	return []Fixture{{"empty", Empty}, {"partial", Partial}, {"small", Small}, {"hostile", Hostile}, {"huge", Huge}}
}

// oid makes a full object ID from a digit, and digest a digest.
func oid(digit string) string    { return strings.Repeat(digit, 40) }
func digest(digit string) string { return "sha256:" + strings.Repeat(digit, 64) }

// base is a report of two commits that says nothing yet.
func base() *report.Report {
	r := &report.Report{
		Schema: report.Schema,
		Subject: report.Subject{
			Repository: "acme/pay", PullRequest: 42,
			Base: report.Revision{Ref: "main", Commit: oid("a"), Tree: oid("b")}, MergeBase: oid("c"), MergeBases: []string{oid("c")},
			Head: report.Revision{Ref: "retry-refunds", Commit: oid("d"), Tree: oid("e")},
		},
		Provenance: report.Provenance{
			Tool: report.Tool{Name: "previdence", Version: "0.1.0"}, EngineDigest: digest("1"), ConfigDigest: digest("2"),
			Grammars: map[string]string{"python": "0.25.0"}, GitVersion: "2.39.5", InputsDigest: digest("3"),
			Graphs: report.Graphs{
				Base: report.Graph{Tree: oid("b"), Digest: digest("4"), Symbols: 1204, Edges: 4301},
				Head: report.Graph{Tree: oid("e"), Digest: digest("5"), Symbols: 1198, Edges: 4277}},
			Binding: &report.Binding{RepositoryRoot: "/srv/pay", CommonDir: "/srv/pay/.git", Head: oid("d")},
		},
		Verdict: report.Verdict{Outcome: report.Pass},
		Impact:  report.Impact{Depth: 4},
	}
	for _, name := range []string{"changes", "breaks", "impact", "tests", "api", "contracts", "dependencies", "groups", "documents", "decisions", "owners", "history", "coverage"} {
		r.Sections = append(r.Sections, report.Section{Name: name, State: report.Complete})
	}
	return r
}

// set changes the state of a section.
func set(r *report.Report, name string, state report.State, reason string) {
	for i := range r.Sections {
		if r.Sections[i].Name == name {
			r.Sections[i].State, r.Sections[i].Reason = state, reason
		}
	}
}

// Empty is a report that found nothing, and did not look at the documents.
func Empty() *report.Report {
	r := base()
	set(r, "documents", report.Unavailable, "no extractor for this kind of document")
	return r
}

// Partial is the report of a review whose deadline came before its graphs.
func Partial() *report.Report {
	r := Small()
	r.State = report.Partial
	r.Provenance.InputsDigest = ""
	r.Provenance.Graphs = report.Graphs{Base: report.Graph{Tree: oid("b")}, Head: report.Graph{Tree: oid("e")}}
	r.Verdict = report.Verdict{Outcome: report.Incomplete, Reasons: []report.Reason{{Rule: "incomplete", Text: "The deadline was reached, so nothing was judged.", Section: "coverage"}}}
	r.Breaks, r.Impact, r.Tests, r.API, r.Groups, r.Delta = nil, report.Impact{}, report.Tests{}, report.API{}, report.Groups{}, nil
	r.Dependencies = report.Dependencies{Manifests: r.Dependencies.Manifests}
	for _, name := range []string{"breaks", "impact", "tests", "api", "groups"} {
		set(r, name, report.Unavailable, "the deadline came first")
	}
	r.Caveats = []report.Caveat{{ID: report.DeadlineCaveat, Section: "coverage", Text: "The deadline was reached before the review was done, " + CaveatToken(0), Count: 5, Of: 13}}
	return r
}

// Small is the report of an ordinary pull request: a function removed with
// callers left, a signature changed, a test that reaches both.
func Small() *report.Report {
	r := base()
	r.Verdict = report.Verdict{Outcome: report.Fail, Reasons: []report.Reason{
		{Rule: "incomplete", Text: "3 of 412 Go files did not parse.", Section: "coverage"},
		{Rule: "breaks", Text: "2 references to 1 removed symbol remain.", Section: "breaks", Fails: true}}}
	set(r, "impact", report.Partial, "3 files were not parsed whole")
	smallChanges(r)
	smallImpact(r)
	smallRest(r)
	return r
}

const (
	refund = "go:pay/refund.go#Refund/function"
	retry  = "go:pay/retry.go#Policy.Next/method"
	tries  = "go:pay/retry.go#MaxTries/constant"
	charge = "go:pay/charge.go#Client.Charge/method"
	orders = "go:orders/cancel.go#Cancel/function"
	server = "go:cmd/server/main.go#main/function"
	tested = "go:pay/charge_test.go#TestCharge/function"
)

func smallChanges(r *report.Report) {
	r.Changes = report.Changes{
		Files: []report.FileChange{
			{Path: "docs/logo.png", Status: "modified", Kind: "binary", Reason: "not text"},
			{Path: "pay/refund.go", Status: "removed", Kind: "source", Language: "go", Deletions: 48, Analysed: true},
			{Path: "pay/retry.go", Status: "modified", Kind: "source", Language: "go", Additions: 12, Deletions: 7, Analysed: true}},
		Symbols: []report.SymbolChange{
			{ID: refund, Name: "Refund", Kind: "function", Language: "go", Path: "pay/refund.go", Line: 14, EndLine: 46, Exported: true,
				Change: report.Removed, Old: &report.Version{Path: "pay/refund.go", Line: 14, Signature: "func Refund(id string) error", Blob: oid("6")}},
			{ID: retry, Name: "Policy.Next", Kind: "method", Language: "go", Path: "pay/retry.go", Line: 31, EndLine: 44, Exported: true,
				Change: report.Signature, SignatureEffect: report.Breaking, EffectReason: "parameter n: int → int64"},
			{ID: tries, Name: "MaxTries", Kind: "constant", Language: "go", Path: "pay/retry.go", Line: 9, EndLine: 9, Exported: true, Change: report.Added}}}
	r.Breaks = []report.Break{{
		Symbol: refund, Name: "Refund", Kind: "function", Path: "pay/refund.go", Line: 14, Change: report.Removed, Total: 2,
		References: []report.Reference{
			{Symbol: orders, Name: "Cancel", Path: "orders/cancel.go", Line: 88, Tier: "compiler", Kind: "call", Reason: "no such name in package pay"},
			{Symbol: server, Name: "main", Path: "cmd/server/main.go", Line: 120, Tier: "compiler", Kind: "reference", Reason: "no such name in package pay"}},
		Check: report.Check{Checked: report.Contradicted, CheckedText: "2 mentions outside the graph.", MentionsTotal: 2, Mentions: []report.Mention{
			{Path: "scripts/replay.sh", Line: 9, Reason: "file not parsed"}, {Path: "pay/doc.go", Line: 3, Reason: "comment or string"}}}}}
}

func smallImpact(r *report.Report) {
	r.Impact = report.Impact{Depth: 4, Total: 4, Tests: 1, ByDistance: []int{1, 2, 1},
		Symbols: []report.SymbolImpact{
			{Symbol: retry, Name: "Policy.Next", Change: report.Signature, Total: 4, Tests: 1, ByDistance: []int{1, 2, 1},
				Dependents: []report.Dependent{
					{Symbol: charge, Name: "Client.Charge", Path: "pay/charge.go", Line: 50, Site: 71, Distance: 1, Kind: "call", Tier: "compiler"},
					{Symbol: orders, Name: "Cancel", Path: "orders/cancel.go", Line: 60, Site: 91, Distance: 2, Kind: "call", Tier: "compiler", PathThrough: []string{charge}},
					{Symbol: tested, Name: "TestCharge", Path: "pay/charge_test.go", Line: 12, Site: 19, Distance: 2, Kind: "call", Tier: "compiler", Test: true, PathThrough: []string{charge}},
					{Symbol: server, Name: "main", Path: "cmd/server/main.go", Line: 30, Site: 77, Distance: 3, Kind: "dispatch", Tier: "dispatch", PathThrough: []string{orders, charge}}}},
			{Symbol: refund, Name: "Refund", Change: report.Removed,
				Check: &report.Check{Checked: report.NotConfirmed, CheckedText: "3 files could not be searched."}}},
		EntryPoints: []report.EntryPoint{{Kind: "main", Symbol: server, Name: "main", Path: "cmd/server/main.go", Line: 30, Distance: 3}}}
}

func smallRest(r *report.Report) {
	r.Tests = report.Tests{
		ToRun: []report.Test{{ID: tested, Name: "TestCharge", Path: "pay/charge_test.go", Line: 12, Command: "go test ./pay -run '^TestCharge$'",
			Covers: []string{retry}, Distance: 2, Basis: "static", Tier: "compiler"}},
		Commands: []string{"go test ./pay -run '^TestCharge$'"},
		Gaps: []report.Gap{{Symbol: refund, Name: "Refund", Path: "pay/refund.go", Line: 14, State: "uncovered", Reason: "no test reached it at the merge base",
			Check: report.Check{Checked: report.Confirmed, CheckedText: "No test file mentions it."}}}}
	r.API = report.API{Added: []string{tries}, Removed: []string{refund},
		Changed: []report.APIChange{{Symbol: retry, From: "func (p *Policy) Next(n int) time.Duration", To: "func (p *Policy) Next(n int64) time.Duration",
			Effect: report.Breaking, Reason: "parameter n: int → int64"}}}
	r.Dependencies = report.Dependencies{
		Added:       []report.Dependency{{From: "pay", To: "orders", FirstSite: "pay/retry.go:9"}},
		CyclesAdded: [][]string{{"orders", "pay"}},
		Layers:      []report.LayerBreach{{Layer: "domain", On: "orders", From: "pay", To: "orders", Site: "pay/retry.go:9", Allowed: "wire"}},
		Manifests: []report.Manifest{{Path: "go.mod", Changes: []string{"golang.org/x/mod v0.1.0 → v0.2.0"}, Total: 1, Packages: []report.Required{
			{Name: "golang.org/x/mod", Change: "bumped", From: "v0.1.0", To: "v0.2.0", Imports: []string{"pay/retry.go"}, Symbols: []string{retry}}}}}}
	r.Contracts = []report.Contract{
		{Kind: "http_route", Name: "POST /refunds", Change: report.Removed, Path: "pay/refund.go", Line: 20, Effect: report.Breaking},
		{Kind: "cli_flag", Name: "--tries", Change: report.Signature, Path: "cmd/server/main.go", Line: 12, Old: "int", New: "duration", Effect: report.UnknownEffect, Reason: "int → duration"},
		{Kind: "environment_variable", Name: "PAY_TRIES", Change: report.Added, Path: "pay/retry.go", Line: 11, Effect: report.Compatible}}
	r.Groups = report.Groups{Total: 2,
		List:    []report.Group{{Files: []string{"pay/refund.go", "pay/retry.go"}, Total: 2, Symbols: []string{refund, retry}}, {Files: []string{"web/menu.go"}, Total: 1}},
		Bridges: []report.Bridge{{Symbol: server, Name: "main", Path: "cmd/server/main.go", Line: 30, Groups: []int{0, 1}}}, Rest: []string{"docs/logo.png"}}
	r.Documents = []report.Document{{Path: "docs/refunds.md", Heading: "Refund a payment", Line: 40, Relation: "mentions_removed", Symbols: []string{refund},
		Names: []report.Named{{Kind: "cli_flag", Name: "--refund", Now: "--pay-back"}, {Kind: "file", Name: "pay/refund.go"}}},
		{Path: "docs/rfc/3-retries.md", Heading: "Retry at most thrice", Line: 9, Relation: "governs", Symbols: []string{}, Blob: oid("3"),
			Governs: &report.Governance{SourceType: "rfc", By: "file", Status: "accepted", Owners: []string{"@octo/pay"}, Files: []string{"pay/retry.go"}, Total: 1, Last: oid("e")}}}
	r.Decisions = []report.Decision{{ID: "no-backoff", Kind: "accepted_risk", Title: "Send retries without backoff", Path: ".previdence/decisions/no-backoff.md", Blob: oid("7"),
		State: report.DecisionDrifted, Validity: report.InForce, At: oid("d"), Cites: []report.DecisionCite{
			{Symbol: retry, State: report.DecisionDrifted, Changed: true, Drifted: "here", Path: "pay/retry.go", Line: 31, Lines: []report.DriftedLine{
				{Line: 33, Text: "\treturn 0"}, {Added: true, Line: 33, Text: "\treturn time.Second"}}}}}}
	r.Owners = []report.Owned{
		{Path: "docs/logo.png", Why: "changed"},
		{Path: "pay/refund.go", Owners: []string{"@acme/payments", "ada@…"}, Why: "changed", Rule: ".github/CODEOWNERS:4", Blob: oid("9")},
		{Path: "pay/retry.go", Owners: []string{"@acme/payments", "ada@…"}, Why: "changed", Rule: ".github/CODEOWNERS:4", Blob: oid("9")},
		{Path: "orders/cancel.go", Owners: []string{"@acme/orders"}, Why: "impacted", Rule: ".github/CODEOWNERS:5", Blob: oid("9")}}
	r.History = report.History{Commits: 812, Merges: 40, Mass: 3, CoChangeTotal: 1,
		CoChange: []report.CoChange{{Path: "pay/retry_table.go", With: "pay/retry.go", Together: 9, Of: 12, Last: oid("f")}},
		Files: []report.FileHistory{{Path: "pay/refund.go", Commits: 4, Authors: []string{"Ada"}, Last: oid("f")},
			{Path: "pay/retry.go", Commits: 12, Authors: []string{"Ada", "Grace"}, Last: oid("f")}},
		Reverts: []report.Revert{{Commit: oid("f"), Title: "Retry with backoff", Relation: "reverts", Basis: "content", Files: []string{"pay/retry.go"}, Of: 1}}}
	r.Overlap = []report.Overlap{{PullRequest: 43, Ref: "refs/pull/43/head", Base: oid("a"), Head: oid("f"), Total: 2,
		Symbols: []string{"go:orders/close.go#Close/function", retry}, Files: []string{"pay/retry.go"}, Shared: []report.SharedSymbol{
			{Symbol: retry, Name: "Policy.Next", Path: "pay/retry.go", Line: 31, Sharing: report.BothChange},
			{Symbol: "go:orders/close.go#Close/function", Name: "Close", Path: "orders/close.go", Line: 8,
				Sharing: report.OtherChangesDependent, RefersTo: refund}}}}
	r.Coverage = report.Coverage{Total: 431, NotParsed: 12,
		Languages: []report.LanguageCoverage{{Language: "go", Files: 412, Parsed: 409, Partial: 2, Skipped: 1,
			Calls: report.Calls{Compiler: 3120, Dispatch: 87, Unresolved: 4, External: 1902}}},
		Files: []report.FileCoverage{
			{Path: "docs/logo.png", State: "binary", Reason: "not text", Changed: true},
			{Path: "pay/gen.go", State: "partial", Reason: "syntax error", Ranges: []report.Range{{Start: 10, End: 14}}}}}
	r.Delta = &report.Delta{Since: report.Since{Commit: oid("8"), Head: report.Follows}, State: report.Complete, AddedTotal: 1, ResolvedTotal: 1, Unchanged: 5,
		Added:    []report.Claim{report.NewClaim(report.RuleBreaks, refund, server)},
		Resolved: []report.Claim{report.NewClaim(report.RuleUntested, retry, "")}}
	r.Caveats = []report.Caveat{
		{ID: "go.parse", Section: "coverage", Text: "Go files did not parse, " + CaveatToken(0), Count: 3, Of: 412, Examples: []string{"pay/gen.go"}},
		{ID: "go.platform", Section: "impact", Text: "built for linux/amd64; files for other platforms were not type-checked, " + CaveatToken(1), Count: 6, Of: 412,
			Examples: []string{"pay/lock_windows.go"}}}
}

// Huge is the report of 500 changed files and 10,000 changed symbols.
func Huge() *report.Report {
	r := base()
	r.Verdict.Outcome = report.Incomplete
	for i := range 500 {
		r.Changes.Files = append(r.Changes.Files, report.FileChange{Path: hugePath(i), Status: "modified", Kind: "source", Language: "go",
			Additions: i, Deletions: 1, Analysed: i%10 != 0, Reason: []string{"generated", ""}[min(i%10, 1)]})
	}
	for i := range 10_000 {
		id, name := hugeSymbol(i)
		r.Changes.Symbols = append(r.Changes.Symbols, report.SymbolChange{ID: id, Name: name, Kind: "function", Language: "go",
			Path: hugePath(i % 500), Line: i + 1, EndLine: i + 9, Change: report.Body})
		r.API.Added = append(r.API.Added, id)
		r.Tests.Gaps = append(r.Tests.Gaps, report.Gap{Symbol: id, Name: name, Path: hugePath(i % 500), Line: i + 1, State: "unknown", Reason: "not searched"})
		r.Tests.ToRun = append(r.Tests.ToRun, report.Test{ID: "t" + id, Name: "Test" + name, Path: hugePath(i % 500), Line: i + 1, Covers: []string{id}, Distance: 1, Basis: "static", Tier: "name"})
		if i < 400 {
			r.Documents = append(r.Documents, report.Document{Path: "README.md", Heading: name, Line: i + 1, Relation: "mentions_changed", Symbols: []string{id}})
		}
	}
	r.Tests.Measured = &report.Measured{Lines: 9, Ran: 2}
	for i := range 500 {
		r.Tests.Measured.Missed = append(r.Tests.Measured.Missed, report.MissedLines{Path: hugePath(i), Ranges: []report.Range{{Start: 1, End: 2}}})
	}
	r.Tests.Commands = []string{"go test ./... -run '" + strings.Repeat("TestName|", 500) + "'", "go test ./..."}
	hugeImpact(r)
	for i := range 120 {
		r.Caveats = append(r.Caveats, report.Caveat{ID: fmt.Sprintf("c%d", i), Section: "coverage", Text: CaveatToken(i) + " was not looked at",
			Count: i, Of: 500, Examples: []string{hugePath(i), hugePath(i + 1)}})
	}
	return r
}

func hugeImpact(r *report.Report) {
	r.Impact.Total = 10_000
	for i := range 60 {
		id, name := hugeSymbol(i)
		s := report.SymbolImpact{Symbol: id, Name: name, Change: report.Body, Total: 1000 - i, ByDistance: []int{200, 500, 300 - i}, Omitted: 940 - i}
		b := report.Break{Symbol: id, Name: name, Kind: "function", Path: hugePath(i), Line: i + 1, Change: report.Signature, Total: 250}
		if i%3 == 0 {
			b.Change = report.Removed
		}
		for j := range 60 {
			did, dname := hugeSymbol(10_000 + i*50 + j)
			s.Dependents = append(s.Dependents, report.Dependent{Symbol: did, Name: dname, Path: hugePath(j), Line: j + 1, Distance: 1, Kind: "call", Tier: "exact"})
			b.References = append(b.References, report.Reference{Symbol: did, Name: dname, Path: hugePath(j), Line: j + 2, Tier: "exact", Kind: "call", Reason: "too few arguments"})
		}
		r.Impact.Symbols, r.Breaks = append(r.Impact.Symbols, s), append(r.Breaks, b)
	}
}

func hugePath(i int) string { return fmt.Sprintf("services/area%02d/module%03d/handler.go", i%17, i) }

func hugeSymbol(i int) (id, name string) {
	name = fmt.Sprintf("Handler%d.Serve%d", i%97, i)
	return "go:" + hugePath(i%500) + "#" + name + "/method", name
}
