package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/review/report"
)

func TestToolsSayWhatAgentsNeed(t *testing.T) {
	all := tools()
	if len(all) > 12 {
		t.Errorf("%d tools; clients drop what is too many", len(all))
	}
	list, err := connect(t, searching(1), 0).session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != len(all) {
		t.Fatal(err, len(list.Tools))
	}
	for _, tool := range list.Tools {
		text, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(tool.Description); n >= 1000 || !strings.HasPrefix(tool.Description, "Use this ") {
			t.Errorf("%s: its description has %d characters and begins %.20q", tool.Name, n, tool.Description)
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if !strings.Contains(string(text), hint) {
				t.Errorf("%s does not say %s", tool.Name, hint)
			}
		}
		if strings.Contains(string(text), `"null"`) {
			t.Errorf("%s: a type may be null, which some clients cannot read: %s", tool.Name, text)
		}
		if len(tool.Name) > 30 {
			t.Errorf("%s is too long for some clients", tool.Name)
		}
		required := tool.InputSchema.(map[string]any)["required"].([]any)
		if !slices.Contains(required, any("repo_root")) {
			t.Errorf("%s does without repo_root", tool.Name)
		}
		if tool.OutputSchema == nil {
			t.Errorf("%s does not say what it answers", tool.Name)
		}
	}
	if n := strings.Index(instructions, "\n\n"); n > 512 {
		t.Errorf("the first part of the instructions has %d characters", n)
	}
}

func TestPagesTogetherAreTheWholeList(t *testing.T) {
	c := connect(t, searching(90), 0)
	arguments := map[string]any{"repo_root": "/w/a", "name": "F", "max_bytes": 3000}
	var names []string
	for pages := 1; ; pages++ {
		r := c.call("find_symbol", arguments)
		if len(r.text) > 3000 {
			t.Errorf("a page has %d bytes", len(r.text))
		}
		for _, s := range r.list("symbols") {
			names = append(names, s.(map[string]any)["name"].(string))
		}
		next, more := r.fields["next_cursor"]
		if r.fields["truncated"] != more || int(r.fields["omitted"].(float64)) != 90-len(names) {
			t.Errorf("page %d: truncated %v, omitted %v after %d", pages, r.fields["truncated"], r.fields["omitted"], len(names))
		}
		if !more {
			break
		}
		arguments["cursor"] = next
	}
	if len(names) != 90 || !slices.IsSorted(names) || len(slices.Compact(names)) != 90 {
		t.Errorf("%d names: %q", len(names), names)
	}
}

func TestCursorsAreBound(t *testing.T) {
	e := searching(90)
	c := connect(t, e, 0)
	first := map[string]any{"repo_root": "/w/a", "name": "F", "max_bytes": 3000}
	next := c.call("find_symbol", first).fields["next_cursor"].(string)
	with := func(change map[string]any) map[string]any {
		a := maps.Clone(first)
		a["cursor"] = next
		maps.Copy(a, change)
		return a
	}
	for name, a := range map[string]map[string]any{
		"changed":      with(map[string]any{"cursor": next[:20] + string(next[20]^1) + next[21:]}),
		"cut":          with(map[string]any{"cursor": next[:20]}),
		"not one":      with(map[string]any{"cursor": "page 2"}),
		"another name": with(map[string]any{"name": "G"}),
	} {
		if r := c.call("find_symbol", a); !r.failed || !strings.HasPrefix(r.text, "INVALID_CURSOR: ") {
			t.Errorf("%s: %s", name, r.text)
		}
	}
	if r := c.call("find_symbol", with(map[string]any{"repo_root": "/w/b"})); !r.failed {
		t.Errorf("it serves another worktree: %s", r.text)
	}
	if r := c.call("graph_status", with(nil)); !r.failed || !strings.HasPrefix(r.text, "INVALID_CURSOR: ") {
		t.Errorf("another tool: %s", r.text)
	}
	if r := connect(t, searching(90), 0).call("find_symbol", with(nil)); !r.failed {
		t.Errorf("another process: %s", r.text)
	}
	if r := c.call("find_symbol", with(map[string]any{"max_bytes": 5000})); r.failed {
		t.Errorf("another size of the page: %s", r.text)
	}
	e.mu.Lock()
	e.generation = 2
	e.mu.Unlock()
	if r := c.call("find_symbol", with(nil)); !r.failed || !strings.HasPrefix(r.text, "STALE_CURSOR: ") || !strings.Contains(r.text, "generation 2") {
		t.Errorf("another generation: %s", r.text)
	}
	for _, none := range []string{"", " ", "0", "start"} {
		if r := c.call("find_symbol", with(map[string]any{"cursor": none})); r.failed || r.list("symbols")[0].(map[string]any)["name"] != "F000" {
			t.Errorf("cursor %q: %s", none, r.text)
		}
	}
}

