//go:build ignore

// Outline_gen writes outline.txt: what the standard library declares, without
// bodies, unexported fields and comments, as Go source that the type checker reads.
//
//	GOOS=linux GOARCH=amd64 go run outline_gen.go >outline.txt
//
// Input is the source of the distribution that runs it. What exported
// declarations of importable packages name comes along, from wherever it is.
package main

import (
	"bufio"
	"fmt"
	"go/build"
	"go/constant"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"log"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	build.Default.CgoEnabled = false
	o := &outline{packages: map[*types.Package]*declared{}}
	imp := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for _, path := range importable(filepath.Join(build.Default.GOROOT, "src")) {
		pkg, err := imp.Import(path)
		if err != nil {
			log.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			if obj := pkg.Scope().Lookup(name); obj.Exported() {
				o.add(obj)
			}
		}
	}
	for len(o.work) > 0 {
		obj := o.work[0]
		o.work = o.work[1:]
		o.declare(obj)
	}
	w := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(w, "%s\n", runtime.Version())
	o.write(w)
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
}

// importable lists the packages that programs import: all but package syscall.
func importable(src string) []string {
	var list []string
	err := filepath.WalkDir(src, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || dir == src {
			return err
		}
		path := filepath.ToSlash(strings.TrimPrefix(dir, src+string(filepath.Separator)))
		if strings.HasPrefix(entry.Name(), "_") || slices.Contains([]string{"builtin", "cmd", "internal", "syscall", "testdata", "unsafe", "vendor"}, entry.Name()) {
			return filepath.SkipDir
		}
		if pkg, err := build.ImportDir(dir, 0); err == nil && pkg.Name != "main" {
			list = append(list, path)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	return list
}

// An outline collects declarations until all that they name is declared.
type outline struct {
	packages map[*types.Package]*declared
	work     []types.Object
}

// A declared package holds its declarations by name.
type declared struct {
	objects map[types.Object][]string
	imports map[string]string // name by path
}

func (o *outline) add(obj types.Object) {
	pkg := obj.Pkg()
	if pkg == nil || pkg == types.Unsafe || pkg.Scope().Lookup(obj.Name()) != obj {
		return
	}
	d := o.packages[pkg]
	if d == nil {
		d = &declared{objects: map[types.Object][]string{}, imports: map[string]string{}}
		o.packages[pkg] = d
	}
	if _, ok := d.objects[obj]; !ok {
		d.objects[obj] = nil
		o.work = append(o.work, obj)
	}
}

func (o *outline) declare(obj types.Object) {
	d := o.packages[obj.Pkg()]
	p := &printer{o: o, d: d, pkg: obj.Pkg()}
	switch obj := obj.(type) {
	case *types.Const:
		p.line("const %s %s = %s", obj.Name(), p.constType(obj.Type()), value(obj.Val()))
	case *types.Var:
		p.line("var %s %s", obj.Name(), p.typ(obj.Type()))
	case *types.Func:
		p.line("func %s%s", obj.Name(), p.signature(obj.Signature()))
	case *types.TypeName:
		p.typeName(obj)
	}
	d.objects[obj] = p.lines
}

// A printer writes one declaration.
type printer struct {
	o     *outline
	d     *declared
	pkg   *types.Package
	lines []string
}

func (p *printer) line(format string, args ...any) {
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

// qualify names a package by its whole path: two may share their last element.
func (p *printer) qualify(pkg *types.Package) string {
	if pkg == p.pkg {
		return ""
	}
	name := "_" + strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(pkg.Path())
	if pkg == types.Unsafe {
		name = "unsafe"
	}
	p.d.imports[pkg.Path()] = name
	return name
}

func (p *printer) typ(t types.Type) string {
	p.o.follow(t, map[types.Type]bool{})
	return types.TypeString(t, p.qualify)
}

func (p *printer) signature(s *types.Signature) string {
	p.o.follow(s, map[types.Type]bool{})
	var b strings.Builder
	text := types.TypeString(s, p.qualify)
	b.WriteString(strings.TrimPrefix(text, "func"))
	return b.String()
}

func (p *printer) constType(t types.Type) string {
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		return ""
	}
	return p.typ(t)
}

// value writes a constant so that a fraction does not become a whole number.
func value(v constant.Value) string {
	if v.Kind() != constant.Float {
		return v.ExactString()
	}
	over, under, ok := strings.Cut(v.ExactString(), "/")
	if !ok {
		return over + ".0"
	}
	return over + ".0/" + under + ".0"
}

func (p *printer) typeName(tn *types.TypeName) {
	if a, ok := tn.Type().(*types.Alias); ok {
		p.line("type %s%s = %s", tn.Name(), p.params(a.TypeParams()), p.typ(a.Rhs()))
		return
	}
	n, ok := tn.Type().(*types.Named)
	if !ok {
		p.line("type %s = %s", tn.Name(), p.typ(tn.Type()))
		return
	}
	p.line("type %s%s %s", tn.Name(), p.params(n.TypeParams()), p.typ(visible(n.Underlying())))
	sealed := sealedBy(p.pkg)
	for m := range n.Methods() {
		if !m.Exported() && !sealed[m.Name()] {
			continue
		}
		recv := tn.Name()
		if list := n.TypeParams(); list.Len() > 0 {
			var names []string
			for t := range m.Signature().RecvTypeParams().TypeParams() {
				names = append(names, t.Obj().Name())
			}
			recv += "[" + strings.Join(names, ", ") + "]"
		}
		if _, ok := m.Signature().Recv().Type().(*types.Pointer); ok {
			recv = "*" + recv
		}
		p.line("func (%s) %s%s", recv, m.Name(), p.signature(m.Signature()))
	}
}

func (p *printer) params(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	var out []string
	for t := range list.TypeParams() {
		out = append(out, t.Obj().Name()+" "+p.typ(t.Constraint()))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// visible leaves out the fields that other packages neither name nor inherit from.
func visible(t types.Type) types.Type {
	st, ok := t.(*types.Struct)
	if !ok {
		return t
	}
	var fields []*types.Var
	for f := range st.Fields() {
		if f.Exported() || f.Embedded() {
			fields = append(fields, f)
		}
	}
	return types.NewStruct(fields, nil)
}

// sealedBy names the unexported methods that exported interfaces ask for.
func sealedBy(pkg *types.Package) map[string]bool {
	names := map[string]bool{}
	for _, name := range pkg.Scope().Names() {
		iface, ok := pkg.Scope().Lookup(name).Type().Underlying().(*types.Interface)
		if !ok || !token.IsExported(name) {
			continue
		}
		for m := range iface.Methods() {
			if !m.Exported() {
				names[m.Name()] = true
			}
		}
	}
	return names
}

// follow adds the types that a type names.
func (o *outline) follow(t types.Type, seen map[types.Type]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		o.add(t.Obj())
		o.followList(t.TypeArgs(), seen)
	case *types.Named:
		o.add(t.Obj())
		o.followList(t.TypeArgs(), seen)
	case *types.Pointer:
		o.follow(t.Elem(), seen)
	case *types.Slice:
		o.follow(t.Elem(), seen)
	case *types.Array:
		o.follow(t.Elem(), seen)
	case *types.Chan:
		o.follow(t.Elem(), seen)
	case *types.Map:
		o.follow(t.Key(), seen)
		o.follow(t.Elem(), seen)
	case *types.Struct:
		for f := range t.Fields() {
			o.follow(f.Type(), seen)
		}
	case *types.Tuple:
		for v := range t.Variables() {
			o.follow(v.Type(), seen)
		}
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			o.follow(p.Constraint(), seen)
		}
		o.follow(t.Params(), seen)
		o.follow(t.Results(), seen)
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			o.follow(m.Type(), seen)
		}
		for e := range t.EmbeddedTypes() {
			o.follow(e, seen)
		}
	case *types.Union:
		for term := range t.Terms() {
			o.follow(term.Type(), seen)
		}
	}
}

func (o *outline) followList(list *types.TypeList, seen map[types.Type]bool) {
	for t := range list.Types() {
		o.follow(t, seen)
	}
}

func (o *outline) write(w io.Writer) {
	list := slices.SortedFunc(maps.Keys(o.packages), func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
	for _, pkg := range list {
		d := o.packages[pkg]
		fmt.Fprintf(w, "-- %s --\npackage %s\n", pkg.Path(), pkg.Name())
		for _, path := range slices.Sorted(maps.Keys(d.imports)) {
			fmt.Fprintf(w, "import %s %q\n", d.imports[path], strings.TrimPrefix(path, "vendor/"))
		}
		objects := slices.SortedFunc(maps.Keys(d.objects), func(a, b types.Object) int { return strings.Compare(a.Name(), b.Name()) })
		for _, obj := range objects {
			fmt.Fprintln(w, strings.Join(d.objects[obj], "\n"))
		}
	}
}
