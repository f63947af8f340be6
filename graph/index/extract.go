package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/pool"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract"
	"github.com/previdence/previdence/graph/factcache"
	"github.com/previdence/previdence/worktree"
)

// largeFile is the size from which files are read first. One large file at the
// end would leave all workers but one idle; reading everything by size would
// make git unpack the objects out of their order.
const largeFile = 256 << 10

// heldSyntax is how many bytes of source the syntax trees may come from that are
// kept for a linker. A tree takes about twelve times the memory of its source;
// what does not fit is parsed again, one package at a time.
const heldSyntax = 8 << 20

// A blob is one content of the tree with the files that have it.
type blob struct {
	oid   worktree.OID
	size  int64
	units []*unit
	keep  bool // a linker is going to read it
}

// extract fills in facts and states of all units.
func (r *run) extract(ctx context.Context) error {
	r.recall(ctx)
	blobs := r.plan()
	e := extraction{run: r, blobs: blobs, fresh: map[factcache.Key]*graph.Facts{}}
	if err := e.read(ctx); err != nil {
		r.share(e.fresh) // whoever goes on with less need not parse them again
		return err
	}
	r.stats.Extracted = len(e.fresh)
	r.remember(ctx, e.fresh)
	return ctx.Err()
}

func (b *Builder) key(f *graph.File) (factcache.Key, bool) {
	e := b.extractors[f.Language]
	if e == nil {
		return factcache.Key{}, false
	}
	return factcache.Key{Blob: f.Blob, Language: f.Language, Version: e.Version()}, true
}

// recall finds the facts that are known already.
func (r *run) recall(ctx context.Context) {
	var wanted []factcache.Key
	for i := range r.units {
		if k, ok := r.key(&r.units[i].file); ok && r.units[i].file.State == 0 {
			wanted = append(wanted, k)
		}
	}
	found := r.lookup(wanted)
	if r.options.Facts != nil {
		missing := slices.DeleteFunc(wanted, func(k factcache.Key) bool { return found[k] != nil })
		kept, err := r.options.Facts.Get(ctx, missing)
		r.stats.CacheError = err
		for k, f := range kept {
			found[k] = f
		}
		r.share(kept)
	}
	for i := range r.units {
		u := &r.units[i]
		if k, ok := r.key(&u.file); ok && u.file.State == 0 {
			u.facts = found[k]
		}
	}
	r.stats.Remembered = len(found)
}

// lookup finds the facts that an earlier build of this builder had.
func (b *Builder) lookup(keys []factcache.Key) map[factcache.Key]*graph.Facts {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := map[factcache.Key]*graph.Facts{}
	for _, k := range keys {
		if f := b.known[k]; f != nil {
			found[k] = f
		}
	}
	return found
}

// share gives facts to the builds of this builder that follow.
func (b *Builder) share(facts map[factcache.Key]*graph.Facts) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k, f := range facts {
		b.known[k] = f
	}
}

// plan lists the blobs to read, each once. Files whose facts are known are
// settled here unless a linker needs their content.
func (r *run) plan() []*blob {
	byOID := map[string]*blob{}
	var blobs []*blob
	for i := range r.units {
		u := &r.units[i]
		if !u.plain {
			continue
		}
		keep := isManifest(u.file.Path, u.file.Size)
		if u.facts != nil {
			parsed(&u.file, u.facts)
		}
		if u.file.State != 0 && !keep {
			continue
		}
		b := byOID[u.file.Blob]
		if b == nil {
			b = &blob{oid: worktree.OID(u.file.Blob), size: u.file.Size}
			byOID[u.file.Blob] = b
			blobs = append(blobs, b)
		}
		b.units = append(b.units, u)
		b.keep = b.keep || keep
	}
	slices.SortStableFunc(blobs, func(a, b *blob) int {
		if a.size < largeFile && b.size < largeFile {
			return 0
		}
		return cmp.Compare(b.size, a.size)
	})
	return blobs
}

// An extraction reads blobs and extracts each as soon as it is there.
type extraction struct {
	*run
	blobs []*blob
	all   int64 // bytes of the blobs
	done  atomic.Int64
	bytes atomic.Int64 // of the blobs that are done
	held  atomic.Int64 // bytes of source whose syntax is kept

	mu    sync.Mutex
	fresh map[factcache.Key]*graph.Facts
}

func (e *extraction) read(ctx context.Context) error {
	oids := make([]worktree.OID, len(e.blobs))
	for i, b := range e.blobs {
		oids[i] = b.oid
		e.all += b.size
	}
	workers := pool.New().WithMaxGoroutines(e.options.Workers).WithContext(ctx).WithCancelOnError().WithFirstError()
	e.progress(PhaseExtract, 0, len(e.blobs))
	var readErr error
	if len(oids) > 0 {
		readErr = e.objects.Blobs(ctx, oids, MaxFile, func(i int, data []byte, err error) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			e.stats.Bytes += int64(len(data))
			e.arrived(workers, e.blobs[i], data, err)
			return nil
		})
	}
	return cmp.Or(readErr, workers.Wait())
}

