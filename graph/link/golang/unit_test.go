package golang

import (
	"context"
	"go/build/constraint"
	"slices"
	"sync"
	"testing"
)

func TestPlatformSelects(t *testing.T) {
	linux := Platform{"linux", "amd64"}
	for _, c := range []struct {
		name, tags string
		want       bool
	}{
		{"a.go", "", true},
		{"a_linux.go", "", true},
		{"a_windows.go", "", false},
		{"a_linux_arm64.go", "", false},
		{"a_amd64.go", "", true},
		{"a_linux_test.go", "", true},
		{"a_windows_test.go", "", false},
		{"linux.go", "", true},
		{"windows.go", "", true}, // nothing stands before the first underscore
		{"a_unix.go", "", true},  // "unix" is a tag but no suffix
		{"a.go", "unix && cgo && go1.21", true},
		{"a.go", "go1.99", false},
		{"a.go", "ignore", false},
		{"a.go", "!windows && !custom", true},
		{"a_linux.go", "arm64", false},
	} {
		var x constraint.Expr
		if c.tags != "" {
			var err error
			if x, err = constraint.Parse("//go:build " + c.tags); err != nil {
				t.Fatal(err)
			}
		}
		if got := linux.selects(c.name, x); got != c.want {
			t.Errorf("%s with %q: %v", c.name, c.tags, got)
		}
	}
	if !(Platform{"android", "arm64"}).tag("linux") {
		t.Error("android is a linux")
	}
}

func TestStandInNames(t *testing.T) {
	for _, c := range []struct {
		imp  string
		used []string
		want string
	}{
		{"example.org/a/b", []string{"b", "c"}, "b"},
		{"gopkg.in/yaml.v3", []string{"yaml"}, "yaml"},
		{"github.com/x/y/v2", []string{"y"}, "y"},
		{"github.com/mattn/go-isatty", []string{"isatty"}, "isatty"},
		{"github.com/x/sqlite3-driver", []string{"sqlite3", "x"}, "sqlite3"},
		{"github.com/x/thing", nil, "thing"},
	} {
		if got := chooseName(c.imp, c.used); got != c.want {
			t.Errorf("%s: %s, want %s", c.imp, got, c.want)
		}
	}
}

func TestInOrderRunsDependenciesFirst(t *testing.T) {
	deps := [][]int{{1, 2}, {3}, {3}, nil, {5}, {4}, {5, 3}} // 4 and 5 are a circle, 6 lies above it
	var mu sync.Mutex
	var ran []int
	circular := inOrder(context.Background(), 4, make([]int64, len(deps)), deps, func(i int) {
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, i)
	})
	if len(ran) != len(deps) || !slices.Equal(circular, []int{5, 4, 6}) {
		t.Fatalf("ran %v, circular %v", ran, circular)
	}
	for i, list := range deps[:4] {
		for _, d := range list {
			if slices.Index(ran, d) > slices.Index(ran, i) {
				t.Errorf("%d ran before %d: %v", i, d, ran)
			}
		}
	}
}

func TestApartKeepsConflictsInOrder(t *testing.T) {
	var mu sync.Mutex
	var ran []int
	running := map[int]bool{}
	conflict := func(a, b int) bool { return a%3 == b%3 }
	apart(context.Background(), 8, 30, conflict, func(i int) {
		mu.Lock()
		for o := range running {
			if conflict(o, i) {
				t.Errorf("%d and %d ran at the same time", o, i)
			}
		}
		running[i] = true
		mu.Unlock()
		mu.Lock()
		defer mu.Unlock()
		delete(running, i)
		ran = append(ran, i)
	})
	if len(ran) != 30 {
		t.Fatalf("ran %v", ran)
	}
	for i, a := range ran {
		for _, b := range ran[i+1:] {
			if conflict(a, b) && b < a {
				t.Errorf("%d ran before %d", a, b)
			}
		}
	}
}

func TestImportPathsOfDirectories(t *testing.T) {
	m := &modules{list: []*goModule{{dir: "sub", path: "example.com/s"}, {dir: ".", path: "example.com/m"}}}
	for dir, want := range map[string]string{
		".": "example.com/m", "a/b": "example.com/m/a/b", "sub": "example.com/s", "sub/c": "example.com/s/c",
		"vendor/example.org/d": "example.org/d", "subway": "example.com/m/subway",
	} {
		if got := m.importPath(dir); got != want {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
	for dir, want := range map[string]bool{"a": false, "testdata": true, "a/_b": true, ".git/c": true, ".": false} {
		if got := m.ignored(dir); got != want {
			t.Errorf("%s ignored: %v", dir, got)
		}
	}
}
