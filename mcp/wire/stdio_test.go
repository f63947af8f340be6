package wire_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/previdence/previdence/mcp/wire"
)

// meta is what each request of 2026-07-28 carries at least.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

const initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// modern writes a request of 2026-07-28; params are further members, if any.
func modern(id, method, params string) string {
	if params != "" {
		params = "," + params
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s%s}}`, id, method, meta, params)
}

func legacy(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params)
}

// call writes a call of a tool without arguments.
func call(id, tool string) string { return modern(id, "tools/call", fmt.Sprintf(`"name":%q`, tool)) }

// A reply is a message of the server, as far as tests look into it.
type reply struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	line string
}

func (r reply) code() int {
	if r.Error == nil {
		return 0
	}
	return r.Error.Code
}

// A dialogue is a client that writes what it likes.
type dialogue struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	done  chan error
}

func talk(t *testing.T, server *sdk.Server) *dialogue {
	t.Helper()
	in, write := io.Pipe()
	read, out := io.Pipe()
	d := &dialogue{t: t, in: write, lines: make(chan string, 1000), done: make(chan error, 1)}
	go func() {
		err := wire.ServeStdio(t.Context(), server, in, out, io.Discard, wire.Options{})
		out.Close()
		d.done <- err
	}()
	go func() {
		defer close(d.lines)
		for r := bufio.NewReader(read); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			d.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() { write.Close() })
	return d
}

func (d *dialogue) send(lines ...string) {
	d.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(d.in, line+"\n"); err != nil {
			d.t.Fatal(err)
		}
	}
}

// next is the next message, whatever it is.
func (d *dialogue) next() reply {
	d.t.Helper()
	select {
	case line, ok := <-d.lines:
		if !ok {
			d.t.Fatal("the server ended")
		}
		return parse(d.t, line)
	case <-time.After(time.Minute):
		d.t.Fatal("no answer")
	}
	return reply{}
}

func parse(t *testing.T, line string) reply {
	t.Helper()
	r := reply{line: line}
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return r
}

func (d *dialogue) ask(line string) reply {
	d.t.Helper()
	d.send(line)
	return d.next()
}

// end closes the input and returns what the server still says.
func (d *dialogue) end() []reply {
	d.t.Helper()
	d.in.Close()
	var rest []reply
	for line := range d.lines {
		rest = append(rest, parse(d.t, line))
	}
	if err := <-d.done; err != nil {
		d.t.Error(err)
	}
	return rest
}

// want checks a reply: its id as it was written, and its code or 0.
func (d *dialogue) want(r reply, id string, code int) {
	d.t.Helper()
	if string(r.ID) != id || r.code() != code {
		d.t.Errorf("got %s, want id %s and code %d", short(r.line), id, code)
	}
}

func short(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

// A bench is a server whose tools do what tests need, and signals of what they do.
type bench struct {
	*sdk.Server
	started  chan string   // gets the argument of each tool "wait" that runs
	ended    chan string   // and of each that ends
	released chan struct{} // lets those go on that wait, one each
}

func newBench() *bench {
	b := &bench{started: make(chan string, 100), ended: make(chan string, 100), released: make(chan struct{}, 100),
		Server: sdk.NewServer(&sdk.Implementation{Name: "bench", Version: "1"}, &sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{}})}
	b.tool("quick", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("quick"), nil })
	b.tool("wait", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		b.started <- string(req.Params.Arguments)
		defer func() { b.ended <- string(req.Params.Arguments) }()
		select {
		case <-b.released:
			return text("released"), nil
		case <-ctx.Done():
			return text("cancelled"), nil
		}
	})
	b.tool("stubborn", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		b.started <- string(req.Params.Arguments)
		<-b.released
		b.ended <- string(req.Params.Arguments)
		return text("done"), nil
	})
	b.tool("panic", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { panic("out of beans") })
	b.tool("fail", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return nil, errors.New("no beans")
	})
	b.tool("progress", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, p := range []float64{1, 2, 2, 1, 3} {
			if err := notify(ctx, req, p); err != nil {
				return nil, err
			}
		}
		go func() {
			<-b.released
			_ = notify(context.WithoutCancel(ctx), req, 4)
			b.ended <- "late"
		}()
		return text("done"), nil
	})
	b.tool("ask", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"name": &sdk.ElicitParams{Message: "?",
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}}}}, nil
	})
	return b
}

func notify(ctx context.Context, req *sdk.CallToolRequest, progress float64) error {
	return req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: progress})
}

func (b *bench) tool(name string, h sdk.ToolHandler) {
	b.AddTool(&sdk.Tool{Name: name, Description: name, InputSchema: map[string]any{"type": "object"}}, h)
}

// withResources adds a template that finds nothing, and a static resource.
func (b *bench) withResources() *bench {
	b.AddResource(&sdk.Resource{URI: "test://there", Name: "there"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "test://there", Text: "here"}}}, nil
	})
	return b
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

func TestMalformedLinesAreAnsweredAndServingGoesOn(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	cases := []struct {
		name, line string
		id         string
		code       int
	}{
		{"no JSON", "hello", "null", jsonrpc.CodeParseError},
		{"half a message", `{"jsonrpc":"2.0","id":1,`, "null", jsonrpc.CodeParseError},
		{"two values on a line", `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, "null", jsonrpc.CodeParseError},
		{"bytes that are no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "null", jsonrpc.CodeParseError},
		{"a zero byte", "\x00", "null", jsonrpc.CodeParseError},
		{"an empty batch", "[]", "null", jsonrpc.CodeInvalidRequest},
		{"a batch", "[" + modern("1", "tools/list", "") + "]", "null", jsonrpc.CodeInvalidRequest},
		{"null", "null", "null", jsonrpc.CodeInvalidRequest},
		{"a number", "17", "null", jsonrpc.CodeInvalidRequest},
		{"a string", `"hello"`, "null", jsonrpc.CodeInvalidRequest},
		{"true", "true", "null", jsonrpc.CodeInvalidRequest},
		{"an empty object", "{}", "null", jsonrpc.CodeInvalidRequest},
		{"another jsonrpc", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, "7", jsonrpc.CodeInvalidRequest},
		{"no jsonrpc", `{"id":7,"method":"ping"}`, "7", jsonrpc.CodeInvalidRequest},
		{"no method", `{"jsonrpc":"2.0","id":7}`, "7", jsonrpc.CodeInvalidRequest},
		{"a method that is a number", `{"jsonrpc":"2.0","id":7,"method":7}`, "7", jsonrpc.CodeInvalidRequest},
		{"a result and an error", `{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":""}}`, "7", jsonrpc.CodeInvalidRequest},
		{"an id that is null", modern("null", "tools/list", ""), "null", jsonrpc.CodeInvalidRequest},
		{"an id with a fraction", modern("1.5", "tools/list", ""), "null", jsonrpc.CodeInvalidRequest},
		{"an id with an exponent", modern("1e3", "tools/list", ""), "null", jsonrpc.CodeInvalidRequest},
		{"an id that is an object", modern("{}", "tools/list", ""), "null", jsonrpc.CodeInvalidRequest},
		{"an id that is a boolean", modern("true", "tools/list", ""), "null", jsonrpc.CodeInvalidRequest},
		{"params that are a list", `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}`, "7", jsonrpc.CodeInvalidParams},
		{"a _meta that is a list", `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":[]}}`, "7", jsonrpc.CodeInvalidParams},
		{"depth 500 is served", modern("7", "tools/list", `"x":`+deep(500)), "7", 0},
		{"depth 5,000", modern("7", "tools/list", `"x":`+deep(5_000)), "null", jsonrpc.CodeParseError},
		{"depth 200,000", modern("7", "tools/list", `"x":`+deep(200_000)), "null", jsonrpc.CodeParseError},
		{"brackets in a string are not depth", modern("7", "tools/list", `"x":"\"`+deep(600)+`"`), "7", 0},
		{"4 MiB are served", modern("7", "tools/list", `"x":"`+strings.Repeat("x", 4<<20)+`"`), "7", 0},
		{"17 MiB", modern("7", "tools/list", `"x":"`+strings.Repeat("x", 17<<20)+`"`), "null", jsonrpc.CodeInvalidRequest},
		{"spaces and a carriage return", "  " + modern("7", "tools/list", "") + " \r", "7", 0},
		{"a large id comes back as it went", modern("9007199254740993", "tools/list", ""), "9007199254740993", 0},
		{"an id with an escape comes back as it went", modern(`"\u0061"`, "tools/list", ""), `"\u0061"`, 0},
	}
	d := talk(t, newBench().Server)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d.t = t
			d.want(d.ask(c.line), c.id, c.code)
			id := fmt.Sprintf("\"after %d\"", i)
			d.want(d.ask(modern(id, "server/discover", "")), id, 0)
		})
	}
	d.t = t
	d.send("", "   ", "\r", `{"jsonrpc":"2.0","ID":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","method":"notifications/unknown"}`,
		`{"jsonrpc":"2.0","id":5,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	if rest := d.end(); len(rest) > 0 {
		t.Errorf("what needs no answer got %s", rest[0].line)
	}
}

func TestLastLineWithoutAnEndIsServed(t *testing.T) {
	d := talk(t, newBench().Server)
	if _, err := io.WriteString(d.in, modern("1", "tools/list", "")); err != nil {
		t.Fatal(err)
	}
	rest := d.end()
	if len(rest) != 1 {
		t.Fatalf("got %d answers, want 1", len(rest))
	}
	d.want(rest[0], "1", 0)
}

func TestCancelledCallsAreSilent(t *testing.T) {
	for _, id := range []string{"7", `"seven"`} {
		t.Run(id, func(t *testing.T) {
			b := newBench()
			d := talk(t, b.Server)
			d.send(call(id, "wait"))
			<-b.started
			d.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"bored"}}`)
			<-b.ended // the work was stopped
			d.want(d.ask(call("8", "quick")), "8", 0)
			// The id is free again, and the number is not the string.
			d.want(d.ask(call(id, "quick")), id, 0)
			if rest := d.end(); len(rest) > 0 {
				t.Errorf("after the cancellation came %s", rest[0].line)
			}
		})
	}
}

