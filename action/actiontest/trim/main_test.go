package main

import (
	"encoding/json"
	"testing"
)

// description is one with every kept path, all of which refer to schema a.
func description(t *testing.T, schemas string) map[string]any {
	t.Helper()
	paths := map[string]any{"/unused": map[string]any{"get": map[string]any{"$ref": "#/components/schemas/unused"}}}
	for path, methods := range calls {
		item := map[string]any{"put": "unused"}
		for _, m := range methods {
			item[m] = map[string]any{"summary": "text", "x-github": 1, "responses": map[string]any{"200": map[string]any{
				"description": "text", "example": 1, "content": map[string]any{"$ref": "#/components/schemas/a"}}}}
		}
		paths[path] = item
	}
	d := map[string]any{"openapi": "3.0.3", "info": "i", "paths": paths}
	var s map[string]any
	if err := json.Unmarshal([]byte(schemas), &s); err != nil {
		t.Fatal(err)
	}
	d["components"] = map[string]any{"schemas": s}
	return d
}

func TestTrimKeepsWhatIsNeeded(t *testing.T) {
	out, err := trim(description(t, `{"unused": {}, "a": {"description": "text", "properties": {"description": {"$ref": "#/components/schemas/b"}, "example": {"type": "string"}}},
		"b": {"oneOf": [{"$ref": "#/components/schemas/a"}], "examples": []}}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(out["components"])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"schemas":{"a":{"properties":{"description":{"$ref":"#/components/schemas/b"},"example":{"type":"string"}}},"b":{"oneOf":[{"$ref":"#/components/schemas/a"}]}}}`
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	paths := out["paths"].(map[string]any)
	if len(paths) != len(calls) {
		t.Errorf("%d paths, want %d", len(paths), len(calls))
	}
	got, err = json.Marshal(paths["/repos/{owner}/{repo}/pulls/{pull_number}"])
	if want := `{"get":{"responses":{"200":{"content":{"$ref":"#/components/schemas/a"},"description":""}}}}`; err != nil || string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTrimRefusesWhatIsNotWhole(t *testing.T) {
	if _, err := trim(description(t, `{"a": {"$ref": "#/components/schemas/lost"}}`)); err == nil {
		t.Error("a schema that is not there")
	}
	d := description(t, `{"a": {}}`)
	delete(d["paths"].(map[string]any), "/repos/{owner}/{repo}/check-runs")
	if _, err := trim(d); err == nil {
		t.Error("a path that is not there")
	}
}
