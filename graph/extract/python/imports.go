package python

import (
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// newImport adds an import and, if it has a local name, binds that.
func (r *reader) newImport(i graph.Import, at treesitter.Node) {
	i.From, i.Line = r.at.from, r.lineOf(at)
	i.TypeOnly, i.Guarded = r.at.typeOnly, i.Guarded || r.at.guarded
	r.facts.Imports = append(r.facts.Imports, i)
	if i.Alias == "" {
		return
	}
	b := r.binding(graph.BindImport, r.holderOf(i.Alias), i.Alias, r.startOf(at))
	b.Import = int32(len(r.facts.Imports) - 1)
	r.bind(b)
}

func (r *reader) importStatement(n treesitter.Node) {
	switch r.tree.Kind(n) {
	case "import_statement":
		for _, c := range r.fields(n, "name") {
			r.importModule(c)
		}
	case "import_from_statement":
		r.importFrom(n)
	}
}

func (r *reader) importModule(c treesitter.Node) {
	if r.tree.Kind(c) == "aliased_import" {
		r.newImport(graph.Import{Module: r.compact(r.tree.Field(c, "name")), Alias: r.tree.Text(r.tree.Field(c, "alias"))}, c)
		return
	}
	module := r.compact(c)
	top, _, dotted := strings.Cut(module, ".")
	r.newImport(graph.Import{Module: top, Alias: top}, c)
	if dotted {
		r.newImport(graph.Import{Module: module}, c)
	}
}

// compact is the text of a dotted name without white space and comments.
func (r *reader) compact(n treesitter.Node) string {
	return strings.Join(strings.Fields(r.tree.Text(n)), "")
}

func (r *reader) importFrom(n treesitter.Node) {
	module := r.compact(r.tree.Field(n, "module_name"))
	if r.tree.Child(n, "wildcard_import") != treesitter.None {
		r.newImport(graph.Import{Module: module, Name: "*"}, n)
		return
	}
	for _, c := range r.fields(n, "name") {
		name, alias := c, c
		if r.tree.Kind(c) == "aliased_import" {
			name, alias = r.tree.Field(c, "name"), r.tree.Field(c, "alias")
		}
		r.newImport(graph.Import{Module: module, Name: r.compact(name), Alias: r.compact(alias)}, c)
	}
}

// dynamicImport records import_module("a.b") and __import__("a.b") with a
// literal name. Others are left to the linker, which counts them.
func (r *reader) dynamicImport(call treesitter.Node, callee string) {
	if callee != "import_module" && callee != "__import__" && callee != "importorskip" {
		return
	}
	args := r.children(r.tree.Field(call, "arguments"))
	if len(args) == 0 {
		return
	}
	module, ok := r.plainString(args[0])
	if !ok || module == "" || strings.ContainsAny(module, " \t\n/") {
		return
	}
	r.newImport(graph.Import{Module: module, Dynamic: true, Guarded: true}, call)
}

// noteAll writes __all__ into the notes.
func (r *reader) noteAll() {
	if !r.hasAll {
		return
	}
	r.facts.Notes = map[string]string{NoteAll: strings.Join(r.all, "\n")}
	if r.allDynamic {
		r.facts.Notes[NoteAllDynamic] = "1"
	}
}

// setExported marks what other modules may use by Python's convention: no part
// of the name begins with an underscore, or the module lists it in __all__.
func (r *reader) setExported() {
	listed := make(map[string]bool, len(r.all))
	for _, name := range r.all {
		listed[name] = true
	}
	for i := 1; i < len(r.facts.Symbols); i++ {
		s := &r.facts.Symbols[i]
		public := s.Flags&graph.FlagPrivate == 0 && s.Kind != graph.KindLiteral
		if s.Parent == 0 {
			s.Exported = public || listed[s.Name]
			continue
		}
		p := &r.facts.Symbols[s.Parent]
		inFunction := p.Kind == graph.KindFunction || p.Kind == graph.KindMethod || p.Kind == graph.KindProperty
		s.Exported = public && p.Exported && !inFunction
	}
}