func TestCancellationOfOtherIDsIsIgnored(t *testing.T) {
	b := newBench()
	d := talk(t, b.Server)
	d.send(call("7", "wait"))
	<-b.started
	for _, id := range []string{`"7"`, "8", "7.0", "null", "{}"} {
		d.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	}
	d.want(d.ask(call("9", "quick")), "9", 0)
	b.released <- struct{}{}
	r := d.next()
	d.want(r, "7", 0)
	if !strings.Contains(r.line, "released") {
		t.Errorf("the call was cancelled: %s", r.line)
	}
}

func TestDuplicateIDsInFlightGetNoReply(t *testing.T) {
	b := newBench()
	d := talk(t, b.Server)
	d.send(call("7", "wait"))
	<-b.started
	// Neither of these may be answered under the id of the first call.
	d.send(call("7", "quick"), modern("7", "no/such", ""), legacy("7", "tools/list", ""), `{"jsonrpc":"2.0","id":7}`)
	d.want(d.ask(call(`"7"`, "quick")), `"7"`, 0)
	b.released <- struct{}{}
	r := d.next()
	if d.want(r, "7", 0); !strings.Contains(r.line, "released") {
		t.Errorf("the first call got %s", r.line)
	}
	if rest := d.end(); len(rest) > 0 {
		t.Errorf("a second answer came: %s", rest[0].line)
	}
}

