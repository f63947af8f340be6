// Package review works out what a pull request does: which symbols it changes,
// what breaks, what can reach the change, which tests to run, and what could
// not be seen.
//
// Input is the graphs of merge base and head, the changed entries between their
// trees, and a reader of blobs; output is the evidence of a [report.Report].
// Review compares definitions, never lines; it searches the text of the tree
// before it says that nothing is there; it runs nothing and writes nothing. Why
// two graphs: docs/adr/0002-two-graphs.md.
package review

import (
	"context"
	"fmt"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/cover"
	"github.com/previdence/previdence/review/goapi"
	"github.com/previdence/previdence/review/memory"
	"github.com/previdence/previdence/review/owners"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// Blobs reads the contents of a repository. [worktree.Repo] satisfies it.
type Blobs interface {
	// Blobs calls fn once for every id, in order; see [worktree.Repo.Blobs].
	Blobs(ctx context.Context, oids []worktree.OID, limit int64, fn func(i int, data []byte, err error) error) error
}

// Limits bound the work and the lists. All are counts, so that the same input
// gives the same report on every machine.
type Limits struct {
	Depth      int // edges followed from a change for the blast radius
	Dependents int // dependents listed for one symbol
	References int // references listed for one break
	Seeds      int // changed symbols whose blast radius is walked one by one
	Steps      int // edges followed in all walks together
	Names      int // names searched in the text of the tree
	Mentions   int // mentions listed for one checked claim
	BlobBytes  int64
}

// DefaultLimits are used where a caller states none.
var DefaultLimits = Limits{
	Depth: 4, Dependents: 200, References: 200, Seeds: 500, Steps: 50_000_000,
	Names: 5_000, Mentions: 10, BlobBytes: 4 << 20,
}

// Input is what a review works on.
type Input struct {
	Base, Head *graph.Graph      // of the merge base and of head
	Changes    []worktree.Change // between their trees, by path
	Blobs      Blobs
	Limits     Limits
	FailOn     []string // rules that make the outcome fail
	Policy     report.Policy
	At         string // commit of head
	Past       Past

	// Coverage is measured coverage of head, as somebody says; what it says of
	// another content is not used.
	Coverage []*cover.Profile
	// GoTypes type-checks what the Go packages in some directories declare, in both
	// trees. nil: exported signatures are compared by their text.
	GoTypes func(ctx context.Context, dirs []string) (GoTypes, error)
}

// A Past is what was before a pull request. The zero value knows nothing.
type Past struct {
	Missing string            // why there are no commits; "" if they were read
	Before  []worktree.Commit // the newest that the merge base has
	Own     []worktree.Commit // those that head has and the merge base has not
	Cut     []worktree.OID    // at which a shallow clone ends
	Day     string            // the later day of merge base and head, as 2006-01-02
	Has     func(ctx context.Context, commit worktree.OID) (bool, error)
}

// A reviewer holds what the steps share: the input, the matched symbols and the
// evidence so far.
type reviewer struct {
	Input
	files   fileMap
	pairs   pairing
	changes []change
	text    *text
	out     *report.Report
	caveats []report.Caveat

	measured *measurement // nil if no coverage was given

	// What follows is derived once, when first asked for.
	testPaths map[string]bool
	tests     map[string][]int32
	mains     map[string]bool
	named     map[string][]int32
	wholes    map[owned]report.Change
	public    map[owned]bool
	packages  map[string]*jsPackage // by directory
	headings  map[string][]*graph.Symbol
	surfaces  map[string]goapi.Comparison // of the Go packages whose types were compared, by directory
	goDirs    map[string]string           // import path → directory

	decided                        []decisionFile // all of the merge base that could be read
	moment                         memory.Moment
	owners                         *owners.File // nil before it was read
	ownersFile                     string       // where owners are declared; "" if nowhere
	ownersLost                     string       // why that file says nothing
	contractFiles, contractsUnread int          // changed files that may offer contracts, and those not understood
	contractsComputed              int          // contracts that came or went under names that only exist when the program runs

	unresolvedPlaces map[place]bool
}

// Review fills the evidence of a report: everything but its subject, its
// provenance and its overlap, which the caller knows. What the pull request
// touches is for [Overlap].
func Review(ctx context.Context, in Input) (*report.Report, Touched, error) {
	r := &reviewer{Input: in, out: &report.Report{Schema: report.Schema}, surfaces: map[string]goapi.Comparison{}}
	r.files = newFileMap(in.Changes)
	r.moment = in.Past.moment(ctx)
	if err := r.fileChanges(ctx); err != nil {
		return nil, Touched{}, fmt.Errorf("changed files: %w", err)
	}
	if err := r.symbolChanges(ctx); err != nil {
		return nil, Touched{}, fmt.Errorf("changed symbols: %w", err)
	}
	if err := r.readPackages(ctx); err != nil {
		return nil, Touched{}, fmt.Errorf("packages: %w", err)
	}
	if err := r.readCoverage(ctx); err != nil {
		return nil, Touched{}, fmt.Errorf("measured coverage: %w", err)
	}
	if err := r.compareSurfaces(ctx); err != nil {
		return nil, Touched{}, fmt.Errorf("types of the exported surface: %w", err)
	}
	r.reportChanges()
	broken := r.findBreaks()
	reach := r.walk()
	gaps := r.findGaps(reach)
	if err := r.searchText(ctx, broken, reach, gaps); err != nil {
		return nil, Touched{}, fmt.Errorf("search of the text: %w", err)
	}
	if err := r.findDoors(ctx, reach); err != nil {
		return nil, Touched{}, fmt.Errorf("entry points: %w", err)
	}
	r.reportBreaks(broken)
	r.reportImpact(reach, broken)
	r.reportTests(reach, gaps)
	r.reportAPI()
	if err := r.reportDependencies(ctx); err != nil {
		return nil, Touched{}, fmt.Errorf("dependencies: %w", err)
	}
	if err := r.reportContracts(ctx); err != nil {
		return nil, Touched{}, fmt.Errorf("contracts: %w", err)
	}
	if err := r.reportDocuments(ctx); err != nil {
		return nil, Touched{}, fmt.Errorf("documents: %w", err)
	}
	if err := r.reportDecisions(ctx); err != nil {
		return nil, Touched{}, fmt.Errorf("decisions: %w", err)
	}
	if err := r.reportOwners(ctx); err != nil {
		return nil, Touched{}, fmt.Errorf("owners: %w", err)
	}
	r.reportHistory()
	if err := r.reportGroups(ctx); err != nil {
		return nil, Touched{}, fmt.Errorf("independent changes: %w", err)
	}
	r.reportCoverage()
	r.reportSections()
	r.reportVerdict()
	return r.out, r.touched(), nil
}

// caveat adds what one section could not see. Equal ids are told once.
func (r *reviewer) caveat(id, section, text string, count, of int, examples ...string) {
	for _, c := range r.caveats {
		if c.ID == id {
			return
		}
	}
	if len(examples) > 5 {
		examples = examples[:5]
	}
	if examples == nil {
		examples = []string{}
	}
	r.caveats = append(r.caveats, report.Caveat{ID: id, Section: section, Text: text, Count: count, Of: of, Examples: examples})
}
