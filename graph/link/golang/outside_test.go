package golang_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph/link/golang"
)

// put makes files below a folder.
func put(t testing.TB, dir string, files ...string) {
	t.Helper()
	for _, name := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte("package p\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const outsideTree = `-- go.mod --
module example.com/m
require (
	example.org/Here v1.0.0
	example.org/gone v0.2.0
	example.org/old v1.0.0
	example.com/own v1.0.0
	example.org/unused v1.9.0
)
replace example.org/old => example.org/new v2.0.0
-- own/go.mod --
module example.com/own
-- a.go --
package m
import ("fmt"; "example.org/Here"; "example.org/gone/sub"; "example.org/old"; "example.com/own")
`

func TestOutsideNamesWhatIsHereAndWhatIsNot(t *testing.T) {
	cache := t.TempDir()
	put(t, cache, "example.org/!here@v1.0.0/p.go", "example.org/new@v2.0.0/p.go", "cache/download/example.org/new/@v/v2.0.0.partial")
	linker := golang.New(golang.Options{GOROOT: fakeGOROOT(t), ModuleCache: cache})
	out, err := linker.Link(t.Context(), input(t, parseTree(outsideTree), true, 1))
	if err != nil {
		t.Fatal(err)
	}
	want := `std unreleased
have example.org/Here@v1.0.0
lack example.org/gone@v0.2.0
lack example.org/new@v2.0.0
lack example.org/unused@v1.9.0
`
	if out.Outside != want {
		t.Errorf("got %s, want %s", out.Outside, want)
	}
	if strings.Contains(out.Outside, cache) {
		t.Error("it names a folder of this machine")
	}
	for _, c := range out.Caveats {
		if got := fmt.Sprint(c.Count, " of ", c.Of, " ", c.Examples); c.ID == "go.missing_modules" && got != "2 of 4 [example.org/gone@v0.2.0 example.org/new@v2.0.0]" {
			t.Errorf("caveat: %s", got)
		}
	}
}

func TestOutsideDiffersOnceTheCacheFillsUp(t *testing.T) {
	cache, goroot := t.TempDir(), fakeGOROOT(t)
	opts := golang.Options{GOROOT: goroot, ModuleCache: cache}
	linker := golang.New(opts)
	in := input(t, parseTree(outsideTree), true, 1)
	before, err := linker.Link(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if now := golang.New(opts).Outside(before.Outside); now != before.Outside {
		t.Errorf("nothing changed, but it says %s", now)
	}
	steps := []struct {
		name   string
		change func()
	}{
		{"a module comes", func() { put(t, cache, "example.org/gone@v0.2.0/sub/p.go") }},
		{"a Go comes", func() { put(t, goroot, "VERSION") }},
		{"the cache is elsewhere", func() { opts.ModuleCache = t.TempDir() }},
	}
	for _, s := range steps {
		old := golang.New(opts).Outside(before.Outside)
		s.change()
		if now := golang.New(opts).Outside(before.Outside); now == old {
			t.Errorf("%s: it still says %s", s.name, now)
		}
	}
	after, err := linker.Link(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(after.Outside, "have example.org/gone@v0.2.0") {
		t.Errorf("the same linker still says %s", after.Outside)
	}
}

func TestATreeWithoutGoDependsOnNothingOutside(t *testing.T) {
	out := linkTree(t, input(t, memory{"go.mod": "module m\n"}, true, 1), detached)
	if out.Outside != "" {
		t.Errorf("got %q", out.Outside)
	}
}

func FuzzOutside(f *testing.F) {
	cache := f.TempDir()
	put(f, cache, "example.org/a@v1.0.0/p.go")
	linker := golang.New(golang.Options{GOROOT: f.TempDir(), ModuleCache: cache})
	f.Add("std none\nhave example.org/a@v1.0.0\nlack example.org/b@v1.0.0\n")
	f.Add("have ../../etc@v1\nhave a@b@c\n\n@\n")
	f.Fuzz(func(t *testing.T, before string) {
		now := linker.Outside(before)
		if again := linker.Outside(now); again != now {
			t.Errorf("%q becomes %q", now, again)
		}
		for line := range strings.Lines(now) {
			if strings.HasPrefix(line, "have ") && line != "have example.org/a@v1.0.0\n" {
				t.Errorf("%q is not in the cache", line)
			}
		}
	})
}
