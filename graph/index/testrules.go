package index

import (
	"context"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/previdence/previdence/graph"
)

// fileTests says what the place of a file makes of the tests in it.
type fileTests struct {
	byPath    bool   // symbols that are tests by the path's rule are tests
	framework string // of tests that do not name one themselves
}

// testRules decides by the rules of the test frameworks whether a path is one
// that they collect tests from. A part of a name that merely contains "test"
// decides nothing.
type testRules struct {
	tree *sources

	mu         sync.Mutex
	frameworks map[string]string // folder → framework that it is known for
}

// newTestRules knows the folders that hold a framework's own configuration.
func newTestRules(tree *sources) *testRules {
	t := &testRules{tree: tree, frameworks: map[string]string{}}
	for _, p := range tree.paths {
		base := path.Base(p)
		for _, f := range scriptFrameworks {
			if strings.HasPrefix(base, f+".config.") || strings.HasPrefix(base, "."+f+"rc") {
				t.frameworks[path.Dir(p)] = f
			}
		}
	}
	return t
}

func (t *testRules) of(ctx context.Context, p string, f *graph.Facts) fileTests {
	if !slices.ContainsFunc(f.Symbols, func(s graph.SymbolFact) bool { return s.Test != graph.TestNo }) {
		return fileTests{}
	}
	base := path.Base(p)
	switch f.Language {
	case "go":
		return fileTests{byPath: strings.HasSuffix(base, "_test.go")}
	case "python":
		stem := strings.TrimSuffix(base, ".py")
		return fileTests{byPath: stem != base && (strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test"))}
	case "typescript", "tsx", "javascript":
		framework := t.framework(ctx, path.Dir(p))
		byPath := scriptTestName(base) || hasFolder(p, "__tests__") || framework != "" && hasFolder(p, "test", "tests")
		return fileTests{byPath, framework}
	}
	return fileTests{}
}

// scriptTestName reports whether a file is named like x.test.ts or x.spec.js.
func scriptTestName(base string) bool {
	parts := strings.Split(base, ".")
	return len(parts) >= 3 && slices.ContainsFunc(parts[1:len(parts)-1], func(s string) bool { return s == "test" || s == "spec" })
}

// hasFolder reports whether one of the folders above a file has one of these
// names.
func hasFolder(p string, names ...string) bool {
	folders := strings.Split(path.Dir(p), "/")
	return slices.ContainsFunc(folders, func(f string) bool { return slices.Contains(names, f) })
}

// framework is what the nearest configuration or package.json above names,
// looking further up if it names none, as in a workspace.
func (t *testRules) framework(ctx context.Context, dir string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, visited := "", []string(nil)
	for ; ; dir = path.Dir(dir) {
		known, ok := t.frameworks[dir]
		if ok {
			found = known
			break
		}
		visited = append(visited, dir)
		// A package.json that is not there names no framework, nor does one that
		// cannot be read: it stands in coverage by itself.
		if data, err := t.tree.Read(ctx, path.Join(dir, "package.json")); err == nil {
			found = frameworkOf(data)
		}
		if found != "" || dir == "." || dir == "/" {
			break
		}
	}
	for _, d := range visited {
		t.frameworks[d] = found
	}
	return found
}

// scriptFrameworks are the runners whose global blocks are tests, in the order
// in which they win.
var scriptFrameworks = []string{"vitest", "jest", "mocha", "ava", "tap", "jasmine"}

// frameworkOf finds the test framework that a package.json depends on or runs.
func frameworkOf(manifest []byte) string {
	var m struct {
		Scripts         map[string]string
		Dependencies    map[string]any
		DevDependencies map[string]any
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		return ""
	}
	words := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(m.Scripts)) {
		if strings.HasPrefix(name, "test") {
			for _, w := range strings.FieldsFunc(m.Scripts[name], func(r rune) bool { return strings.ContainsRune(" \t/'\"();&|=", r) }) {
				words[w] = true
			}
		}
	}
	for _, f := range scriptFrameworks {
		if m.DevDependencies[f] != nil || m.Dependencies[f] != nil || words[f] {
			return f
		}
	}
	if words["node"] && words["--test"] {
		return "node:test"
	}
	return ""
}
