// Trim keeps of GitHub's OpenAPI description the calls that previdence makes.
//
// Input is the whole description as JSON; output is the same with the other
// calls, and whatever only these need, left out. Texts for people and examples
// go too. What remains says what the whole says: no schema is changed.
//
//	npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
//	go run ./action/actiontest/trim package/generated/api.github.com.json > action/actiontest/testdata/github.openapi.json
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// calls are the calls that are kept, by path and method.
var calls = map[string][]string{
	"/repos/{owner}/{repo}/pulls/{pull_number}":                              {"get"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/files":                        {"get"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/comments":                     {"get", "post"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/reviews":                      {"post"},
	"/repos/{owner}/{repo}/issues/{issue_number}/comments":                   {"get", "post"},
	"/repos/{owner}/{repo}/issues/comments/{comment_id}":                     {"patch", "delete"},
	"/repos/{owner}/{repo}/check-runs":                                       {"post"},
	"/repos/{owner}/{repo}/check-runs/{check_run_id}":                        {"patch"},
	"/repos/{owner}/{repo}/commits/{ref}/check-runs":                         {"get"},
	"/repos/{owner}/{repo}/compare/{basehead}":                               {"get"},
	"/repos/{owner}/{repo}/code-scanning/sarifs":                             {"post"},
	"/repos/{owner}/{repo}/code-scanning/analyses":                           {"get"},
	"/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts":                  {"get"},
	"/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}": {"get"},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: trim DESCRIPTION.json")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var whole map[string]any
	if err := json.Unmarshal(raw, &whole); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	out, err := trim(whole)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(out)
}

// trim returns a description with the kept calls and what they refer to.
func trim(whole map[string]any) (map[string]any, error) {
	all, _ := whole["paths"].(map[string]any)
	paths := map[string]any{}
	for path, methods := range calls {
		item, ok := all[path].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("no path %s", path)
		}
		kept := map[string]any{}
		for _, m := range methods {
			if item[m] == nil {
				return nil, fmt.Errorf("no %s %s", m, path)
			}
			kept[m] = bare(item[m], keywords)
		}
		paths[path] = kept
	}
	components := map[string]any{}
	for queue := references(paths); len(queue) > 0; {
		kind, name, ok := strings.Cut(strings.TrimPrefix(queue[0], "#/components/"), "/")
		queue = queue[1:]
		group, _ := components[kind].(map[string]any)
		if !ok || group[name] != nil {
			continue
		}
		source, _ := whole["components"].(map[string]any)[kind].(map[string]any)
		if source[name] == nil {
			return nil, fmt.Errorf("no component %s %s", kind, name)
		}
		if group == nil {
			group = map[string]any{}
			components[kind] = group
		}
		group[name] = bare(source[name], keywords)
		if response, ok := group[name].(map[string]any); ok && kind == "responses" {
			response["description"] = ""
		}
		queue = append(queue, references(group[name])...)
	}
	return map[string]any{
		"openapi": whole["openapi"], "info": whole["info"],
		"servers": []any{map[string]any{"url": "/"}}, // whatever host a test has
		"paths":   paths, "components": components,
	}, nil
}

// A place is what the keys of an object are.
type place int

const (
	keywords place = iota + 1
	names          // of properties, whatever they are called
	statuses       // of responses, which must have a description
)

// bare returns a value without examples, extensions and texts for people.
func bare(v any, in place) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if in == keywords && forPeople(k, e) {
				continue
			}
			out[k] = bare(e, inside(in, k))
			if response, ok := out[k].(map[string]any); ok && in == statuses && response["$ref"] == nil {
				response["description"] = ""
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = bare(e, keywords)
		}
		return out
	}
	return v
}

func inside(in place, key string) place {
	if in == keywords {
		switch key {
		case "properties", "patternProperties":
			return names
		case "responses":
			return statuses
		}
	}
	return keywords
}

func forPeople(key string, value any) bool {
	switch key {
	case "example", "examples", "externalDocs", "tags":
		return true
	case "description", "summary":
		_, text := value.(string)
		return text
	}
	return strings.HasPrefix(key, "x-")
}

// references lists what a value refers to.
func references(v any) (refs []string) {
	switch v := v.(type) {
	case map[string]any:
		if r, ok := v["$ref"].(string); ok {
			refs = append(refs, r)
		}
		for _, e := range v {
			refs = append(refs, references(e)...)
		}
	case []any:
		for _, e := range v {
			refs = append(refs, references(e)...)
		}
	}
	return refs
}
