// Package tracer notes which function calls which while a program runs. Gorun
// lays it over the module whose tests it runs, and has each function begin with
// a call of [Enter].
//
// It imports nothing that a repository could have replaced, keeps no more than a
// set of pairs, and writes each pair once, at once: a test may end by os.Exit.
package tracer

import (
	"fmt"
	"os"
	"runtime"
	"sync"
)

// Out names the environment variable with the file that pairs are appended to:
// lines of the number of the callee, a tab, and the caller's file:line, which is
// "-" where no Go code called.
const Out = "PREVIDENCE_TRACE"

type pair struct {
	callee int
	caller uintptr // where the call returns to
}

var (
	once sync.Once
	out  *os.File
	mu   sync.Mutex
	seen = map[pair]bool{}
)

// Enter notes that the function around it was called. It must be called by that
// function itself.
func Enter(callee int) {
	var pcs [1]uintptr
	n := runtime.Callers(3, pcs[:]) // 0 is Callers, 1 Enter, 2 the callee
	p := pair{callee, pcs[0]}
	mu.Lock()
	defer mu.Unlock()
	if seen[p] {
		return
	}
	seen[p] = true
	once.Do(open)
	if out == nil {
		return
	}
	caller := "-"
	if n > 0 {
		if f, _ := runtime.CallersFrames(pcs[:]).Next(); f.File != "" {
			caller = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
	fmt.Fprintf(out, "%d\t%s\n", callee, caller)
}

func open() {
	if name := os.Getenv(Out); name != "" {
		out, _ = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
}
