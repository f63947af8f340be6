package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/review/report"
)

const testHead = "0123456789012345678901234567890123456789"

// A fakeEngine answers about worktrees that are made up. What a test does not set
// is never asked for.
type fakeEngine struct {
	mu         sync.Mutex
	opened     map[string]int
	generation int64
	gone       bool // every worktree that is open is another folder now
	search     func(ctx context.Context, root, name string) ([]answer.Symbol, error)
	open       func(ctx context.Context) error // nil: it opens
	coverage   answer.Coverage
	more       bool // a search has found others
	record     func() error
	build      func(ctx context.Context, told Progress) (answer.Status, error)
	text       string
	report     *report.Report
	kept       []Item
	documents  []Item
}

func (e *fakeEngine) Open(ctx context.Context, root string) (Worktree, error) {
	if e.open != nil {
		if err := e.open(ctx); err != nil {
			return nil, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !strings.HasPrefix(root, "/w/") {
		return nil, &Refusal{State: "unauthorized_root", Reason: "it is no worktree", Remedy: "name one"}
	}
	if e.opened == nil {
		e.opened = map[string]int{}
	}
	e.opened[root]++
	e.gone = false
	return &fakeTree{Worktree: nil, engine: e, root: root}, nil
}

func (e *fakeEngine) Roots(context.Context) ([]string, error) { return []string{"/w/a"}, nil }

type fakeTree struct {
	Worktree // nil: a question that no test expects panics
	engine   *fakeEngine
	root     string
}

func (t *fakeTree) header() answer.Header {
	t.engine.mu.Lock()
	defer t.engine.mu.Unlock()
	return answer.Header{Schema: answer.Schema, RepositoryRoot: t.root, Head: testHead, Tree: "t", GraphDigest: "d", Generation: t.engine.generation}
}

func (t *fakeTree) Check(context.Context) error {
	t.engine.mu.Lock()
	defer t.engine.mu.Unlock()
	if t.engine.gone {
		return &Refusal{State: "unauthorized_root", Reason: "another folder took its place"}
	}
	return nil
}

func (t *fakeTree) Search(ctx context.Context, _ At, name string, _ int) (answer.Symbols, error) {
	found, err := t.engine.search(ctx, t.root, name)
	return answer.Symbols{Header: t.header(), Query: name, More: t.engine.more, Symbols: found}, err
}

func (t *fakeTree) Status(context.Context, At) (answer.Status, error) {
	return answer.Status{Header: t.header(), State: answer.Ready}, nil
}

func (t *fakeTree) Lines(_ context.Context, _ At, path string, _, _ int) (answer.Source, error) {
	return answer.Source{Header: t.header(), Path: path, Line: 1, Text: t.engine.text}, nil
}

func (t *fakeTree) Coverage(context.Context, At, []string) (answer.Coverage, error) {
	a := t.engine.coverage
	a.Header = t.header()
	return a, nil
}

func (t *fakeTree) Record(context.Context, At, Decision) (answer.Decisions, error) {
	return answer.Decisions{}, t.engine.record()
}

func (t *fakeTree) Subject(context.Context, string) (string, string, error) {
	return "base", testHead, nil
}

func (t *fakeTree) Build(ctx context.Context, told Progress) (answer.Status, error) {
	return t.engine.build(ctx, told)
}

func (t *fakeTree) Review(context.Context, string, Progress) (*report.Report, error) {
	return t.engine.report, nil
}

func (t *fakeTree) Reports(context.Context) ([]Item, error) { return t.engine.kept, nil }

func (t *fakeTree) Report(context.Context, string) (*report.Report, error) {
	return t.engine.report, nil
}

func (t *fakeTree) Documents(context.Context) ([]Item, error) { return t.engine.documents, nil }

// A client asks a server in this process.
type client struct {
	t       *testing.T
	session *sdk.ClientSession

	mu       sync.Mutex
	progress []float64
}

func connect(t *testing.T, e Engine, wait time.Duration) *client {
	t.Helper()
	c := &client{t: t}
	mine, theirs := sdk.NewInMemoryTransports()
	if _, err := NewServer(e, Options{Version: "test", Wait: wait}).Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.progress = append(c.progress, req.Params.Progress)
		},
	}).Connect(t.Context(), mine, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	c.session = session
	return c
}

// A result is what a client receives.
type result struct {
	text   string
	failed bool
	fields map[string]any
}

func (c *client) call(tool string, arguments map[string]any) result {
	c.t.Helper()
	r, err := c.session.CallTool(c.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	return c.read(r)
}

func (c *client) read(r *sdk.CallToolResult) result {
	c.t.Helper()
	if len(r.Content) != 1 {
		c.t.Fatalf("%d blocks of content", len(r.Content))
	}
	out := result{text: r.Content[0].(*sdk.TextContent).Text, failed: r.IsError}
	if out.failed {
		return out
	}
	if err := json.Unmarshal([]byte(out.text), &out.fields); err != nil {
		c.t.Fatalf("%v\n%s", err, out.text)
	}
	structured, err := json.Marshal(r.StructuredContent)
	if err != nil {
		c.t.Fatal(err)
	}
	if again, _ := json.Marshal(out.fields); string(structured) != string(again) {
		c.t.Errorf("the halves differ:\n%s\n%s", structured, again)
	}
	return out
}

func (r result) list(name string) []any {
	l, _ := r.fields[name].([]any)
	return l
}

// symbols makes up n symbols that differ.
func symbols(n int) []answer.Symbol {
	out := make([]answer.Symbol, n)
	for i := range out {
		out[i] = answer.Symbol{ID: fmt.Sprintf("go:a.go#F%03d/function", i), Name: fmt.Sprintf("F%03d", i), Kind: "function", Language: "go", Path: "a.go", Line: i + 1, EndLine: i + 1}
	}
	return out
}

func searching(n int) *fakeEngine {
	return &fakeEngine{generation: 1, search: func(context.Context, string, string) ([]answer.Symbol, error) { return symbols(n), nil }}
}