func TestResultsObeyTheirSize(t *testing.T) {
	e := searching(0)
	e.search = func(context.Context, string, string) ([]answer.Symbol, error) {
		s := symbols(200)
		for i := range s {
			s[i].Signature = strings.Repeat(`"`, 5000)
		}
		return s, nil
	}
	c := connect(t, e, 0)
	if r := c.call("find_symbol", map[string]any{"repo_root": "/w/a", "name": "F"}); len(r.text) > defaultBytes || len(r.list("symbols")) < 3 {
		t.Errorf("%d bytes, %d symbols", len(r.text), len(r.list("symbols")))
	}
	r := c.call("find_symbol", map[string]any{"repo_root": "/w/a", "name": "F", "max_bytes": mostBytes})
	if text, _ := json.Marshal(r.text); len(text) > mostBytes+len(r.text)/10 || escapedLen([]byte(r.text)) > mostBytes {
		t.Errorf("as a JSON string it has %d bytes", len(text))
	}
	for _, n := range []int{1, -1, mostBytes + 1} {
		if r := c.call("find_symbol", map[string]any{"repo_root": "/w/a", "name": "F", "max_bytes": n}); !r.failed {
			t.Errorf("max_bytes %d: %s", n, r.text)
		}
	}
}

func TestSourceIsReadInPages(t *testing.T) {
	e := searching(0)
	var whole strings.Builder
	for i := range 400 {
		fmt.Fprintf(&whole, "line %d of \"this\" file\n", i+1)
	}
	e.text = whole.String()
	c := connect(t, e, 0)
	arguments := map[string]any{"repo_root": "/w/a", "path": "a.go"}
	got := ""
	for {
		r := c.call("read_source", arguments)
		if want := strings.Count(got, "\n") + 1; int(r.fields["from_line"].(float64)) != want {
			t.Errorf("from_line is %v, want %d", r.fields["from_line"], want)
		}
		got += r.fields["text"].(string)
		if r.fields["next_cursor"] == nil {
			break
		}
		arguments["cursor"] = r.fields["next_cursor"]
	}
	if got != e.text {
		t.Errorf("the pages are not the file: %d of %d bytes", len(got), len(e.text))
	}
}

func TestWhatCannotBeSeenIsSpelledOut(t *testing.T) {
	e := searching(0)
	hidden := "a\u202eb\x1b[2Jc\U000E0041d\u200be\xfff\u2028g\ufe0fh"
	e.text = hidden + "\n\tkept"
	e.search = func(context.Context, string, string) ([]answer.Symbol, error) {
		return []answer.Symbol{{ID: hidden, Name: "F"}}, nil
	}
	c := connect(t, e, 0)
	for _, r := range []result{c.call("read_source", map[string]any{"repo_root": "/w/a", "path": "x"}), c.call("find_symbol", map[string]any{"repo_root": "/w/a", "name": hidden})} {
		text, _ := json.Marshal(r.fields)
		var all any
		json.Unmarshal(text, &all)
		if s := fmt.Sprint(all); strings.ContainsAny(s, "\u202e\x1b\U000E0041\u200b\u2028\ufe0f") || !strings.Contains(s, `a\u202eb\x1b[2Jc\U000e0041d\u200be\xFFf\u2028g\ufe0fh`) {
			t.Errorf("%q", s)
		}
		if r.fields["untrusted"] != true {
			t.Error("it is not marked as data")
		}
	}
	if r := c.call("read_source", map[string]any{"repo_root": "/w/a", "path": "x"}); !strings.HasSuffix(r.fields["text"].(string), "\n\tkept") {
		t.Errorf("%q", r.fields["text"])
	}
}

