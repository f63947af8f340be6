package main

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/previdence/previdence/worktree/worktreetest"
)

// A field is a repository with many worktrees, each at a commit of its own, and one
// MCP server that answers about all of them.
type field struct {
	t       *testing.T
	repo    *worktreetest.Repo
	roots   []string
	home    string
	session *sdk.ClientSession
}

func newField(t *testing.T, worktrees int) *field {
	f := &field{t: t, repo: worktreetest.New(t), home: t.TempDir()}
	f.repo.Commit(map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.22\n", "README.md": "# Field\n\nCall `Shared`.\n",
		"a.go": "package m\n\n// Shared is called by all.\nfunc Shared() int { return leaf() }\n\nfunc leaf() int { return 0 }\n",
	})
	parent := filepath.Dir(f.repo.Dir)
	for i := range worktrees {
		root := filepath.Join(parent, fmt.Sprintf("wt%d", i))
		f.repo.Git("worktree", "add", "-q", "-b", fmt.Sprintf("b%d", i), root, "main")
		var calls strings.Builder
		for j := range i + 1 {
			fmt.Fprintf(&calls, "func Caller%dOf%d() int { return Shared() }\n\n", j, i)
		}
		f.repo.At(root).Commit(map[string]string{fmt.Sprintf("w%d.go", i): "package m\n\n" + calls.String()})
		f.roots = append(f.roots, root)
	}
	f.connect()
	return f
}

// connect starts the server.
func (f *field) connect() {
	t := f.t
	t.Helper()
	server := f.command("mcp")
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	f.session = session
}

func (f *field) command(args ...string) *exec.Cmd {
	cmd := exec.Command("previdence", args...)
	cmd.Dir = f.repo.Dir
	cmd.Env = append(os.Environ(), "HOME="+f.home)
	return cmd
}

// tool calls a tool and returns the fields of its answer, or its refusal.
func (f *field) tool(name, root string, arguments map[string]any) (map[string]any, string) {
	arguments = maps.Clone(arguments)
	if arguments == nil {
		arguments = map[string]any{}
	}
	arguments["repo_root"] = root
	r, err := f.session.CallTool(context.WithoutCancel(f.t.Context()), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		f.t.Errorf("%s: %v", name, err)
		return nil, err.Error()
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		return nil, text
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		f.t.Errorf("%s: %v\n%s", name, err, text)
	}
	return fields, ""
}

// build builds the graph of a worktree.
func (f *field) build(root string) {
	if got, refused := f.tool("build_graph", root, nil); refused != "" || got["state"] != "ready" {
		f.t.Errorf("build of %s: %s %v", root, refused, got)
	}
}

// cli is the answer of the command line.
func (f *field) cli(args ...string) map[string]any {
	out, err := f.command(append(args, "--format", "json")...).Output()
	if err != nil {
		f.t.Fatalf("%q: %v", args, err)
	}
	var fields map[string]any
	if err := json.Unmarshal(out, &fields); err != nil {
		f.t.Fatal(err)
	}
	return fields
}

// A question has the same answer from both front doors.
type question struct {
	tool      string
	arguments map[string]any
	command   []string
}

var questions = []question{
	{"find_symbol", map[string]any{"name": "Shared", "max_bytes": 40000}, []string{"graph", "search", "Shared", "--limit", "50"}},
	{"trace_path", map[string]any{"symbol": "Shared", "max_bytes": 40000}, []string{"graph", "callers", "Shared"}},
	{"trace_path", map[string]any{"symbol": "Shared", "direction": "callees"}, []string{"graph", "callees", "Shared"}},
	{"trace_path", map[string]any{"symbol": "Shared", "to": "leaf"}, []string{"graph", "path", "Shared", "leaf"}},
	{"trace_path", map[string]any{"symbol": "leaf", "direction": "callees"}, []string{"graph", "callees", "leaf"}},
	{"trace_path", map[string]any{"symbol": "leaf", "to": "Shared"}, []string{"graph", "path", "leaf", "Shared"}},
	{"find_symbol", map[string]any{"name": "Nowhere"}, []string{"graph", "search", "Nowhere"}},
	{"blast_radius", map[string]any{"symbol": "leaf", "kinds": []string{"call", "dispatch"}, "max_bytes": 40000}, []string{"graph", "radius", "leaf"}},
	{"read_source", map[string]any{"symbol": "Shared"}, []string{"graph", "source", "Shared"}},
	{"read_source", map[string]any{"path": "a.go", "start_line": 2, "end_line": 4}, []string{"graph", "source", "a.go", "--lines", "2-4"}},
	{"check_coverage", map[string]any{"paths": []string{"a.go", "README.md"}}, []string{"graph", "coverage", "a.go", "README.md"}},
	{"graph_status", nil, []string{"graph", "status"}},
}

