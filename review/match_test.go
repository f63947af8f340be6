package review

import (
	"context"
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// texts are files by the blob that holds them.
type texts map[worktree.OID][]byte

func (m texts) Blobs(_ context.Context, oids []worktree.OID, _ int64, fn func(int, []byte, error) error) error {
	for i, o := range oids {
		if err := fn(i, m[o], nil); err != nil {
			return err
		}
	}
	return nil
}

// written makes the graph of a tree with one definition per line: its path, its
// qualified name, its kind, and its body as the rest.
func written(t *testing.T, side string, blobs texts, text string) *graph.Graph {
	t.Helper()
	g := &graph.Graph{}
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		f := strings.SplitN(l, " ", 4)
		s := handmade(t, f[0], f[1], f[2])
		blob := worktree.OID(side + s.Path)
		s.Start = len(blobs[blob])
		blobs[blob] = append(blobs[blob], s.Name+" "+f[3]+"\n"...)
		s.End = len(blobs[blob])
		s.Line = strings.Count(string(blobs[blob]), "\n")
		s.EndLine = s.Line
		s.Digests = graph.Digests{Body: digest(f[3]), Signature: digest(s.Qualified()), Raw: digest(l)}
		g.Symbols = append(g.Symbols, s)
		if _, known := g.File(s.Path); !known {
			g.Files = append(g.Files, graph.File{Path: s.Path, Blob: string(blob), Language: "go", State: graph.FileParsed})
		}
	}
	g.Sort()
	return g
}

func digest(text string) graph.Digest {
	sum := sha256.Sum256([]byte(text))
	return graph.Digest(sum[:16])
}

const (
	long  = "a = read(b) ; for c in a { total += c.price * c.count } ; if total > limit { fail(total) } ; return total"
	other = "open(file) ; defer close ; scan lines until end ; split each by comma ; collect into rows ; give rows back"
)

func TestMatching(t *testing.T) {
	renamed := []worktree.Change{{Status: worktree.Renamed, OldPath: "p/a.go", Path: "p/b.go"}}
	edited := []worktree.Change{{Status: worktree.Modified, Path: "p/a.go", OldPath: "p/a.go"}}
	for _, c := range []struct {
		claim      string
		base, head string
		changes    []worktree.Change
		want       string
	}{
		{"an equal definition in another file moved", "p/a.go F function " + long, "p/b.go F function " + long, nil, "moved F>F"},
		{"a like body under another name in the same file is a rename", "p/a.go F function " + long, "p/a.go G function " + long, edited, "renamed F>G"},
		{"an unlike body under another name is no rename", "p/a.go F function " + long, "p/a.go G function " + other, edited, "removed F added G"},
		{"members go with a type of another name", "p/a.go T struct " + long + "\np/a.go T.M method " + other,
			"p/a.go U struct " + long + "\np/a.go U.M method " + other, edited, "renamed T>U"},
		{"a file that was renamed and edited keeps its definitions", "p/a.go F function " + long + "\np/a.go G function " + other,
			"p/b.go F function " + long + "\np/b.go G function " + other + " sorted", renamed, "body G>G"},
		{"of two equal candidates the one in the same container is taken", "p/a.go T struct x\np/a.go T.M method " + long,
			"p/a.go A struct y\np/b.go A.M method " + long + "\np/b.go T.M method " + long, edited, "T.M>T.M"},
		{"a field is never recognised by its text", "p/a.go F field int", "p/a.go G field int", edited, "removed F added G"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			blobs := texts{}
			in := Input{Base: written(t, "base", blobs, c.base), Head: written(t, "head", blobs, c.head), Changes: c.changes, Blobs: blobs, Limits: DefaultLimits}
			r := &reviewer{Input: in, out: &report.Report{}, files: newFileMap(c.changes)}
			if err := r.symbolChanges(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range r.changes {
				switch {
				case x.base == graph.None:
					got = append(got, "added "+in.Head.Symbols[x.head].Qualified())
				case x.head == graph.None:
					got = append(got, "removed "+in.Base.Symbols[x.base].Qualified())
				default:
					got = append(got, string(x.kind)+" "+in.Base.Symbols[x.base].Qualified()+">"+in.Head.Symbols[x.head].Qualified())
				}
			}
			if all := strings.Join(got, " "); all != c.want && !strings.Contains(all, c.want) {
				t.Errorf("got %q, want %q", all, c.want)
			}
		})
	}
}
