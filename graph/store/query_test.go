package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
)

// small is a graph that can be read at a glance: main calls Client.Send, which
// calls dial twice; dialer implements nothing and nobody calls it.
func small() *graph.Graph {
	symbol := func(path, container, name string, kind graph.Kind) graph.Symbol {
		return graph.Symbol{ID: graph.NewSymbolID("go", path, container, name, kind, ""), Name: name, Container: container,
			Kind: kind, Language: "go", Path: path, Line: 1, EndLine: 2, Exported: strings.ToUpper(name[:1]) == name[:1]}
	}
	g := &graph.Graph{
		Symbols: []graph.Symbol{
			symbol("cmd/main.go", "", "main", graph.KindFunction),
			symbol("pay/client.go", "Client", "Send", graph.KindMethod),
			symbol("pay/client.go", "", "dial", graph.KindFunction),
			symbol("pay/mock.go", "Mock", "Send", graph.KindMethod),
			symbol("pay/dialer.go", "", "dialer", graph.KindStruct),
			symbol("pay/dialer.go", "", "SendAllMessages", graph.KindFunction),
		},
		Edges: []graph.Edge{
			{From: 0, To: 1, Kind: graph.EdgeCall, Tier: graph.TierCompiler, Lines: []int32{7}},
			{From: 0, To: 3, Kind: graph.EdgeDispatch, Tier: graph.TierDispatch, Lines: []int32{7}},
			{From: 1, To: 2, Kind: graph.EdgeCall, Tier: graph.TierCompiler, Lines: []int32{12, 19}},
			{From: 1, To: 4, Kind: graph.EdgeReference, Tier: graph.TierCompiler, Lines: []int32{12}},
		},
		Files: []graph.File{
			{Path: "pay", State: graph.FileSymlink}, {Path: "pay/client.go", State: graph.FileParsed, Language: "go"},
			{Path: "pay.go", State: graph.FileParsed}, {Path: "pay0/x.go", State: graph.FileFailed, Reason: "object missing"},
		},
		Counts:  []graph.Counts{{Language: "go", Compiler: 2, Dispatch: 1}},
		Caveats: []graph.Caveat{{ID: "x", Text: "Something.", Count: 1}},
	}
	g.Sort()
	return g
}

const (
	mainID = "go:cmd/main.go#main/function"
	sendID = "go:pay/client.go#Client.Send/method"
	dialID = "go:pay/client.go#dial/function"
	mockID = "go:pay/mock.go#Mock.Send/method"
)

func show(refs []Reference) string {
	var out []string
	for _, r := range refs {
		out = append(out, fmt.Sprintf("%s %s %s %v", r.Symbol.ID, r.Kind, r.Tier, r.Lines))
	}
	return strings.Join(out, "; ")
}

func TestCallersAndCallees(t *testing.T) {
	db := openGraph(t, writeGraph(t, small()))
	for name, test := range map[string]struct {
		ask   func() ([]Reference, error)
		want  string
		error error
	}{
		"callers come with tier and lines": {func() ([]Reference, error) { return db.Callers(t.Context(), dialID) }, sendID + " call compiler [12 19]", nil},
		"dispatch counts as a call":        {func() ([]Reference, error) { return db.Callers(t.Context(), mockID) }, mainID + " dispatch dispatch [7]", nil},
		"nobody calls main":                {func() ([]Reference, error) { return db.Callers(t.Context(), mainID) }, "", nil},
		"callees leave references out":     {func() ([]Reference, error) { return db.Callees(t.Context(), sendID) }, dialID + " call compiler [12 19]", nil},
		"references on demand": {func() ([]Reference, error) { return db.Callees(t.Context(), sendID, graph.EdgeReference) },
			"go:pay/dialer.go#dialer/struct reference compiler [12]", nil},
		"an unknown symbol is an error": {func() ([]Reference, error) { return db.Callers(t.Context(), "go:none#x/function") }, "", ErrNoSymbol},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.ask()
			if !errors.Is(err, test.error) || show(got) != test.want {
				t.Errorf("got %q, %v; want %q, %v", show(got), err, test.want, test.error)
			}
		})
	}
}

