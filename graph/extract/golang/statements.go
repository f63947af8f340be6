package golang

import (
	"go/ast"
	"go/token"

	"github.com/previdence/previdence/graph"
)

func (r *referrer) block(b *ast.BlockStmt) {
	if b == nil {
		return
	}
	defer r.close(r.open())
	r.statements(b.List)
}

func (r *referrer) statements(list []ast.Stmt) {
	for _, s := range list {
		r.statement(s)
	}
}

// statement reads one statement. What it declares holds until the scope around it
// ends.
func (r *referrer) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		r.expr(s.X)
	case *ast.AssignStmt:
		r.assign(s)
	case *ast.BlockStmt:
		r.block(s)
	case *ast.IfStmt:
		r.ifStatement(s)
	case *ast.ReturnStmt:
		for _, x := range s.Results {
			r.expr(x)
		}
	case *ast.ForStmt:
		defer r.close(r.open())
		r.statement(s.Init)
		r.expr(s.Cond)
		r.statement(s.Post)
		r.block(s.Body)
	case *ast.RangeStmt:
		r.rangeStatement(s)
	case *ast.SwitchStmt:
		defer r.close(r.open())
		r.statement(s.Init)
		r.expr(s.Tag)
		r.block(s.Body)
	case *ast.TypeSwitchStmt:
		r.typeSwitch(s)
	case *ast.SelectStmt:
		r.block(s.Body)
	case *ast.CaseClause:
		defer r.close(r.open())
		for _, x := range s.List {
			r.expr(x)
		}
		r.statements(s.Body)
	case *ast.CommClause:
		defer r.close(r.open())
		r.statement(s.Comm)
		r.statements(s.Body)
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok {
			r.localDeclaration(d)
		}
	case *ast.GoStmt:
		r.expr(s.Call)
	case *ast.DeferStmt:
		r.expr(s.Call)
	case *ast.IncDecStmt:
		r.expr(s.X)
	case *ast.SendStmt:
		r.expr(s.Chan)
		r.expr(s.Value)
	case *ast.LabeledStmt:
		r.statement(s.Stmt)
	}
}

func (r *referrer) ifStatement(s *ast.IfStmt) {
	defer r.close(r.open())
	r.statement(s.Init)
	r.expr(s.Cond)
	r.block(s.Body)
	r.statement(s.Else)
}

// assign reads an assignment; names on the left of := are declared once the right
// side is read.
func (r *referrer) assign(s *ast.AssignStmt) {
	if s.Tok != token.DEFINE {
		for _, x := range s.Rhs {
			r.expr(x)
		}
		for _, x := range s.Lhs {
			r.expr(x)
		}
		return
	}
	var few [4]int32
	values := few[:0]
	for _, x := range s.Rhs {
		values = append(values, r.expr(x))
	}
	for i, x := range s.Lhs {
		id, ok := x.(*ast.Ident)
		if !ok {
			r.expr(x) // not Go, but the parser lets it through
			continue
		}
		value := graph.None
		switch {
		case len(values) == len(s.Lhs):
			value = values[i]
		case len(values) == 1:
			value = r.part(values[0], i)
		}
		r.declare(id.Name, value)
	}
}

func (r *referrer) rangeStatement(s *ast.RangeStmt) {
	defer r.close(r.open())
	over := r.expr(s.X)
	for i, x := range []ast.Expr{s.Key, s.Value} {
		id, ok := x.(*ast.Ident)
		if s.Tok != token.DEFINE || !ok {
			r.expr(x)
			continue
		}
		value := graph.None
		if over != graph.None {
			value = r.put(graph.ExprElement, [...]string{"0", ""}[i], over)
		}
		r.declare(id.Name, value)
	}
	r.block(s.Body)
}

// typeSwitch gives the name that it declares another type in each clause.
func (r *referrer) typeSwitch(s *ast.TypeSwitchStmt) {
	defer r.close(r.open())
	r.statement(s.Init)
	name, value := "", graph.None
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		if id, ok := a.Lhs[0].(*ast.Ident); ok {
			name = id.Name
		}
		if len(a.Rhs) == 1 {
			value = r.expr(a.Rhs[0])
		}
	default:
		r.statement(s.Assign)
	}
	if s.Body == nil {
		return
	}
	for _, c := range s.Body.List {
		if c, ok := c.(*ast.CaseClause); ok {
			r.typeClause(c, name, value)
		}
	}
}

func (r *referrer) typeClause(c *ast.CaseClause, name string, value int32) {
	defer r.close(r.open())
	for _, x := range c.List {
		if t := r.expr(x); len(c.List) == 1 {
			value = t
		}
	}
	if name != "" {
		r.declare(name, value)
	}
	r.statements(c.Body)
}

// localDeclaration reads constants, variables and types of a function. A type of a
// function is no symbol, so neither are its members.
func (r *referrer) localDeclaration(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			r.localValues(spec)
		case *ast.TypeSpec:
			r.declare(spec.Name.Name, r.put(graph.ExprObjectType, "", graph.None))
			mark := r.open()
			r.typeParams(spec.TypeParams)
			made := r.expr(spec.Type)
			r.close(mark)
			if spec.Assign.IsValid() {
				r.declare(spec.Name.Name, made)
			}
		}
	}
}

func (r *referrer) localValues(spec *ast.ValueSpec) {
	kept := r.kept(spec.Names)
	if spec.Type != nil {
		t := r.expr(spec.Type)
		for i := range kept {
			kept[i] = t
		}
	}
	for i, x := range spec.Values {
		value := r.expr(x)
		if spec.Type == nil {
			r.assignTo(kept, i, value, len(spec.Values))
		}
	}
	for i, name := range spec.Names {
		r.declare(name.Name, kept[i])
	}
}
