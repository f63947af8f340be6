package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What GitHub asks of those who write, and how often an answer is tried again
// that says nothing about the call.
const (
	betweenWrites = time.Second
	withoutAdvice = time.Minute // waited at least if GitHub does not say how long
	tries         = 3           // of a call that may be repeated, when the server fails
)

// A gate lets requests through one at a time: it adds the token, keeps writes
// apart and counts them, and waits where GitHub asks to.
//
// It is a RoundTripper of our own because what it does is one rule: libraries
// for it wait on 403 and know no budget for all calls together, no spacing of
// writes and no clock of the caller's.
type gate struct {
	next  http.RoundTripper
	clock Clock
	token string
	host  string // the only one that gets the token
	most  int    // writes

	mu     sync.Mutex
	wait   time.Duration // left
	writes int
	last   time.Time // of the last write
	closed error     // why nothing passes any more
}

func newGate(o Options, base *url.URL) *gate {
	g := &gate{next: o.Transport, clock: o.Clock, token: o.Token, host: base.Host, most: o.Writes, wait: o.Wait}
	if g.next == nil {
		g.next = network()
	}
	if g.clock == nil {
		g.clock = realClock{}
	}
	if g.most == 0 {
		g.most = DefaultWrites
	}
	if g.wait == 0 {
		g.wait = DefaultWait
	}
	return g
}

// drop ends an answer that nobody reads. That it cannot be closed changes nothing.
func drop(res *http.Response) {
	defer res.Body.Close()
}

// network is the transport of the real server. One that takes a request and never
// answers must not take the whole job.
func network() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.ResponseHeaderTimeout = time.Minute
	return t
}

func (g *gate) written() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.writes
}

// RoundTrip sends one request, if need be several times.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != nil {
		return nil, g.closed
	}
	if err := g.beforeWrite(req); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		res, err := g.send(req)
		if err != nil {
			if req.Context().Err() != nil {
				return nil, err
			}
			if try == tries || !repeatable(req) {
				return nil, fmt.Errorf("%w: %w", ErrServer, err)
			}
			if err := g.pause(req.Context(), backoff(try)); err != nil {
				return nil, err
			}
			continue
		}
		asked, limited := g.limited(res, try)
		if !limited && (res.StatusCode < 500 || res.StatusCode == http.StatusNotImplemented || try == tries || !repeatable(req)) {
			// go-github keeps what these say and would refuse the next call by
			// itself, by its own clock. Waiting is decided here alone.
			res.Header.Del("X-RateLimit-Remaining")
			res.Header.Del("X-RateLimit-Reset")
			return res, nil
		}
		if !limited {
			asked = backoff(try)
		}
		drop(res)
		if err := g.pause(req.Context(), asked); err != nil {
			return nil, err
		}
	}
}

// send sends a copy of a request with the token.
func (g *gate) send(req *http.Request) (*http.Response, error) {
	c := req.Clone(req.Context())
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		c.Body = body
	}
	if g.token != "" && c.URL.Host == g.host {
		c.Header.Set("Authorization", "Bearer "+g.token)
	}
	return g.next.RoundTrip(c)
}

// beforeWrite counts a write and keeps it apart from the one before.
func (g *gate) beforeWrite(req *http.Request) error {
	if !writing(req) {
		return nil
	}
	if g.writes >= g.most {
		return fmt.Errorf("%w: %d", ErrTooManyWrites, g.most)
	}
	if rest := g.last.Add(betweenWrites).Sub(g.clock.Now()); !g.last.IsZero() && rest > 0 {
		if err := g.clock.Sleep(req.Context(), rest); err != nil {
			return err
		}
	}
	g.writes++
	g.last = g.clock.Now()
	return nil
}

// pause waits because of an answer. Beyond the budget it closes the gate.
func (g *gate) pause(ctx context.Context, d time.Duration) error {
	if d > g.wait {
		g.closed = fmt.Errorf("%w: asked to wait %s, %s left of what this run may wait", ErrLimited, d.Round(time.Second), g.wait.Round(time.Second))
		return g.closed
	}
	g.wait -= d
	if err := g.clock.Sleep(ctx, d); err != nil {
		return err
	}
	if !g.last.IsZero() {
		g.last = g.clock.Now()
	}
	return nil
}

// limited reports whether an answer is one of a rate limit, and how long it
// asks to wait: by retry-after, else until the limit is renewed, else for a
// minute and each time twice as long.
func (g *gate) limited(res *http.Response, try int) (time.Duration, bool) {
	if res.StatusCode != http.StatusForbidden && res.StatusCode != http.StatusTooManyRequests {
		return 0, false
	}
	after := res.Header.Get("Retry-After")
	empty := res.Header.Get("X-RateLimit-Remaining") == "0"
	if res.StatusCode == http.StatusForbidden && after == "" && !empty && !secondary(res) {
		return 0, false
	}
	now := g.clock.Now()
	if server, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		now = server
	}
	if seconds, err := strconv.Atoi(after); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 1<<20)) * time.Second, true
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(at.Sub(now), time.Second), true
	}
	if at, err := strconv.ParseInt(res.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil && empty {
		return max(time.Unix(at, 0).Sub(now), 0) + time.Second, true
	}
	return withoutAdvice << min(try-1, 10), true
}

// secondary reports whether a 403 is one of a secondary limit, by its text; it
// has no sign of its own. The body can be read again.
func secondary(res *http.Response) bool {
	head, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	res.Body = &rejoined{io.MultiReader(bytes.NewReader(head), res.Body), res.Body}
	if err != nil {
		return false
	}
	text := strings.ToLower(string(head))
	return strings.Contains(text, "secondary rate limit") || strings.Contains(text, "secondary-rate-limits") || strings.Contains(text, "#abuse-rate-limits")
}

// rejoined is a body of which a part was read already.
type rejoined struct {
	io.Reader
	io.Closer
}

func backoff(try int) time.Duration { return time.Second << (try - 1) }

// A mark is what a call says about its request by its context.
type mark int

const (
	readsOnly mark = iota + 1 // a POST that changes nothing
	twiceIsOnce
)

// reads marks a call that changes nothing although its method says otherwise.
func reads(ctx context.Context) context.Context { return context.WithValue(ctx, readsOnly, true) }

// idempotent marks a write that may be sent again.
func idempotent(ctx context.Context) context.Context {
	return context.WithValue(ctx, twiceIsOnce, true)
}

func writing(req *http.Request) bool {
	return req.Method != http.MethodGet && req.Method != http.MethodHead && req.Context().Value(readsOnly) == nil
}

func repeatable(req *http.Request) bool {
	return !writing(req) || req.Context().Value(twiceIsOnce) != nil
}

// realClock is the clock of this machine.
type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return errors.Join(ctx.Err(), context.Cause(ctx))
	case <-t.C:
		return nil
	}
}
