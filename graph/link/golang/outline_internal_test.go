package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"testing"

	extract "github.com/previdence/previdence/graph/extract/golang"
)

// Every package of the outline must check as it stands: what it names is there.
func TestTheOutlineIsWhole(t *testing.T) {
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	var load func(path string) *types.Package
	conf := config(DefaultPlatform)
	conf.IgnoreFuncBodies = true
	conf.Error = func(err error) {
		if e := err.(types.Error); !e.Soft { //nolint:errorlint,forcetypeassert // go/types documents this type
			t.Error(err)
		}
	}
	conf.Importer = importerFunc(func(path string) (*types.Package, error) {
		if outlined()["vendor/"+path] != "" {
			path = "vendor/" + path
		}
		return load(path), nil
	})
	load = func(path string) *types.Package {
		if known[path] == nil {
			f, at, _ := extract.Parse([]byte(outlined()[path])).Take()
			fset := token.NewFileSet()
			fset.AddExistingFiles(at)
			known[path], _ = conf.Check(path, fset, []*ast.File{f}, nil)
		}
		return known[path]
	}
	for path := range outlined() {
		load(path)
	}
	if len(known) < 150 || known["io"].Scope().Lookup("ReadCloser") == nil {
		t.Errorf("%d packages", len(known))
	}
	if !strings.HasPrefix(outlineVersion(), "go1.") {
		t.Errorf("version %q", outlineVersion())
	}
}
