package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
)

const (
	openRoots = 32               // worktrees that stay open, least recently used first to go
	perRoot   = 2                // reads of one worktree at a time: a slow one leaves room for others
	deadline  = 45 * time.Second // of a call; clients give up after 60
)

// A router finds the worktree that a call means. Worktrees share nothing: a slow
// answer about one delays no other, except that all reads together keep the
// machine's processors busy and not more.
type router struct {
	engine Engine
	all    chan struct{} // one place for each read that runs

	mu    sync.Mutex
	open  map[string]*route
	clock int64
}

// A route is one open worktree.
type route struct {
	ready    chan struct{} // closed when the next two are set
	worktree Worktree
	err      error
	reads    chan struct{}
	inUse    int
	used     int64
}

func newRouter(engine Engine) *router {
	return &router{engine: engine, all: make(chan struct{}, max(8, 2*runtime.GOMAXPROCS(0))), open: map[string]*route{}}
}

// read lets use ask a worktree when its turn comes.
func (r *router) read(ctx context.Context, root string, use func(context.Context, Worktree) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, deadline, errDeadline)
	defer cancel()
	err := r.with(ctx, root, func(rt *route) error {
		for _, place := range []chan struct{}{rt.reads, r.all} { // the own one first: who waits there holds up nobody else
			select {
			case place <- struct{}{}:
				defer func() { <-place }()
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return use(ctx, rt.worktree)
	})
	if errors.Is(context.Cause(ctx), errDeadline) && err != nil {
		return errDeadline
	}
	return err
}

// errDeadline means that a read did not end in time.
var errDeadline = &Refusal{State: "deadline", Reason: fmt.Sprintf("no answer within %s", deadline), Remedy: "ask for less: a smaller depth, one folder, one symbol"}

// with opens a worktree, or takes it as it is open, and holds it for use.
func (r *router) with(ctx context.Context, root string, use func(*route) error) error {
	for try := 0; ; try++ {
		rt, mine := r.take(root)
		if mine {
			rt.open(ctx, r.engine, root)
		}
		select {
		case <-rt.ready:
		case <-ctx.Done():
			r.leave(root, rt, false)
			return context.Cause(ctx)
		}
		if rt.err != nil {
			r.leave(root, rt, true)
			if !mine && ctx.Err() == nil && (try == 0 || errors.Is(rt.err, context.Canceled)) {
				continue // that was the error of another call, which may have been given up
			}
			return rt.err
		}
		if !mine {
			if err := rt.worktree.Check(ctx); err != nil {
				r.leave(root, rt, true)
				if try == 0 && ctx.Err() == nil {
					continue // another folder lies there now: open that
				}
				return err
			}
		}
		defer r.leave(root, rt, false)
		return use(rt)
	}
}

// open opens the worktree. Whoever waits for it goes on, even after a panic.
func (rt *route) open(ctx context.Context, e Engine, root string) {
	defer close(rt.ready)
	defer func() {
		if p := recover(); p != nil {
			rt.err = panicked(p)
		}
	}()
	rt.worktree, rt.err = e.Open(ctx, root)
}

// take returns the route of a root and whether the caller has to open it.
func (r *router) take(root string) (*route, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock++
	rt, ok := r.open[root]
	if !ok {
		rt = &route{ready: make(chan struct{}), reads: make(chan struct{}, perRoot)}
		r.open[root] = rt
		r.evict()
	}
	rt.inUse++
	rt.used = r.clock
	return rt, !ok
}

// leave gives a route back; one that is broken is forgotten.
func (r *router) leave(root string, rt *route, broken bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rt.inUse--
	if broken && r.open[root] == rt {
		delete(r.open, root)
	}
}

// evict forgets the worktrees that were used least recently. One in use stays.
func (r *router) evict() {
	for len(r.open) > openRoots {
		oldest := ""
		for root, rt := range r.open {
			if rt.inUse == 0 && rt.used > 0 && (oldest == "" || rt.used < r.open[oldest].used) {
				oldest = root
			}
		}
		if oldest == "" {
			return
		}
		delete(r.open, oldest)
	}
}
