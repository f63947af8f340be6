package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/previdence/previdence/graph"
)

// ErrNoPath means that no edges of the kinds asked for lead from one symbol to
// the other.
var ErrNoPath = errors.New("no path")

// Path returns a shortest way from one symbol to another along edges of the
// kinds given, calls and dispatches if none is given; nil if both are the same.
// Among equally short ways it takes the one that a graph of equal content
// always gives. It fails with [ErrNoPath] if there is none.
func (d *DB) Path(ctx context.Context, from, to graph.SymbolID, kinds ...graph.EdgeKind) ([]Step, error) {
	var steps []Step
	err := guarded(func() error {
		a, err := d.number(from)
		if err != nil {
			return err
		}
		b, err := d.number(to)
		if err != nil || a == b {
			return err
		}
		way, err := d.search(ctx, a, b, kinds)
		if err != nil {
			return err
		}
		if way == nil {
			return fmt.Errorf("%s to %s: %w", from, to, ErrNoPath)
		}
		steps, err = d.steps(way, kinds)
		return err
	})
	return steps, err
}

// A front is one half of a search from both ends.
type front struct {
	dir  direction
	came map[int32]int32 // symbol → the one it was reached from
	edge []int32         // symbols reached last, ascending
}

func newFront(dir direction, start int32) *front {
	return &front{dir: dir, came: map[int32]int32{start: start}, edge: []int32{start}}
}

// search walks from both ends, the narrower one first, until they meet. Both
// sides go whole levels, so the first meeting is a shortest way.
func (d *DB) search(ctx context.Context, a, b int32, kinds []graph.EdgeKind) ([]int32, error) {
	forth, back := newFront(leaving, a), newFront(arriving, b)
	for len(forth.edge) > 0 && len(back.edge) > 0 {
		near, far := forth, back
		if len(back.edge) < len(forth.edge) {
			near, far = back, forth
		}
		if err := d.widen(ctx, near, kinds); err != nil {
			return nil, err
		}
		for _, n := range near.edge {
			if _, met := far.came[n]; met {
				return join(forth, back, n), nil
			}
		}
	}
	return nil, nil
}

// widen takes one side of a search one edge further.
func (d *DB) widen(ctx context.Context, f *front, kinds []graph.EdgeKind) error {
	var next []int32
	for i, n := range f.edge {
		if i%breath == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		err := d.follow(n, f.dir, kinds, func(a adjacent) {
			if _, known := f.came[a.other]; !known {
				f.came[a.other] = n
				next = append(next, a.other)
			}
		})
		if err != nil {
			return err
		}
	}
	slices.Sort(next)
	f.edge = next
	return nil
}

// join lists the symbols of the way through meeting.
func join(forth, back *front, meeting int32) []int32 {
	way := []int32{meeting}
	for n := meeting; forth.came[n] != n; n = forth.came[n] {
		way = append(way, forth.came[n])
	}
	slices.Reverse(way)
	for n := meeting; back.came[n] != n; n = back.came[n] {
		way = append(way, back.came[n])
	}
	return way
}

// steps describes the edges between neighbours of a way.
func (d *DB) steps(way []int32, kinds []graph.EdgeKind) ([]Step, error) {
	var out []Step
	for i := range len(way) - 1 {
		var step []adjacent
		err := d.follow(way[i], leaving, kinds, func(a adjacent) {
			if a.other == way[i+1] && step == nil {
				step = append(step, a)
			}
		})
		if err != nil {
			return nil, err
		}
		if step == nil {
			return nil, fmt.Errorf("edges of symbols %d and %d differ: %w", way[i], way[i+1], errBody)
		}
		from, err := d.symbol(way[i])
		if err != nil {
			return nil, err
		}
		to, err := d.reference(way[i], leaving, step[0])
		if err != nil {
			return nil, err
		}
		out = append(out, Step{from, to.Symbol, to.Kind, to.Tier, to.Lines})
	}
	return out, nil
}
