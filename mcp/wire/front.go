package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// batchVersion is the only revision with batches; the next one took them away.
const batchVersion = "2025-03-26"

// maxInFlight bounds the calls that one client has open.
const maxInFlight = 1024

// A call is a request that a session works on.
type call struct {
	number   int64 // its id towards the SDK
	id       json.RawMessage
	key      string // of id
	method   string
	session  *session
	batch    *batch  // nil if it came alone
	token    string  // key of its progress token; "" if it has none
	progress float64 // the last that was sent
	moved    bool    // progress was sent
}

// A batch collects the answers to the messages of one array.
type batch struct {
	open    int // answers that are still to come
	answers []json.RawMessage
}

// expect counts an answer that will be given. A message that came alone has no
// batch.
func (b *batch) expect() {
	if b != nil {
		b.open++
	}
}

// A front stands between one client and two sessions of a server. It knows every
// call in flight, so it can keep the promises that the SDK does not: silence
// after a cancellation, no progress after the answer, one answer per id.
type front struct {
	declared *sdk.ServerCapabilities
	out      *outbox
	log      io.Writer
	modern   *session
	legacy   *session

	mu        sync.Mutex
	last      int64 // number
	calls     map[int64]*call
	byKey     map[string]*call // by the client's id
	byToken   map[string]*call
	handshake bool          // initialize was passed on, and did not fail
	version   string        // what it agreed on
	idle      chan struct{} // closed when no call is in flight; nil if nobody waits
}

func newFront(declared *sdk.ServerCapabilities, out *outbox, log io.Writer) *front {
	f := &front{declared: declared, out: out, log: log,
		calls: map[int64]*call{}, byKey: map[string]*call{}, byToken: map[string]*call{}}
	f.modern = newSession(func(_ context.Context, m jsonrpc.Message) error { return f.write(m, true) })
	f.legacy = newSession(func(_ context.Context, m jsonrpc.Message) error { return f.write(m, false) })
	return f
}

// connect opens the two sessions.
func (f *front) connect(ctx context.Context, server *sdk.Server) ([]*sdk.ServerSession, error) {
	var sessions []*sdk.ServerSession
	for _, s := range []*session{f.modern, f.legacy} {
		open, err := server.Connect(ctx, s, nil)
		if err != nil {
			return nil, fmt.Errorf("connect to the server: %w", err)
		}
		sessions = append(sessions, open)
	}
	return sessions, nil
}

// admit judges a request and notes it as a call. Both results are nil if its id
// is that of a call in flight: any answer would be taken for that of the first.
func (f *front) admit(m message, b *batch) (*call, *fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &call{id: m.id, key: keyOf(m.id), method: m.method, batch: b}
	if f.byKey[c.key] != nil {
		fmt.Fprintln(f.log, "the id of a call in flight was used again; the second call is dropped")
		return nil, nil
	}
	b.expect()
	var fault *fault
	if c.session, fault = f.judge(m); fault != nil {
		return nil, fault
	}
	if len(f.calls) >= maxInFlight {
		return nil, crowded(maxInFlight).at(m)
	}
	f.handshake = f.handshake || m.method == "initialize"
	f.last++
	c.number = f.last
	f.calls[c.number], f.byKey[c.key] = c, c
	if c.token = keyOf(m.meta["progressToken"]); c.token != "" {
		f.byToken[c.token] = c
	}
	return c, nil
}

// judge finds the session that a request is for, or why there is none. It needs
// the lock.
func (f *front) judge(m message) (*session, *fault) {
	switch {
	case m.modern():
		return f.modern, judgeModern(m, f.declared)
	case m.method == "initialize":
		if f.handshake {
			return nil, invalid("initialize was called before").at(m)
		}
		return f.legacy, judgeInitialize(m)
	case f.handshake:
		return f.legacy, judgeLegacy(m, f.declared)
	case m.method == "ping":
		return f.legacy, nil // a legacy client may ask whether we are there
	}
	return nil, homeless(m)
}

// finish forgets a call and returns it, or nil if it was cancelled before.
func (f *front) finish(number int64) *call {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.calls[number]
	if c != nil {
		f.forget(c)
	}
	return c
}

// cancel forgets the call with an id of the client, so that nothing is sent for
// it any more.
func (f *front) cancel(id json.RawMessage) (*call, bool) {
	f.mu.Lock()
	c := f.byKey[keyOf(id)]
	if c == nil || c.method == "initialize" { // which must not be cancelled
		f.mu.Unlock()
		return nil, false
	}
	f.forget(c)
	f.mu.Unlock()
	if c.batch != nil {
		f.reply(c.batch, nil)
	}
	return c, true
}

// forget needs the lock.
func (f *front) forget(c *call) {
	delete(f.calls, c.number)
	delete(f.byKey, c.key)
	if f.byToken[c.token] == c {
		delete(f.byToken, c.token)
	}
	if f.idle != nil && len(f.calls) == 0 {
		close(f.idle)
		f.idle = nil
	}
}

func (f *front) negotiated() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version
}

// refuse answers a message that could not be read, unless its id is that of a
// call in flight.
func (f *front) refuse(fault *fault) {
	f.mu.Lock()
	taken := f.byKey[keyOf(fault.id)] != nil
	f.mu.Unlock()
	if !taken {
		f.out.send(refuse(fault))
	}
}