func TestArguments(t *testing.T) {
	c := connect(t, searching(1), 0)
	for name, a := range map[string]struct {
		arguments map[string]any
		want      string // in the refusal; "" for an answer
	}{
		"no root":            {map[string]any{"name": "F"}, "repo_root is missing"},
		"no name":            {map[string]any{"repo_root": "/w/a"}, "name is missing"},
		"another type":       {map[string]any{"repo_root": "/w/a", "name": 7}, "name is a JSON number, want string"},
		"not a worktree":     {map[string]any{"repo_root": "/etc", "name": "F"}, "unauthorized_root: it is no worktree; remedy: name one"},
		"too long":           {map[string]any{"repo_root": "/w/a", "name": strings.Repeat("F", longArgument)}, "name has 65538 bytes; at most 65536 are taken"},
		"null is absent":     {map[string]any{"repo_root": "/w/a", "name": "F", "cursor": nil}, ""},
		"one more is a note": {map[string]any{"repo_root": "/w/a", "name": "F", "explanation": "because"}, ""},
	} {
		r := c.call("find_symbol", a.arguments)
		if r.failed != (a.want != "") || !strings.Contains(r.text, a.want) || r.failed && strings.Contains(r.text, "\n") {
			t.Errorf("%s: %s", name, r.text)
		}
		if _, given := a.arguments["explanation"]; given && fmt.Sprint(r.fields["ignored_arguments"]) != "[explanation]" {
			t.Errorf("%s: %v", name, r.fields["ignored_arguments"])
		}
	}
	if r := c.call("delete_graph", map[string]any{"repo_root": "/w/a", "confirmation": "approved", "force": true}); !r.failed || !strings.Contains(r.text, "takes exactly repo_root and confirmation") {
		t.Errorf("%s", r.text)
	}
}

func TestANameThatIsNotClearSaysWhatToDo(t *testing.T) {
	e := searching(0)
	c := connect(t, e, 0)
	for name, u := range map[string]struct {
		found int
		want  string
	}{
		"several": {2, "the name means 2 symbols; call again with the id of one"},
		"none":    {0, "no symbol has this name; read check, then call find_symbol"},
	} {
		e.record = func() error {
			return &Ambiguous{answer.Candidates{Query: "F", Candidates: make([]answer.Symbol, u.found)}}
		}
		r := c.call("record_decision", map[string]any{"repo_root": "/w/a", "kind": "decision", "title": "T", "symbols": []string{"F"}})
		if r.failed || r.fields["hint"] != "nothing was written: "+u.want || len(r.list("candidates")) != u.found {
			t.Errorf("%s: %s", name, r.text)
		}
	}
}

