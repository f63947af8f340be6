package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reached are the folders whose errors may come up to the command line.
var reached = []string{"worktree", "graph/store", "graph/index", "graph/factcache", "provenance", "review", "reporters", "cmd/internal/pipeline", "cmd/internal/config", "cmd/internal/query", "cmd/internal/child"}

func TestEveryExportedErrorHasAdvice(t *testing.T) {
	haveAdvice(t, "remedy.go", reached...)
	haveAdvice(t, "action.go", "action")
}

// haveAdvice looks for every exported error of the folders in the table of a file.
func haveAdvice(t *testing.T, file string, folders ...string) {
	t.Helper()
	table, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join("..", "..", "..", folder), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			names, err := exportedErrors(path)
			for _, name := range names {
				found++
				if !regexp.MustCompile(`\{` + regexp.QuoteMeta(name) + `\b`).Match(table) {
					t.Errorf("%s has no line in the table of remedies", name)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found == 0 {
		t.Error("no exported error was found, so nothing was checked")
	}
}

// exportedErrors lists the package-level variables of a file named Err…, each
// with its package.
func exportedErrors(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR {
			continue
		}
		for _, spec := range group.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				if strings.HasPrefix(name.Name, "Err") {
					names = append(names, file.Name.Name+"."+name.Name)
				}
			}
		}
	}
	return names, nil
}

func TestAdviceForWorkflowsIsWhole(t *testing.T) {
	for _, r := range actionRemedies {
		if !strings.HasSuffix(r.hint, ".") || strings.Contains(r.hint, "--repo") {
			t.Errorf("%v: %q is no sentence, or is for a terminal", r.err, r.hint)
		}
		if r.code != ExitUsage && r.code != ExitUnevaluated && r.code != ExitPublish {
			t.Errorf("%v: exit code %d", r.err, r.code)
		}
	}
}

func TestAdviceIsWholeAndSaysWhatToDo(t *testing.T) {
	for _, r := range remedies {
		if r.hint == "" || strings.HasSuffix(r.hint, ".") {
			t.Errorf("%v: hint %q is empty or ends like a sentence", r.err, r.hint)
		}
		if r.code != ExitUsage && r.code != ExitUnevaluated {
			t.Errorf("%v: exit code %d", r.err, r.code)
		}
	}
}
