// Package ecmascript extracts facts from TypeScript, TSX and JavaScript (with
// JSX) by means of tree-sitter.
//
// Input is the bytes of one file; output is [graph.Facts]: definitions, scopes,
// bindings, a small model of expressions and types, references, imports and
// exports. It resolves nothing that lies outside the file, reads no other file
// and runs nothing. What does not parse is listed as a gap.
//
// Conventions that the linker of the same name relies on:
//
//   - A parameter that is a pattern is bound as "#0", "#1", … by its position;
//     the parts of the pattern are bound to members and elements of that name.
//   - A.b = … binds the name "A.b" where A is bound.
//   - A parameter of a function without symbol has the function's Expr as its
//     Value if it has no default; that Expr has the returned Exprs as Args.
//   - A type parameter is a parameter with neither Symbol nor Param; its Type is
//     the constraint.
//   - Fields, accessors and members of interfaces and object types are bound in
//     their class's scope, with their declared type and initial value.
//   - The Args of object literals and object types are ExprKeyword and
//     ExprSpread; Symbol is set where a member is a definition, and on an object
//     type whose members are those of an alias.
//   - ExprThis and ExprSuper have the class in Symbol and Name "static" where
//     they mean the class itself; Base is the object that "this" is, if that is
//     known otherwise.
//   - A BindNarrow has what is known of its name from its byte on as Value; without
//     one nothing that its scope said before holds any longer. A type predicate is
//     an ExprAs with the parameter as its Name.
//   - A function that is cast before a variable holds it has an ExprAs as the
//     variable's Value.
//   - A rest parameter of a function type is an ExprSpread; "this" is none.
//   - A call of a function literal on the spot has the literal's definition in
//     Symbol; what the literal does belongs to the definition around it.
//   - The Args of a JSX element are the functions handed to it, as ExprKeyword with
//     the name of the attribute.
//   - The export "=" is what module.exports was set to.
//   - A nameless BindImport in a namespace's scope is the module that
//     declare module "x" adds to.
package ecmascript

import (
	"context"
	"errors"

	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// version changes whenever the facts of unchanged bytes would change.
const version = 12

// An Extractor reads TypeScript, TSX and JavaScript.
type Extractor struct {
	grammars map[string]*treesitter.Language
}

// New returns an extractor. It is safe for concurrent use.
func New() *Extractor {
	return &Extractor{grammars: map[string]*treesitter.Language{
		"typescript": treesitter.NewLanguage(typescript.LanguageTypescript()),
		"tsx":        treesitter.NewLanguage(typescript.LanguageTSX()),
		"javascript": treesitter.NewLanguage(javascript.Language()),
	}}
}

// Languages lists "typescript", "tsx" and "javascript".
func (x *Extractor) Languages() []string { return []string{"javascript", "tsx", "typescript"} }

// Version is the version of the facts.
func (x *Extractor) Version() uint32 { return version }

// ErrLanguage means that the extractor was asked for a language it does not read.
var ErrLanguage = errors.New("language not read by this extractor")

// Extract returns the facts of src. A file that the parser gives up on has its
// module as the only symbol and one gap over all its lines.
func (x *Extractor) Extract(ctx context.Context, language string, src []byte) (extract.Result, error) {
	grammar, ok := x.grammars[language]
	if !ok {
		return extract.Result{}, ErrLanguage
	}
	tree, err := parse(ctx, grammar, language, src)
	if errors.Is(err, treesitter.ErrBudget) {
		return extract.Result{Facts: unread(language, src)}, nil
	}
	if err != nil {
		return extract.Result{}, err
	}
	b := newBuilder(tree, language)
	b.file()
	b.finish()
	return extract.Result{Facts: b.f}, nil
}

// unread is the facts of a file that was not parsed.
func unread(language string, src []byte) *graph.Facts {
	lines := int32(1)
	for _, c := range src {
		if c == '\n' {
			lines++
		}
	}
	return &graph.Facts{
		Language: language, Version: version, Lines: lines,
		Symbols: []graph.SymbolFact{{
			Kind: graph.KindModule, Parent: graph.None, End: int32(len(src)), Line: 1, EndLine: lines,
			Result: graph.None, Scope: 0,
		}},
		Scopes: []graph.Scope{{Kind: graph.ScopeFile, Parent: graph.None}},
		Gaps:   []graph.Span{{Start: 1, End: int(lines)}},
	}
}