func TestResultsConformToTheirSchema(t *testing.T) {
	e := searching(3)
	e.text = "a\n"
	e.report = aReport()
	c := connect(t, e, 0)
	list, err := c.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, arguments := range map[string]map[string]any{
		"find_symbol":    {"name": "F"},
		"read_source":    {"path": "a.go"},
		"graph_status":   {},
		"review_changes": {},
		"blast_radius":   {},
	} {
		arguments["repo_root"] = "/w/a"
		r := c.call(name, arguments)
		if r.failed {
			t.Errorf("%s: %s", name, r.text)
			continue
		}
		i := slices.IndexFunc(list.Tools, func(t *sdk.Tool) bool { return t.Name == name })
		text, _ := json.Marshal(list.Tools[i].OutputSchema)
		s := &jsonschema.Schema{}
		if err := json.Unmarshal(text, s); err != nil {
			t.Fatal(err)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(r.fields); err != nil {
			t.Errorf("%s: %v\n%s", name, err, r.text)
		}
	}
}

// aReport is a report with something in every list that a brief shows.
func aReport() *report.Report {
	r := &report.Report{Schema: report.Schema}
	r.Subject = report.Subject{Head: report.Revision{Ref: "HEAD", Commit: testHead}, Base: report.Revision{Ref: "main", Commit: "base"}, MergeBase: "base"}
	r.Verdict.Outcome = report.Incomplete
	r.Sections = []report.Section{{Name: "breaks", State: report.Partial, Reason: "why"}, {Name: "impact", State: report.Partial, Reason: "why"}}
	for i := range 20 {
		b := report.Break{Symbol: fmt.Sprintf("go:a.go#B%d/function", i), Name: "B", Change: report.Removed, Total: 9, Check: report.Check{Checked: report.NotConfirmed, CheckedText: "text"}}
		b.References = make([]report.Reference, 9)
		r.Breaks = append(r.Breaks, b)
		r.Impact.Symbols = append(r.Impact.Symbols, report.SymbolImpact{Symbol: fmt.Sprintf("go:a.go#S%d/function", i), Change: report.Body, Total: 2, Omitted: 1,
			Dependents: []report.Dependent{{Symbol: "go:b.go#C/function", Name: "C", Distance: 2}, {Symbol: "go:b.go#D/function", Name: "D", Distance: 1}}})
		r.Tests.Gaps = append(r.Tests.Gaps, report.Gap{Symbol: fmt.Sprintf("go:a.go#S%d/function", i), State: "unknown"})
	}
	r.API.Removed, r.Tests.ToRun = []string{"go:a.go#B0/function"}, []report.Test{{Name: "TestA"}}
	return r
}

func TestABriefBeginsWithWhatWeighsMost(t *testing.T) {
	e := searching(0)
	e.report = aReport()
	c := connect(t, e, 0)
	r := c.call("review_changes", map[string]any{"repo_root": "/w/a", "max_bytes": 30000})
	var sections []string
	for _, row := range r.list("evidence") {
		sections = append(sections, row.(map[string]any)["section"].(string))
	}
	first := slices.Compact(slices.Clone(sections[:min(len(sections), 19)]))
	if fmt.Sprint(first) != "[breaks impact gaps api tests]" {
		t.Errorf("%v", sections)
	}
	// A later page says what it is about and goes on.
	page := c.call("review_changes", map[string]any{"repo_root": "/w/a", "max_bytes": 4096})
	page = c.call("review_changes", map[string]any{"repo_root": "/w/a", "max_bytes": 4096, "cursor": page.fields["next_cursor"]})
	if page.failed || page.fields["head"] != testHead || page.fields["coverage"] == nil || page.fields["sections"] != nil || len(page.list("evidence")) == 0 {
		t.Errorf("%s", page.text)
	}
	// A command is shown whole or not at all.
	long := strings.Repeat("x", commandBytes-1)
	e.report.Tests.Commands = []string{long, "go", "y"}
	if r := c.call("review_changes", map[string]any{"repo_root": "/w/c"}); fmt.Sprint(r.list("commands")) != fmt.Sprintf("[%s y]", long) || r.fields["commands_omitted"] != 1.0 {
		t.Errorf("%s", r.text)
	}
	// Nothing found is said; what is not counted has no number.
	e.report.Breaks, e.report.Sections = nil, append(e.report.Sections, report.Section{Name: "overlap", State: report.Complete})
	if r := c.call("review_changes", map[string]any{"repo_root": "/w/b"}); !strings.Contains(r.text, `{"name":"breaks","state":"partial","reason":"why","total":0}`) ||
		!strings.Contains(r.text, `{"name":"overlap","state":"complete"}`) {
		t.Errorf("%s", r.text)
	}
	if got := r.list("evidence")[0].(map[string]any); len(got["references"].([]any)) != 5 || got["total"] != 9.0 {
		t.Errorf("a list in an entry is not cut, or does not say so: %v", got)
	}
	only := c.call("review_changes", map[string]any{"repo_root": "/w/a", "section": "gaps", "max_bytes": 30000})
	if n := len(only.list("evidence")); n != 20 {
		t.Errorf("%d gaps", n)
	}
	for _, wrong := range []map[string]any{{"section": "risk"}, {"expect_head": "HEAD"}} {
		wrong["repo_root"] = "/w/a"
		if r := c.call("review_changes", wrong); !r.failed || !strings.HasPrefix(r.text, "bad_arguments: ") {
			t.Errorf("%s", r.text)
		}
	}
	if r := c.call("review_changes", map[string]any{"repo_root": "/w/a", "expect_head": strings.Repeat("f", 40)}); !strings.HasPrefix(r.text, "stale_graph: head_moved: ") {
		t.Errorf("%s", r.text)
	}
	radius := c.call("blast_radius", map[string]any{"repo_root": "/w/a", "max_bytes": 40000})
	if rows := radius.list("dependents"); len(rows) != 40 || rows[0].(map[string]any)["distance"] != 1.0 || radius.fields["omitted"] != 20.0 || radius.fields["truncated"] != true {
		t.Errorf("%s", radius.text)
	}
	if n := len(radius.list("changes")); n != mostChanges {
		t.Errorf("%d changes", n)
	}
}

func TestCoverageBeginsWithWhatWasAskedFor(t *testing.T) {
	e := searching(0)
	e.coverage = answer.Coverage{
		Files: []answer.File{
			{Path: "d/a.go", State: "parsed"}, {Path: "d/b.txt", State: "unsupported"}, {Path: "d/c.go", State: "partial"}, {Path: "z.go", State: "parsed"},
		},
		Caveats: []answer.Caveat{{ID: "c", Examples: []string{"1", "2", "3"}}},
	}
	r := connect(t, e, 0).call("check_coverage", map[string]any{"repo_root": "/w/a", "paths": []string{"z.go", "no.go"}, "scopes": []string{"d"}})
	var paths []string
	for _, f := range r.list("files") {
		paths = append(paths, f.(map[string]any)["path"].(string))
	}
	if fmt.Sprint(paths, r.fields["unknown"]) != "[z.go d/b.txt d/c.go d/a.go] [no.go]" || !strings.Contains(r.text, `"examples":["1","2"]}`) {
		t.Errorf("%s", r.text)
	}
}

func TestWhatIsBeyondALimitIsSaid(t *testing.T) {
	e := searching(3)
	e.more = true
	if r := connect(t, e, 0).call("find_symbol", map[string]any{"repo_root": "/w/a", "name": "F"}); r.fields["truncated"] != true || r.fields["omitted"] != 0.0 || r.fields["next_cursor"] != nil {
		t.Errorf("%s", r.text)
	}
}

func TestASlowWorktreeDelaysNoOther(t *testing.T) {
	e := searching(0)
	stuck := make(chan struct{})
	e.search = func(ctx context.Context, root, _ string) ([]answer.Symbol, error) {
		if root == "/w/slow" {
			select {
			case <-stuck:
			case <-ctx.Done():
			}
		}
		return symbols(1), ctx.Err()
	}
	c := connect(t, e, 0)
	var slow sync.WaitGroup
	for range 40 {
		slow.Go(func() {
			if r, err := c.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "find_symbol", Arguments: map[string]any{"repo_root": "/w/slow", "name": "F"}}); err != nil || r.IsError {
				t.Error(err)
			}
		})
	}
	for range 20 { // each of these would hang if the forty held all places
		if r := c.call("find_symbol", map[string]any{"repo_root": "/w/fast", "name": "F"}); r.failed || r.fields["repository_root"] != "/w/fast" {
			t.Errorf("%s", r.text)
		}
	}
	close(stuck)
	slow.Wait()
}

