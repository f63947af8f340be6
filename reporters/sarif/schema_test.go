package sarif

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	// The OASIS schema is a text of this package, which is not exported.
	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const holder = "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

// oasis is the schema of SARIF 2.1.0 as OASIS published it, with errata.
func oasis(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", holder).Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].Name == "schema" {
			if text, err = strconv.Unquote(v.Values[0].(*ast.BasicLit).Value); err != nil {
				t.Fatal(err)
			}
		}
		return true
	})
	if !strings.Contains(text, schema) {
		t.Fatalf("no text that names itself %s", schema)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4)
	c.AssertFormat()
	if err := c.AddResource(schema, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(t *testing.T, s *jsonschema.Schema, log []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// logs lets scripts/sarif-check have the logs of the fixtures.
var logs = flag.String("logs", "", "write each log that is checked into `DIR`")

func TestLogsObeyTheSchemaOfOASIS(t *testing.T) {
	s := oasis(t)
	for _, f := range reporterstest.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			log := rendered(t, f.Make())
			if err := valid(t, s, log); err != nil {
				t.Error(err)
			}
			if *logs == "" {
				return
			}
			if err := os.WriteFile(filepath.Join(*logs, f.Name+".sarif"), log, 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestTheSchemaCatchesFaults shows that the test above can fail.
func TestTheSchemaCatchesFaults(t *testing.T) {
	s := oasis(t)
	good := rendered(t, reporterstest.Small())
	for _, c := range []struct{ claim, old, new string }{
		{"a level that does not exist", `"level": "error"`, `"level": "failure"`},
		{"a line from 0", `"startLine": 88`, `"startLine": 0`},
		{"a field of our own", `"ruleIndex": 0`, `"rule_index": 0`},
		{"a path that is no URI", `"uri": "orders/cancel.go"`, `"uri": "orders/%zz cancel.go"`},
		{"a message without text", `"message": {`, `"message": {"words": 1,`},
	} {
		t.Run(c.claim, func(t *testing.T) {
			bad := bytes.Replace(good, []byte(c.old), []byte(c.new), 1)
			if bytes.Equal(bad, good) {
				t.Fatalf("no %s", c.old)
			}
			if err := valid(t, s, bad); err == nil {
				t.Error("the schema accepts it")
			}
		})
	}
}
