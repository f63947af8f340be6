package wire_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/previdence/previdence/mcp/wire"
)

const headerMismatch = -32020

// An endpoint is a server over HTTP, on a loopback address.
type endpoint struct {
	t   *testing.T
	url string
}

func listen(t *testing.T, server *sdk.Server, o wire.HTTPOptions) endpoint {
	t.Helper()
	h, err := wire.Handler(t.Context(), server, o)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return endpoint{t, s.URL}
}

// A post is one request: the headers of a modern client, then those of the test.
// An empty value takes a header away.
type post struct {
	method  string // of HTTP; "": POST
	host    string
	headers map[string]string
	body    string
}

// modernPost is a request as a modern client makes it.
func modernPost(method, name, params string) post {
	h := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method}
	if name != "" {
		h["Mcp-Name"] = name
	}
	return post{headers: h, body: modern("1", method, params)}
}

func (p post) with(header, value string) post {
	h := map[string]string{header: value}
	for k, v := range p.headers {
		if k != header {
			h[k] = v
		}
	}
	p.headers = h
	return p
}

func (p post) saying(body string) post { p.body = body; return p }

func (e endpoint) send(ctx context.Context, p post) *http.Response {
	e.t.Helper()
	method := p.method
	if method == "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, e.url, strings.NewReader(p.body))
	if err != nil {
		e.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range p.headers {
		req.Header.Set(k, v)
		if v == "" {
			req.Header.Del(k)
		}
	}
	if p.host != "" {
		req.Host = p.host
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// ask returns the status and the answer, from JSON or the last event.
func (e endpoint) ask(p post) (int, reply) {
	e.t.Helper()
	resp := e.send(e.t.Context(), p)
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	last := string(body)
	for line := range strings.Lines(last) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			last = data
		}
	}
	r := reply{line: last}
	_ = json.Unmarshal([]byte(last), &r) // plain text has no code
	return resp.StatusCode, r
}

func (e endpoint) want(p post, status, code int) reply {
	e.t.Helper()
	got, r := e.ask(p)
	if got != status || r.code() != code {
		e.t.Errorf("%v %s\ngot %d %s, want %d and code %d", p.headers, short(p.body), got, short(r.line), status, code)
	}
	return r
}

func TestFormOfModernRequestsOverHTTP(t *testing.T) {
	b := newBench().withResources()
	b.AddResource(&sdk.Resource{URI: "test://é", Name: "é"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "test://é", Text: "accented"}}}, nil
	})
	list, quick := modernPost("tools/list", "", ""), modernPost("tools/call", "quick", `"name":"quick"`)
	read := modernPost("resources/read", "test://there", `"uri":"test://there"`)
	accented := modernPost("resources/read", "", `"uri":"test://é"`)
	sealed := func(s string) string { return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?=" }
	for _, c := range []struct {
		name   string
		post   post
		status int
		code   int
	}{
		{"complete", list, 200, 0},
		{"a call", quick, 200, 0},
		{"a resource", read, 200, 0},
		{"a name in base64", quick.with("Mcp-Name", sealed("quick")), 200, 0},
		{"a name that needs base64", accented.with("Mcp-Name", sealed("test://é")), 200, 0},
		{"base64 of another name", quick.with("Mcp-Name", sealed("wait")), 400, headerMismatch},
		{"broken base64", quick.with("Mcp-Name", "=?base64?!?="), 400, headerMismatch},
		{"no Mcp-Name", quick.with("Mcp-Name", ""), 400, headerMismatch},
		{"another Mcp-Name", quick.with("Mcp-Name", "wait"), 400, headerMismatch},
		{"no name in the body", modernPost("tools/call", "quick", ""), 400, jsonrpc.CodeInvalidParams},
		{"no Mcp-Method", list.with("Mcp-Method", ""), 400, headerMismatch},
		{"another Mcp-Method", list.with("Mcp-Method", "tools/call"), 400, headerMismatch},
		{"Mcp-Method in another case", list.with("Mcp-Method", "Tools/List"), 400, headerMismatch},
		{"no version header", list.with("Mcp-Protocol-Version", ""), 400, headerMismatch},
		{"another version header", list.with("Mcp-Protocol-Version", "2025-11-25"), 400, headerMismatch},
		{"no _meta", list.saying(legacy("1", "tools/list", "")), 400, jsonrpc.CodeInvalidParams},
		{"no capabilities", list.saying(describing("1", "tools/list", version)), 400, jsonrpc.CodeInvalidParams},
		{"an unserved version", list.with("Mcp-Protocol-Version", "2099-01-01").saying(strings.Replace(list.body, "2026-07-28", "2099-01-01", 1)), 400, unsupported},
		{"a version before there were any", list.with("Mcp-Protocol-Version", "1900-01-01").saying(strings.Replace(list.body, "2026-07-28", "1900-01-01", 1)), 400, unsupported},
		{"an unserved version of a legacy request", post{headers: map[string]string{"Mcp-Protocol-Version": "1900-01-01"}, body: legacy("1", "tools/list", "")}, 400, unsupported},
		{"a method that is gone", modernPost("ping", "", ""), 404, jsonrpc.CodeMethodNotFound},
		{"a method that is not offered", modernPost("prompts/list", "", ""), 404, jsonrpc.CodeMethodNotFound},
		{"a method that is unknown", modernPost("no/such", "", ""), 404, jsonrpc.CodeMethodNotFound},
		{"a capability that is not declared", modernPost("tools/call", "ask", `"name":"ask"`), 400, missingCapability},
		{"a resource that is absent", modernPost("resources/read", "test://gone", `"uri":"test://gone"`), 400, jsonrpc.CodeInvalidParams},
		{"no JSON", list.saying("hello"), 400, jsonrpc.CodeParseError},
		{"nothing", list.saying(""), 400, jsonrpc.CodeParseError},
		{"a batch", list.saying("[" + list.body + "]"), 400, jsonrpc.CodeInvalidRequest},
		{"an id with a fraction", list.saying(modern("1.5", "tools/list", "")), 400, jsonrpc.CodeInvalidRequest},
		{"an id of 54 bits", list.saying(modern("9007199254740993", "tools/list", "")), 400, jsonrpc.CodeInvalidRequest},
		{"the largest id", list.saying(modern("9007199254740992", "tools/list", "")), 200, 0},
		{"a call that fails without a code", modernPost("tools/call", "fail", `"name":"fail"`), 200, jsonrpc.CodeInternalError},
		{"a call that panics", modernPost("tools/call", "panic", `"name":"panic"`), 200, jsonrpc.CodeInternalError},
		{"a notification without Mcp-Method", list.with("Mcp-Method", "").saying(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`), 202, 0},
		{"a session that was never made", list.with("Mcp-Session-Id", "abc"), 200, 0},
		{"a stream to resume", list.with("Last-Event-ID", "1"), 200, 0},
		{"GET", post{method: "GET", headers: list.headers}, 405, 0},
		{"DELETE", post{method: "DELETE", headers: list.headers}, 405, 0},
		{"a body of 4 MiB and more", list.saying(modern("1", "tools/list", `"x":"`+strings.Repeat("x", 4<<20)+`"`)), 413, jsonrpc.CodeInvalidRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := listen(t, b.Server, wire.HTTPOptions{})
			e.want(c.post, c.status, c.code)
		})
	}
}

func TestLegacySessionsOverHTTP(t *testing.T) {
	e := listen(t, newBench().withResources().Server, wire.HTTPOptions{})
	opened := e.send(t.Context(), post{body: initialize})
	session := opened.Header.Get("Mcp-Session-Id")
	if opened.StatusCode != 200 || session == "" {
		t.Fatalf("initialize got %d and session %q", opened.StatusCode, session)
	}
	p := post{headers: map[string]string{"Mcp-Session-Id": session, "Mcp-Protocol-Version": "2025-11-25"}}
	e.want(p.saying(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), 202, 0)
	if r := e.want(p.saying(legacy("2", "tools/list", "")), 200, 0); strings.Contains(r.line, "resultType") {
		t.Errorf("got %s", r.line)
	}
	e.want(p.saying(legacy("3", "resources/read", `"uri":"test://gone"`)), 200, notFound)
	e.want(p.saying(legacy("4", "prompts/list", "")), 200, jsonrpc.CodeMethodNotFound)
	e.want(p.saying("["+legacy("5", "ping", "")+"]"), 400, 0)
	// A modern request in between has nothing to do with it.
	e.want(modernPost("tools/list", "", ""), 200, 0)
	e.want(p.saying(legacy("6", "ping", "")), 200, 0)
	if resp := e.send(t.Context(), post{method: "DELETE", headers: p.headers}); resp.StatusCode != 204 {
		t.Errorf("DELETE got %d", resp.StatusCode)
	}
	e.want(p.saying(legacy("7", "ping", "")), 404, 0)
	e.want(post{body: `{"jsonrpc":"2.0","id":8,"method":"initialize","params":{}}`}, 200, jsonrpc.CodeInvalidParams)
}

func TestLegacySessionsAreBounded(t *testing.T) {
	e := listen(t, newBench().Server, wire.HTTPOptions{})
	for i := range 300 {
		resp := e.send(t.Context(), post{body: initialize})
		_, _ = io.Copy(io.Discard, resp.Body)
		if resp.StatusCode == http.StatusServiceUnavailable {
			if i != 256 {
				t.Errorf("session %d was refused", i)
			}
			e.want(modernPost("tools/list", "", ""), 200, 0) // who needs no session is served
			return
		}
	}
	t.Error("300 sessions were opened")
}

func TestDisconnectCancels(t *testing.T) {
	b := newBench()
	e := listen(t, b.Server, wire.HTTPOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	p := modernPost("tools/call", "wait", `"name":"wait"`)
	go func() {
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, e.url, strings.NewReader(p.body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for k, v := range p.headers {
			req.Header.Set(k, v)
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	<-b.started
	cancel()
	<-b.ended // nobody released it
}

func TestEventsAreNotHeldBack(t *testing.T) {
	b := newBench()
	e := listen(t, b.Server, wire.HTTPOptions{})
	p := modernPost("tools/call", "progress", `"name":"progress"`).saying(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":"p",` + strings.TrimPrefix(meta, `"_meta":{`) + `}}`)
	resp := e.send(t.Context(), p)
	if got := resp.Header.Get("X-Accel-Buffering"); got != "no" {
		t.Errorf("X-Accel-Buffering is %q", got)
	}
	s := bufio.NewScanner(resp.Body)
	var methods []string
	for s.Scan() {
		if data, ok := strings.CutPrefix(s.Text(), "data: "); ok {
			methods = append(methods, parse(t, data).Method)
		}
	}
	if len(methods) < 2 || methods[0] != "notifications/progress" || methods[len(methods)-1] != "" {
		t.Errorf("events are %q", methods)
	}
	b.released <- struct{}{}
}

func TestOtherHostsAndOriginsAreRefused(t *testing.T) {
	e := listen(t, newBench().Server, wire.HTTPOptions{Hosts: []string{"proxy.example"}, Origins: []string{"https://ide.example"}})
	list := modernPost("tools/list", "", "")
	for host, status := range map[string]int{"localhost": 200, "localhost:9": 200, "127.0.0.1:80": 200, "[::1]:80": 200, "LOCALHOST": 200, "proxy.example": 200, "proxy.example:443": 200,
		"evil.example": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "10.0.0.1": 403, "proxy.example.evil": 403} {
		p := list
		p.host = host
		if got, r := e.ask(p); got != status {
			t.Errorf("host %s got %d %s, want %d", host, got, r.line, status)
		}
	}
	for origin, status := range map[string]int{"": 200, "http://localhost:3000": 200, "http://127.0.0.1": 200, "http://[::1]:1": 200, "https://ide.example": 200,
		"http://ide.example": 403, "https://ide.example:444": 403, "https://evil.example": 403, "http://localhost.evil.example": 403, "null": 403, "file://": 403, "%": 403} {
		if got, r := e.ask(list.with("Origin", origin)); got != status {
			t.Errorf("origin %q got %d %s, want %d", origin, got, r.line, status)
		}
	}
}

func TestTokenIsRequired(t *testing.T) {
	const token = "0123456789abcdef0123456789abcdef"
	e := listen(t, newBench().Server, wire.HTTPOptions{Token: token})
	list := modernPost("tools/list", "", "")
	for given, status := range map[string]int{"Bearer " + token: 200, "bearer " + token: 200, "": 401, token: 401, "Bearer": 401, "Bearer ": 401,
		"Bearer " + token + "0": 401, "Bearer " + token[1:]: 401, "Basic " + token: 401} {
		if got, r := e.ask(list.with("Authorization", given)); got != status {
			t.Errorf("%q got %d %s, want %d", given, got, r.line, status)
		}
	}
	for _, p := range []post{{method: "GET"}, {method: "DELETE"}, {method: "OPTIONS"}, {body: initialize}, {body: "hello"}} {
		resp := e.send(t.Context(), p)
		if resp.StatusCode != 401 || resp.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s %s without a token got %d", p.method, p.body, resp.StatusCode)
		}
	}
}

func TestListenAddresses(t *testing.T) {
	const token = "0123456789abcdef0123456789abcdef"
	for _, c := range []struct {
		address, token string
		want           error
	}{
		{"0", "", nil}, {":0", "", nil}, {"127.0.0.1:0", "", nil}, {"localhost:0", "", nil},
		{"0.0.0.0:0", "", wire.ErrNoToken}, {"0.0.0.0:0", token, nil}, {"127.0.0.1:0", "short", wire.ErrWeakToken}, {"127.0.0.1:0", token, nil},
	} {
		l, err := wire.Listen(t.Context(), c.address, c.token)
		if !errors.Is(err, c.want) {
			t.Errorf("%s with token %q: got %v, want %v", c.address, c.token, err, c.want)
		}
		if err != nil {
			continue
		}
		if strings.HasPrefix(c.address, "0") && len(c.address) == 1 && !strings.HasPrefix(l.Addr().String(), "127.0.0.1:") {
			t.Errorf("%s listens on %s", c.address, l.Addr())
		}
		l.Close()
	}
}

func TestServeHTTPEndsWithItsContext(t *testing.T) {
	b := newBench()
	h, err := wire.Handler(t.Context(), b.Server, wire.HTTPOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := wire.Listen(t.Context(), "0", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() { done <- wire.ServeHTTP(ctx, l, h, io.Discard) }()
	e := endpoint{t, "http://" + l.Addr().String()}
	go func() {
		p := modernPost("tools/call", "wait", `"name":"wait"`)
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, e.url, strings.NewReader(p.body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for k, v := range p.headers {
			req.Header.Set(k, v)
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	<-b.started
	stop := errors.New("stop")
	cancel(stop)
	if err := <-done; !errors.Is(err, stop) {
		t.Errorf("got %v, want the cause", err)
	}
	<-b.ended // the call in flight was cancelled
}

// Clients of the SDK find each other over every transport and in every revision.
func TestSDKClientOverHTTP(t *testing.T) {
	e := listen(t, newBench().Server, wire.HTTPOptions{})
	for _, v := range sdk.SupportedProtocolVersions() {
		c := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil)
		s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: e.url}, &sdk.ClientSessionOptions{ProtocolVersion: v})
		if err != nil {
			t.Errorf("%s: %v", v, err)
			continue
		}
		r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "quick"})
		if err != nil || fmt.Sprint(r.Content[0].(*sdk.TextContent).Text) != "quick" {
			t.Errorf("%s: %v %v", v, r, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
}