// lean drops what results for agents leave out inside lists, and what only they
// have.
func lean(v any, top bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, f := range v {
			own := slices.Contains([]string{"untrusted", "truncated", "omitted", "from_line", "unknown", "paths", "ignored_arguments"}, name)
			if f = lean(f, false); (!top || !own) && !zero(f) {
				out[name] = f
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = lean(e, false)
		}
		return out
	}
	return v
}

func zero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return v == "" || v == 0.0 || v == false
}

// TestManyWorktreesOverOneConnection asks about many worktrees at once while the
// graphs of some are built again. Each answer is that of the command line, so it is
// about the right worktree; only a worktree whose graph is being built may refuse,
// and only with graph_updating.
func TestManyWorktreesOverOneConnection(t *testing.T) {
	const worktrees = 12
	f := newField(t, worktrees)
	want := make([][]any, worktrees)
	for i, root := range f.roots {
		f.build(root)
		for _, q := range questions {
			want[i] = append(want[i], lean(f.cli(append(slices.Clone(q.command), "--repo-root", root)...), true))
		}
	}
	if reflect.DeepEqual(want[3], want[4]) {
		t.Fatal("the worktrees do not differ, so nothing is tested")
	}
	const built = worktrees / 4 // the first of them are built again meanwhile
	done := make(chan struct{})
	var builds, calls sync.WaitGroup
	for _, root := range f.roots[:built] {
		builds.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					f.build(root)
				}
			}
		})
	}
	var mu sync.Mutex
	answered, updating := 0, 0
	places := make(chan struct{}, 24)
	for n := range mcpCalls {
		for i, root := range f.roots {
			places <- struct{}{}
			calls.Go(func() {
				defer func() { <-places }()
				q := (n + i) % len(questions)
				got, refused := f.tool(questions[q].tool, root, questions[q].arguments)
				mu.Lock()
				defer mu.Unlock()
				if i < built && (strings.HasPrefix(refused, "graph_updating") || got["state"] == "graph_updating") {
					updating++
					return
				}
				answered++
				expected := want[i][q].(map[string]any)
				if i < built { // each build is a generation
					expected = maps.Clone(expected)
					for _, v := range []map[string]any{expected, got} {
						delete(v, "generation")
						delete(v, "stamp")
					}
				}
				if refused != "" || !reflect.DeepEqual(lean(got, true), any(expected)) {
					t.Errorf("%s of %s:\n%s%v\nwant\n%v", questions[q].tool, root, refused, lean(got, true), expected)
				}
			})
		}
	}
	calls.Wait()
	close(done)
	builds.Wait()
	t.Logf("%d calls were answered, %d of worktrees that were being built were refused", answered, updating)
	if least := mcpCalls * (worktrees - built); answered < least {
		t.Errorf("%d answers, want %d or more", answered, least)
	}
}

func TestAKilledBuildEndsNothingElse(t *testing.T) {
	f := newField(t, 2)
	f.build(f.roots[0])
	before := f.cli("graph", "status", "--repo-root", f.roots[0])
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.session.CallTool(ctx, &sdk.CallToolParams{Name: "build_graph", Arguments: map[string]any{"repo_root": f.roots[0]}})
	if err == nil {
		t.Error("a cancelled call has an answer")
	}
	f.build(f.roots[1])
	if got, refused := f.tool("graph_status", f.roots[1], nil); refused != "" || got["state"] != "ready" {
		t.Errorf("%s %v", refused, got)
	}
	f.build(f.roots[0])
	if after := f.cli("graph", "status", "--repo-root", f.roots[0]); after["graph_digest"] != before["graph_digest"] {
		t.Errorf("%v, want %v", after, before)
	}
}