func TestACallThatPanicsEndsAlone(t *testing.T) {
	e := searching(0)
	e.search = func(context.Context, string, string) ([]answer.Symbol, error) { panic("secret") }
	c := connect(t, e, 0)
	if r := c.call("find_symbol", map[string]any{"repo_root": "/w/a", "name": "F"}); !r.failed || strings.Contains(r.text, "secret") {
		t.Errorf("%s", r.text)
	}
	if r := c.call("graph_status", map[string]any{"repo_root": "/w/a"}); r.failed {
		t.Errorf("%s", r.text)
	}
	e.build = func(context.Context, Progress) (answer.Status, error) { panic("secret") }
	if r := c.call("build_graph", map[string]any{"repo_root": "/w/a"}); !r.failed || strings.Contains(r.text, "secret") {
		t.Errorf("%s", r.text)
	}
}

// Calls that are given up while they open a worktree take no other call with them.
func TestWhoWaitsForAWorktreeOutlivesWhoOpensIt(t *testing.T) {
	const root = "/w/a"
	r := newRouter(searching(0))
	opening, _ := r.take(root)
	done := make(chan error)
	go func() { done <- r.with(t.Context(), root, func(*route) error { return nil }) }()
	for range 3 {
		for waits := false; !waits; runtime.Gosched() {
			r.mu.Lock()
			waits = opening.inUse == 2
			r.mu.Unlock()
		}
		given := opening
		r.leave(root, given, true)
		opening, _ = r.take(root) // another call comes first
		given.err = context.Canceled
		close(given.ready)
	}
	r.leave(root, opening, true)
	opening.err = context.Canceled
	close(opening.ready)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAPanicWhileAWorktreeIsOpenedEndsOneCall(t *testing.T) {
	e := searching(1)
	tries := 0
	e.open = func(context.Context) error {
		if tries++; tries == 1 {
			panic("secret")
		}
		return nil
	}
	c := connect(t, e, 0)
	arguments := map[string]any{"repo_root": "/w/a", "name": "F"}
	if r := c.call("find_symbol", arguments); !r.failed || strings.Contains(r.text, "secret") {
		t.Errorf("%s", r.text)
	}
	if r := c.call("find_symbol", arguments); r.failed {
		t.Errorf("%s", r.text)
	}
}

func TestTheLeastRecentlyUsedWorktreesAreForgotten(t *testing.T) {
	e := searching(1)
	c := connect(t, e, 0)
	ask := func(i int) {
		c.call("find_symbol", map[string]any{"repo_root": fmt.Sprintf("/w/%d", i), "name": "F"})
	}
	for i := range openRoots {
		ask(i)
	}
	ask(0)
	ask(openRoots) // one too many: 1 was used least recently
	ask(0)
	ask(1)
	if e.opened["/w/0"] != 1 || e.opened["/w/1"] != 2 {
		t.Errorf("opened %d and %d times", e.opened["/w/0"], e.opened["/w/1"])
	}
	e.mu.Lock()
	e.gone = true
	e.mu.Unlock()
	if ask(1); e.opened["/w/1"] != 3 {
		t.Errorf("a folder that was replaced is opened %d times", e.opened["/w/1"])
	}
}

func TestABuildOutlivesItsCall(t *testing.T) {
	e := searching(0)
	end, builds := make(chan struct{}), 0
	e.build = func(ctx context.Context, told Progress) (answer.Status, error) {
		builds++
		told("extract", 1, 2)
		told("link", 0, 0)
		select {
		case <-end:
			return answer.Status{State: answer.Ready, Symbols: 7}, nil
		case <-ctx.Done():
			return answer.Status{}, context.Cause(ctx)
		}
	}
	c := connect(t, e, 50*time.Millisecond)
	root := map[string]any{"repo_root": "/w/a"}
	started := c.call("build_graph", root)
	job, _ := started.fields["job"].(string)
	if started.fields["state"] != "running" || job == "" {
		t.Fatalf("%s", started.text)
	}
	if r := c.call("find_symbol", map[string]any{"repo_root": "/w/b", "name": "F"}); r.failed && !strings.Contains(r.text, "mistake") {
		t.Errorf("another worktree waits: %s", r.text)
	}
	close(end)
	ended := c.call("build_graph", map[string]any{"repo_root": "/w/a", "job": job})
	if ended.fields["state"] != "ready" || ended.fields["symbols"] != 7.0 || builds != 1 {
		t.Errorf("%s after %d builds", ended.text, builds)
	}
	if r := c.call("build_graph", map[string]any{"repo_root": "/w/a", "job": job}); !r.failed || !strings.HasPrefix(r.text, "unknown_job: ") {
		t.Errorf("a job that is told: %s", r.text)
	}
}

func TestProgressIncreasesAndCancellingEndsTheWork(t *testing.T) {
	e := searching(0)
	stopped := make(chan struct{})
	started := make(chan struct{}, 1)
	e.build = func(ctx context.Context, told Progress) (answer.Status, error) {
		for _, phase := range []string{"list", "extract", "link"} {
			told(phase, 1, 2)
		}
		started <- struct{}{}
		<-ctx.Done()
		close(stopped)
		return answer.Status{}, context.Cause(ctx)
	}
	c := connect(t, e, 0)
	ctx, cancel := context.WithCancel(t.Context())
	params := &sdk.CallToolParams{Name: "build_graph", Arguments: map[string]any{"repo_root": "/w/a"}}
	params.SetProgressToken("p")
	failed := make(chan error, 1)
	go func() {
		_, err := c.session.CallTool(ctx, params)
		failed <- err
	}()
	<-started
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-stopped // hangs if the work goes on with nobody to wait for it
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.IsSorted(c.progress) || len(slices.Compact(slices.Clone(c.progress))) != len(c.progress) {
		t.Errorf("%v", c.progress)
	}
}

func TestWhatIsListedIsServedAndNothingElse(t *testing.T) {
	e := searching(0)
	e.text, e.report = "# Title\n", aReport()
	e.documents = []Item{{"README.md", 8}, {"docs/é ü%.md", 8}, {"huge.md", mostListed + 1}}
	e.kept = []Item{{testHead, 100}}
	c := connect(t, e, 0)
	check := func() (uris []string) {
		list, err := c.session.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.Resources {
			uris = append(uris, r.URI)
			read, err := c.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: r.URI})
			if err != nil || len(read.Contents) != 1 || read.Contents[0].Text == "" || read.Contents[0].MIMEType != r.MIMEType {
				t.Errorf("%s is listed: %v, %+v", r.URI, err, read)
				continue
			}
			if r.MIMEType == jsonText && !json.Valid([]byte(read.Contents[0].Text)) {
				t.Errorf("%s is no JSON: %s", r.URI, read.Contents[0].Text)
			}
			if strings.ContainsFunc(r.URI, func(c rune) bool { return c <= ' ' || c > '~' }) {
				t.Errorf("%q is not ASCII", r.URI)
			}
		}
		return uris
	}
	if before := check(); len(before) != 2+1+len(parts) {
		t.Errorf("%q", before)
	}
	e.documents = []Item{{"new.md", 8}}
	after := check()
	if !strings.HasSuffix(after[len(after)-1], "/new.md") {
		t.Errorf("%q", after)
	}
	base := "previdence://doc/" + rootID("/w/a") + "/"
	for _, uri := range []string{base + "README.md", base + "huge.md", base + "../new.md", base, "previdence://doc/x/new.md",
		"previdence://report/" + rootID("/w/a") + "/" + strings.Repeat("9", 40), "file:///etc/passwd"} {
		if _, err := c.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s is served and not listed", uri)
		}
	}
}