// reply sends an answer, or keeps it until its batch is complete. A nil answer
// only counts.
func (f *front) reply(b *batch, line []byte) {
	if b == nil {
		f.out.send(line)
		return
	}
	f.mu.Lock()
	if line != nil {
		b.answers = append(b.answers, line)
	}
	b.open--
	done := b.open == 0 && len(b.answers) > 0
	f.mu.Unlock()
	if done {
		// Each answer was encoded by us.
		all, _ := json.Marshal(b.answers)
		f.out.send(all)
	}
}

// write takes what the server has to say.
func (f *front) write(m jsonrpc.Message, modern bool) error {
	switch m := m.(type) {
	case *jsonrpc.Response:
		return f.writeResponse(m)
	case *jsonrpc.Request:
		if m.IsCall() {
			return f.writeRequest(m, modern)
		}
		return f.writeNotification(m, modern)
	}
	return nil
}

func (f *front) writeResponse(r *jsonrpc.Response) error {
	number, ok := r.ID.Raw().(int64)
	if !ok {
		return nil
	}
	c := f.finish(number)
	if c == nil {
		return nil
	}
	if c.method == "initialize" {
		f.agree(r)
	}
	line, err := answer(c.id, restoreID(r.Result, c), r.Error)
	if err != nil {
		fmt.Fprintf(f.log, "the answer to %s cannot be written: %v\n", c.method, err)
		line = refuse(&fault{id: c.id, code: jsonrpc.CodeInternalError, message: "the answer cannot be written"})
	}
	f.reply(c.batch, line)
	return nil
}

// agree notes how initialize ended.
func (f *front) agree(r *jsonrpc.Response) {
	var result struct{ ProtocolVersion string }
	failed := r.Error != nil || json.Unmarshal(r.Result, &result) != nil
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handshake, f.version = !failed, result.ProtocolVersion
}

// writeRequest asks a legacy client. A modern one is not asked: the server gets
// the answer that it would give, since an error of the write would end the
// session.
func (f *front) writeRequest(m *jsonrpc.Request, modern bool) error {
	if modern {
		go f.modern.deliver(&jsonrpc.Response{ID: m.ID, Error: noMethod("clients of %s are not asked by requests", firstModern).wire()})
		return nil
	}
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	f.out.send(line)
	return nil
}

// writeNotification drops what belongs to a call that is over, progress that the
// client has no time to read, and what nobody asked for: the SDK tells every
// session of a change, also the one that has no client. What is left is queued
// under the lock, so that it stands before the answer of its call.
func (f *front) writeNotification(m *jsonrpc.Request, modern bool) error {
	about := aboutOf(m.Params)
	f.mu.Lock()
	defer f.mu.Unlock()
	params := m.Params
	switch {
	case m.Method == "notifications/progress":
		c := f.byToken[keyOf(about.ProgressToken)]
		if c == nil || c.moved && about.Progress <= c.progress || f.out.full() {
			return nil
		}
		c.moved, c.progress = true, about.Progress
	case about.Meta.Subscription != 0:
		c := f.calls[about.Meta.Subscription]
		if c == nil {
			return nil
		}
		params = restoreID(params, c)
	case modern && m.Method != "notifications/message", !modern && f.version == "":
		return nil
	}
	line, err := encode(envelope{Method: m.Method, Params: params})
	if err != nil {
		return err
	}
	f.out.send(line)
	return nil
}

// about is what notifications say of the call that they belong to.
type about struct {
	ProgressToken json.RawMessage `json:"progressToken"`
	Progress      float64         `json:"progress"`
	Meta          struct {
		Subscription int64 `json:"io.modelcontextprotocol/subscriptionId"`
	} `json:"_meta"`
}

func aboutOf(params json.RawMessage) (a about) {
	if json.Unmarshal(params, &a) != nil {
		return about{}
	}
	return a
}

// restoreID writes the client's id where the SDK wrote our number: under _meta
// of what belongs to a subscription.
func restoreID(params json.RawMessage, c *call) json.RawMessage {
	if c.method != "subscriptions/listen" || aboutOf(params).Meta.Subscription != c.number {
		return params
	}
	var members, meta map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil || json.Unmarshal(members["_meta"], &meta) != nil {
		return params
	}
	meta[sdk.MetaKeySubscriptionID] = c.id
	var err error
	if members["_meta"], err = json.Marshal(meta); err != nil {
		return params
	}
	restored, err := json.Marshal(members)
	if err != nil {
		return params
	}
	return restored
}

// await waits until no call is in flight, but not longer than limit.
func (f *front) await(limit time.Duration) {
	f.mu.Lock()
	if len(f.calls) == 0 {
		f.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	f.idle = idle
	f.mu.Unlock()
	select {
	case <-idle:
	case <-f.out.done:
	case <-time.After(limit):
	}
}

// end cancels what is in flight and writes what is left, for a bounded time.
func (f *front) end(sessions []*sdk.ServerSession) {
	f.modern.end()
	f.legacy.end()
	done := make(chan struct{})
	go func() {
		for _, s := range sessions {
			_ = s.Wait() // how a session ended that was told to end
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(graceCancel):
	}
	f.out.close()
	select {
	case <-f.out.done:
	case <-time.After(graceWrite):
	}
}
