package golang

import "github.com/previdence/previdence/graph"

// locals are the names that are declared inside a function, innermost last.
type locals struct{ names []local }

// A local is a name with the expression of its value or type, or None.
type local struct {
	name  string
	value int32
}

// open begins a scope; close ends it and takes what open gave.
func (l *locals) open() int { return len(l.names) }

func (l *locals) close(mark int) { l.names = l.names[:mark] }

func (l *locals) declare(name string, value int32) {
	if name != "_" {
		l.names = append(l.names, local{name, value})
	}
}

// lookup finds the innermost local of a name.
func (l *locals) lookup(name string) (value int32, ok bool) {
	for i := len(l.names) - 1; i >= 0; i-- {
		if l.names[i].name == name {
			return l.names[i].value, true
		}
	}
	return graph.None, false
}
