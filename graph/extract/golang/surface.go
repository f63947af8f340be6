package golang

import (
	"encoding/hex"
	"go/ast"
	"go/token"
)

// surface notes a digest of what other files of the package and its importers
// can depend on: the bytes of all declarations but imports, without function
// bodies. Bytes, not tokens: places inside a declaration are counted from its
// name. A file with gaps counts as a whole.
func (b *builder) surface() {
	parts := []part{{0, int32(len(b.src))}}
	if len(b.facts.Gaps) == 0 {
		parts = b.surfaces()
	}
	if len(parts) > 0 {
		d := b.bytes(parts)
		b.note(NoteSurface, hex.EncodeToString(d[:]))
	}
}

func (b *builder) surfaces() []part {
	var parts []part
	for _, d := range b.file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			continue
		}
		var bodies []part
		ast.Inspect(d, func(n ast.Node) bool {
			if body, ok := n.(*ast.BlockStmt); ok {
				bodies = append(bodies, b.span(body))
				return false
			}
			return true
		})
		parts = append(parts, without(b.span(d), bodies)...)
	}
	return parts
}
