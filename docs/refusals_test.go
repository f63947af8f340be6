package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// ruleRow is one row of a table in refusals.md: a rule, and package, test and case.
var ruleRow = regexp.MustCompile("(?m)^\\| (.+) \\| `([a-z/]+)\\.(Test\\w+)(?:/([^`]+))?` \\|$")

// testsOf returns the tests of a package, each with the texts that stand in it.
func testsOf(t *testing.T, pkg string) map[string]map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Test") {
				tests[f.Name.Name] = textsIn(f)
			}
		}
	}
	return tests
}

func textsIn(f *ast.FuncDecl) map[string]bool {
	texts := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				texts[text] = true
			}
		}
		return true
	})
	return texts
}

func TestEveryRuleOfRefusalNamesATestThatIsThere(t *testing.T) {
	document, err := os.ReadFile("refusals.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := ruleRow.FindAllStringSubmatch(string(document), -1)
	// A heading and a line below it are no rules; every other row has to be read.
	if all, heads := strings.Count(string(document), "\n| "), strings.Count(string(document), "\n| rule | test |"); len(rows) == 0 || len(rows) != all-heads {
		t.Errorf("%d of %d rows can be read", len(rows), all-heads)
	}
	packages, seen := map[string]map[string]map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		rule, pkg, test, which := row[1], row[2], row[3], row[4]
		if seen[rule] {
			t.Errorf("two rows for %q", rule)
		}
		seen[rule] = true
		if packages[pkg] == nil {
			packages[pkg] = testsOf(t, pkg)
		}
		texts, there := packages[pkg][test]
		_, scenario := os.Stat(filepath.Join("..", "testdata", "scenarios", which+".txtar"))
		switch {
		case !there:
			t.Errorf("%s: %s has no %s", rule, pkg, test)
		case which != "" && !texts[which] && (test != "TestScenarios" || scenario != nil):
			t.Errorf("%s: %s has no case %q", rule, test, which)
		case (pkg == "worktree" || pkg == "provenance") && !strings.Contains(test, "Refus"):
			t.Errorf("%s: -run Refus does not list %s", rule, test)
		}
	}
}
