package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A session is one logical connection to the server: messages that were judged
// go in, and what the server writes goes to a function. It is the transport of
// that connection, too, since it connects once.
type session struct {
	in     chan jsonrpc.Message
	out    func(context.Context, jsonrpc.Message) error
	closed chan struct{}
	once   sync.Once
}

func newSession(out func(context.Context, jsonrpc.Message) error) *session {
	return &session{in: make(chan jsonrpc.Message), out: out, closed: make(chan struct{})}
}

// Connect is part of [sdk.Transport].
func (s *session) Connect(context.Context) (sdk.Connection, error) { return s, nil }

// Read is part of [sdk.Connection].
func (s *session) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-s.in:
		return m, nil
	case <-s.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Write is part of [sdk.Connection].
func (s *session) Write(ctx context.Context, m jsonrpc.Message) error { return s.out(ctx, m) }

// Close is part of [sdk.Connection].
func (s *session) Close() error {
	s.end()
	return nil
}

// end is the end of input for the server, which then cancels what is in flight.
func (s *session) end() { s.once.Do(func() { close(s.closed) }) }

// SessionID is part of [sdk.Connection].
func (s *session) SessionID() string { return "" }

// deliver hands a message to the server, unless the session has ended.
func (s *session) deliver(m jsonrpc.Message) {
	select {
	case s.in <- m:
	case <-s.closed:
	}
}

// declaredBy asks the server what it offers, as a client would: its options and
// what was registered with it decide, and only it knows both.
func declaredBy(ctx context.Context, server *sdk.Server) (*sdk.ServerCapabilities, error) {
	answers := make(chan *jsonrpc.Response, 1)
	s := newSession(func(_ context.Context, m jsonrpc.Message) error {
		if r, ok := m.(*jsonrpc.Response); ok {
			answers <- r
		}
		return nil
	})
	defer s.end()
	if _, err := server.Connect(ctx, s, nil); err != nil {
		return nil, fmt.Errorf("connect to the server: %w", err)
	}
	id, err := jsonrpc.MakeID(float64(1))
	if err != nil {
		return nil, err
	}
	params, err := json.Marshal(map[string]any{"_meta": map[string]any{
		sdk.MetaKeyProtocolVersion: firstModern, sdk.MetaKeyClientCapabilities: map[string]any{}}})
	if err != nil {
		return nil, err
	}
	s.deliver(&jsonrpc.Request{ID: id, Method: "server/discover", Params: params})
	select {
	case r := <-answers:
		var found sdk.DiscoverResult
		if r.Error != nil {
			return nil, fmt.Errorf("ask the server what it offers: %w", r.Error)
		}
		if err := json.Unmarshal(r.Result, &found); err != nil || found.Capabilities == nil {
			return &sdk.ServerCapabilities{}, err
		}
		return found.Capabilities, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
