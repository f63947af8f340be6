package graph

import "strconv"

// None is the index that points nowhere in the arrays of [Facts].
const None int32 = -1

// Facts is everything that one blob says by itself. It holds no path, so the
// same bytes give the same facts wherever they lie, and a cache can keep them
// by (blob, language, extractor version).
//
// The parts refer to one another by index. Symbols[0] is the file itself
// (KindModule) in source languages. Scopes, Bindings and Exprs are a small
// model of the syntax for languages resolved by our own rules; Go leaves them
// empty, because its linker type-checks the syntax tree. Only facts that are made for
// linking it without types hold Exprs and Refs.
type Facts struct {
	Language  string // "go", "python", "typescript", "tsx", "javascript", "markdown", …
	Version   uint32 // version of the extractor that made them
	Package   string // Go: the package clause; empty elsewhere
	Generated bool   // the file says that it is generated
	Lines     int32
	Symbols   []SymbolFact
	Scopes    []Scope // Scopes[0] is the file
	Bindings  []Binding
	Exprs     []Expr
	Refs      []Ref
	Imports   []Import
	Exports   []Export
	Gaps      []Span            // lines that the parser could not understand
	Notes     map[string]string // language-specific facts with fixed keys: "go.build" → constraint, "python.all" → names
}

// A TestRule says what makes a symbol a test.
type TestRule uint8

// The test rules.
const (
	TestNo     TestRule = iota // not a test
	TestAlways                 // its own syntax says so: it imports the framework and uses it
	TestByPath                 // a test if the file's path obeys the framework's rule
)

// A SymbolFact is a definition as one blob writes it.
type SymbolFact struct {
	Name          string
	Kind          Kind
	Parent        int32  // the symbol that contains it by the language's rules; Symbols[0] or None at file level. A Go method has its receiver type's name in Container instead
	Container     string // set only where the container is not a symbol of this blob (Go receivers)
	Start, End    int32  // bytes, decorators and doc comment included
	NameAt        int32  // byte where the name stands
	Line, EndLine int32  // the declaration's own line and its last
	Exported      bool
	Test          TestRule
	Framework     string // test framework if Test is not TestNo
	Discriminator string // tells overloads apart; empty if there are none
	Signature     string // as written, white space folded, without the body
	Params        []Param
	ResultText    string  // declared result type as written, white space folded
	Result        int32   // Expr of the declared result type, or None
	Returns       []int32 // Exprs that the body returns; a generator's yields are not in it
	Bases         []int32 // Exprs of base classes and interfaces
	Decorators    []int32 // Exprs
	Scope         int32   // the scope that the definition opens, or None
	Flags         SymbolFlags
	Digests       Digests
}

// SymbolFlags are yes-or-no properties of a definition.
type SymbolFlags uint16

// The flags.
const (
	FlagStatic    SymbolFlags = 1 << iota // static method or class variable
	FlagClass                             // class method (Python)
	FlagAbstract                          // declared without a body
	FlagAsync                             // async function
	FlagGenerator                         // yields
	FlagGetter                            // accessor that reads
	FlagSetter                            // accessor that writes
	FlagDefault                           // default export
	FlagOverload                          // a signature without body beside the implementation
	FlagTypeOnly                          // exists for the type checker only
	FlagPrivate                           // private by the language's rule
)

// A ParamKind says how an argument reaches a parameter.
type ParamKind uint8

// The parameter kinds.
const (
	ParamPositional ParamKind = iota
	ParamNamed                // by keyword only
	ParamVariadic             // takes the remaining positional arguments
	ParamNamedRest            // takes the remaining keyword arguments
	ParamReceiver             // self, cls, this, a Go receiver
)

// A Param is one parameter of a definition.
type Param struct {
	Name     string
	Kind     ParamKind
	Optional bool   // has a default or may be left out
	TypeText string // declared type as written, white space folded; empty if there is none
	Type     int32  // Expr of the declared type, or None; meaningless outside the facts it stands in
}

// A ScopeKind says by which rules names are looked up.
type ScopeKind uint8

// The scope kinds. The zero value is invalid.
const (
	ScopeFile ScopeKind = iota + 1
	ScopeFunction
	ScopeClass // its names are not visible inside its methods by bare name
	ScopeBlock
	ScopeNamespace // a TypeScript namespace or module block
)

// A Scope is a region in which names are bound.
type Scope struct {
	Kind   ScopeKind
	Parent int32 // None for the file
	Symbol int32 // the definition whose body this is; for blocks the nearest one
}

// A BindingKind says what bound a name.
type BindingKind uint8

// The binding kinds. The zero value is invalid.
const (
	BindDefinition BindingKind = iota + 1 // Symbol is set
	BindParameter                         // Type or Value (default) may be set
	BindVariable                          // assigned; Value is what it was assigned
	BindImport                            // Import is set
	BindGlobal                            // Python: global name
	BindNonlocal                          // Python: nonlocal name
	BindAttribute                         // self.x = value, this.x = value; Scope is the class's scope
	BindNarrow                            // inside Scope the name has type Type (isinstance, typeof, in)
	BindAgain                             // Python: behind Value, what bound the name in Scope before At is gone
)

// A Binding gives a name its meaning in a scope. One name may be bound several
// times; all of them count, since the flow between them is not followed, but for
// those that a BindAgain takes away.
type Binding struct {
	Scope  int32
	Name   string
	Kind   BindingKind
	At     int32 // byte where the name is bound
	Symbol int32 // definition, or None. For a parameter: the function it belongs to
	Param  int32 // for BindParameter the position in Symbol's Params; else None
	Import int32 // index into Imports, or None
	Type   int32 // Expr of the declared type, or None
	Value  int32 // Expr of the value, or None
}

