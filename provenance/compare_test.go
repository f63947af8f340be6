package provenance

import (
	"testing"

	"github.com/previdence/previdence/graph/store"
)

func TestFreshnessNamesWhatChanged(t *testing.T) {
	now := store.Stamp{RepositoryRoot: "/r", RootID: "1:2", CommonDir: "/r/.git", Head: "h1", Tree: "t1", Engine: "e1", Config: "c1"}
	tests := map[string]struct {
		change func(*store.Stamp)
		want   string
	}{
		"the same is fresh":               {func(*store.Stamp) {}, ""},
		"a digest does not make it stale": {func(s *store.Stamp) { s.Digest, s.Generation, s.ToolVersion = "d", 7, "v2" }, ""},
		"another root":                    {func(s *store.Stamp) { s.RepositoryRoot = "/x" }, "stale_graph: root"},
		"another folder there":            {func(s *store.Stamp) { s.RootID = "1:3" }, "stale_graph: root"},
		"another repository":              {func(s *store.Stamp) { s.CommonDir = "/x/.git" }, "stale_graph: root"},
		"another head":                    {func(s *store.Stamp) { s.Head = "h0" }, "stale_graph: head_moved"},
		"another head and tree":           {func(s *store.Stamp) { s.Head, s.Tree = "h0", "t0" }, "stale_graph: head_moved"},
		"another engine":                  {func(s *store.Stamp) { s.Engine = "e0" }, "stale_graph: engine_changed"},
		"another configuration":           {func(s *store.Stamp) { s.Config = "c0" }, "stale_graph: config_changed"},
		"other dependencies":              {func(s *store.Stamp) { s.Outside = "o0" }, "stale_graph: config_changed"},
		"a tree that is not that of HEAD": {func(s *store.Stamp) { s.Tree = "t0" }, "graph_tampered"},
		"root before everything else":     {func(s *store.Stamp) { *s = store.Stamp{} }, "stale_graph: root"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			stamp, got := now, ""
			tt.change(&stamp)
			if r := compare(stamp, now); r != nil {
				got = r.Name()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
