package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// These tests run the program as a client does, with the fixtures of the
// conformance suite in place of repositories. What the protocol says of single
// messages is tested in mcp/wire; here it is what a process does.

const (
	modernMeta    = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	legacyOpening = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
)

func modernCall(id, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,%s}}`, id, tool, modernMeta)
}

func modernList(id, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/list","params":{%s%s}}`, id, modernMeta, more)
}

// An agent is a client that has started the program and talks to it by lines.
type agent struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *os.File // our end of it
	log    *bufio.Reader
}

func startAgent(t *testing.T, args ...string) *agent {
	t.Helper()
	a := &agent{t: t, cmd: exec.CommandContext(t.Context(), "previdence", append([]string{"mcp", "--conformance"}, args...)...)}
	a.cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	a.cmd.Dir = t.TempDir()
	var err error
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	a.out = bufio.NewReaderSize(out, 1<<20)
	var theirs *os.File
	if a.stderr, theirs, err = os.Pipe(); err != nil {
		t.Fatal(err)
	}
	a.log = bufio.NewReader(a.stderr)
	a.cmd.Stderr = theirs
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	t.Cleanup(func() {
		a.in.Close()
		a.stderr.Close()
		_ = a.cmd.Wait() // most tests have waited
	})
	return a
}

func (a *agent) send(lines ...string) {
	a.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(a.in, line+"\n"); err != nil {
			a.t.Fatal(err)
		}
	}
}

// An agentReply is what tests look at in an answer.
type agentReply struct {
	ID    json.RawMessage
	Error struct{ Code int }
	line  string
}

func (a *agent) next() agentReply {
	a.t.Helper()
	line, err := a.out.ReadString('\n')
	if err != nil {
		a.t.Fatalf("no answer: %v", err)
	}
	r := agentReply{line: line}
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		a.t.Fatalf("%v: %.200s", err, line)
	}
	return r
}

func (a *agent) want(line, id string, code int) agentReply {
	a.t.Helper()
	a.send(line)
	r := a.next()
	if string(r.ID) != id || r.Error.Code != code {
		a.t.Errorf("%.200s\ngot %.300s\nwant id %s and code %d", line, r.line, id, code)
	}
	return r
}

// logged reads stderr up to a line.
func (a *agent) logged(want string) {
	a.t.Helper()
	for {
		line, err := a.log.ReadString('\n')
		if err != nil {
			a.t.Fatalf("stderr ended before %q: %v", want, err)
		}
		if strings.TrimSpace(line) == want {
			return
		}
	}
}

// ends waits for the end of the process and returns what it still said. A process
// that would not end is killed by the test's own deadline.
func (a *agent) ends() string {
	a.t.Helper()
	rest, err := io.ReadAll(a.out)
	if err != nil && !errors.Is(err, os.ErrClosed) {
		a.t.Error(err)
	}
	if err := a.cmd.Wait(); err != nil {
		a.t.Errorf("the process ended with %v", err)
	}
	return string(rest)
}

