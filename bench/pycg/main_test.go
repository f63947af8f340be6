package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/previdence/previdence/graph"
)

func TestNamesAreThoseOfTheKeys(t *testing.T) {
	g := &graph.Graph{Symbols: []graph.Symbol{
		{Name: "main", Kind: graph.KindModule, Path: "main.py"},
		{Name: "A", Kind: graph.KindClass, Path: "main.py"},
		{Name: "run", Container: "A", Kind: graph.KindMethod, Path: "main.py"},
		{Name: "inner", Container: "A.run", Kind: graph.KindFunction, Path: "main.py"},
		{Name: "B", Container: "A.run", Kind: graph.KindClass, Path: "main.py"},
		{Name: "f", Kind: graph.KindFunction, Path: "sub/__init__.py"},
	}}
	want := []string{"main", "main", "main.A.run", "main.A.run.inner", "main.A.run", "sub.f"}
	for i, name := range want {
		if got := nameOf(g, int32(i)); got != name {
			t.Errorf("symbol %d is %s, want %s", i, got, name)
		}
	}
}

func TestCallsThatLeaveASnippetAreNotInItsKey(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.py": "", "pkg/mod.py": "",
		"callgraph.json": `{"main": ["main.f", "pkg.mod.g", "<builtin>.len", "outside.h"], "main.f": [], "mainly.f": ["main.f"]}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readKey(filepath.Join(dir, "callgraph.json"))
	if err != nil {
		t.Fatal(err)
	}
	if want := map[call]bool{{"main", "main.f"}: true, {"main", "pkg.mod.g"}: true}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestARowCountsWhatIsLostAndWrong(t *testing.T) {
	r := &row{}
	key := map[call]bool{{"main", "main.f"}: true, {"main", "main.<lambda1>"}: true}
	var differences []string
	r.add(key, map[call]bool{{"main", "main.f"}: true, {"main", "main.g"}: true}, func(how string, c call) { differences = append(differences, how+" "+c.callee) })
	r.add(key, key, nil)
	if *r != (row{snippets: 2, whole: 1, sound: 1, calls: 4, matched: 3, wrong: 1, lambdaLost: 1}) {
		t.Errorf("got %+v", *r)
	}
	if want := []string{"lost main.<lambda1>", "wrong main.g"}; !reflect.DeepEqual(differences, want) {
		t.Errorf("got %v, want %v", differences, want)
	}
}
