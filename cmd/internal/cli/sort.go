package cli

import (
	"cmp"
	"maps"
	"slices"
)

// sortedKeys returns the keys of m in order, since maps have none.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
