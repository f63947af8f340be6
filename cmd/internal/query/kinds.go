package query

import (
	"errors"
	"fmt"
	"slices"

	"github.com/previdence/previdence/graph"
)

// ErrBadKind means that a text names no kind of edge.
var ErrBadKind = errors.New("unknown kind of edge")

// Kinds reads the names of kinds of edges. None means calls and dispatches.
func Kinds(names []string) ([]graph.EdgeKind, error) {
	if len(names) == 0 {
		return []graph.EdgeKind{graph.EdgeCall, graph.EdgeDispatch}, nil
	}
	var kinds []graph.EdgeKind
	for _, name := range names {
		k, ok := graph.ParseEdgeKind(name)
		if !ok {
			return nil, fmt.Errorf("%w %q", ErrBadKind, name)
		}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	slices.Sort(kinds)
	return kinds, nil
}
