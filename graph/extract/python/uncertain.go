package python

import (
	"regexp"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// uncertainName is narrowed where a missing name does no certain harm.
const uncertainName = "?"

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

// noteSkipped marks the scope of a test that runs on a condition only.
func (r *reader) noteSkipped(scope int32, at treesitter.Node, decorators []string) {
	for _, d := range decorators {
		switch strings.ToLower(d) {
		case "skip", "skipif", "skipunless", "xfail", "expectedfailure":
			b := r.binding(graph.BindNarrow, scope, uncertainName, r.startOf(at))
			r.bind(b)
			return
		}
	}
}

// bindElement binds "a[]" where an element of a is assigned. A call without
// arguments counts as a name: globals()["x"] = 1.
func (r *reader) bindElement(n treesitter.Node) {
	base := r.tree.Field(n, "value")
	text := r.compact(base)
	if !r.dotted(base) && !(r.tree.Kind(base) == "call" && strings.HasSuffix(text, "()")) {
		return
	}
	r.bind(r.binding(graph.BindVariable, r.at.holder, text+"[]", r.startOf(n)))
}