func TestProgressRisesAndStopsWithTheAnswer(t *testing.T) {
	b := newBench()
	d := talk(t, b.Server)
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":"p",` + strings.TrimPrefix(meta, `"_meta":{`) + `}}`)
	var got []string
	for {
		r := d.next()
		if r.Method == "" {
			d.want(r, "1", 0)
			break
		}
		got = append(got, string(r.Params))
	}
	want := []string{`{"progressToken":"p","progress":1}`, `{"progressToken":"p","progress":2}`, `{"progressToken":"p","progress":3}`}
	if !slices.Equal(got, want) {
		t.Errorf("progress %s, want %s", got, want)
	}
	b.released <- struct{}{}
	<-b.ended
	if rest := d.end(); len(rest) > 0 {
		t.Errorf("after the answer came %s", rest[0].line)
	}
}

func TestPanicEndsOneCall(t *testing.T) {
	d := talk(t, newBench().Server)
	d.want(d.ask(call("1", "panic")), "1", jsonrpc.CodeInternalError)
	d.want(d.ask(call("2", "quick")), "2", 0)
}

func TestErrorsWithoutACodeGetOne(t *testing.T) {
	d := talk(t, newBench().Server)
	d.want(d.ask(call("1", "fail")), "1", jsonrpc.CodeInternalError)
}

