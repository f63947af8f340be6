package serve

import (
	"context"
	"errors"
	"strings"

	"github.com/previdence/previdence/cmd/internal/child"
	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/mcp"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/review/memory"
	"github.com/previdence/previdence/worktree"
)

// remedies says what an agent does when a graph does not answer. A test compares
// it with the states.
var remedies = map[string]string{
	"graph_not_ready":             "call build_graph",
	"stale_graph: root":           "call build_graph",
	"stale_graph: head_moved":     "call build_graph, or leave expect_head out",
	"stale_graph: base_moved":     "call review_changes again",
	"stale_graph: engine_changed": "call build_graph",
	"stale_graph: config_changed": "call build_graph",
	"stale_graph: dirty":          "commit or stash, or ask without bound about the commit",
	"graph_tampered":              "tell the user: the graph is not as it was written; they delete the file, then call build_graph",
	"graph_updating":              "try again in a moment; other worktrees answer",
	"graph_cleanup_busy":          "try again in a moment",
	"not_reviewed":                "call review_changes first; a graph goes after the review of its head",
	"findings_open":               "tell the user: the review of this head has findings that are open",
	"provenance_unknown":          "tell the user: they look at the file and delete it by hand, then call build_graph",
}

func remedyFor(state, otherwise string) string {
	if r, ok := remedies[state]; ok {
		return r
	}
	return otherwise
}

// states names errors that are no state of a graph, for agents that look for one
// word. The first match counts.
var states = []struct {
	err    error
	state  string
	remedy string // "" for that of the command line
}{
	{worktree.ErrUnauthorizedRoot, "unauthorized_root", "give the absolute path of a worktree's top folder, without symlinks; list_worktrees of one that works names the others"},
	{query.ErrContradictory, "bad_arguments", ""},
	{query.ErrBadHead, "bad_arguments", "give a full commit ID"},
	{query.ErrBadKind, "bad_arguments", ""},
	{query.ErrNoFile, "no_such_file", "call check_coverage with the folder as scope to see its files"},
	{memory.ErrInvalid, "bad_arguments", "see the schema of the tool"},
	{provenance.ErrNotApproved, "not_approved", "ask the user, then say confirmation=approved"},
	{store.ErrNoSymbol, "no_symbol", "call find_symbol"},
	{worktree.ErrNoDefaultBase, "no_base", "say base"},
	{worktree.ErrUnknownRevision, "no_such_revision", "say another base, or ask the user to fetch it"},
	{worktree.ErrBadRevision, "no_such_revision", "say another base"},
	{child.ErrLost, "worker_lost", "call again once; then tell the user"},
	{context.DeadlineExceeded, "deadline", "ask for less"},
}

// explain turns an error into what an agent is told. Names that mean several
// symbols, or none, become an answer.
func (e *Engine) explain(err error) error {
	if many := (*query.Ambiguous)(nil); errors.As(err, &many) {
		return &mcp.Ambiguous{Candidates: many.Candidates}
	}
	if none := (*query.NoSymbol)(nil); errors.As(err, &none) {
		return &mcp.Ambiguous{Candidates: none.Candidates}
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return e.refusal(err)
}

func (e *Engine) refusal(err error) *mcp.Refusal {
	if known := (*mcp.Refusal)(nil); errors.As(err, &known) {
		return known
	}
	if r, ok := provenance.AsRefusal(err); ok {
		return &mcp.Refusal{State: r.Name(), Reason: r.Reason, Remedy: remedyFor(r.Name(), r.Remedy)}
	}
	if f := (*child.Failure)(nil); errors.As(err, &f) {
		r := &mcp.Refusal{State: f.State, Reason: f.Reason, Remedy: remedyFor(f.State, f.Remedy)}
		if r.State == "" {
			r.State = "failed"
		}
		r.Reason = strings.TrimPrefix(r.Reason, r.State+": ")
		return r
	}
	remedy := ""
	if e.options.Advise != nil {
		remedy = e.options.Advise(err)
	}
	for _, s := range states {
		if errors.Is(err, s.err) {
			if s.remedy != "" {
				remedy = s.remedy
			}
			return &mcp.Refusal{State: s.state, Reason: err.Error(), Remedy: remedy}
		}
	}
	return &mcp.Refusal{State: "failed", Reason: err.Error(), Remedy: remedy}
}
