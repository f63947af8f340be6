package envelope

import (
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/previdence/previdence/review/report"
)

// A bound says how much of the long lists of a report is kept.
type bound struct {
	dependents int // of one symbol
	tests      int
	files      int // that were not seen whole
	gaps       int // changes without a test
	contracts  int // but all that break
	group      int // files of one independent change
	packages   int // of one manifest
}

// bounds are tried one after the other until a report fits. What is broken and
// what changed is never cut: where that alone is too large, no envelope is
// written.
var bounds = []bound{
	{50, 500, 200, 5000, 500, 200, 500},
	{10, 100, 50, 2000, 200, 50, 100},
	{2, 20, 10, 1000, 100, 10, 20},
	{0, 0, 0, 200, 50, 5, 5},
}

// within returns a report with its long lists cut, and a caveat that says so. The
// totals stay, so that nothing reads as if it were all.
func (b bound) within(r *report.Report) *report.Report {
	c := *r
	kept, all := 0, 0
	count := func(keep, have int) int {
		n := min(keep, have)
		kept, all = kept+n, all+have
		return n
	}
	c.Impact.Symbols = slices.Clone(r.Impact.Symbols)
	for i := range c.Impact.Symbols {
		s := &c.Impact.Symbols[i]
		n := count(b.dependents, len(s.Dependents))
		s.Omitted += len(s.Dependents) - n
		s.Dependents = s.Dependents[:n]
	}
	c.Tests.ToRun = r.Tests.ToRun[:count(b.tests, len(r.Tests.ToRun))]
	c.Coverage.Files = r.Coverage.Files[:count(b.files, len(r.Coverage.Files))]
	n := count(b.gaps, len(r.Tests.Gaps))
	c.Tests.GapsOmitted += len(r.Tests.Gaps) - n
	c.Tests.Gaps = r.Tests.Gaps[:n]
	n = count(max(b.contracts, breaking(r.Contracts)), len(r.Contracts))
	c.ContractsOmitted += len(r.Contracts) - n
	c.Contracts = r.Contracts[:n]
	c.Groups.List = slices.Clone(r.Groups.List)
	for i := range c.Groups.List {
		g := &c.Groups.List[i]
		g.Files = g.Files[:count(b.group, len(g.Files))]
	}
	c.Groups.Rest = r.Groups.Rest[:count(b.group, len(r.Groups.Rest))]
	c.Dependencies.Manifests = slices.Clone(r.Dependencies.Manifests)
	for i := range c.Dependencies.Manifests {
		m := &c.Dependencies.Manifests[i]
		m.Packages = m.Packages[:count(b.packages, len(m.Packages))]
	}
	c.Caveats = append(slices.Clone(r.Caveats), report.Caveat{
		ID: "action.cut", Section: "impact", Count: all - kept, Of: all,
		Text: fmt.Sprintf("This evidence is above %s bytes if it is whole, so it lists at most %d dependents of a symbol, %d tests, %d files that were not seen whole, %d changes without a test, %d contracts, %d files of an independent change and %d packages of a manifest. The report file of its run lists more.",
			humanize.Comma(Limit), b.dependents, b.tests, b.files, b.gaps, b.contracts, b.group, b.packages),
	})
	return &c
}

// breaking counts the contracts that break, which come first.
func breaking(list []report.Contract) (n int) {
	for n < len(list) && list[n].Effect == report.Breaking {
		n++
	}
	return n
}
