package review

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/worktree"
)

// A fileMap says where the files of one tree lie in the other. Unchanged files
// are not in it: they lie where they lay.
type fileMap struct {
	toHead  map[string]string // old path → new path; "" if removed
	toBase  map[string]string // new path → old path; "" if added
	changed map[string]bool   // paths of head whose content differs
}

func newFileMap(changes []worktree.Change) fileMap {
	m := fileMap{toHead: map[string]string{}, toBase: map[string]string{}, changed: map[string]bool{}}
	for _, c := range changes {
		switch c.Status {
		case worktree.Removed:
			m.toHead[c.Path] = ""
		case worktree.Added, worktree.Copied:
			m.toBase[c.Path] = ""
		case worktree.Renamed:
			m.toHead[c.OldPath] = c.Path
			m.toBase[c.Path] = c.OldPath
		default:
			m.toHead[c.Path] = c.Path
			m.toBase[c.Path] = c.Path
		}
		if c.Status != worktree.Removed {
			m.changed[c.Path] = true
		}
	}
	// A renamed file may leave its old path to a new one; the old path then maps
	// to where its content went, not to the newcomer.
	return m
}

// head gives the path at head of a file of the merge base; ok is false if it is
// gone.
func (m fileMap) head(path string) (string, bool) {
	p, known := m.toHead[path]
	if !known {
		return path, true
	}
	return p, p != ""
}

// A pairing says which symbol of head a symbol of the merge base became.
type pairing struct {
	toHead []int32 // by base index; graph.None if it is gone
	toBase []int32 // by head index; graph.None if it is new
}

func (p *pairing) join(b, h int32) {
	p.toHead[b], p.toBase[h] = h, b
}

func newPairing(base, head *graph.Graph) pairing {
	p := pairing{toHead: make([]int32, len(base.Symbols)), toBase: make([]int32, len(head.Symbols))}
	for i := range p.toHead {
		p.toHead[i] = graph.None
	}
	for i := range p.toBase {
		p.toBase[i] = graph.None
	}
	return p
}

// local is the part of an ID that does not name the file.
func local(s *graph.Symbol) string {
	id := string(s.ID)
	return id[len(s.Language)+1+len(pathOf(s))+1:]
}

// pathOf is the path inside an ID. It differs from Symbol.Path for packages,
// which are named by their folder.
func pathOf(s *graph.Symbol) string {
	rest := string(s.ID)[len(s.Language)+1:]
	if s.Kind == graph.KindPackage {
		return rest[:strings.LastIndex(rest, "#")]
	}
	return s.Path
}

// matchByPlace pairs the symbols that have the same name in the same file, after
// renames of files. Whatever is left was added, removed, moved or renamed.
func matchByPlace(base, head *graph.Graph, files fileMap) pairing {
	p := newPairing(base, head)
	for b := range base.Symbols {
		s := &base.Symbols[b]
		path, ok := pathOf(s), true
		if s.Kind != graph.KindPackage {
			path, ok = files.head(path)
		}
		if !ok {
			continue
		}
		id := s.ID
		if path != pathOf(s) {
			id = graph.SymbolID(languageAt(head, path, s.Language) + ":" + path + "#" + local(s))
		}
		if h, found := head.Find(id); found && p.toBase[h] == graph.None {
			p.join(int32(b), h)
		}
	}
	return p
}

// matchPassedOn pairs the export * of one file that lead to the same file at
// both commits: they are named by the path they give, which follows a rename.
func (p *pairing) matchPassedOn(base, head *graph.Graph, files fileMap, gone, fresh []int32) {
	type place struct {
		path string
		to   int32
	}
	at := map[place]int32{}
	for _, h := range fresh {
		if s := &head.Symbols[h]; passesAll(s) {
			for _, e := range head.Out(h) {
				at[place{s.Path, e.To}] = h
			}
		}
	}
	for _, b := range gone {
		s := &base.Symbols[b]
		path, ok := files.head(s.Path)
		if !ok || !passesAll(s) {
			continue
		}
		for _, e := range base.Out(b) {
			if h, ok := at[place{path, p.toHead[e.To]}]; ok && p.toBase[h] == graph.None && p.toHead[b] == graph.None {
				p.join(b, h)
			}
		}
	}
}

// passesAll is true for export * from another module.
func passesAll(s *graph.Symbol) bool { return s.Kind == graph.KindReexport && s.Name == "*" }

// languageAt is the language of a file of head: a rename from a.js to a.ts
// changes it.
func languageAt(head *graph.Graph, path, otherwise string) string {
	if f, ok := head.File(path); ok && f.Language != "" {
		return f.Language
	}
	return otherwise
}

// matchMoved pairs symbols that are equal but lie elsewhere, and of those the
// ones with the same container first.
func matchMoved(base, head *graph.Graph, p *pairing, gone, fresh []int32) {
	type content struct {
		language, name  string
		kind            graph.Kind
		signature, body graph.Digest
	}
	key := func(s *graph.Symbol) content {
		return content{s.Language, s.Name, s.Kind, s.Digests.Signature, s.Digests.Body}
	}
	at := map[content][]int32{}
	for _, h := range fresh {
		s := &head.Symbols[h]
		if movable(s) {
			at[key(s)] = append(at[key(s)], h)
		}
	}
	for _, b := range gone {
		s := &base.Symbols[b]
		if !movable(s) {
			continue
		}
		best := graph.None
		for _, h := range at[key(s)] {
			if p.toBase[h] != graph.None {
				continue
			}
			if best == graph.None || head.Symbols[h].Container == s.Container && head.Symbols[best].Container != s.Container {
				best = h
			}
		}
		if best != graph.None {
			p.join(b, best)
		}
	}
}

