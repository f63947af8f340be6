package graph

import (
	"cmp"
	"slices"
	"sort"
)

// An Edge says that the symbol From refers to the symbol To. Both are indexes
// into [Graph.Symbols]; an edge to a symbol that does not exist cannot be
// written down.
type Edge struct {
	From, To int32
	Kind     EdgeKind
	Tier     Tier
	Lines    []int32 // lines of the sites in From's file, ascending, each once
}

// An Unresolved reference is one whose target was not found although it could
// lie in this tree. References that certainly leave the tree are only counted
// ([Counts.External]).
type Unresolved struct {
	From   int32 // index of the symbol that holds the reference
	Line   int32 // in From's file, from 1
	Kind   EdgeKind
	Name   string // identifier that was looked up: "Gone", or the module as written in an import
	In     string // where it was looked up: a path of this tree (file or directory), a SymbolID, or "" if unknown
	Broken bool   // certain to fail: the place it was looked up in is known and whole, and lacks the name
	Reason string // short, from a fixed list per language: "no such export", "receiver type unknown", …
}

// A FileState says how much of a file the graph has seen.
type FileState uint8

// The file states. The zero value is invalid.
const (
	FileParsed      FileState = iota + 1 // whole
	FilePartial                          // with the gaps listed
	FileUnsupported                      // no extractor for this kind of file
	FileOversized                        // larger than the limit
	FileBinary                           // not text
	FileIgnored                          // excluded by configuration
	FileLFSPointer                       // the content lies in Git LFS
	FileSymlink                          // a symbolic link
	FileSubmodule                        // another repository
	FileFailed                           // it should have been read and was not
	fileStateEnd
)

var fileStateNames = [...]string{"", "parsed", "partial", "unsupported", "oversized", "binary", "ignored",
	"lfs_pointer", "symlink", "submodule", "failed"}

// String gives the state's name in reports and databases; "" if s is invalid.
func (s FileState) String() string {
	if s >= fileStateEnd {
		return ""
	}
	return fileStateNames[s]
}

// ParseFileState is the inverse of [FileState.String].
func ParseFileState(s string) (FileState, bool) {
	for i, n := range fileStateNames {
		if i > 0 && n == s {
			return FileState(i), true
		}
	}
	return 0, false
}

// A File is one entry of the tree and what became of it.
type File struct {
	Path      string
	Blob      string // git object ID, hex; the commit for a submodule
	Size      int64  // bytes; 0 for a submodule
	Language  string // "" if not known
	State     FileState
	Reason    string // why it is not parsed whole; empty if it is
	Gaps      []Span // lines that were not understood
	Generated bool   // says of itself that it is generated
}

// Counts are the calls of one language by the tier that resolved them: each
// call site counts once, at its strongest tier; test and latent count as dispatch.
type Counts struct {
	Language   string
	Compiler   int
	Exact      int
	Dispatch   int
	Import     int
	Name       int
	Unresolved int
	External   int
}

// Add counts one call site resolved at tier t.
func (c *Counts) Add(t Tier) {
	switch t {
	case TierCompiler:
		c.Compiler++
	case TierExact:
		c.Exact++
	case TierDispatch, TierTest, TierLatent:
		c.Dispatch++
	case TierImport:
		c.Import++
	case TierName:
		c.Name++
	}
}

// A Caveat is something that the graph could not see, with how often and of
// how many.
type Caveat struct {
	ID       string   // stable name: "go.stand_in_packages"
	Text     string   // one sentence for a reader, without repository text
	Count    int      // how many are affected
	Of       int      // out of how many; 0 if there is no population
	Examples []string // at most five, sorted: paths or names from the repository
}

// A Graph is the code graph of one tree. [Graph.Sort] puts it into canonical
// order; after that two graphs of one tree are equal field by field.
type Graph struct {
	Symbols    []Symbol     // by ID
	Edges      []Edge       // by From, To, Kind, Tier
	Unresolved []Unresolved // by From, Line, Kind, Name, In
	Files      []File       // by Path
	Counts     []Counts     // by Language
	Caveats    []Caveat     // by ID

	in    []int32 // edge indexes ordered by To
	inAt  []int32 // len(Symbols)+1 offsets into in
	outAt []int32 // len(Symbols)+1 offsets into Edges
}

