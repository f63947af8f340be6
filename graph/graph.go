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

// CaveatTypesOff is the caveat of a graph whose Go was linked without types.
const CaveatTypesOff = "go.types_off"

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
	order := orderOf(g.Symbols)
	place := make([]int32, len(order)) // old index → new
	for i, o := range order {
		place[o] = int32(i)
	}
	permute(g.Symbols, order)
	for i := range g.Edges {
		e := &g.Edges[i]
		e.From, e.To = place[e.From], place[e.To]
	}
	for i := range g.Unresolved {
		g.Unresolved[i].From = place[g.Unresolved[i].From]
	}
	g.Edges = MergeEdges(g.Edges, len(g.Symbols), func(a, b *Edge) bool { return CompareEdges(*a, *b) == 0 })
	slices.SortFunc(g.Unresolved, compareUnresolved)
	g.Unresolved = slices.Compact(g.Unresolved)
	slices.SortFunc(g.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(g.Counts, func(a, b Counts) int { return cmp.Compare(a.Language, b.Language) })
	slices.SortFunc(g.Caveats, func(a, b Caveat) int { return cmp.Compare(a.ID, b.ID) })
	g.Index()
}

// orderOf lists symbols by ID. Those of one file lie together and their IDs begin
// alike, so files are put into order first and the symbols of each then: short
// lists are sorted several times as fast as a long one.
func orderOf(symbols []Symbol) []int32 {
	order := make([]int32, len(symbols))
	for i := range order {
		order[i] = int32(i)
	}
	byID := func(a, b int32) int { return cmp.Compare(symbols[a].ID, symbols[b].ID) }
	var runs [][]int32 // of one file each
	start := 0
	for i := range symbols {
		if i+1 == len(symbols) || symbols[i+1].Path != symbols[i].Path || symbols[i+1].Language != symbols[i].Language {
			runs = append(runs, order[start:i+1])
			start = i + 1
		}
	}
	for _, run := range runs {
		slices.SortFunc(run, byID)
	}
	slices.SortFunc(runs, func(a, b []int32) int { return byID(a[0], b[0]) })
	order = slices.Concat(runs...)
	if !slices.IsSortedFunc(order, byID) { // names that hold a hash can mix the symbols of two files
		slices.SortFunc(order, byID)
	}
	return order
}

// permute puts symbols into an order, which it uses up, without a second list of
// them: one of a large graph takes a hundred megabytes.
func permute(symbols []Symbol, order []int32) {
	for i := range order {
		if order[i] == int32(i) {
			continue
		}
		first, at := symbols[i], int32(i)
		for {
			from := order[at]
			order[at] = at
			if from == int32(i) {
				symbols[at] = first
				break
			}
			symbols[at] = symbols[from]
			at = from
		}
	}
}

func compareUnresolved(a, b Unresolved) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Name, b.Name), cmp.Compare(a.In, b.In), cmp.Compare(a.Reason, b.Reason))
}

// CompareEdges is the canonical order of edges. It looks at one field after the
// other: of a million edges, many millions of pairs are compared.
func CompareEdges(a, b Edge) int {
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

// MergeEdges puts the edges between so many symbols into canonical order and joins
// neighbours that are the same: the first one stays, with the lines of both. It may
// use the memory of edges and of their lines.
func MergeEdges(edges []Edge, symbols int, same func(a, b *Edge) bool) []Edge {
	edges = sortEdges(edges, symbols)
	out := edges[:0]
	for i := range edges {
		e := &edges[i]
		if n := len(out); n > 0 && same(&out[n-1], e) {
			out[n-1].Lines = append(out[n-1].Lines, e.Lines...)
			continue
		}
		out = append(out, *e)
	}
	clear(edges[len(out):])
	for i := range out {
		if lines := out[i].Lines; !ascend(lines) {
			slices.Sort(lines)
			out[i].Lines = slices.Compact(lines)
		}
	}
	return out
}

// sortEdges deals the edges out to the symbols that they leave, and sorts each short
// list. Edges that are in order already stay where they are.
func sortEdges(edges []Edge, symbols int) []Edge {
	if slices.IsSortedFunc(edges, CompareEdges) {
		return edges
	}
	ends := make([]int32, symbols+1) // first where the edges of the symbol before begin
	for i := range edges {
		ends[edges[i].From+1]++
	}
	for i := range symbols {
		ends[i+1] += ends[i]
	}
	out := make([]Edge, len(edges))
	for i := range edges {
		from := edges[i].From
		out[ends[from]] = edges[i]
		ends[from]++
	}
	start := int32(0)
	for _, end := range ends[:symbols] {
		slices.SortFunc(out[start:end], CompareEdges)
		start = end
	}
	return out
}

// ascend reports whether lines are in order, each once.
func ascend(lines []int32) bool {
	for i := 1; i < len(lines); i++ {
		if lines[i-1] >= lines[i] {
			return false
		}
	}
	return true
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

// Untyped is how many Go files were linked without types.
func (g *Graph) Untyped() int {
	for i := range g.Caveats {
		if g.Caveats[i].ID == CaveatTypesOff {
			return g.Caveats[i].Count
		}
	}
	return 0
}

// File returns the entry of the tree with this path.
func (g *Graph) File(path string) (*File, bool) {
	i := sort.Search(len(g.Files), func(i int) bool { return g.Files[i].Path >= path })
	if i < len(g.Files) && g.Files[i].Path == path {
		return &g.Files[i], true
	}
	return nil, false
}
