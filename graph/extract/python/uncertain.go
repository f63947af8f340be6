package python

import (
	"regexp"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// uncertainName is narrowed where a missing name does no certain harm.
const uncertainName = "?"

// skippedName is narrowed in a test that may be skipped: a name may be missing where
// it does not run, but a call that does not fit fails wherever it does.
const skippedName = "skip"

// misfitName is narrowed where a call that does not fit its signature is expected.
const misfitName = "()"

// otherErrors are the built-in exceptions that such a call does not raise.
var otherErrors = regexp.MustCompile(`^(Assertion|Attribute|Import|Index|Key|Lookup|Name|OS|Runtime|Stop|System|Value|Unicode|ZeroDivision|NotImplemented)`)

// expectsMisfit reports whether a context manager waits for a TypeError, or for what
// may be one.
func (r *reader) expectsMisfit(n treesitter.Node) bool {
	if r.tree.Kind(n) == "as_pattern" {
		n = r.first(n)
	}
	callee := r.tree.Text(r.tree.Field(n, "function"))
	switch callee[strings.LastIndexByte(callee, '.')+1:] {
	case "raises", "assertRaises", "assertRaisesRegex", "suppress":
	default:
		return false
	}
	args := r.children(r.tree.Field(n, "arguments"))
	if len(args) == 0 {
		return true
	}
	name := r.tree.Text(args[0])
	name = name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case name == "TypeError" || name == "Exception" || name == "BaseException":
		return true
	case r.tree.Kind(args[0]) != "identifier" && r.tree.Kind(args[0]) != "attribute":
		return !otherErrors.MatchString(name)
	}
	return startsLower(name) // a variable, not a class of its own
}

func (r *reader) uncertain(n treesitter.Node) narrowing {
	return narrowing{name: uncertainName, at: r.startOf(n), typ: graph.None}
}

// environment are paths that say where the program runs.
var environment = map[string]bool{
	"sys.platform": true, "sys.version_info": true, "sys.hexversion": true, "sys.version": true,
	"sys.implementation": true, "os.name": true, "platform.system": true, "platform.machine": true,
	"platform.python_version": true, "platform.python_implementation": true, "version_info": true,
}

// environmentFlag matches the names that such values are usually kept under.
var environmentFlag = regexp.MustCompile(`^_?(?i:(is_|on_|has_)?(py|python|pypy|cpython|jython|win|windows|linux|mac|macos|osx|darwin|posix|cygwin)[0-9_]*)$`)

// environmental reports whether a condition asks where the program runs or
// whether a name exists.
func (r *reader) environmental(n treesitter.Node) bool {
	if n == treesitter.None {
		return false
	}
	for c, end := n, r.tree.After(n); c < end; c++ {
		switch r.tree.Kind(c) {
		case "attribute":
			if environment[r.tree.Text(c)] {
				return true
			}
		case "identifier":
			if text := r.tree.Text(c); text == "hasattr" || environment[text] || r.flags[text] || environmentFlag.MatchString(text) {
				return true
			}
		}
	}
	return false
}

// noteFlag remembers a file-level name that is assigned such a condition.
func (r *reader) noteFlag(target, value treesitter.Node) {
	if r.at.holder == 0 && r.tree.Kind(target) == "identifier" && r.environmental(value) {
		r.flags[r.tree.Text(target)] = true
	}
}

// forgivesMissing reports whether a handler of a try names the failure that a
// missing name or a call that does not fit leads to.
func (r *reader) forgivesMissing(n treesitter.Node) bool {
	caught := r.caught(n)
	return strings.Contains(caught, "NameError") || strings.Contains(caught, "AttributeError") || strings.Contains(caught, "TypeError")
}

// noteSkipped marks the scope of a test that runs on a condition only, or may fail.
func (r *reader) noteSkipped(scope int32, at treesitter.Node, decorators []string) {
	for _, d := range decorators {
		switch strings.ToLower(d) {
		case "skip", "skipif", "skipunless":
			r.bind(r.binding(graph.BindNarrow, scope, skippedName, r.startOf(at)))
		case "xfail", "expectedfailure":
			r.bind(r.binding(graph.BindNarrow, scope, uncertainName, r.startOf(at)))
		}
	}
}

// bindElement binds "a[]" where a value is put into a, and in the class of a
// method's own object "x[]" for self.x. A call without arguments counts as a name:
// globals()["x"] = 1.
func (r *reader) bindElement(container treesitter.Node, value, at int32) {
	path := r.containerPath(container)
	if path == "" {
		return
	}
	b := r.binding(graph.BindVariable, r.at.holder, path+"[]", at)
	b.Value = value
	if name, ok := strings.CutPrefix(path, r.at.self+"."); ok && r.at.class != graph.None && !strings.Contains(name, ".") {
		r.bind(b) // where it stands, it is a name as well
		b.Kind, b.Scope, b.Name = graph.BindAttribute, r.facts.Symbols[r.at.class].Scope, name+"[]"
	}
	r.bind(b)
}

// containerPath is the dotted path of a container, with "[]" for each container
// that it is taken from; "" if it is something else.
func (r *reader) containerPath(n treesitter.Node) string {
	inner := treesitter.Node(treesitter.None)
	switch callee := r.tree.Field(n, "function"); {
	case r.dotted(n):
		return r.compact(n)
	case r.tree.Kind(n) == "subscript":
		inner = r.tree.Field(n, "value")
	case r.tree.Kind(n) != "call":
	case r.tree.Kind(callee) == "attribute" && r.tree.Text(r.tree.Field(callee, "attribute")) == "setdefault":
		inner = r.tree.Field(callee, "object")
	case strings.HasSuffix(r.compact(n), "()"):
		return r.compact(n)
	}
	if inner == treesitter.None {
		return ""
	}
	if path := r.containerPath(inner); path != "" {
		return path + "[]"
	}
	return ""
}

// putting are the methods that put their last argument into a container.
var putting = map[string]bool{"add": true, "append": true, "appendleft": true, "insert": true, "setdefault": true}

// bindPut binds what a call of such a method puts there.
func (r *reader) bindPut(callee treesitter.Node, name string, args []int32) {
	if len(args) == 0 || r.tree.Kind(callee) != "attribute" || !putting[name] {
		return
	}
	r.bindElement(r.tree.Field(callee, "object"), args[len(args)-1], r.startOf(r.tree.Field(callee, "attribute")))
}
