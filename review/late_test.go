package review

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/previdence/previdence/review/goapi"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// A watched reader gives the same text for every blob and calls then once so many
// were read. Like any reader it ends with its context.
type watched struct {
	text  contents
	after int
	then  func()
	read  int
}

func (w *watched) Blobs(ctx context.Context, oids []worktree.OID, limit int64, fn func(int, []byte, error) error) error {
	return w.text.Blobs(ctx, oids, limit, func(i int, data []byte, err error) error {
		if w.read == w.after {
			w.then()
		}
		w.read++
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fn(i, data, err)
	})
}

// moving is a review that has something to say in most sections.
func moving(t *testing.T, w *watched) Input {
	t.Helper()
	base := grow(t, shop)
	head := grow(t, with(shop, "round", "Card.Pay", "Cash.Pay"))
	in := Input{Base: base, Head: head, Blobs: w, Limits: DefaultLimits}
	for _, f := range head.Files {
		in.Changes = append(in.Changes, worktree.Change{Status: worktree.Modified, Path: f.Path, OldPath: f.Path,
			Mode: worktree.ModeFile, OldMode: worktree.ModeFile, OID: worktree.OID(f.Blob), OldOID: worktree.OID(f.Blob + "0")})
	}
	return in
}

const movingText = "package p\n\nfunc round() {}\n"

// parts are what the sections of a report hold that rest on edges.
func parts(r *report.Report) map[string]any {
	return map[string]any{"breaks": r.Breaks, "impact": r.Impact, "tests": r.Tests, "api": r.API, "groups": r.Groups}
}

// Wherever the deadline falls, a section holds what the whole report has, or nothing
// and the word that nobody looked.
func TestADeadlineAnywhereLeavesWholeSectionsOrNone(t *testing.T) {
	all := &watched{text: movingText, after: -1}
	whole, _, err := Review(t.Context(), moving(t, all))
	if err != nil || whole.Cut() {
		t.Fatal(err, whole.State)
	}
	want := parts(whole)
	states := map[report.State]int{}
	for after := range all.read {
		until := make(chan struct{})
		w := &watched{text: movingText, after: after, then: func() { close(until) }}
		in := moving(t, w)
		in.Until = until
		got, _, err := Review(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		unmade := 0
		for name, part := range parts(got) {
			state := got.Section(name).State
			states[state]++
			switch {
			case state != report.Unavailable:
				if !reflect.DeepEqual(part, want[name]) {
					t.Errorf("after %d blobs: %s is %s and holds\n%+v, want\n%+v", after, name, state, part, want[name])
				}
			case !reflect.ValueOf(part).IsZero():
				t.Errorf("after %d blobs: %s is unavailable and holds %+v", after, name, part)
			default:
				unmade++
			}
		}
		if cut := unmade > 0; cut && (!got.Cut() || got.Verdict.Outcome != report.Incomplete || got.Caveats[0].ID != report.DeadlineCaveat) {
			t.Errorf("after %d blobs: %d sections are not made, state %q, outcome %q", after, unmade, got.State, got.Verdict.Outcome)
		}
	}
	if states[report.Unavailable] == 0 || states[report.Complete]+states[report.Partial] == 0 {
		t.Errorf("the deadline never fell between: %v", states)
	}
}

func TestCancelledWhileAnythingIsReadAReviewReadsNoMore(t *testing.T) {
	all := &watched{text: movingText, after: -1}
	if _, _, err := Review(t.Context(), moving(t, all)); err != nil {
		t.Fatal(err)
	}
	for after := range all.read {
		ctx, cancel := context.WithCancel(t.Context())
		w := &watched{text: movingText, after: after, then: cancel}
		_, _, err := Review(ctx, moving(t, w))
		if !errors.Is(err, context.Canceled) || w.read != after+1 {
			t.Errorf("cancelled at blob %d: %v after %d more", after, err, w.read-after-1)
		}
		cancel()
	}
}

// Steps that compute and read nothing end as well, before their next change.
func TestCancelledStepsDoNothingMore(t *testing.T) {
	r := &reviewer{Input: moving(t, &watched{text: movingText, after: -1}), out: &report.Report{}, surfaces: map[string]goapi.Comparison{}}
	r.files = newFileMap(r.Changes)
	if err := r.symbolChanges(t.Context()); err != nil || len(r.changes) == 0 {
		t.Fatal(err, len(r.changes))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found, err := r.findBreaks(ctx); !errors.Is(err, context.Canceled) || found != nil {
		t.Errorf("breaks: %v %v", found, err)
	}
	if reached, err := r.walk(ctx); !errors.Is(err, context.Canceled) || reached != nil {
		t.Errorf("walk: %v %v", reached, err)
	}
	if err := r.symbolChanges(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("symbols: %v", err)
	}
}