func TestMCPSurvivesWhatClientsSend(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	a := startAgent(t)
	for i, c := range []struct {
		name, line, id string
		code           int
	}{
		{"no JSON", "hello", "null", -32700},
		{"an empty batch", "[]", "null", -32600},
		{"a batch", "[" + modernList("1", "") + "]", "null", -32600},
		{"null", "null", "null", -32600},
		{"a number", "1", "null", -32600},
		{"a string", `"x"`, "null", -32600},
		{"two values", modernList("1", "") + modernList("2", ""), "null", -32700},
		{"bad UTF-8", "\"\xc3\x28\"", "null", -32700},
		{"a fractional id", modernList("1.5", ""), "null", -32600},
		{"another jsonrpc", strings.Replace(modernList("1", ""), "2.0", "1.0", 1), "1", -32600},
		{"depth 500", modernList("1", `,"x":`+deep(500)), "1", 0},
		{"depth 5,000", modernList("1", `,"x":`+deep(5000)), "null", -32700},
		{"depth 200,000", modernList("1", `,"x":`+deep(200_000)), "null", -32700},
		{"4 MiB", modernList("1", `,"x":"`+strings.Repeat("x", 4<<20)+`"`), "1", 0},
		{"17 MiB", modernList("1", `,"x":"`+strings.Repeat("x", 17<<20)+`"`), "null", -32600},
		{"a panic", modernCall("1", "own_panic"), "1", -32603},
		{"stdout that is printed to", modernCall("1", "own_print"), "1", 0},
		{"no _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, "1", -32602},
		{"an unserved version", strings.Replace(modernList("1", ""), "2026-07-28", "2025-11-25", 1), "1", -32022},
		{"a capability that is not declared", modernCall("1", "test_missing_capability"), "1", -32021},
	} {
		a.want(c.line, c.id, c.code)
		id := fmt.Sprintf("%q", fmt.Sprintf("after %d, %s", i, c.name))
		a.want(modernList(id, ""), id, 0)
	}
	a.in.Close()
	if rest := a.ends(); rest != "" {
		t.Errorf("at the end it said %.200s", rest)
	}
}

func TestMCPServesBothErasInEitherOrder(t *testing.T) {
	legacyList := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	for name, lines := range map[string][]string{
		"modern first": {modernList("1", ""), legacyOpening, legacyList, modernList("1", "")},
		"legacy first": {legacyOpening, legacyList, modernList("1", ""), legacyList},
	} {
		t.Run(name, func(t *testing.T) {
			a := startAgent(t)
			for _, line := range lines {
				id := string(regexp.MustCompile(`"id":([^,]+)`).FindSubmatch([]byte(line))[1])
				r := a.want(line, id, 0)
				if strings.Contains(line, "_meta") != strings.Contains(r.line, `"resultType":"complete"`) {
					t.Errorf("%s\ngot %.300s", line, r.line)
				}
			}
		})
	}
}

func TestMCPIsSilentAfterCancellation(t *testing.T) {
	for _, id := range []string{"7", `"seven"`} {
		a := startAgent(t)
		a.send(modernCall(id, "own_wait"), modernCall(id, "own_panic")) // the second is a duplicate
		a.logged("own_wait runs")
		a.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
		a.logged("own_wait was cancelled")
		a.want(modernList("8", ""), "8", 0)
		a.in.Close()
		if rest := a.ends(); rest != "" {
			t.Errorf("after the cancellation of %s it said %.200s", id, rest)
		}
	}
}

func TestMCPRunsSlowCallsAtOnce(t *testing.T) {
	a := startAgent(t)
	const n = 30
	for i := range n {
		a.send(modernCall(fmt.Sprint(i), "own_wait"))
	}
	for range n {
		a.logged("own_wait runs") // all of them, and none ends by itself
	}
	for i := range n {
		a.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
	}
	for range n {
		a.logged("own_wait was cancelled")
	}
}

func TestMCPEndsWithItsInput(t *testing.T) {
	for _, tool := range []string{"own_wait", "own_stubborn"} {
		t.Run(tool, func(t *testing.T) {
			a := startAgent(t)
			a.send(modernCall("1", tool))
			a.logged(tool + " runs")
			a.in.Close()
			a.ends() // and neither tool ends by itself
		})
	}
}

func TestMCPEndsWhenInterrupted(t *testing.T) {
	a := startAgent(t)
	a.want(modernList("1", ""), "1", 0) // it runs
	if err := a.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	a.ends() // told to end: no failure
}

func TestMCPOutlivesStderr(t *testing.T) {
	t.Run("that nobody reads", func(t *testing.T) {
		a := startAgent(t)
		for i := range 400 {
			a.want(modernCall(fmt.Sprint(i), "own_chatter"), fmt.Sprint(i), 0)
		}
		a.in.Close()
		a.ends()
	})
	t.Run("that is closed", func(t *testing.T) {
		a := startAgent(t)
		a.stderr.Close()
		for i := range 20 {
			a.want(modernCall(fmt.Sprint(i), "own_chatter"), fmt.Sprint(i), 0)
			a.want(modernCall(fmt.Sprint(i), "own_print"), fmt.Sprint(i), -32603) // an error, not the end
		}
		a.in.Close()
		a.ends()
	})
}

func TestMCPEndsWhenNobodyReadsItsAnswers(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "previdence", "mcp", "--conformance")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if _, err := io.WriteString(in, modernList("1", "")+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil { // while stdin is still open
		t.Errorf("the process ended with %v", err)
	}
	in.Close()
}

// The SDK's own client, in each revision, over both transports of the program.
func TestMCPWithTheClientOfTheSDK(t *testing.T) {
	overHTTP := startHTTP(t)
	for _, version := range sdk.SupportedProtocolVersions() {
		for name, transport := range map[string]sdk.Transport{
			"stdio": &sdk.CommandTransport{Command: exec.CommandContext(t.Context(), "previdence", "mcp", "--conformance")},
			"HTTP":  &sdk.StreamableClientTransport{Endpoint: overHTTP},
		} {
			t.Run(version+" over "+name, func(t *testing.T) {
				var progress []float64
				done := make(chan struct{})
				client := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, &sdk.ClientOptions{
					ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
						if progress = append(progress, r.Params.Progress); r.Params.Progress == 100 {
							close(done)
						}
					}})
				session, err := client.Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
				if err != nil {
					t.Fatal(err)
				}
				if got := session.InitializeResult().ProtocolVersion; got != version {
					t.Errorf("they agreed on %s", got)
				}
				params := &sdk.CallToolParams{Name: "test_tool_with_progress"}
				params.SetProgressToken("p")
				if _, err := session.CallTool(t.Context(), params); err != nil {
					t.Error(err)
				}
				<-done
				if want := []float64{0, 50, 100}; !slices.Equal(progress, want) {
					t.Errorf("progress was %v", progress)
				}
				if r, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "test://static-text"}); err != nil || len(r.Contents) != 1 {
					t.Errorf("got %v, %v", r, err)
				}
				if _, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "test://gone"}); err == nil {
					t.Error("an absent resource was read")
				}
				if err := session.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// startHTTP runs the program over HTTP and returns its address.
func startHTTP(t *testing.T) string {
	t.Helper()
	// The end of the test's context would kill it before it is told to end.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "previdence", "mcp", "--conformance", "--http", "0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the process ended with %v", err)
		}
	})
	return strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
}

func TestMCPOverHTTPWantsItsToken(t *testing.T) {
	const token = "0123456789abcdef0123456789abcdef"
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "previdence", "mcp", "--conformance", "--http", "0", "--token-file", file)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	for given, status := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer " + token: 200} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(legacyOpening))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Authorization", given)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("%q got %d, want %d", given, resp.StatusCode, status)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
}
