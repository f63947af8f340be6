package index

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract"
	"github.com/previdence/previdence/graph/link"
	"github.com/previdence/previdence/worktree"
)

// A memory is a repository of one tree.
type memory struct {
	listing worktree.Listing
	content map[worktree.OID][]byte
	failing map[worktree.OID]error

	mu   sync.Mutex
	read map[worktree.OID]int // how often each was read
}

// oidOf is the object ID that git gives a blob.
func oidOf(content string) worktree.OID {
	return worktree.OID(fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content))))
}

// repository makes a tree of files. A path that ends in "@" is a symbolic link,
// one that ends in "!" a submodule.
func repository(files map[string]string) *memory {
	m := &memory{content: map[worktree.OID][]byte{}, failing: map[worktree.OID]error{}, read: map[worktree.OID]int{}}
	for p, content := range files {
		e := worktree.Entry{Path: p, Mode: worktree.ModeFile, OID: oidOf(content), Size: int64(len(content))}
		switch {
		case strings.HasSuffix(p, "@"):
			e.Mode = worktree.ModeSymlink
		case strings.HasSuffix(p, "!"):
			e.Mode = worktree.ModeSubmodule
		default:
			m.content[e.OID] = []byte(content)
		}
		m.listing.Entries = append(m.listing.Entries, e)
	}
	slices.SortFunc(m.listing.Entries, func(a, b worktree.Entry) int { return strings.Compare(a.Path, b.Path) })
	return m
}

func (m *memory) List(context.Context, worktree.OID) (worktree.Listing, error) { return m.listing, nil }

func (m *memory) Blobs(ctx context.Context, oids []worktree.OID, limit int64, fn func(int, []byte, error) error) error {
	buffer := []byte(nil) // used again for every blob, as a real reader may
	for i, oid := range oids {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.mu.Lock()
		m.read[oid]++
		m.mu.Unlock()
		content, err := m.content[oid], m.failing[oid]
		if err == nil && int64(len(content)) > limit {
			err = worktree.ErrTooLarge
		}
		buffer = append(buffer[:0], content...)
		if err != nil {
			buffer = buffer[:0]
		}
		if err := fn(i, buffer, err); err != nil {
			return err
		}
		for i := range buffer {
			buffer[i] = '!'
		}
	}
	return nil
}

// toy is an extractor of a language of lines: "def NAME", "test NAME", "call
// NAME", "gap", "generated", "fail", "panic", "wait".
type toy struct{}

func (toy) Languages() []string { return []string{"go", "python", "javascript"} }
func (toy) Version() uint32     { return 3 }

var errToy = errors.New("toy error that quotes the repository")

func (toy) Extract(ctx context.Context, language string, src []byte) (extract.Result, error) {
	f := &graph.Facts{Language: language, Version: 3, Symbols: []graph.SymbolFact{{Kind: graph.KindModule, Parent: graph.None, Result: graph.None, Scope: graph.None, Line: 1}}}
	for i, line := range bytes.Split(src, []byte("\n")) {
		at := int32(i + 1)
		verb, name, _ := strings.Cut(string(line), " ")
		last := int32(len(f.Symbols) - 1)
		switch verb {
		case "def", "test":
			s := graph.SymbolFact{Name: name, Kind: graph.KindFunction, Parent: 0, Line: at, EndLine: at, Result: graph.None, Scope: graph.None,
				Start: at, Params: []graph.Param{{Name: "p", Type: graph.None}}}
			if verb == "test" {
				s.Test = graph.TestByPath
			}
			f.Symbols = append(f.Symbols, s)
		case "call":
			f.Refs = append(f.Refs, graph.Ref{Kind: graph.EdgeCall, Name: name, From: last, Line: at, Expr: graph.None, Args: graph.None})
		case "gap":
			f.Gaps = append(f.Gaps, graph.Span{Start: int(at), End: int(at)})
		case "generated":
			f.Generated = true
		case "fail":
			return extract.Result{}, errToy
		case "panic":
			panic("at some address")
		case "wait":
			<-ctx.Done()
			return extract.Result{}, ctx.Err()
		}
	}
	return extract.Result{Facts: f, Syntax: "syntax of " + string(src)}, nil
}

// toyLinker resolves calls by name over all files and makes one package symbol
// for every folder.
type toyLinker struct {
	languages []string
	fault     string // "panic", "error", "range" or ""
	seen      func(link.Input)
}

func (l *toyLinker) Languages() []string { return l.languages }
func (l *toyLinker) Version() uint32     { return 5 }

func (l *toyLinker) Link(ctx context.Context, in link.Input) (link.Output, error) {
	var out link.Output
	if l.seen != nil {
		l.seen(in)
	}
	switch l.fault {
	case "panic":
		panic("toy linker")
	case "error":
		return out, errToy
	case "range":
		out.Edges = []graph.Edge{{From: 0, To: int32(len(in.Symbols)), Kind: graph.EdgeCall, Tier: graph.TierName}}
		return out, nil
	}
	byName := map[string]int32{}
	for i, s := range in.Symbols {
		byName[s.Name] = int32(i)
	}
	packages := map[string]int32{}
	counts := graph.Counts{Language: l.languages[0]}
	for _, f := range in.Files {
		dir := path.Dir(f.Path)
		if _, ok := packages[dir]; !ok {
			packages[dir] = int32(len(in.Symbols) + len(out.Symbols))
			out.Symbols = append(out.Symbols, graph.Symbol{ID: graph.NewSymbolID(l.languages[0], dir, "", "", graph.KindPackage, ""), Kind: graph.KindPackage, Language: l.languages[0], Path: f.Path})
		}
		out.Edges = append(out.Edges, graph.Edge{From: f.Symbols, To: packages[dir], Kind: graph.EdgeImport, Tier: graph.TierExact, Lines: []int32{1}})
		for _, ref := range f.Facts.Refs {
			to, ok := byName[ref.Name]
			if !ok {
				counts.Unresolved++
				out.Unresolved = append(out.Unresolved, graph.Unresolved{From: f.Symbols + ref.From, Line: ref.Line, Kind: ref.Kind, Name: ref.Name, Reason: "no such name"})
				continue
			}
			counts.Add(graph.TierName)
			out.Edges = append(out.Edges, graph.Edge{From: f.Symbols + ref.From, To: to, Kind: ref.Kind, Tier: graph.TierName, Lines: []int32{ref.Line}})
		}
	}
	out.Counts = append(out.Counts, counts)
	return out, ctx.Err()
}

func toys() Options {
	return Options{
		Extract: []extract.Extractor{toy{}},
		Link:    []link.Linker{&toyLinker{languages: []string{"go"}}, &toyLinker{languages: []string{"python", "javascript"}}},
	}
}
