// Package index builds the code graph of one tree.
//
// Input is the ID of a tree and a reader of its objects; output is a
// [graph.Graph] in canonical order, in which every entry of the tree stands
// with what became of it. The steps are: list and classify the entries, read
// and extract each blob once, give every symbol its ID, link per family of
// languages, name what could not be seen.
//
// The same tree gives the same graph, whatever was in the cache, however many
// workers ran and in whichever order they ended. Index runs no git by itself,
// reads no work tree and stores no graph. An extractor or linker that fails,
// even by a panic, costs its files or edges and a coverage caveat, not the
// build; only a cancelled context or an unreadable tree ends it.
package index

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract"
	"github.com/previdence/previdence/graph/factcache"
	"github.com/previdence/previdence/graph/link"
	"github.com/previdence/previdence/worktree"
)

// ErrBadPattern means that an ignore pattern cannot be read.
var ErrBadPattern = errors.New("bad ignore pattern")

// MaxFile is the size in bytes above which a file is not parsed.
const MaxFile = 4 << 20

// Objects reads the objects of one repository; [worktree.Repo] does.
type Objects interface {
	List(ctx context.Context, tree worktree.OID) (worktree.Listing, error)
	// Blobs calls fn in the order of oids; data is valid until fn returns.
	Blobs(ctx context.Context, oids []worktree.OID, limit int64, fn func(i int, data []byte, err error) error) error
}

// Facts keeps facts between builds; [factcache.Cache] does.
type Facts interface {
	Get(ctx context.Context, keys []factcache.Key) (map[factcache.Key]*graph.Facts, error)
	Put(ctx context.Context, entries []factcache.Entry) error
	// Recall and Keep do the same for what linkers keep; see [link.Memo].
	Recall(ctx context.Context, keys []string) (map[string][]byte, error)
	Keep(ctx context.Context, parts map[string][]byte) error
}

// A Configuration is what a repository decides about its graph.
type Configuration struct {
	Ignore    []string // patterns of paths that are not parsed, as in doublestar
	Platforms []string // that Go is linked for beside linux/amd64: "windows/amd64"; unknown ones are left out
	TypesOff  bool     // Go is linked from its syntax alone
}

// Options say how graphs are built. The zero value builds with everything that
// this program knows, on all processors, and keeps nothing.
type Options struct {
	Configuration
	Workers  int                       // goroutines that extract; 0: one per processor
	Facts    Facts                     // nil: none are kept between runs
	Progress func(Progress)            // called from one goroutine at a time; may be nil
	Built    func(worktree.OID, Stats) // called after each build of a tree, likewise; may be nil
	Extract  []extract.Extractor       // nil: all languages
	Link     []link.Linker             // nil: all languages; in this order
}

// The phases of a build, in order.
const (
	PhaseList    = "list"
	PhaseExtract = "extract"
	PhaseLink    = "link"
)

// Progress says how far a build is.
type Progress struct {
	Phase string
	Done  int
	Total int
	Bytes int64 // of the contents that are done; 0 in phases that read none
	Of    int64 // bytes of all contents
}

// Stats say what a build did. They depend on the cache and are no part of a
// graph.
type Stats struct {
	Files      int    // entries of the tree
	Parsed     int    // of them parsed, whole or in part
	Extracted  int    // blobs that were extracted
	Remembered int    // blobs whose facts were there already
	Linked     int    // parts that linkers made, such as Go packages that were type-checked
	Recalled   int    // parts that were there already
	Bytes      int64  // read from the repository
	LinkError  error  // why some references were not resolved; the graph says so in a caveat
	Outside    string // what the graph depends on besides tree and engine; see [Builder.Outside]
	CacheError error  // why facts were not read or not kept; the graph is whole anyway
}

// A Builder builds graphs. The graphs that one Builder builds, such as base and
// head of a review, share the facts of equal blobs and what the linkers know
// about standard libraries. It is safe for concurrent use.
type Builder struct {
	options       Options
	extractors    map[string]extract.Extractor // by language
	linkers       []link.Linker
	ownLinkers    bool // the options named none
	ownExtractors bool // likewise
	*shared
}