func TestEndOfInputEndsPromptly(t *testing.T) {
	for _, tool := range []string{"wait", "stubborn"} {
		t.Run(tool, func(t *testing.T) {
			b := newBench()
			d := talk(t, b.Server)
			d.send(call("1", tool))
			<-b.started
			d.end() // and the call was not released
			b.released <- struct{}{}
		})
	}
}

func TestAnswersInFlightAreWrittenBeforeTheEnd(t *testing.T) {
	b := newBench()
	d := talk(t, b.Server)
	d.send(call("1", "wait"))
	<-b.started
	b.released <- struct{}{}
	if rest := d.end(); len(rest) != 1 || string(rest[0].ID) != "1" {
		t.Errorf("got %v", rest)
	}
}

func TestManySlowCallsRunAtOnce(t *testing.T) {
	b := newBench()
	d := talk(t, b.Server)
	const n = 30
	for i := range n {
		d.send(call(fmt.Sprint(i), "wait"))
	}
	for range n {
		<-b.started // all of them, and none has ended
	}
	for range n {
		b.released <- struct{}{}
	}
	seen := map[string]bool{}
	for range n {
		seen[string(d.next().ID)] = true
	}
	if len(seen) != n {
		t.Errorf("%d of %d calls were answered", len(seen), n)
	}
}

func TestAClientThatDoesNotReadIsWaitedFor(t *testing.T) {
	in, write := io.Pipe()
	read, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- wire.ServeStdio(t.Context(), newBench().Server, in, out, io.Discard, wire.Options{}) }()
	const n, ahead = 2000, 200
	behind := make(chan struct{})
	go func() {
		for i := range n {
			if i == ahead {
				close(behind)
			}
			if _, err := io.WriteString(write, call(fmt.Sprint(i), "quick")+"\n"); err != nil {
				return
			}
		}
	}()
	<-behind // so many calls were taken, and no answer was read
	answers := 0
	for s := bufio.NewScanner(read); answers < n && s.Scan(); {
		answers++
	}
	if answers != n {
		t.Errorf("%d of %d calls were answered", answers, n)
	}
	write.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAClientThatIsGoneEndsIt(t *testing.T) {
	in, write := io.Pipe()
	read, out := io.Pipe()
	read.CloseWithError(io.ErrClosedPipe)
	done := make(chan error, 1)
	go func() { done <- wire.ServeStdio(t.Context(), newBench().Server, in, out, io.Discard, wire.Options{}) }()
	if _, err := io.WriteString(write, call("1", "quick")+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("got %v, want no error: that a client goes is no failure", err)
	}
}

func TestContextEndsIt(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	in, _ := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- wire.ServeStdio(ctx, newBench().Server, in, io.Discard, io.Discard, wire.Options{}) }()
	stop := errors.New("stop")
	cancel(stop)
	if err := <-done; !errors.Is(err, stop) {
		t.Errorf("got %v, want the cause", err)
	}
}
