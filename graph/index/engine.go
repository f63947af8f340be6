package index

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph/store"
)

// version changes whenever this package would make another graph of the same
// facts.
//
//	1: the first
const version = 1

// EngineDigest identifies what makes a graph of a tree: two builders with the
// same digest build the same graph.
func (b *Builder) EngineDigest() string {
	var parts []string
	for language, e := range b.extractors {
		parts = append(parts, fmt.Sprintf("extract %s %d", language, e.Version()))
	}
	for _, l := range b.linkers {
		parts = append(parts, fmt.Sprintf("link %s %d", strings.Join(l.Languages(), ","), l.Version()))
	}
	for language, v := range grammars {
		parts = append(parts, fmt.Sprintf("grammar %s %s", language, v))
	}
	// Go's own packages parse and type-check Go: another release is another engine.
	parts = append(parts, "go "+runtime.Version())
	slices.Sort(parts)
	for _, p := range slices.Sorted(slices.Values(b.options.Ignore)) {
		parts = append(parts, fmt.Sprintf("ignore %q", p))
	}
	for _, p := range slices.Sorted(slices.Values(b.options.Platforms)) {
		parts = append(parts, fmt.Sprintf("platform %q", p))
	}
	if b.options.TypesOff {
		parts = append(parts, "types off")
	}
	parts = append(parts, fmt.Sprintf("index %d", version), fmt.Sprintf("store %d", store.SchemaVersion), fmt.Sprintf("limit %d", MaxFile))
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:])
}

// Grammars returns the version of the module that parses each language.
func Grammars() map[string]string { return maps.Clone(grammars) }
