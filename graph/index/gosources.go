package index

import "github.com/previdence/previdence/graph/link/golang"

// GoSources says where the Go linker finds the standard library and the module
// cache on this machine; "" where it finds none. Graphs may differ in what
// leaves the tree unless both are the same.
func GoSources() (goroot, moduleCache string) { return golang.Sources() }