// Sort brings the graph into canonical order, renumbering symbols, merging
// edges that differ only in their lines, and prepares [Graph.In] and
// [Graph.Out]. Symbols with equal IDs must not exist.
func (g *Graph) Sort() {
	order := make([]int32, len(g.Symbols))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(g.Symbols[a].ID, g.Symbols[b].ID) })
	place := make([]int32, len(order)) // old index → new
	symbols := make([]Symbol, len(order))
	for i, o := range order {
		place[o] = int32(i)
		symbols[i] = g.Symbols[o]
	}
	g.Symbols = symbols
	for i := range g.Edges {
		e := &g.Edges[i]
		e.From, e.To = place[e.From], place[e.To]
	}
	for i := range g.Unresolved {
		g.Unresolved[i].From = place[g.Unresolved[i].From]
	}
	g.Edges = mergeEdges(g.Edges)
	slices.SortFunc(g.Unresolved, compareUnresolved)
	g.Unresolved = slices.Compact(g.Unresolved)
	slices.SortFunc(g.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(g.Counts, func(a, b Counts) int { return cmp.Compare(a.Language, b.Language) })
	slices.SortFunc(g.Caveats, func(a, b Caveat) int { return cmp.Compare(a.ID, b.ID) })
	g.Index()
}

func compareUnresolved(a, b Unresolved) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Name, b.Name), cmp.Compare(a.In, b.In), cmp.Compare(a.Reason, b.Reason))
}

// compareEdges looks at one field after the other: a million edges are compared
// twenty million times.
func compareEdges(a, b Edge) int {
	switch {
	case a.From != b.From:
		return cmp.Compare(a.From, b.From)
	case a.To != b.To:
		return cmp.Compare(a.To, b.To)
	case a.Kind != b.Kind:
		return cmp.Compare(a.Kind, b.Kind)
	}
	return cmp.Compare(a.Tier, b.Tier)
}

func mergeEdges(edges []Edge) []Edge {
	slices.SortFunc(edges, compareEdges) // equal ones differ in their lines only, which are sorted below
	out := edges[:0]
	for _, e := range edges {
		if n := len(out); n > 0 && compareEdges(out[n-1], e) == 0 {
			out[n-1].Lines = append(out[n-1].Lines, e.Lines...)
			continue
		}
		out = append(out, e)
	}
	for i := range out {
		if len(out[i].Lines) > 1 {
			slices.Sort(out[i].Lines)
			out[i].Lines = slices.Compact(out[i].Lines)
		}
	}
	return out
}

// Index prepares [Graph.In] and [Graph.Out] for a graph that is already in
// canonical order, such as one read from a database.
func (g *Graph) Index() {
	n := len(g.Symbols)
	g.inAt = make([]int32, n+1)
	g.outAt = make([]int32, n+1)
	for _, e := range g.Edges {
		g.inAt[e.To+1]++
		g.outAt[e.From+1]++
	}
	for i := range n {
		g.inAt[i+1] += g.inAt[i]
		g.outAt[i+1] += g.outAt[i]
	}
	g.in = make([]int32, len(g.Edges))
	next := slices.Clone(g.inAt)
	for i, e := range g.Edges {
		g.in[next[e.To]] = int32(i)
		next[e.To]++
	}
}

// In returns the indexes of the edges that arrive at symbol s, in the order of
// the symbols they come from. The caller must not change the slice.
func (g *Graph) In(s int32) []int32 { return g.in[g.inAt[s]:g.inAt[s+1]] }

// Out returns the edges that leave symbol s. The caller must not change them.
func (g *Graph) Out(s int32) []Edge { return g.Edges[g.outAt[s]:g.outAt[s+1]] }

// Find returns the index of the symbol with this ID.
func (g *Graph) Find(id SymbolID) (int32, bool) {
	i := sort.Search(len(g.Symbols), func(i int) bool { return g.Symbols[i].ID >= id })
	if i < len(g.Symbols) && g.Symbols[i].ID == id {
		return int32(i), true
	}
	return -1, false
}

// File returns the entry of the tree with this path.
func (g *Graph) File(path string) (*File, bool) {
	i := sort.Search(len(g.Files), func(i int) bool { return g.Files[i].Path >= path })
	if i < len(g.Files) && g.Files[i].Path == path {
		return &g.Files[i], true
	}
	return nil, false
}