// arrived settles the files of one blob, or hands them to a worker. It waits
// until a worker is free, so no more content is in memory than is worked on.
func (e *extraction) arrived(workers *pool.ContextPool, b *blob, data []byte, err error) {
	var wanted []*unit
	for _, u := range b.units {
		if u.file.State != 0 {
			continue
		}
		if err != nil {
			fail(&u.file, err)
		} else if e.inspect(&u.file, data); u.file.State == 0 {
			wanted = append(wanted, u)
		}
	}
	if err == nil && (b.keep || len(wanted) > 0) {
		data = bytes.Clone(data) // what came is valid only now
	}
	if err == nil && b.keep {
		e.tree.keep(b.oid, data)
	}
	if len(wanted) == 0 {
		e.step(b)
		return
	}
	workers.Go(func(ctx context.Context) error {
		defer e.step(b)
		for language, units := range byLanguage(wanted) {
			if err := e.parse(ctx, language, units, data); err != nil {
				return err
			}
		}
		return nil
	})
}

// hold reports whether there is room for the syntax of one more file.
func (e *extraction) hold(size int) bool {
	return e.held.Add(int64(size)) <= heldSyntax
}

func (e *extraction) step(b *blob) {
	e.bytes.Add(b.size) // first: whoever is the last to be done has seen all bytes
	done := int(e.done.Add(1))
	e.tell(Progress{Phase: PhaseExtract, Done: done, Total: len(e.blobs), Bytes: e.bytes.Load(), Of: e.all})
}

func byLanguage(units []*unit) map[string][]*unit {
	out := map[string][]*unit{}
	for _, u := range units {
		out[u.file.Language] = append(out[u.file.Language], u)
	}
	return out
}

// parse extracts one content as one language for all files that have it. The
// syntax goes to the first file only: a linker may use it up.
func (e *extraction) parse(ctx context.Context, language string, units []*unit, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	result, err := runExtractor(ctx, e.extractors[language], language, data)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err != nil {
		for _, u := range units {
			u.file.State, u.file.Reason = graph.FileFailed, err.Error()
		}
		return nil
	}
	for _, u := range units {
		u.facts = result.Facts
		parsed(&u.file, u.facts)
	}
	held := result.Syntax != nil && e.hold(len(data))
	if held {
		units[0].syntax = result.Syntax
	}
	if result.Syntax != nil && (len(units) > 1 || !held) { // its linker parses again what it has no tree of
		e.tree.keep(worktree.OID(units[0].file.Blob), data)
	}
	if k, ok := e.key(&units[0].file); ok {
		e.mu.Lock()
		e.fresh[k] = result.Facts
		e.mu.Unlock()
	}
	return nil
}

// The reasons why a file is not parsed though it should be. Errors of
// extractors are not quoted: their text may hold text of the repository.
var (
	errExtractorPanic = errors.New("extractor panicked")
	errExtractor      = errors.New("extractor failed")
)

// runExtractor turns a panic and an answer without symbols into an error.
func runExtractor(ctx context.Context, x extract.Extractor, language string, data []byte) (result extract.Result, err error) {
	if caught := panics.Try(func() { result, err = x.Extract(ctx, language, data) }); caught != nil {
		return extract.Result{}, errExtractorPanic
	}
	if err != nil || result.Facts == nil || len(result.Facts.Symbols) == 0 {
		return extract.Result{}, errExtractor
	}
	if result.Facts.Language != language {
		return extract.Result{}, fmt.Errorf("%w: facts of another language", errExtractor)
	}
	trim(result.Facts)
	return result, nil
}

// trim gives back the room that the long lists of facts grew into: facts are kept
// until the last file is linked, and a third of a list of expressions stood empty.
func trim(f *graph.Facts) {
	f.Symbols = trimmed(f.Symbols)
	f.Scopes = trimmed(f.Scopes)
	f.Bindings = trimmed(f.Bindings)
	f.Exprs = trimmed(f.Exprs)
	f.Refs = trimmed(f.Refs)
}

func trimmed[E any](s []E) []E {
	if cap(s)-len(s) <= len(s)/16 {
		return s
	}
	return append(make([]E, 0, len(s)), s...)
}

// remember keeps fresh facts for later builds and later runs.
func (r *run) remember(ctx context.Context, fresh map[factcache.Key]*graph.Facts) {
	r.share(fresh)
	if r.options.Facts == nil || r.stats.CacheError != nil {
		return
	}
	entries := make([]factcache.Entry, 0, len(fresh))
	for k, f := range fresh {
		entries = append(entries, factcache.Entry{Key: k, Facts: f})
	}
	r.stats.CacheError = r.options.Facts.Put(ctx, entries)
}
