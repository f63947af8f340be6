package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// What bounds the candidates of each way of matching: how many are ranked, and how
// many are looked at, which matters for words that are part of most names.
const (
	searchPool   = 256
	searchLooked = 1 << 15
)

// Search returns at most limit symbols for a query: those with exactly this
// name first, then those with the same letters in another case, then those that
// begin with it, then those that hold all its words. More says that others
// match as well.
func (d *DB) Search(ctx context.Context, query string, limit int) (found []graph.Symbol, more bool, err error) {
	query = strings.TrimSpace(query)
	name := query[strings.LastIndexByte(query, '.')+1:]
	if name == "" || limit <= 0 {
		return nil, false, nil
	}
	s := search{ctx: ctx, body: d.body, limit: max(searchPool, limit+1), seen: map[int32]bool{}}
	if err := guarded(func() error { return s.run(name, query) }); err != nil {
		return nil, false, err
	}
	slices.SortFunc(s.found, func(a, b graph.Symbol) int { return compareFound(&a, &b, query) })
	if len(s.found) > limit {
		return s.found[:limit], true, nil
	}
	return s.found, s.cut, nil
}

// A search collects the candidates of one query.
type search struct {
	ctx   context.Context
	body  *body
	limit int // of each way of matching
	seen  map[int32]bool
	found []graph.Symbol
	cut   bool // a way of matching has others
}

func (s *search) run(name, query string) error {
	if err := s.matching(func(fn func(int32) bool) error {
		if !s.body.hashing(name, fn) {
			return errBody
		}
		return nil
	}, func(found *graph.Symbol) bool { return strings.EqualFold(found.Name, name) }); err != nil {
		return err
	}
	// The text before a name ends with a line break; only the first has none before it.
	begins := func(found *graph.Symbol) bool { return len(found.Name) > len(name) && hasPrefixFold(found.Name, name) }
	if err := s.matching(func(fn func(int32) bool) error { fn(0); return nil }, begins); err != nil {
		return err
	}
	if err := s.holding("\n"+strings.ToLower(name), begins); err != nil {
		return err
	}
	all := words(query)
	if len(all) == 0 {
		return nil
	}
	return s.holding(longest(all), func(found *graph.Symbol) bool { return holdsAll(found, all) })
}

func (s *search) holding(needle string, match func(*graph.Symbol) bool) error {
	return s.matching(func(fn func(int32) bool) error { return s.body.holding(needle, fn) }, match)
}

// matching adds the candidates that match, up to the limit.
func (s *search) matching(each func(func(int32) bool) error, match func(*graph.Symbol) bool) error {
	if s.body.symbols == 0 {
		return nil
	}
	matches, looked := 0, 0
	var failed error
	err := each(func(n int32) bool {
		if looked++; looked%breath == 0 {
			failed = s.ctx.Err()
		}
		found, ok := readSymbol(string(s.body.record(n)))
		if !ok {
			failed = fmt.Errorf("symbol %d: %w", n, errBody)
		}
		if failed != nil {
			return false
		}
		if !match(&found) {
			return true
		}
		if matches++; !s.seen[n] {
			s.seen[n] = true
			s.found = append(s.found, found)
		}
		return matches < s.limit && looked < searchLooked
	})
	s.cut = s.cut || matches == s.limit || looked == searchLooked
	return cmp.Or(failed, err)
}

// holdsAll reports whether a symbol's name holds all words, the last of which may be
// unfinished.
func holdsAll(s *graph.Symbol, all []string) bool {
	name := foundAs(s)
	if name == "" {
		return false
	}
	has := indexedWords(name, s.Container)
	last := all[len(all)-1]
	for _, w := range all[:len(all)-1] {
		if !slices.Contains(has, w) {
			return false
		}
	}
	return slices.ContainsFunc(has, func(w string) bool { return strings.HasPrefix(w, last) })
}

// longest returns the longest text, the first of several; "" if there is none.
func longest(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return slices.MaxFunc(texts, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}

// compareFound orders by how well the name matches, then definitions that
// others can use, then production code, then short names.
func compareFound(a, b *graph.Symbol, query string) int {
	return cmp.Or(
		cmp.Compare(matchRank(a, query), matchRank(b, query)),
		compareTrue(a.Exported, b.Exported),
		compareTrue(!a.Test, !b.Test),
		cmp.Compare(len(a.Qualified()), len(b.Qualified())),
		cmp.Compare(a.ID, b.ID))
}

func matchRank(s *graph.Symbol, query string) int {
	qualified := s.Qualified()
	name := query[strings.LastIndexByte(query, '.')+1:]
	switch {
	case qualified == query || s.Name == query:
		return 0
	case name != query && (strings.HasSuffix(qualified, "."+query) || means(s, query)):
		return 1
	case strings.EqualFold(s.Name, query) || strings.EqualFold(qualified, query):
		return 2
	case hasPrefixFold(s.Name, query) || hasPrefixFold(qualified, query):
		return 3
	}
	return 4
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// compareTrue puts true before false.
func compareTrue(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
