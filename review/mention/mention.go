// Package mention searches the text of a tree for names, to check claims like
// "nothing refers to X any more", which a graph alone cannot prove.
//
// Input is names and the content of files, parsed or not; output is every line
// that mentions a name as a whole word. Each file is read once for all names.
// When in doubt a line counts as a mention: a false one costs a reader a glance,
// a missed one makes a false claim look checked. The package reads no files,
// runs nothing and knows nothing of what the names mean.
package mention

import (
	"bytes"
	"context"
	"fmt"
	"iter"
)

// A File is one file to search.
type File struct {
	Path string // decides which comments and identifiers to expect
	Data []byte
}

// A Query is what to search for.
type Query struct {
	Names []string // "Send"; only the last part of a qualified name
	Limit int      // mentions kept for each name; the rest are counted. 0: none is kept
	// Skip reports whether the caller knows of this mention already, so that
	// it neither counts nor takes a place. It may be nil.
	Skip func(name, path string, line int) bool
}

// A Hit is one line that mentions a name.
type Hit struct {
	Path      string
	Line      int  // from 1
	Member    bool // written as part of something: behind a dot or colon, or as a file of a path
	InComment bool // stands in a comment, a documentation string or prose, as far as that can be told without a parser
}

// A Found is what the search has to say about one name.
type Found struct {
	Hits  []Hit // in the order of the files, by line; at most Query.Limit
	Total int   // lines that mention the name, kept or not
}

// A Result is the outcome of one search.
type Result struct {
	Found      map[string]Found // has an entry for every name that was searched for
	Unsearched []string         // names without a letter or digit; nothing can be said of them
	Files      int              // files searched
	Bytes      int64            // their size
	Binary     []string         // paths of files that are not text and were not searched
}

// Search reads the files in the order given, each once. It stops at the first
// error of the files or when ctx ends, and then has no result: part of a search
// proves nothing.
func Search(ctx context.Context, q Query, files iter.Seq2[File, error]) (Result, error) {
	s := newSearch(q)
	for f, err := range files {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return Result{}, fmt.Errorf("search %q: %w", f.Path, err)
		}
		if isBinary(f.Data) {
			s.result.Binary = append(s.result.Binary, f.Path)
			continue
		}
		s.result.Files++
		s.result.Bytes += int64(len(f.Data))
		s.file(f)
	}
	return s.finish(), nil
}

// isBinary follows git: a NUL in the first 8000 bytes.
func isBinary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 }

// A search is one search under way.
type search struct {
	query  Query
	wanted map[string][]*wanted // by the word that finds them
	all    []*wanted            // by their place in the query, each name once
	filter [256]uint64          // by first byte, the lengths of words (63: longer)
	result Result
}

// A wanted is one name with its findings.
type wanted struct {
	name   string
	before string // what stands in front of the word, and behind it, if the
	after  string // name is more than one word: "#private", "foo-bar"
	found  Found
	last   lastHit
}

// lastHit keeps two mentions on one line from counting twice.
type lastHit struct {
	file int
	line int
}

func newSearch(q Query) *search {
	s := &search{query: q, wanted: map[string][]*wanted{}}
	seen := map[string]bool{}
	for _, name := range q.Names {
		if seen[name] {
			continue
		}
		seen[name] = true
		start, end := longestWord(name)
		if start == end {
			s.result.Unsearched = append(s.result.Unsearched, name)
			continue
		}
		w := &wanted{name: name, before: name[:start], after: name[end:], last: lastHit{file: -1}}
		word := name[start:end]
		s.wanted[word] = append(s.wanted[word], w)
		s.filter[word[0]] |= 1 << min(len(word), 63)
		s.all = append(s.all, w)
	}
	return s
}

// longestWord returns where the word lies by which a name is found.
func longestWord(name string) (start, end int) {
	data := []byte(name)
	for i := 0; i < len(data); {
		n := wordEnd(data, i)
		if n == i {
			i += runeSize(data, i)
			continue
		}
		if n-i > end-start {
			start, end = i, n
		}
		i = n
	}
	return start, end
}

func (s *search) finish() Result {
	r := s.result
	r.Found = make(map[string]Found, len(s.all))
	for _, w := range s.all {
		r.Found[w.name] = w.found
	}
	return r
}

// add records a mention unless the line has one already.
func (s *search) add(w *wanted, f File, line int, member bool, inComment func() bool) {
	at := lastHit{file: s.result.Files, line: line}
	if w.last == at {
		if n := len(w.found.Hits); n > 0 && w.found.Hits[n-1].Path == f.Path && w.found.Hits[n-1].Line == line {
			w.found.Hits[n-1].Member = w.found.Hits[n-1].Member || member
		}
		return
	}
	w.last = at
	if s.query.Skip != nil && s.query.Skip(w.name, f.Path, line) {
		return
	}
	w.found.Total++
	if len(w.found.Hits) < s.query.Limit {
		w.found.Hits = append(w.found.Hits, Hit{Path: f.Path, Line: line, Member: member, InComment: inComment()})
	}
}
