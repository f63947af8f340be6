package golang

import (
	"container/heap"
	"context"
	"sync"
)

// A ready is a heap of nodes that may run: the most expensive first, so that no
// large package is left for the end; ties by number.
type ready struct {
	nodes []int
	cost  []int64
}

func (r *ready) Len() int { return len(r.nodes) }
func (r *ready) Less(i, j int) bool {
	a, b := r.nodes[i], r.nodes[j]
	return r.cost[a] > r.cost[b] || r.cost[a] == r.cost[b] && a < b
}
func (r *ready) Swap(i, j int) { r.nodes[i], r.nodes[j] = r.nodes[j], r.nodes[i] }
func (r *ready) Push(x any)    { r.nodes = append(r.nodes, x.(int)) }
func (r *ready) Pop() any {
	x := r.nodes[len(r.nodes)-1]
	r.nodes = r.nodes[:len(r.nodes)-1]
	return x
}

// inOrder runs every node once all nodes it depends on have run. Nodes that
// depend on each other in a circle, which no valid program has, run last, one
// by one, in an order that does not depend on workers; it returns them.
func inOrder(ctx context.Context, workers int, cost []int64, deps [][]int, run func(int)) []int {
	n := len(cost)
	waits, users := make([]int, n), make([][]int, n)
	r := &ready{cost: cost}
	for i, list := range deps {
		waits[i] = len(list)
		for _, d := range list {
			users[d] = append(users[d], i)
		}
		if len(list) == 0 {
			r.nodes = append(r.nodes, i)
		}
	}
	heap.Init(r)
	done := make([]bool, n)
	pool(workers, func() (int, bool) {
		if r.Len() == 0 || ctx.Err() != nil {
			return 0, false
		}
		return heap.Pop(r).(int), true
	}, run, func(i int) {
		done[i] = true
		for _, u := range users[i] {
			if waits[u]--; waits[u] == 0 {
				heap.Push(r, u)
			}
		}
	})
	circular := leftOver(deps, done)
	for _, i := range circular {
		if ctx.Err() == nil {
			run(i)
		}
	}
	return circular
}

// leftOver lists the nodes that are not done, each behind those it depends on
// as far as that is possible.
func leftOver(deps [][]int, done []bool) []int {
	var out []int
	var visit func(int)
	visit = func(i int) {
		if done[i] {
			return
		}
		done[i] = true
		for _, d := range deps[i] {
			visit(d)
		}
		out = append(out, i)
	}
	for i := range done {
		visit(i)
	}
	return out
}

// pool runs what take offers until nothing runs and nothing is offered. take
// and finish are never called at the same time.
func pool(workers int, take func() (int, bool), run func(int), finish func(int)) {
	var mu sync.Mutex
	change := sync.NewCond(&mu)
	running := 0
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for {
				i, ok := take()
				if !ok {
					if running == 0 {
						change.Broadcast()
						return
					}
					change.Wait()
					continue
				}
				running++
				mu.Unlock()
				run(i)
				mu.Lock()
				running--
				finish(i)
				change.Broadcast()
			}
		})
	}
	wg.Wait()
}

// apart runs the nodes 0 to n-1 so that two that conflict never run at the same
// time and always run in the order of their numbers.
func apart(ctx context.Context, workers, n int, conflict func(a, b int) bool, run func(int)) {
	var running []int
	pending := make([]int, n)
	for i := range pending {
		pending[i] = i
	}
	pool(workers, func() (int, bool) {
		if ctx.Err() != nil {
			return 0, false
		}
		for k, i := range pending {
			if !conflicts(i, running, conflict) && !conflicts(i, pending[:k], conflict) {
				pending = append(pending[:k], pending[k+1:]...)
				running = append(running, i)
				return i, true
			}
		}
		return 0, false
	}, run, func(i int) {
		for k, r := range running {
			if r == i {
				running = append(running[:k], running[k+1:]...)
				return
			}
		}
	})
}

func conflicts(i int, others []int, conflict func(a, b int) bool) bool {
	for _, o := range others {
		if conflict(o, i) {
			return true
		}
	}
	return false
}