// An ExprKind says what an expression does.
type ExprKind uint8

// The expression kinds. The zero value is invalid. Expressions that tell
// nothing about calls or types are ExprOther or left out altogether.
const (
	ExprOther        ExprKind = iota + 1 // anything else; Args are its operands worth knowing
	ExprName                             // Name, looked up in Scope
	ExprMember                           // Base.Name
	ExprCall                             // Base(Args…)
	ExprNew                              // new Base(Args…)
	ExprIndex                            // Base[Args[0]]; in types: generic Base with Args
	ExprElement                          // what iterating Base yields
	ExprEnter                            // what entering the context manager Base gives
	ExprAwait                            // await Base
	ExprThis                             // this, self is an ordinary name in Python
	ExprSuper                            // super, super()
	ExprString                           // a string; Name is its value if short and literal
	ExprNumber                           // a number
	ExprBool                             // true or false
	ExprNull                             // null, None, undefined, nil
	ExprList                             // list or array of Args
	ExprTuple                            // tuple of Args
	ExprDict                             // mapping; Args are the values
	ExprSet                              // set of Args
	ExprObject                           // object literal; Symbol is its scope's owner if it has members that are symbols
	ExprFunction                         // function, lambda or arrow; Symbol is set
	ExprClass                            // class expression; Symbol is set
	ExprUnion                            // one of Args: a union type, a ? b : c, a || b
	ExprIntersection                     // all of Args
	ExprFunctionType                     // a function type: Args are parameter types, Base is the result
	ExprObjectType                       // an object type; Symbol is set if its members are symbols
	ExprTypeOf                           // typeof Base, type(Base), type[Base]
	ExprRequire                          // require(Name), import(Name): Import is in Symbol
	ExprJSX                              // <Base …/>
	ExprKeyword                          // Name=Base in an argument list
	ExprSpread                           // *Base, …Base in an argument list
	ExprAs                               // Base as Args[0]: cast; the type wins
	ExprBinary                           // Args[0] op Args[1]; Name is the operator
	ExprTemplate                         // Base`…`: a tagged template
	ExprTypeName                         // Name, looked up in Scope among types (TypeScript keeps types and values apart)
)

// An Expr is one expression or type, in the flat pool of its file.
type Expr struct {
	Name   string
	Args   []int32
	Base   int32 // or None
	Symbol int32 // or None
	Scope  int32 // the scope it stands in
	Start  int32 // byte
	End    int32
	Line   int32 // line of Start; of the name for ExprMember
	Kind   ExprKind
}

// A Ref is a use that becomes an edge if its target is found.
type Ref struct {
	Kind EdgeKind
	Expr int32  // what is referred to: the callee of a call, the base of an inheritance; None if Name says it all
	Name string // last identifier, for search in the text
	From int32  // innermost symbol that contains it
	Line int32
	Args int32 // for a call the Expr of the whole call, or None
}

// An Import is one name, or one module, taken from elsewhere.
type Import struct {
	Module   string // as written: "./x", "..a.b", "github.com/o/r/pkg"
	Name     string // imported name; "" for the module itself, "*" for everything
	Alias    string // local name; "" if none is bound
	From     int32  // symbol that contains the statement
	Line     int32
	TypeOnly bool
	Dynamic  bool // import(), importlib, require inside a function
	Guarded  bool // inside try/except ImportError or a condition: may be absent
}

// An Export is one name that a module offers.
type Export struct {
	Name   string // "default" for the default export, "*" for everything of Import
	Local  string // local name exported; "" if Import or Expr says it
	Import int32  // re-exported from this import, or None
	Expr   int32  // exported expression (export default f(), module.exports = …), or None
	Line   int32
}

// Containers returns the dotted names of the symbols around symbol i.
func (f *Facts) Containers(i int32) string {
	s := &f.Symbols[i]
	if s.Container != "" {
		return s.Container
	}
	p := s.Parent
	if p == None || p == i || f.Symbols[p].Kind == KindModule {
		return ""
	}
	outer := f.Containers(p)
	if outer == "" {
		return f.Symbols[p].Name
	}
	return outer + "." + f.Symbols[p].Name
}

// IDs returns the ID of every symbol of a file that lies at path. Names that
// one file defines several times are told apart by their order.
func (f *Facts) IDs(path string) []SymbolID {
	ids := make([]SymbolID, len(f.Symbols))
	seen := make(map[SymbolID]int, len(f.Symbols))
	for i := range f.Symbols {
		s := &f.Symbols[i]
		id := NewSymbolID(f.Language, path, f.Containers(int32(i)), s.Name, s.Kind, s.Discriminator)
		n := seen[id] + 1
		seen[id] = n
		if n > 1 {
			sep := "~"
			if s.Discriminator != "" {
				sep = "+"
			}
			id += SymbolID(sep + strconv.Itoa(n))
		}
		ids[i] = id
	}
	return ids
}

// NewSymbolID writes an ID in its fixed form. A module has no name after the
// hash: "python:pkg/mod.py#/module".
func NewSymbolID(language, path, container, name string, kind Kind, discriminator string) SymbolID {
	n := name
	if kind == KindModule {
		n = ""
	}
	if container != "" {
		n = container + "." + n
	}
	id := language + ":" + path + "#" + n + "/" + kind.String()
	if discriminator != "" {
		id += "~" + discriminator
	}
	return SymbolID(id)
}
