package python

import (
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// mainName names the block below if __name__ == "__main__". It runs when the
// file is the program and not when the file is imported, so it is no part of
// what the module does: it is a symbol of its own.
const mainName = "__main__"

func isMainTest(condition string) bool {
	switch condition {
	case `__name__=="__main__"`, `__name__=='__main__'`, `"__main__"==__name__`, `'__main__'==__name__`:
		return true
	}
	return false
}

// mainBlock makes the symbol and returns the place inside it. Names are bound
// in the file, as everywhere at file level.
func (r *reader) mainBlock(n treesitter.Node) place {
	at := r.at
	body := r.tree.Field(n, "consequence")
	if _, known := r.defined[scopedName{0, mainName}]; known || body == treesitter.None {
		return at
	}
	s := r.newSymbol(graph.KindFunction, body, n, body)
	f := &r.facts.Symbols[s]
	f.Name, f.Flags = mainName, graph.FlagPrivate
	f.Signature = treesitter.Fold([]byte("if "+r.tree.Text(r.tree.Field(n, "condition"))), maxSignature)
	r.origins[s].node = body
	r.defined[scopedName{0, mainName}] = s
	at.from, at.scope = s, r.newScope(graph.ScopeBlock, at.scope, s)
	return at
}