// TestASessionRunsNoProgramOfARepository asks everything about a repository that
// names a program wherever git could run one.
func TestASessionRunsNoProgramOfARepository(t *testing.T) {
	h := worktreetest.NewHostile(t, worktreetest.ConfigFile)
	f := &field{t: t, repo: h.Repo, roots: []string{h.Dir}, home: t.TempDir()}
	f.connect()
	before := len(h.Ran())
	f.build(h.Dir)
	for _, q := range questions {
		f.tool(q.tool, h.Dir, q.arguments)
	}
	for _, tool := range []string{"list_worktrees", "find_decisions"} {
		if _, refused := f.tool(tool, h.Dir, nil); refused != "" {
			t.Errorf("%s: %s", tool, refused)
		}
	}
	if _, refused := f.tool("review_changes", h.Dir, map[string]any{"base": "HEAD"}); refused != "" {
		t.Error(refused)
	}
	if _, err := f.session.ListResources(t.Context(), nil); err != nil {
		t.Error(err)
	}
	f.tool("delete_graph", h.Dir, map[string]any{"confirmation": "approved"})
	if ran := h.Ran(); len(ran) != before {
		t.Errorf("these ran: %q", ran)
	}
}

func TestEveryAnswerIsAboutTheWorktreeThatWasNamed(t *testing.T) {
	f := newField(t, 3)
	for _, root := range f.roots[:2] {
		f.build(root)
	}
	list, refused := f.tool("list_worktrees", f.roots[0], nil)
	states := map[string]string{}
	for _, row := range list["worktrees"].([]any) {
		row := row.(map[string]any)
		states[row["root"].(string)] = row["state"].(string)
	}
	want := map[string]string{f.repo.Dir: "graph_not_ready", f.roots[0]: "ready", f.roots[1]: "ready", f.roots[2]: "graph_not_ready"}
	if refused != "" || !maps.Equal(states, want) {
		t.Errorf("%s %v", refused, states)
	}
	ask := func(root string, more map[string]any) string {
		arguments := map[string]any{"name": "Shared"}
		maps.Copy(arguments, more)
		_, refused := f.tool("find_symbol", root, arguments)
		return refused
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(f.roots[0], link); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(f.roots[0], "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{"", ".", "wt0", "/", link, f.roots[0] + "/", f.roots[0] + "/sub", f.roots[0] + "/../wt0", t.TempDir(), filepath.Join(f.repo.Dir, ".git")} {
		if refused := ask(root, nil); !strings.HasPrefix(refused, "unauthorized_root: ") {
			t.Errorf("root %q: %q", root, refused)
		}
	}
	if refused := ask(f.roots[0], map[string]any{"bound": true}); refused != "" {
		t.Errorf("a clean worktree: %s", refused)
	}
	if err := os.WriteFile(filepath.Join(f.roots[0], "a.go"), []byte("package m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if refused := ask(f.roots[0], map[string]any{"bound": true}); !strings.HasPrefix(refused, "stale_graph: dirty: modified: ") {
		t.Errorf("a dirty worktree: %q", refused)
	}
	if refused := ask(f.roots[0], nil); refused != "" {
		t.Errorf("its commit: %s", refused)
	}
	head := string(f.repo.At(f.roots[1]).Rev("HEAD"))
	if refused := ask(f.roots[1], map[string]any{"expect_head": head}); refused != "" {
		t.Errorf("the head that is expected: %s", refused)
	}
	f.repo.At(f.roots[1]).Commit(map[string]string{"new.go": "package m\n"})
	for _, more := range []map[string]any{nil, {"expect_head": head}} {
		if refused := ask(f.roots[1], more); !strings.HasPrefix(refused, "stale_graph: head_moved: ") {
			t.Errorf("after a commit, %v: %q", more, refused)
		}
	}
}

func TestDecisionsAreHeldAgainstTheCode(t *testing.T) {
	f := newField(t, 2)
	root := f.roots[0]
	f.build(root)
	made, refused := f.tool("record_decision", root, map[string]any{"kind": "accepted_risk", "title": "Shared may be slow", "text": "nobody waits", "symbols": []string{"Shared"}})
	if refused != "" {
		t.Fatal(refused)
	}
	state := func(root string) string {
		got, refused := f.tool("find_decisions", root, map[string]any{"symbols": []string{"Shared"}})
		if refused != "" {
			t.Fatal(refused)
		}
		states := ""
		for _, d := range got["decisions"].([]any) {
			states += d.(map[string]any)["state"].(string) + " "
		}
		return states
	}
	if got, _ := f.tool("find_decisions", root, map[string]any{"symbols": []string{"leaf"}}); len(got["decisions"].([]any)) != 0 ||
		!strings.Contains(fmt.Sprint(got["check"]), "confirmed checked_text:0 files of decisions at the merge base and 1 on this machine were read. None cites what was asked for.") {
		t.Errorf("%v", got)
	}
	if got := state(root); got != "applies " || len(made["decisions"].([]any)) != 1 {
		t.Errorf("%q, %v", got, made)
	}
	f.repo.At(root).Commit(map[string]string{"a.go": "package m\n\nfunc Shared() int { return 1 + leaf() }\n\nfunc leaf() int { return 0 }\n"})
	f.build(root)
	if got := state(root); got != "drifted " {
		t.Errorf("after its code changed: %q", got)
	}
	// What a branch brings is not in force: only the default branch decides.
	f.repo.At(root).Commit(map[string]string{".previdence/decisions/mine.md": "---\nid: mine\nkind: dismissed\ntitle: Fine\ncites:\n  - symbol: go:a.go#Shared/function\n---\n"})
	f.build(root)
	if got := state(root); got != "drifted " {
		t.Errorf("with a decision that the branch brings: %q", got)
	}
	f.repo.Commit(map[string]string{".previdence/decisions/ours.md": "---\nid: ours\nkind: dismissed\ntitle: Fine\ncites:\n  - symbol: go:a.go#Gone/function\n    body: '00'\n---\n", ".previdence/decisions/bad.md": "no front matter"})
	f.build(f.repo.Dir)
	got, refused := f.tool("find_decisions", f.repo.Dir, nil)
	if refused != "" || len(got["unread"].([]any)) != 1 || !strings.Contains(fmt.Sprint(got["decisions"]), "source_missing") {
		t.Errorf("%s %v", refused, got)
	}
}

func TestAGraphGoesOnlyWhenItIsApproved(t *testing.T) {
	f := newField(t, 2)
	for _, root := range f.roots {
		f.build(root)
	}
	if _, refused := f.tool("delete_graph", f.roots[0], map[string]any{"confirmation": "yes"}); !strings.HasPrefix(refused, "not_approved: ") {
		t.Errorf("%q", refused)
	}
	if _, refused := f.tool("delete_graph", f.roots[0], map[string]any{"confirmation": "approved"}); !strings.HasPrefix(refused, "not_reviewed: ") {
		t.Errorf("before it was used: %q", refused)
	}
	f.tool("find_symbol", f.roots[0], map[string]any{"name": "Shared"}) // who has used it may end with it
	if got, refused := f.tool("delete_graph", f.roots[0], map[string]any{"confirmation": "approved"}); refused != "" || len(got["removed"].([]any)) != 1 {
		t.Errorf("%s %v", refused, got)
	}
	if _, refused := f.tool("find_symbol", f.roots[0], map[string]any{"name": "Shared"}); !strings.HasPrefix(refused, "graph_not_ready: ") || !strings.HasSuffix(refused, "remedy: call build_graph") {
		t.Errorf("%q", refused)
	}
	if got, refused := f.tool("find_symbol", f.roots[1], map[string]any{"name": "Shared"}); refused != "" || got["repository_root"] != f.roots[1] {
		t.Errorf("the graph of another: %s", refused)
	}
}

func TestAReviewIsTheReportOfTheCommandLine(t *testing.T) {
	f := newField(t, 2)
	root := f.roots[1]
	got, refused := f.tool("review_changes", root, map[string]any{"base": "main", "max_bytes": 40000})
	if refused != "" {
		t.Fatal(refused)
	}
	uri, _ := got["report"].(string)
	read, err := f.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatal(err)
	}
	out, err := f.command("review", "--repo", root, "--base", "main", "--no-worktree", "--format", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	if read.Contents[0].Text != string(out) {
		t.Errorf("the report differs from that of the command line:\n%s\n%s", read.Contents[0].Text, out)
	}
	if _, refused := f.tool("review_changes", root, map[string]any{"base": "main", "expect_head": strings.Repeat("0", 40)}); !strings.HasPrefix(refused, "stale_graph: head_moved: ") {
		t.Errorf("%q", refused)
	}
	f.repo.At(root).Commit(map[string]string{"late.go": "package m\n"})
	if again, _ := f.tool("review_changes", root, map[string]any{"base": "main"}); again["head"] == got["head"] {
		t.Error("after a commit the report is still about the one before")
	}
	if read, err := f.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err != nil || read.Contents[0].Text != string(out) {
		t.Errorf("the report of the old head is gone: %v", err)
	}
}

// A graph that one front door builds is read by the other, and what both say is what
// plain SQL finds in the file once they have ended.
func TestBothFrontDoorsSayWhatSQLFinds(t *testing.T) {
	f := newField(t, 2)
	numbers := func(from map[string]any) map[string]any {
		coverage, _ := from["coverage"].(map[string]any)
		stamp, _ := from["stamp"].(map[string]any)
		return map[string]any{
			"symbols": from["symbols"], "files": coverage["files"], "not parsed": cmp.Or(coverage["not_parsed"], any(0.0)),
			"head": from["head"], "tree": from["tree"], "digest": from["graph_digest"], "root": stamp["repository_root"],
		}
	}
	f.build(f.roots[0])
	f.cli("graph", "build", "--repo-root", f.roots[1])
	said := make([]map[string]any, len(f.roots))
	for i, root := range f.roots {
		got, refused := f.tool("graph_status", root, nil)
		said[i] = numbers(got)
		if byCLI := numbers(f.cli("graph", "status", "--repo-root", root)); refused != "" || !reflect.DeepEqual(said[i], byCLI) {
			t.Errorf("%s: over MCP %v, on the command line %v", refused, said[i], byCLI)
		}
	}
	if err := f.session.Close(); err != nil {
		t.Error(err)
	}
	for i, root := range f.roots {
		folder := f.repo.At(root).Git("rev-parse", "--path-format=absolute", "--git-path", "previdence")
		if found := plainSQL(t, filepath.Join(folder, "graph.db")); !reflect.DeepEqual(said[i], found) {
			t.Errorf("%s: said %v, SQL finds %v", root, said[i], found)
		}
	}
	if reflect.DeepEqual(said[0], said[1]) {
		t.Error("both worktrees have one answer, so nothing is tested")
	}
}

// plainSQL reads the numbers of a graph without the program.
func plainSQL(t *testing.T, file string) map[string]any {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	found := map[string]any{}
	for name, query := range map[string]string{
		"symbols": "SELECT value FROM totals WHERE name = 'symbols'", "files": "SELECT count(*) FROM files",
		"not parsed": "SELECT count(*) FROM files WHERE state <> 'parsed'",
		"head":       "SELECT value FROM stamp WHERE name = 'head'", "tree": "SELECT value FROM stamp WHERE name = 'tree'",
		"digest": "SELECT value FROM stamp WHERE name = 'digest'", "root": "SELECT value FROM stamp WHERE name = 'repository_root'",
	} {
		var value any
		if err := db.QueryRowContext(t.Context(), query).Scan(&value); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if n, ok := value.(int64); ok {
			value = float64(n) // as in JSON
		}
		found[name] = value
	}
	return found
}

// The server has no switch for types: the configuration of each worktree decides, and
// the answers about the one without say so.
func TestMCPSaysThatGoIsWithoutTypes(t *testing.T) {
	f := newField(t, 2)
	with, without := f.roots[0], f.roots[1]
	f.repo.At(without).Commit(map[string]string{".previdence.yml": "types: off\n"})
	for root, want := range map[string]any{with: "", without: "off"} {
		f.build(root)
		for _, tool := range []string{"graph_status", "check_coverage"} {
			got, refused := f.tool(tool, root, nil)
			if refused != "" {
				t.Fatalf("%s: %s", tool, refused)
			}
			if seen := got["coverage"].(map[string]any)["types"]; seen != want {
				t.Errorf("%s of %s: types %v, want %v", tool, filepath.Base(root), seen, want)
			}
		}
		got, _ := f.tool("check_coverage", root, nil)
		if text := fmt.Sprint(got); strings.Contains(text, "go.types_off") != (want == "off") {
			t.Errorf("check_coverage of %s: %s", filepath.Base(root), text)
		}
	}
}