// movable leaves out what has too little of its own to be recognised: fields,
// members and the files themselves, which move with what contains them.
func movable(s *graph.Symbol) bool {
	switch s.Kind {
	case graph.KindModule, graph.KindPackage, graph.KindField, graph.KindMember, graph.KindHeading, graph.KindReexport:
		return false
	}
	return s.Digests.Body != graph.Digest{}
}

// matchChildren pairs the members of containers that were moved or renamed, by
// name, until nothing more follows.
func matchChildren(base, head *graph.Graph, p *pairing, gone, fresh []int32) {
	type place struct{ path, container, rest string }
	at := map[place]int32{}
	for _, h := range fresh {
		s := &head.Symbols[h]
		if p.toBase[h] == graph.None && s.Container != "" {
			at[place{s.Path, s.Container, s.Kind.String() + s.Name}] = h
		}
	}
	owners := containers(base)
	for _, b := range gone {
		s := &base.Symbols[b]
		if p.toHead[b] != graph.None || s.Container == "" {
			continue
		}
		owner, ok := owners[owned{s.Path, s.Container}]
		if !ok || p.toHead[owner] == graph.None {
			continue
		}
		o := &head.Symbols[p.toHead[owner]]
		if h, ok := at[place{o.Path, o.Qualified(), s.Kind.String() + s.Name}]; ok && p.toBase[h] == graph.None {
			p.join(b, h)
		}
	}
}

type owned struct{ path, qualified string }

// containers finds the symbols that contain others by their qualified name.
func containers(g *graph.Graph) map[owned]int32 {
	m := map[owned]int32{}
	for i := range g.Symbols {
		s := &g.Symbols[i]
		switch s.Kind {
		case graph.KindClass, graph.KindStruct, graph.KindInterface, graph.KindType, graph.KindEnum, graph.KindFunction, graph.KindMethod:
			m[owned{s.Path, s.Qualified()}] = int32(i)
		}
	}
	return m
}

// A candidate is a possible partner of a removed symbol by the likeness of
// their text.
type candidate struct {
	b, h  int32
	score float64
}

// Thresholds of likeness, as a share of the text. A function of the same name
// may change more than one whose name changed too.
const (
	sameNameLikeness  = 0.5
	sameFileLikeness  = 0.6
	otherFileLikeness = 0.75
	// likenessPairs bounds the comparisons; past it the rest stays unmatched.
	likenessPairs = 200_000
)

// matchAlike pairs what is left by the likeness of bodies, best first. It says
// whether all pairs were compared.
func (r *reviewer) matchAlike(ctx context.Context, gone, fresh []int32, texts *bodies) bool {
	var found []candidate
	compared := 0
	for _, b := range gone {
		if ctx.Err() != nil {
			return false // the caller sees why
		}
		if r.pairs.toHead[b] != graph.None || !alikeKind(r.Base.Symbols[b].Kind) {
			continue
		}
		for _, h := range fresh {
			if r.pairs.toBase[h] != graph.None || !r.comparable(b, h) {
				continue
			}
			if compared++; compared > likenessPairs {
				return false
			}
			threshold := r.threshold(b, h)
			if score := texts.like(&r.Base.Symbols[b], &r.Head.Symbols[h], threshold); score >= threshold {
				found = append(found, candidate{b, h, score})
			}
		}
	}
	slices.SortStableFunc(found, func(x, y candidate) int {
		return cmp.Or(-cmp.Compare(x.score, y.score), cmp.Compare(x.b, y.b), cmp.Compare(x.h, y.h))
	})
	for _, c := range found {
		if r.pairs.toHead[c.b] == graph.None && r.pairs.toBase[c.h] == graph.None {
			r.pairs.join(c.b, c.h)
		}
	}
	return true
}

func alikeKind(k graph.Kind) bool {
	switch k {
	case graph.KindFunction, graph.KindMethod, graph.KindConstructor, graph.KindClass, graph.KindStruct,
		graph.KindInterface, graph.KindType, graph.KindEnum, graph.KindProperty, graph.KindTest:
		return true
	}
	return false
}

func (r *reviewer) comparable(b, h int32) bool {
	x, y := &r.Base.Symbols[b], &r.Head.Symbols[h]
	if x.Language != y.Language {
		return false
	}
	if x.Kind == y.Kind {
		return true
	}
	// A function may become a method and the other way round, under its name.
	return x.Name == y.Name && x.Kind.Callable() && y.Kind.Callable()
}

func (r *reviewer) threshold(b, h int32) float64 {
	x, y := &r.Base.Symbols[b], &r.Head.Symbols[h]
	if x.Name == y.Name {
		return sameNameLikeness
	}
	if path, ok := r.files.head(x.Path); ok && path == y.Path {
		return sameFileLikeness
	}
	return otherFileLikeness
}
