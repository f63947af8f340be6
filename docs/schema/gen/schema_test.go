package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const root = "../../.."

func committed(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCommittedSchemaIsGenerated(t *testing.T) {
	want, err := schema(root)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed(t), want) {
		t.Errorf("%s is not what the types say; run go generate ./docs/schema/gen", file)
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(committed(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("evidence.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("evidence.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReportsObeyTheSchema(t *testing.T) {
	s := compiled(t)
	for _, f := range reporterstest.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			r := f.Make()
			for _, encode := range []func() ([]byte, error){r.Canonical, r.Local} {
				b, err := encode()
				if err != nil {
					t.Fatal(err)
				}
				v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Validate(v); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	for _, c := range []struct {
		claim string
		spoil func(r map[string]any)
	}{
		{"another version", func(r map[string]any) { r["schema"] = "previdence.evidence/v2" }},
		{"a missing section", func(r map[string]any) { delete(r, "caveats") }},
		{"a list that is null", func(r map[string]any) { r["breaks"] = nil }},
		{"an outcome that does not exist", func(r map[string]any) { r["verdict"].(map[string]any)["outcome"] = "maybe" }},
		{"a state that does not exist", func(r map[string]any) {
			r["sections"].([]any)[0].(map[string]any)["state"] = "done"
		}},
		{"a line that is no number", func(r map[string]any) { r["breaks"].([]any)[0].(map[string]any)["line"] = "14" }},
		{"a break that does not say whether it was checked", func(r map[string]any) {
			delete(r["breaks"].([]any)[0].(map[string]any), "checked")
		}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			b, err := reporterstest.Small().Canonical()
			if err != nil {
				t.Fatal(err)
			}
			var r map[string]any
			if err := json.Unmarshal(b, &r); err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(r); err != nil {
				t.Fatalf("before: %v", err)
			}
			c.spoil(r)
			if err := s.Validate(r); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestEveryFieldIsDescribedWhereTheSourceDescribesIt(t *testing.T) {
	s, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"Report", "Subject.MergeBase", "Break.Total", "Check", "Dependent.PathThrough"} {
		if s.comments[key] == "" {
			t.Errorf("no comment for %s", key)
		}
	}
	for name, want := range map[string]int{"Outcome": 3, "State": 3, "Change": 9, "Effect": 3} {
		if got := len(s.values[name]); got != want {
			t.Errorf("%d values of %s, want %d", got, name, want)
		}
	}
}
