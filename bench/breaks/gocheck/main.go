// Gocheck prints what the type checker has against a Go module: one line
// "path:line: message" for each error, in all packages and their tests. It goes on
// where a compiler stops, so a package that uses a broken one is judged as well.
// It shares no code with the product.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if err := check(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func check(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	loaded, err := packages.Load(&packages.Config{
		Dir: dir, Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax | packages.NeedModule,
	}, "./...")
	if err != nil {
		return err
	}
	if len(loaded) == 0 {
		return errors.New("no packages")
	}
	var lines []string
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			path, rest, _ := strings.Cut(e.Pos, ":")
			line, _, _ := strings.Cut(rest, ":")
			if rel, err := filepath.Rel(dir, path); err == nil && !strings.HasPrefix(rel, "..") {
				lines = append(lines, fmt.Sprintf("%s:%s: %s", filepath.ToSlash(rel), line, strings.ReplaceAll(e.Msg, "\n", " ")))
			}
		}
	})
	slices.Sort(lines)
	for _, l := range slices.Compact(lines) {
		fmt.Println(l)
	}
	return nil
}
