package review

import (
	"context"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/diff"
	"github.com/previdence/previdence/worktree"
)

// bodies holds the text of the files that contain unmatched symbols, and each
// body that was compared, as long as the comparison lasts.
type bodies struct {
	base, head     map[string][]byte // by path
	ofBase, ofHead map[*graph.Symbol]diff.Body
}

// like compares a symbol of the merge base with one of head. It gives 0 without
// comparing if they cannot be as like as threshold. A body that nobody could
// read is like no other.
func (t *bodies) like(x, y *graph.Symbol, threshold float64) float64 {
	a, b := body(t.ofBase, t.base, x), body(t.ofHead, t.head, y)
	if a.Ceiling(b) < threshold {
		return 0
	}
	return a.Similarity(b)
}

func body(known map[*graph.Symbol]diff.Body, files map[string][]byte, s *graph.Symbol) diff.Body {
	b, ok := known[s]
	if !ok {
		var text []byte
		if data := files[s.Path]; s.Start >= 0 && s.Start <= s.End && s.End <= len(data) {
			text = data[s.Start:s.End]
		}
		b = diff.NewBody(text)
		known[s] = b
	}
	return b
}

// readBodies reads the files of the symbols that may yet find a partner.
func (r *reviewer) readBodies(ctx context.Context, gone, fresh []int32) (*bodies, error) {
	t := &bodies{ofBase: map[*graph.Symbol]diff.Body{}, ofHead: map[*graph.Symbol]diff.Body{}}
	if len(gone) == 0 || len(fresh) == 0 {
		return t, nil
	}
	var err error
	if t.base, err = r.readFiles(ctx, r.Base, pathsOf(r.Base, gone, r.pairs.toHead)); err != nil {
		return nil, err
	}
	t.head, err = r.readFiles(ctx, r.Head, pathsOf(r.Head, fresh, r.pairs.toBase))
	return t, err
}

// pathsOf lists the files of the symbols that still lack a partner.
func pathsOf(g *graph.Graph, symbols, partner []int32) []string {
	var paths []string
	for _, i := range symbols {
		if s := &g.Symbols[i]; partner[i] == graph.None && alikeKind(s.Kind) {
			paths = append(paths, s.Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// readFiles reads files of one tree. A file whose object is missing, broken or
// too large is left out; coverage already says so.
func (r *reviewer) readFiles(ctx context.Context, g *graph.Graph, paths []string) (map[string][]byte, error) {
	oids := make([]worktree.OID, 0, len(paths))
	for _, p := range paths {
		oids = append(oids, worktree.OID(blobAt(g, p)))
	}
	files := make(map[string][]byte, len(paths))
	err := r.Blobs.Blobs(ctx, oids, r.Limits.BlobBytes, func(i int, data []byte, err error) error {
		if err == nil {
			files[paths[i]] = slices.Clone(data)
		}
		return nil
	})
	return files, err
}
