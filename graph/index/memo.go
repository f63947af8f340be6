package index

import (
	"cmp"
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
	return b.parts.get(keys)
}

func (b *Builder) shareParts(values map[string][]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts.put(values)
}

// partsLimit is how many bytes of parts a builder has in memory. Those of Go's own tree
// take a sixth of it; a builder that reviews many pull requests meets other parts in each.
const partsLimit = 256 << 20

// A partShelf has parts in memory. What was not used for longest goes first.
type partShelf struct {
	limit int // in bytes
	size  int
	uses  int // calls so far
	parts map[string]*keptPart
}

type keptPart struct {
	value []byte
	used  int // by which call
}

func newPartShelf(limit int) *partShelf {
	return &partShelf{limit: limit, parts: map[string]*keptPart{}}
}

func (s *partShelf) get(keys []string) map[string][]byte {
	s.uses++
	found := map[string][]byte{}
	for _, k := range keys {
		if p := s.parts[k]; p != nil {
			p.used = s.uses
			found[k] = p.value
		}
	}
	return found
}

func (s *partShelf) put(values map[string][]byte) {
	s.uses++
	for k, v := range values {
		s.drop(k)
		s.parts[k] = &keptPart{v, s.uses}
		s.size += len(v)
	}
	if s.size > s.limit {
		s.shrink()
	}
}

func (s *partShelf) drop(key string) {
	if p := s.parts[key]; p != nil {
		s.size -= len(p.value)
		delete(s.parts, key)
	}
}

// shrink drops parts until nine tenths of the limit are left.
func (s *partShelf) shrink() {
	keys := slices.Collect(maps.Keys(s.parts))
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.parts[a].used, s.parts[b].used), cmp.Compare(a, b))
	})
	for _, k := range keys {
		if s.size <= s.limit/10*9 {
			return
		}
		s.drop(k)
	}
}
