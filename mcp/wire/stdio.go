package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxLine is how many bytes one message may have unless Options say otherwise.
const MaxLine = 16 << 20

// How long an end takes at most: answers that are nearly done are waited for,
// then calls are cancelled, then what they leave is written.
const (
	graceCalls  = 250 * time.Millisecond
	graceCancel = 400 * time.Millisecond
	graceWrite  = 200 * time.Millisecond
)

// Options of [ServeStdio].
type Options struct {
	MaxLine int // bytes of one message; 0: MaxLine
}

// ServeStdio answers one client over a pair of streams, one message per line,
// until in ends, out breaks or ctx ends. It returns within a second of that,
// whatever calls are in flight: they are cancelled, and those that do not heed
// it are left to the end of the process. Only a ctx that ended or a stream that
// failed is an error.
//
// What the server says for people goes to errw, which may block: see [Log].
func ServeStdio(ctx context.Context, server *sdk.Server, in io.Reader, out, errw io.Writer, o Options) error {
	if o.MaxLine == 0 {
		o.MaxLine = MaxLine
	}
	log, ok := errw.(*Log)
	if !ok {
		log = NewLog(errw)
	}
	govern(server, log)
	declared, err := declaredBy(ctx, server)
	if err != nil {
		return err
	}
	// Calls end by the end of their session, not by ctx: see front.end.
	f := newFront(declared, newOutbox(out), log)
	sessions, err := f.connect(context.WithoutCancel(ctx), server)
	if err != nil {
		return err
	}
	read := make(chan error, 1)
	go func() { read <- f.read(newLineReader(in, o.MaxLine), o.MaxLine) }()
	var ended error
	select {
	case ended = <-read:
		f.await(graceCalls)
	case <-f.out.done:
	case <-ctx.Done():
		ended = context.Cause(ctx)
	}
	f.end(sessions)
	return ended
}

// read takes lines until there are none. The end of input is no error.
func (f *front) read(lines *lineReader, limit int) error {
	for {
		f.out.await()
		line, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLong):
			f.refuse(invalid("the message is longer than %d bytes", limit))
		case err != nil:
			return fmt.Errorf("read from the client: %w", err)
		case len(bytes.TrimSpace(line)) > 0:
			f.take(line)
		}
	}
}

// take reads one line and passes it on or answers it.
func (f *front) take(line []byte) {
	if first(line) == '[' {
		f.takeBatch(line)
		return
	}
	m, fault := decode(line)
	if fault != nil {
		f.refuse(fault)
		return
	}
	f.pass(m, nil)
}

// takeBatch takes several messages at once, which only revision 2025-03-26 has.
func (f *front) takeBatch(line []byte) {
	if fault := wellFormed(line); fault != nil {
		f.refuse(fault)
		return
	}
	if f.negotiated() != batchVersion {
		f.refuse(invalid("only protocol version %s has batches", batchVersion))
		return
	}
	var parts []json.RawMessage
	if json.Unmarshal(line, &parts) != nil || len(parts) == 0 {
		f.refuse(invalid("a batch holds at least one message"))
		return
	}
	// The batch itself counts as open until all of it was passed on, so that
	// quick answers do not close it.
	b := &batch{open: 1}
	for _, part := range parts {
		m, fault := decode(part)
		switch {
		case fault != nil:
			b.open++
			f.reply(b, refuse(fault))
		case m.method == "initialize":
			b.open++
			f.reply(b, refuse(invalid("initialize must not be part of a batch").at(m)))
		default:
			f.pass(m, b)
		}
	}
	f.reply(b, nil)
}

// pass sends a message the way that its kind goes.
func (f *front) pass(m message, b *batch) {
	switch m.kind {
	case response:
		f.passResponse(m)
	case notification:
		f.passNotification(m)
	case request:
		f.passRequest(m, b)
	}
}

// passResponse hands over what a legacy client answers. A modern client is never
// asked, and an answer to nothing is dropped by the session.
func (f *front) passResponse(m message) {
	if answer, err := jsonrpc.DecodeMessage(m.raw); err == nil {
		f.legacy.deliver(answer)
	}
}

// passNotification carries a cancellation to the session that has the call, and
// everything else to the legacy one: a modern notification has nothing to tell.
func (f *front) passNotification(m message) {
	if m.method != "notifications/cancelled" {
		f.legacy.deliver(&jsonrpc.Request{Method: m.method, Params: m.params})
		return
	}
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.params, &params) != nil || !validID(params.RequestID) {
		return
	}
	c, ok := f.cancel(params.RequestID)
	if !ok {
		return // unknown, or answered already
	}
	c.session.deliver(&jsonrpc.Request{Method: m.method, Params: fmt.Appendf(nil, `{"requestId":%d}`, c.number)})
}

// passRequest judges a request and hands it to its session under a number of
// ours, so that no id of a client can confuse the SDK.
func (f *front) passRequest(m message, b *batch) {
	c, fault := f.admit(m, b)
	if fault != nil {
		f.reply(b, refuse(fault))
		return
	}
	if c == nil {
		return
	}
	id, err := jsonrpc.MakeID(float64(c.number))
	if err != nil {
		return // a float64 always makes an id
	}
	c.session.deliver(&jsonrpc.Request{ID: id, Method: m.method, Params: m.params})
}
