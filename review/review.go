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

	// Until ends, once it is closed, what rests on the edges of the graphs or on the
	// text of the whole tree. Sections that were not made by then are unavailable, the
	// report is partial and nothing is judged. nil: never.
	Until <-chan struct{}
	// Sketched says that the graphs hold the symbols of changed files only and no
	// edges, as if Until had been closed from the beginning.
	Sketched bool
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
	words     *lexicon
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
	owners                         *owners.File                       // nil before it was read
	ownersFile                     string                             // where owners are declared; "" if nowhere
	ownersLost                     string                             // why that file says nothing
	contractFiles, contractsUnread int                                // changed files that may offer contracts, and those not understood
	contractsForeign               int                                // those in languages whose contracts are not read
	apiParts                       map[*graph.Graph]map[string]string // see partsOfAPIs
	contractsComputed              int                                // contracts that came or went under names that only exist when the program runs

	unresolvedPlaces map[place]bool

	late bool            // the deadline came before the last step
	made map[string]bool // sections that were made whole, if they rest on the edges
}

// Review fills the evidence of a report: everything but its subject, its
// provenance and its overlap, which the caller knows. What the pull request
// touches is for [Overlap].
//
// Once Until is closed, or if the graphs are sketches, the report is partial: see
// [Input].
func Review(ctx context.Context, in Input) (*report.Report, Touched, error) {
	r := &reviewer{Input: in, out: &report.Report{Schema: report.Schema}, surfaces: map[string]goapi.Comparison{}, made: map[string]bool{}}
	r.files = newFileMap(in.Changes)
	r.moment = in.Past.moment(ctx)
	if err := r.take(ctx, r.steps()); err != nil {
		return nil, Touched{}, err
	}
	r.reportCoverage()
	r.reportCaveats()
	if r.late {
		r.reportLate()
	} else {
		r.reportSections()
		r.reportVerdict()
	}
	return r.out, r.touched(), ctx.Err()
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
