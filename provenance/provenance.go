// Package provenance decides whether a graph may answer, and who may replace or
// delete it.
//
// Input is a worktree and the graph that lies in its git dir; output is that
// graph, open and held, or a [Refusal] that names one state of the list below
// with its reason and its remedy. One predicate stands behind every reader,
// behind doctor and behind deletion. What was true when a graph was opened is
// compared again before the answer leaves: see [Reading.Recheck].
//
// The state folder is opened once and pinned; a folder or a file in it that
// somebody else could have put there is refused, never repaired. Locks belong to
// processes: that of a dead one is gone. Nothing but a graph and what was left
// of a build is ever deleted here, and a file that does not say what it is never.
// The graph of a worktree goes only once its review is over: see [Review].
package provenance

import (
	"errors"
	"fmt"
	"slices"

	"github.com/previdence/previdence/graph/store"
)

// A State says why a graph does not answer.
type State string

// The states. Scripts read their texts.
const (
	NotReady    State = "graph_not_ready"    // no verified graph
	Stale       State = "stale_graph"        // it describes something else; a case says what
	Tampered    State = "graph_tampered"     // not as it was written
	Updating    State = "graph_updating"     // it is being replaced
	CleanupBusy State = "graph_cleanup_busy" // somebody holds it while it is deleted
	Unknown     State = "provenance_unknown" // a database without a stamp

	// These two keep a graph from being deleted; it answers.
	NotReviewed  State = "not_reviewed"  // no review of this HEAD used it
	FindingsOpen State = "findings_open" // policy keeps what the review found
)

// The cases of [Stale].
const (
	CaseRoot   = "root"           // built for another worktree or repository
	CaseHead   = "head_moved"     // built at another commit than HEAD
	CaseBase   = "base_moved"     // a review from another merge base
	CaseEngine = "engine_changed" // built by other extractors or linkers
	CaseConfig = "config_changed" // built with other settings or dependencies
	CaseDirty  = "dirty"          // the files on disk are not those of the commit
)

// A Refusal is an error that says why a graph does not answer and what to do.
type Refusal struct {
	State  State
	Case   string // of a stale graph, else ""
	Reason string
	Remedy string
	Dirt   []Dirt // of [CaseDirty]
	Err    error  // beneath it; may be nil
}

// Name is the state with its case, such as "stale_graph: dirty".
func (r *Refusal) Name() string {
	if r.Case == "" {
		return string(r.State)
	}
	return string(r.State) + ": " + r.Case
}

func (r *Refusal) Error() string { return r.Name() + ": " + r.Reason }

func (r *Refusal) Unwrap() error { return r.Err }

// Names lists all states with their cases, in the order of precedence in which
// they are explained.
func Names() []string {
	names := []string{string(NotReady)}
	for _, c := range []string{CaseRoot, CaseHead, CaseBase, CaseEngine, CaseConfig, CaseDirty} {
		names = append(names, (&Refusal{State: Stale, Case: c}).Name())
	}
	return append(names, string(Tampered), string(Updating), string(CleanupBusy), string(Unknown), string(NotReviewed), string(FindingsOpen))
}

// AsRefusal returns the refusal in an error's chain.
func AsRefusal(err error) (*Refusal, bool) {
	var r *Refusal
	ok := errors.As(err, &r)
	return r, ok
}

const (
	remedyBuild  = "run: previdence graph build"
	remedyDelete = "delete the file, then run: previdence graph build"
	remedyRetry  = "try again"
)

func refuse(state State, remedy, reason string, operands ...any) *Refusal {
	return &Refusal{State: state, Reason: fmt.Sprintf(reason, operands...), Remedy: remedy}
}

func stale(which, remedy, reason string, operands ...any) *Refusal {
	r := refuse(Stale, remedy, reason, operands...)
	r.Case = which
	return r
}

// Named gives an error of the store, or of the state folder, its state. Other
// errors stay as they are.
func Named(err error) error {
	if _, ok := AsRefusal(err); ok || err == nil {
		return err
	}
	for _, s := range []struct {
		err error
		as  Refusal
	}{
		{store.ErrNotReady, Refusal{State: NotReady, Remedy: remedyBuild}},
		{store.ErrNoStamp, Refusal{State: Unknown,
			Remedy: "no build of this program left this file: look at it, delete it by hand, then run: previdence graph build"}},
		{store.ErrUnknownVersion, Refusal{State: Stale, Case: CaseEngine, Remedy: remedyBuild}},
		{store.ErrTampered, Refusal{State: Tampered, Remedy: remedyDelete}},
		{store.ErrCorrupt, Refusal{State: Tampered, Remedy: remedyDelete}},
		{ErrUnsafeFolder, Refusal{State: Tampered, Remedy: "look at the folder, delete it by hand, then run: previdence graph build"}},
	} {
		if errors.Is(err, s.err) {
			r := s.as
			r.Reason, r.Err = err.Error(), err
			return &r
		}
	}
	return err
}

// compare says what of a graph's stamp is not as it is now. A field that is
// empty in now is not compared.
func compare(graph, now store.Stamp) *Refusal {
	differs := func(then, now string) bool { return now != "" && then != now }
	here := remedyBuild + ", in this worktree"
	switch {
	case differs(graph.RepositoryRoot, now.RepositoryRoot):
		return stale(CaseRoot, here, "built for %s, this is %s", graph.RepositoryRoot, now.RepositoryRoot)
	case differs(graph.CommonDir, now.CommonDir):
		return stale(CaseRoot, here, "built in the repository %s, this is %s", graph.CommonDir, now.CommonDir)
	case differs(graph.RootID, now.RootID):
		return stale(CaseRoot, here, "built for another folder that lay at %s", now.RepositoryRoot)
	case graph.Config != now.Config: // before the engine, whose digest it is part of
		return stale(CaseConfig, remedyBuild, "built with %s, this is %s", configuration(graph.Config), configuration(now.Config))
	case differs(graph.Engine, now.Engine):
		return stale(CaseEngine, remedyBuild, "built by engine %s, this is %s", short(graph.Engine), short(now.Engine))
	case graph.Outside != now.Outside:
		return stale(CaseConfig, remedyBuild, "other sources of dependencies are on this machine now")
	case differs(graph.Head, now.Head):
		return stale(CaseHead, remedyBuild, "built at %s, HEAD is %s", short(graph.Head), short(now.Head))
	case differs(graph.Tree, now.Tree):
		return refuse(Tampered, remedyDelete, "tree %s is not that of HEAD, %s", short(graph.Tree), short(now.Tree))
	}
	return nil
}

// configuration names one by its digest.
func configuration(digest string) string {
	if digest == "" {
		return "no configuration"
	}
	return "configuration " + short(digest)
}

// short is an object ID or digest as people read it.
func short(id string) string { return id[:min(len(id), 12)] }

// cases lists the distinct cases of dirt, sorted.
func cases(dirt []Dirt) []string {
	var names []string
	for _, d := range dirt {
		names = append(names, d.Case)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
