package provenance

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/previdence/previdence/graph/factcache"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
)

// The kinds of files that are removed.
const (
	KindGraph     = "graph"          // of one worktree
	KindKept      = "kept_graph"     // of a tree, for all worktrees
	KindFacts     = "facts"          // of blobs, for all graphs; the file stays, with less in it
	KindTemporary = "temporary_file" // left of a build that was killed
)

// A Removed is one file that is gone, or what is gone of it.
type Removed struct {
	Path  string `json:"path"`
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
}

// Limits say how much may be kept for one repository; 0 is no limit.
type Limits struct {
	Files int   // kept graphs
	Bytes int64 // kept graphs and facts together
}

// A Collected says what a collection did.
type Collected struct {
	Removed []Removed // in the order of their removal
	Left    int       // kept graphs that are still there
	Bytes   int64     // how large those and the facts are
	Busy    int       // graphs and facts that were passed over because they are in use
}

// Collect removes what builds that were killed have left in the state folders of
// a repository, then kept graphs, the least recently used first, and then facts in
// the same order, until the limits hold. What is in use stays, as does every
// worktree's own graph.
func Collect(ctx context.Context, repo *worktree.Repo, limits Limits) (*Collected, error) {
	c := &Collected{Removed: []Removed{}}
	for _, dir := range append([]string{KeptFolder(repo)}, repo.StateDirs()...) {
		if err := errors.Join(ctx.Err(), c.reap(dir)); err != nil {
			return c, Named(err)
		}
	}
	facts := FactsFile(repo)
	c.Bytes = sizeOf(facts)
	if err := c.trim(repo, limits); err != nil {
		return c, Named(err)
	}
	return c, c.shrink(ctx, facts, limits.Bytes)
}

// shrink makes the facts smaller if the graphs that were removed do not suffice.
func (c *Collected) shrink(ctx context.Context, facts string, limit int64) error {
	if limit == 0 || c.Bytes <= limit {
		return nil
	}
	before := sizeOf(facts)
	err := factcache.Shrink(ctx, facts, max(limit-(c.Bytes-before), 1))
	if errors.Is(err, factcache.ErrInUse) {
		c.Busy++
		return nil
	}
	if after := sizeOf(facts); after < before {
		c.Removed = append(c.Removed, Removed{Path: facts, Kind: KindFacts, Bytes: before - after})
		c.Bytes -= before - after
	}
	return err
}

// sizeOf is the size of a database with what SQLite keeps beside it.
func sizeOf(file string) int64 {
	total := int64(0)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Lstat(file + suffix); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
	}
	return total
}

// Trim removes kept graphs until the limits hold, as [Collect] does.
func Trim(repo *worktree.Repo, limits Limits) error {
	return Named((&Collected{}).trim(repo, limits))
}

// reap removes what killed builds left in one state folder.
func (c *Collected) reap(dir string) error {
	f, err := openFolder(dir, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	gone, err := store.Reap(dir)
	for _, g := range gone {
		c.Removed = append(c.Removed, Removed{Path: g.Path, Kind: KindTemporary, Bytes: g.Bytes})
	}
	return errors.Join(err, f.close())
}

// A kept is one graph in the folder of kept graphs.
type kept struct {
	name string
	size int64
	used time.Time
}

func (c *Collected) trim(repo *worktree.Repo, limits Limits) (err error) {
	f, err := openFolder(KeptFolder(repo), false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	graphs, err := f.kept()
	if err != nil {
		return err
	}
	for _, g := range graphs {
		c.Left++
		c.Bytes += g.size
	}
	for _, g := range graphs {
		if (limits.Files == 0 || c.Left <= limits.Files) && (limits.Bytes == 0 || c.Bytes <= limits.Bytes) {
			break
		}
		if err := c.drop(f, g); err != nil {
			return err
		}
	}
	return nil
}

// kept lists kept graphs, the least recently used first.
func (f *folder) kept() ([]kept, error) {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var graphs []kept
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".db") {
			graphs = append(graphs, kept{e.Name(), info.Size(), info.ModTime()})
		}
	}
	slices.SortFunc(graphs, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name)) })
	return graphs, nil
}

// drop removes one kept graph unless it is in use.
func (c *Collected) drop(f *folder, g kept) error {
	l, err := f.lock(g.name, true, false)
	switch {
	case errors.Is(err, ErrBusy):
		c.Busy++
		return nil
	case errors.Is(err, fs.ErrNotExist): // another process was faster
		c.Left--
		c.Bytes -= g.size
		return nil
	case err != nil:
		return err
	}
	err = errors.Join(f.root.Remove(g.name), l.Close())
	if err == nil {
		c.Removed = append(c.Removed, Removed{Path: filepath.Join(f.path, g.name), Kind: KindKept, Bytes: g.size})
		c.Left--
		c.Bytes -= g.size
	}
	return err
}
