package golang_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph/link/golang"
)

// outline is what a machine without a Go distribution and modules knows.
func outline(t *testing.T) golang.Options {
	t.Setenv("GOROOT", t.TempDir())
	t.Setenv("GOMODCACHE", t.TempDir())
	return golang.Options{}
}

const outlineTree = `-- a.go --
package m
import (
	"io"
	"net/http"
	"os"
	. "strings"
	"example.org/gone"
)
type box struct { io.Reader }
func (b *box) Close() error { return nil }
type gate struct{ gone.Gate }
func (g *gate) Enter() {}
func Open() io.ReadCloser { return &box{} }
func A() { Open().Close() }
func B(r *http.Response) { r.Body.Close() }
func C() { os.NotThereYet(); NorThis(); Fields("x") }
func D(g gone.Enterer) { g.Enter() }
var _ = gate{}
`

func TestWithoutADistributionInterfacesOfTheStandardLibraryAreKnown(t *testing.T) {
	in := input(t, parseTree(outlineTree), true, 1)
	out := linkTree(t, in, outline(t))
	list := edges(in, out)
	for _, want := range []string{"dispatch a.go#A -> a.go#box.Close @14", "dispatch a.go#B -> a.go#box.Close @15"} {
		if !slices.Contains(list, want) {
			t.Errorf("no edge %s in\n%s", want, strings.Join(list, "\n"))
		}
	}
	if slices.ContainsFunc(list, func(e string) bool { return strings.Contains(e, "#D -> a.go#gate") }) {
		t.Errorf("a call through an unknown type is an edge:\n%s", strings.Join(list, "\n"))
	}
	var caveats []string
	for _, c := range out.Caveats {
		caveats = append(caveats, c.ID+" "+strings.Join(c.Examples, " "))
	}
	if want := []string{"go.outlined_packages io net/http os strings", "go.stand_in_packages example.org/gone"}; !slices.Equal(caveats, want) {
		t.Errorf("caveats %q, want %q", caveats, want)
	}
	if !strings.HasPrefix(out.Outside, "std outline go1.") {
		t.Errorf("outside %q", out.Outside)
	}
}

// A newer standard library may have what the outline lacks.
func TestWhatTheOutlineLacksIsNotBroken(t *testing.T) {
	out := linkTree(t, input(t, parseTree(outlineTree), true, 1), outline(t))
	for _, u := range out.Unresolved {
		if u.Broken {
			t.Errorf("broken: %+v", u)
		}
	}
}
