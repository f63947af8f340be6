package index

import (
	"testing"

	"github.com/previdence/previdence/graph"
)

// Facts are kept until the last file is linked, so they must not keep the room that
// their lists grew into.
func TestFactsKeepNoEmptyRoom(t *testing.T) {
	m := &graph.Facts{Exprs: make([]graph.Expr, 0, 1300), Refs: make([]graph.Ref, 0, 2000)}
	for i := range int32(1000) {
		m.Exprs = append(m.Exprs, graph.Expr{Kind: graph.ExprName, Line: i})
		m.Refs = append(m.Refs, graph.Ref{Line: i})
	}
	full := make([]graph.Scope, 64)
	m.Scopes = full
	trim(m)
	if cap(m.Exprs) != 1000 || cap(m.Refs) != 1000 {
		t.Errorf("room for %d expressions and %d references, have 1000 of each", cap(m.Exprs), cap(m.Refs))
	}
	for i, e := range m.Exprs {
		if e.Line != int32(i) || m.Refs[i].Line != int32(i) {
			t.Fatalf("item %d became %+v and %+v", i, e, m.Refs[i])
		}
	}
	if &m.Scopes[0] != &full[0] {
		t.Error("a list without room was copied")
	}
}
