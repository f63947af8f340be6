package golang

import (
	_ "embed"
	"strings"
	"sync"
)

// Where no Go distribution is installed, the standard library is known by its
// outline: what its packages declare, without bodies, unexported fields and package
// syscall. It is written by
//
//	GOOS=linux GOARCH=amd64 go run outline_gen.go >outline.txt
//
// and holds for one version and platform, so what uses it counts as tainted, as
// beside a stand-in. The format is a line with the version, then for each package
// "-- PATH --" and one Go file. Why it is carried along: docs/adr/0024.
//
//go:embed outline.txt
var outlineText string

// outlined gives the file of a package by its import path.
var outlined = sync.OnceValue(func() map[string]string {
	files := map[string]string{}
	for _, part := range strings.Split(outlineText, "\n-- ")[1:] {
		path, file, _ := strings.Cut(part, " --\n")
		files[path] = file
	}
	return files
})

// outlinedAmong lists the imports that are known by the outline.
func (s *shelf) outlinedAmong(m *modules, imports map[string]bool) []string {
	var list []string
	for _, imp := range sortedKeys(imports) {
		if s.outline && m.byPath["std"] == nil && s.standard(imp) != nil {
			list = append(list, imp)
		}
	}
	return list
}

// outlineVersion is the version that the outline was made from.
func outlineVersion() string {
	version, _, _ := strings.Cut(outlineText, "\n")
	return version
}
