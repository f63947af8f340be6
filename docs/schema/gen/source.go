package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"
	"github.com/previdence/previdence/review/report"
)

// A source is what the types themselves cannot tell: their comments, and the
// constants of the named strings.
type source struct {
	comments map[string]string // by "Type" or "Type.Field"
	values   map[string][]any  // by type, in the order of the source
}

// read parses the files of review/report.
func read(root string) (*source, error) {
	s := &source{comments: map[string]string{}, values: map[string][]any{}}
	dir := filepath.Join(root, "review", "report")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the source of the report: %w", err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("read the source of the report: %w", err)
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				s.declaration(g)
			}
		}
	}
	return s, nil
}

func (s *source) declaration(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.comments[spec.Name.Name] = text(g.Doc)
			if t, ok := spec.Type.(*ast.StructType); ok {
				s.fields(spec.Name.Name, t)
			}
		case *ast.ValueSpec:
			s.constant(spec)
		}
	}
}

func (s *source) fields(name string, t *ast.StructType) {
	for _, f := range t.Fields.List {
		comment := text(f.Doc)
		if comment == "" {
			comment = text(f.Comment)
		}
		for _, n := range f.Names {
			s.comments[name+"."+n.Name] = comment
		}
	}
}

// constant keeps the value of a constant that has a named type.
func (s *source) constant(v *ast.ValueSpec) {
	t, ok := v.Type.(*ast.Ident)
	if !ok || len(v.Values) != 1 {
		return
	}
	if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if value, err := strconv.Unquote(lit.Value); err == nil {
			s.values[t.Name] = append(s.values[t.Name], value)
		}
	}
}

// text is a comment on one line, without the [brackets] of doc links.
func text(c *ast.CommentGroup) string {
	return strings.NewReplacer("[", "", "]", "").Replace(strings.Join(strings.Fields(c.Text()), " "))
}

func (s *source) comment(t reflect.Type, field string) string {
	if field == "" {
		return s.comments[t.Name()]
	}
	return s.comments[t.Name()+"."+field]
}

// enum maps a named string of the report to the list of its constants.
func (s *source) enum(t reflect.Type) *jsonschema.Schema {
	values := s.values[t.Name()]
	if t.PkgPath() != reflect.TypeFor[report.Report]().PkgPath() || len(values) == 0 {
		return nil
	}
	return &jsonschema.Schema{Type: "string", Enum: values, Description: s.comments[t.Name()]}
}
