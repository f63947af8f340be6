package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// commandJSON compares the values at a path with what is wanted, or asks
// whether there are any if nothing is given:
//
//	json stdout .breaks[0].path pay/client.go
//	json stdout '.changes.symbols[].name' 'Client.Send Gone'
//	json stdout '.tests.gaps[name=Pay].state' unknown
//	json stdout '.breaks.#' 0
//	! json stdout '.changes.symbols[name=Kept]'
//
// "[]" stands for all elements, "[key=value]" for those with that value, "#"
// for the number of elements. Values are joined with a space; texts stand
// without quotes.
func commandJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json FILE PATH [WANT]")
	}
	var document any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &document); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	values, err := query(document, args[1])
	ts.Check(err)
	if len(args) == 2 {
		if neg == (len(values) > 0) {
			ts.Fatalf("%s has %d values: %s", args[1], len(values), join(values))
		}
		return
	}
	if got := join(values); neg == (got == args[2]) {
		ts.Fatalf("%s is\n\t%s\nwant (negated: %t)\n\t%s", args[1], got, neg, args[2])
	}
}

// query returns the values at a path of a decoded JSON document.
func query(document any, path string) ([]any, error) {
	values := []any{document}
	for rest := path; rest != ""; {
		var step string
		var err error
		if step, rest, err = cutStep(rest); err != nil {
			return nil, fmt.Errorf("path %q: %w", path, err)
		}
		var next []any
		for _, v := range values {
			next = append(next, follow(v, step)...)
		}
		values = next
	}
	return values, nil
}

// cutStep splits the first step off a path: a key, or an index in brackets.
func cutStep(path string) (step, rest string, err error) {
	if strings.HasPrefix(path, "[") {
		end := strings.IndexByte(path, ']')
		if end < 0 {
			return "", "", fmt.Errorf("%q lacks a bracket", path)
		}
		return path[:end+1], path[end+1:], nil
	}
	if !strings.HasPrefix(path, ".") {
		return "", "", fmt.Errorf("%q starts neither with a dot nor a bracket", path)
	}
	path = path[1:]
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	if end == 0 {
		return "", "", fmt.Errorf("%q lacks a key", path)
	}
	return path[:end], path[end:], nil
}

// follow takes one step from one value; where there is nothing it leads nowhere.
func follow(v any, step string) []any {
	index, bracketed := strings.CutPrefix(step, "[")
	index = strings.TrimSuffix(index, "]")
	switch list, isList := v.([]any); {
	case isList && step == "#":
		return []any{float64(len(list))}
	case isList && bracketed:
		return pick(list, index)
	case bracketed:
		return nil
	}
	if object, ok := v.(map[string]any); ok {
		if value, ok := object[step]; ok {
			return []any{value}
		}
	}
	return nil
}

// pick returns the elements that an index in brackets stands for.
func pick(list []any, index string) []any {
	if index == "" {
		return list
	}
	if key, want, ok := strings.Cut(index, "="); ok {
		return slices.DeleteFunc(slices.Clone(list), func(v any) bool {
			got, err := query(v, "."+key)
			return err != nil || join(got) != want
		})
	}
	if i, err := strconv.Atoi(index); err == nil && i >= 0 && i < len(list) {
		return list[i : i+1]
	}
	return nil
}

func join(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		if s, ok := v.(string); ok {
			texts[i] = s
			continue
		}
		b, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		texts[i] = string(b)
	}
	return strings.Join(texts, " ")
}

func TestQueryFindsValues(t *testing.T) {
	const document = `{"a":[{"n":"x","v":1},{"n":"y","v":2,"w":[3,4]}],"e":[],"t":true}`
	tests := map[string]string{
		".a[0].n": "x", ".a[].n": "x y", ".a[n=y].v": "2", ".a[n=y].w[1]": "4", ".a.#": "2", ".e.#": "0",
		".e[]": "", ".a[7].n": "", ".a[n=z]": "", ".missing.n": "", ".t": "true", ".a[].w[]": "3 4", ".a[v=1].n": "x",
	}
	var decoded any
	if err := json.Unmarshal([]byte(document), &decoded); err != nil {
		t.Fatal(err)
	}
	for path, want := range tests {
		values, err := query(decoded, path)
		if err != nil || join(values) != want {
			t.Errorf("%s gives %q, %v; want %q", path, join(values), err, want)
		}
	}
	for _, path := range []string{"a", ".", "..a", ".a[0"} {
		if _, err := query(decoded, path); err == nil {
			t.Errorf("%s was accepted", path)
		}
	}
}
