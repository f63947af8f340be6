package mcp

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	keptJobs    = 16 // finished ones whose result is kept
	runningJobs = 2  // builds and reviews at a time; each keeps all processors busy
)

// jobs runs what may take longer than a call. Who asks for the same waits for the
// same. A call that gives up before its deadline takes the work with it, unless
// somebody else waits; one whose deadline passes leaves the work running, and the
// next call finds it.
type jobs struct {
	places chan struct{}

	mu    sync.Mutex
	byKey map[string]*job
	done  []string // keys of finished jobs, the oldest first
}

type job struct {
	key      string
	cancel   context.CancelCauseFunc
	finished chan struct{} // closed when the next two are set
	result   any
	err      error

	detached bool
	waiting  map[*waiter]bool
}

// A waiter is one call that waits for a job.
type waiter struct{ told Progress }

func newJobs() *jobs {
	return &jobs{places: make(chan struct{}, runningJobs), byKey: map[string]*job{}}
}

// run does the work that key names, or joins it. Done is false if the deadline
// passed first.
func (j *jobs) run(ctx context.Context, key string, wait time.Duration, told Progress, work func(context.Context, Progress) (any, error)) (result any, done bool, err error) {
	w := &waiter{told}
	b := j.join(ctx, key, w, work)
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case <-b.finished:
		j.leave(b, w, false)
		return b.result, true, b.err
	case <-late.C:
		j.leave(b, w, true)
		return nil, false, nil
	case <-ctx.Done():
		j.leave(b, w, false)
		return nil, true, context.Cause(ctx)
	}
}

// find returns whether a job of this key runs or has a result.
func (j *jobs) find(key string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.byKey[key] != nil
}

// forget lets the next call with this key do the work again.
func (j *jobs) forget(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if b := j.byKey[key]; b != nil {
		select {
		case <-b.finished:
			delete(j.byKey, key)
		default:
		}
	}
}

func (j *jobs) join(ctx context.Context, key string, w *waiter, work func(context.Context, Progress) (any, error)) *job {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.byKey[key]
	if b == nil {
		b = &job{key: key, finished: make(chan struct{}), waiting: map[*waiter]bool{}}
		j.byKey[key] = b
		// The work outlives the call that began it.
		own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
		b.cancel = cancel
		go j.work(own, b, work)
	}
	b.waiting[w] = true
	return b
}

func (j *jobs) work(ctx context.Context, b *job, work func(context.Context, Progress) (any, error)) {
	defer func() {
		if p := recover(); p != nil {
			b.err = panicked(p)
		}
		b.cancel(nil)
		j.mu.Lock()
		defer j.mu.Unlock()
		close(b.finished)
		if b.err != nil {
			j.drop(b)
			return
		}
		j.done = append(j.done, b.key)
		if len(j.done) > keptJobs {
			if old := j.byKey[j.done[0]]; old != nil && old != b {
				delete(j.byKey, j.done[0])
			}
			j.done = j.done[1:]
		}
	}()
	select {
	case j.places <- struct{}{}:
		defer func() { <-j.places }()
	case <-ctx.Done():
		b.err = context.Cause(ctx)
		return
	}
	b.result, b.err = work(ctx, func(phase string, done, total int) {
		j.mu.Lock()
		told := slices.Collect(maps.Keys(b.waiting))
		j.mu.Unlock()
		for _, w := range told { // it may block on a slow client, so nobody else waits for it
			w.told(phase, done, total)
		}
	})
}

// drop lets the next call with a job's key begin anew.
func (j *jobs) drop(b *job) {
	if j.byKey[b.key] == b {
		delete(j.byKey, b.key)
	}
}

// leave ends the waiting of one call.
func (j *jobs) leave(b *job, w *waiter, detach bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(b.waiting, w)
	b.detached = b.detached || detach
	if len(b.waiting) == 0 && !b.detached {
		select {
		case <-b.finished:
		default:
			b.cancel(context.Canceled)
			j.drop(b)
		}
	}
}