func TestLookup(t *testing.T) {
	db := openGraph(t, writeGraph(t, small()))
	for text, want := range map[string][]string{
		sendID:                      {sendID},
		"Send":                      {sendID, mockID},
		"Client.Send":               {sendID},
		"pay.Client.Send":           {sendID},
		"pay/client.go#Client.Send": {sendID},
		"pay/mock.go#Send":          {mockID},
		"client.dial":               {dialID},
		"pay.client.dial":           {dialID},
		"main":                      {mainID},
		"send":                      nil,
		"ent.Send":                  nil,
		"other.Client.Send":         nil,
		"pay/client.go#main":        nil,
		"":                          nil,
	} {
		found, err := db.Lookup(t.Context(), text)
		var got []string
		for _, s := range found {
			got = append(got, string(s.ID))
		}
		if !slices.Equal(got, want) || (want == nil) != errors.Is(err, ErrNoSymbol) {
			t.Errorf("Lookup(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestEverySymbolIsFoundByItsID(t *testing.T) {
	g := synthetic(333, 0)
	db := openGraph(t, writeGraph(t, g))
	for _, want := range g.Symbols {
		got, err := db.Symbol(t.Context(), want.ID)
		if err != nil || got.ID != want.ID || got.Signature != want.Signature {
			t.Fatalf("Symbol(%s) = %v, %v", want.ID, got.ID, err)
		}
	}
}

func TestNamesMayHoldAnyBytes(t *testing.T) {
	g := &graph.Graph{}
	for _, name := range []string{"a\x00b", "a", "\xff\xfe", "new\nline", "'; DROP TABLE symbols; --", "\x00"} {
		g.Symbols = append(g.Symbols, graph.Symbol{ID: graph.SymbolID("x:" + name), Name: name, Kind: graph.KindTest, Path: name})
		g.Files = append(g.Files, graph.File{Path: name, State: graph.FileParsed, Reason: name})
	}
	g.Sort()
	db := openGraph(t, writeGraph(t, g))
	if _, err := db.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range g.Symbols {
		s, err := db.Symbol(t.Context(), want.ID)
		found, lookup := db.Lookup(t.Context(), want.Name)
		if err != nil || s.Name != want.Name || lookup != nil || len(found) != 1 || found[0].ID != want.ID {
			t.Errorf("%q: got %q, %v; lookup gives %v, %v", want.Name, s.Name, err, found, lookup)
		}
		if c, err := db.Coverage(t.Context(), want.Path); err != nil || len(c.Files) != 1 || c.Files[0].Reason != want.Path {
			t.Errorf("coverage of %q is %v, %v", want.Path, c.Files, err)
		}
	}
}

func TestSearch(t *testing.T) {
	db := openGraph(t, writeGraph(t, small()))
	for _, test := range []struct {
		name, query string
		limit       int
		want        []string
		more        bool
	}{
		{"exact names before prefixes", "Send", 9, []string{"Mock.Send", "Client.Send", "SendAllMessages"}, false},
		{"case is forgiven", "send", 9, []string{"Mock.Send", "Client.Send", "SendAllMessages"}, false},
		{"the limit is said aloud", "Send", 2, []string{"Mock.Send", "Client.Send"}, true},
		{"exactly the limit is complete", "Send", 3, []string{"Mock.Send", "Client.Send", "SendAllMessages"}, false},
		{"containers narrow", "Mock.Send", 1, []string{"Mock.Send"}, true},
		{"a word inside a name", "messages", 9, []string{"SendAllMessages"}, false},
		{"all words in any order", "all send", 9, []string{"SendAllMessages"}, false},
		{"the whole name in one piece", "sendallmessages", 9, []string{"SendAllMessages"}, false},
		{"exact before longer", "dial", 9, []string{"dial", "dialer"}, false},
		{"operators are only words", `"Send" OR NOT (*`, 9, nil, false},
		{"nothing asked", "  ", 9, nil, false},
		{"no letters", "%_*", 9, nil, false},
		{"unknown", "zebra", 9, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, more, err := db.Search(t.Context(), test.query, test.limit)
			var got []string
			for _, s := range found {
				got = append(got, s.Qualified())
			}
			if err != nil || !slices.Equal(got, test.want) || more != test.more {
				t.Errorf("got %q, %v, %v; want %q, %v", got, more, err, test.want, test.more)
			}
		})
	}
}

func TestPath(t *testing.T) {
	g := small()
	db := openGraph(t, writeGraph(t, g))
	steps, err := db.Path(t.Context(), mainID, dialID)
	if err != nil || len(steps) != 2 || steps[0].To.ID != sendID || steps[1].From.ID != sendID || steps[1].To.ID != dialID ||
		!slices.Equal(steps[1].Lines, []int32{12, 19}) {
		t.Errorf("main to dial: %+v, %v", steps, err)
	}
	if steps, err := db.Path(t.Context(), dialID, mainID); !errors.Is(err, ErrNoPath) {
		t.Errorf("dial to main: %v, %v; want no path", steps, err)
	}
	if steps, err := db.Path(t.Context(), mainID, mainID); err != nil || steps != nil {
		t.Errorf("main to itself: %v, %v", steps, err)
	}
	if _, err := db.Path(t.Context(), mainID, "go:pay/dialer.go#dialer/struct"); !errors.Is(err, ErrNoPath) {
		t.Errorf("a reference is no call: %v", err)
	}
}

// TestPathIsShortest compares with a plain search of the graph in memory.
func TestPathIsShortest(t *testing.T) {
	g := synthetic(300, 700)
	db := openGraph(t, writeGraph(t, g))
	for to := int32(0); to < 300; to += 7 {
		want := distance(g, 5, to)
		steps, err := db.Path(t.Context(), g.Symbols[5].ID, g.Symbols[to].ID)
		if want < 0 {
			if !errors.Is(err, ErrNoPath) {
				t.Errorf("5 to %d: %v, want no path", to, err)
			}
			continue
		}
		if err != nil || len(steps) != want {
			t.Errorf("5 to %d: %d steps, %v; want %d", to, len(steps), err, want)
		}
	}
}

func distance(g *graph.Graph, from, to int32) int {
	dist := map[int32]int{from: 0}
	for queue := []int32{from}; len(queue) > 0; queue = queue[1:] {
		for _, e := range g.Out(queue[0]) {
			if _, ok := dist[e.To]; !ok && (e.Kind == graph.EdgeCall || e.Kind == graph.EdgeDispatch) {
				dist[e.To] = dist[queue[0]] + 1
				queue = append(queue, e.To)
			}
		}
	}
	if d, ok := dist[to]; ok {
		return d
	}
	return -1
}

func TestCoverage(t *testing.T) {
	db := openGraph(t, writeGraph(t, small()))
	for name, test := range map[string]struct{ paths, want []string }{
		"everything":                     {nil, []string{"pay", "pay.go", "pay/client.go", "pay0/x.go"}},
		"a folder without its namesakes": {[]string{"pay/"}, []string{"pay", "pay/client.go"}},
		"one file":                       {[]string{"pay0/x.go"}, []string{"pay0/x.go"}},
		"each once":                      {[]string{"pay0", "pay0/x.go"}, []string{"pay0/x.go"}},
		"unknown":                        {[]string{"nowhere"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := db.Coverage(t.Context(), test.paths...)
			var got []string
			for _, f := range c.Files {
				got = append(got, f.Path)
			}
			if err != nil || !slices.Equal(got, test.want) || len(c.Counts) != 1 || len(c.Caveats) != 1 {
				t.Errorf("got %q, %+v, %v; want %q", got, c.Counts, err, test.want)
			}
		})
	}
}
