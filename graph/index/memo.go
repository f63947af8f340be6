package index

import (
	"context"
	"maps"
	"slices"
)

// A memo keeps what linkers find out for the builds of this builder and, if facts
// are kept, for other runs. What it loses costs time only. It is a [link.Memo].
type memo struct{ *run }

// Recall returns the values that are kept under some of the keys.
func (m memo) Recall(ctx context.Context, keys []string) map[string][]byte {
	found := m.lookupParts(keys)
	if m.options.Facts != nil && m.stats.CacheError == nil {
		missing := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return found[k] != nil })
		kept, err := m.options.Facts.Recall(ctx, missing)
		m.stats.CacheError = err
		maps.Copy(found, kept)
		m.shareParts(kept)
	}
	m.stats.Recalled += len(found)
	m.stats.Linked += len(keys) - len(found)
	return found
}

// Keep keeps values.
func (m memo) Keep(ctx context.Context, values map[string][]byte) {
	m.shareParts(values)
	if m.options.Facts != nil && m.stats.CacheError == nil {
		m.stats.CacheError = m.options.Facts.Keep(ctx, values)
	}
}

func (b *Builder) lookupParts(keys []string) map[string][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := map[string][]byte{}
	for _, k := range keys {
		if v := b.parts[k]; v != nil {
			found[k] = v
		}
	}
	return found
}

func (b *Builder) shareParts(values map[string][]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.Copy(b.parts, values)
}