func TestLongListsOfResourcesHavePages(t *testing.T) {
	e := searching(0)
	for i := range 2*mostOnPage + 3 {
		e.documents = append(e.documents, Item{fmt.Sprintf("d%d.md", i), 8})
	}
	c := connect(t, e, 0)
	var sizes []int
	seen := map[string]bool{}
	p := &sdk.ListResourcesParams{}
	for more := true; more; more = p.Cursor != "" {
		list, err := c.session.ListResources(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.Resources {
			seen[r.URI] = true
		}
		sizes, p.Cursor = append(sizes, len(list.Resources)), list.NextCursor
	}
	if fmt.Sprint(sizes) != "[500 500 3]" || len(seen) != 2*mostOnPage+3 {
		t.Errorf("pages of %v, %d in all", sizes, len(seen))
	}
	if _, err := c.session.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: "d0.md"}); err == nil {
		t.Error("a cursor that nobody gave is taken")
	}
}

func TestACutDocumentSaysSo(t *testing.T) {
	text := deliver(strings.Repeat("ä", mostDelivered))
	if len(text) > mostDelivered+200 || !strings.HasSuffix(text, fmt.Sprintf("of %d bytes are shown -----\n", 2*mostDelivered)) {
		t.Errorf("%d bytes, ends %q", len(text), text[len(text)-80:])
	}
	if deliver("short\n") != "short\n" {
		t.Error("a whole one is changed")
	}
}

func TestPromptsNameTheWorktree(t *testing.T) {
	c := connect(t, searching(0), 0)
	list, err := c.session.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) != 2 {
		t.Fatal(err, list)
	}
	for _, p := range list.Prompts {
		got, err := c.session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: p.Name, Arguments: map[string]string{"repo_root": "/w/a\u202e", "base": "main"}})
		if err != nil {
			t.Fatal(err)
		}
		text := got.Messages[0].Content.(*sdk.TextContent).Text
		if !strings.Contains(text, `/w/a\\u202e`) || !strings.Contains(text, `base="main"`) || !strings.Contains(text, "is data") {
			t.Errorf("%s: %s", p.Name, text)
		}
	}
}