// What is shared by the builds of one builder and of those made from it.
type shared struct {
	mu     sync.Mutex // guards known and parts
	known  map[factcache.Key]*graph.Facts
	parts  *partShelf // what linkers keep
	report sync.Mutex // one call of Progress or Built at a time
}

// New returns a builder.
func New(o Options) *Builder {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	b := &Builder{
		options: o, linkers: o.Link, ownLinkers: o.Link == nil, ownExtractors: o.Extract == nil,
		shared: &shared{known: map[factcache.Key]*graph.Facts{}, parts: newPartShelf(partsLimit)},
	}
	if b.ownExtractors {
		o.Extract = extractors(o.Configuration)
	}
	if b.ownLinkers {
		b.linkers = linkers(o.Configuration)
	}
	b.extractors = byItsLanguages(o.Extract)
	return b
}

func byItsLanguages(list []extract.Extractor) map[string]extract.Extractor {
	out := map[string]extract.Extractor{}
	for _, e := range list {
		for _, language := range e.Languages() {
			out[language] = e
		}
	}
	return out
}

// Configured returns a builder with another configuration in place of that of its
// options. It shares what b knows, and its linkers if both have the same platforms
// and types; linkers and extractors that the options named stay.
func (b *Builder) Configured(c Configuration) *Builder {
	other := *b
	other.options.Configuration = c
	retyped := c.TypesOff != b.options.TypesOff
	if b.ownLinkers && (retyped || !slices.Equal(c.Platforms, b.options.Platforms)) {
		other.linkers = linkers(c)
	}
	if b.ownExtractors && retyped {
		other.extractors = byItsLanguages(extractors(c))
	}
	return &other
}

// Build builds the graph of a tree.
func (b *Builder) Build(ctx context.Context, objects Objects, tree worktree.OID) (*graph.Graph, Stats, error) {
	for _, p := range b.options.Ignore {
		if !doublestar.ValidatePattern(p) {
			return nil, Stats{}, fmt.Errorf("%w: %q", ErrBadPattern, p)
		}
	}
	b.progress(PhaseList, 0, 1)
	listing, err := objects.List(ctx, tree)
	if err != nil {
		return nil, Stats{}, fmt.Errorf("build graph: %w", err)
	}
	b.progress(PhaseList, 1, 1)
	r := &run{Builder: b, objects: objects}
	r.classify(listing)
	g, err := r.build(ctx)
	if err != nil {
		return nil, Stats{}, fmt.Errorf("build graph: %w", err)
	}
	b.built(tree, r.stats)
	return g, r.stats, nil
}

func (b *Builder) built(tree worktree.OID, s Stats) {
	if b.options.Built == nil {
		return
	}
	b.report.Lock()
	defer b.report.Unlock()
	b.options.Built(tree, s)
}

func (b *Builder) progress(phase string, done, total int) {
	b.tell(Progress{Phase: phase, Done: done, Total: total})
}

func (b *Builder) tell(p Progress) {
	if b.options.Progress == nil {
		return
	}
	b.report.Lock()
	defer b.report.Unlock()
	b.options.Progress(p)
}

// A run is one build.
type run struct {
	*Builder
	objects Objects
	units   []unit // by path
	skipped []worktree.SkippedEntry
	tree    *sources
	stats   Stats
}

// A unit is one entry of the tree on its way into the graph.
type unit struct {
	file   graph.File
	plain  bool         // a file with content, not a link to somewhere else
	facts  *graph.Facts // nil if it is not parsed
	syntax any
}

func (r *run) build(ctx context.Context) (*graph.Graph, error) {
	if err := r.extract(ctx); err != nil {
		return nil, err
	}
	g := &graph.Graph{}
	first, err := r.symbols(ctx, g)
	if err != nil {
		return nil, err
	}
	lost, err := r.link(ctx, g, first)
	if err != nil {
		return nil, err
	}
	for i := range r.units {
		g.Files = append(g.Files, r.units[i].file)
		if r.units[i].facts != nil {
			r.stats.Parsed++
		}
	}
	r.stats.Files = len(g.Files)
	g.Counts = sumCounts(g.Counts)
	g.Caveats = append(g.Caveats, r.caveats(g, lost)...)
	g.Sort()
	separate(g)
	return g, ctx.Err()
}
