package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// searchPool bounds how many candidates of each way of matching are ranked.
const searchPool = 256

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
	pool := max(searchPool, limit+1)
	seen := map[graph.SymbolID]bool{}
	cut := false
	collect := func(statement string, args ...any) error {
		n := 0
		err := d.each(ctx, statement, func(rows *sql.Rows) error {
			s, err := scanSymbol(rows, -1)
			if n++; err == nil && !seen[s.ID] {
				seen[s.ID] = true
				found = append(found, s)
			}
			return err
		}, append(args, pool)...)
		cut = cut || n == pool
		return corrupt(err)
	}
	// The bytes after the name are above all text, so the range is a prefix.
	err = collect("SELECT id, symbol, detail FROM symbols WHERE name COLLATE NOCASE = ? LIMIT ?", name)
	if err == nil {
		err = collect("SELECT id, symbol, detail FROM symbols WHERE name COLLATE NOCASE > ? AND name COLLATE NOCASE < ? LIMIT ?", name, name+"\xff")
	}
	if match := matchAll(query); err == nil && match != "" {
		err = collect(`SELECT id, symbol, detail FROM symbols WHERE id IN (SELECT rowid FROM names WHERE names MATCH ? LIMIT ?)`, match)
	}
	if err != nil {
		return nil, false, err
	}
	slices.SortFunc(found, func(a, b graph.Symbol) int { return compareFound(&a, &b, query) })
	if len(found) > limit {
		found, cut = found[:limit], true
	}
	return found, cut, nil
}

// matchAll writes a query for all words of the text, the last of which may be
// unfinished. Every word is quoted, so nothing in it is an operator.
func matchAll(text string) string {
	parts := words(text)
	for i, w := range parts {
		parts[i] = `"` + w + `"`
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " ") + "*"
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
