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

// The kinds of files that are removed, or that count.
const (
	KindGraph     = "graph"            // of one worktree
	KindKept      = "kept_graph"       // of a tree, for all worktrees
	KindFacts     = "facts"            // of blobs, for all graphs; the file stays, with less in it
	KindPulls     = "pull_requests"    // commits of pull requests in the own store; it stays, with less in it
	KindCheckout  = "checkout"         // of a pull request
	KindDecisions = "decisions"        // of reviewers, made on this machine; nothing could make them again
	KindWorktree  = "worktree_state"   // of a worktree that is gone
	KindTemporary = "temporary_file"   // left of a build that was killed
	KindPlace     = "temporary_folder" // left of a process that was killed while it read objects
)

// A Removed is one file that is gone, or what is gone of it.
type Removed struct {
	Path  string `json:"path"`
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
}

// A Kept is all state of one kind that is left.
type Kept struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"` // graphs, checkouts, pull requests without one, decisions; 1 for facts if there are any
	Bytes int64  `json:"bytes"`
}

// reportsName is the folder beside a worktree's graph in which reports are kept for
// those who ask for them again.
const reportsName = "reports"

// DefaultPulls is how many pull requests without a checkout stay in the own store.
const DefaultPulls = 32

// Limits say how much may be kept for one repository; 0 is no limit.
type Limits struct {
	Files int   // kept graphs
	Bytes int64 // all state together
	Pulls int   // pull requests without a checkout in the own store; below 0: none
}

// A Collected says what a collection did.
type Collected struct {
	Removed []Removed // in the order of their removal
	State   []Kept    // what is left, by kind
	Bytes   int64     // of all that is left
	Busy    int       // graphs, facts and stores that were passed over because they are in use
	Failed  error     // why the own store stays as it is; nil if nothing went wrong
}

// Collect removes what processes that were killed have left of a repository's
// state, then what limits leave no room for: kept graphs, facts and pull requests
// without a checkout, in this order and the least recently used first. What is in
// use stays, as does every worktree's own graph and every checkout that is whole;
// they count, and go only after approval. Decisions count, and never go.
func Collect(ctx context.Context, repo *worktree.Repo, limits Limits) (*Collected, error) {
	c := &Collected{Removed: []Removed{}, State: []Kept{}}
	for _, step := range []func(context.Context, *worktree.Repo, Limits) error{
		c.leftovers, c.vanished, c.pulls, c.graphs, c.facts, c.morePulls,
	} {
		if err := errors.Join(ctx.Err(), step(ctx, repo, limits)); err != nil {
			return c, Named(err)
		}
	}
	_, err := c.measure(ctx, repo)
	return c, Named(err)
}

// leftovers removes what killed processes left.
func (c *Collected) leftovers(ctx context.Context, repo *worktree.Repo, _ Limits) error {
	for _, dir := range append([]string{KeptFolder(repo)}, repo.StateDirs()...) {
		if err := errors.Join(ctx.Err(), c.reap(dir)); err != nil {
			return err
		}
	}
	gone, err := worktree.ReapTemporary(ctx)
	for _, g := range gone {
		c.Removed = append(c.Removed, Removed{Path: g.Path, Kind: KindPlace, Bytes: g.Bytes})
	}
	return err
}

// vanished removes the state of worktrees that are gone.
func (c *Collected) vanished(_ context.Context, repo *worktree.Repo, _ Limits) error {
	for _, dir := range repo.Vanished() {
		f, err := openFolder(dir, false)
		if err != nil {
			return err
		}
		bytes, err := f.empty()
		if errors.Is(err, ErrBusy) {
			c.Busy++
			err = nil
		} else if err == nil {
			c.Removed = append(c.Removed, Removed{Path: dir, Kind: KindWorktree, Bytes: bytes})
		}
		if err := errors.Join(err, f.close()); err != nil {
			return err
		}
	}
	return nil
}

// empty removes what this program puts into a folder, and the folder unless
// somebody put something else into it.
func (f *folder) empty() (bytes int64, err error) {
	build, err := f.lock(lockName, true, true)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, build.Close()) }()
	if l, err := f.lock(graphName, true, false); err == nil {
		defer l.Close() // it is gone by then
	} else if !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	for _, name := range slices.Concat([]string{graphName}, sidecars, []string{graphName + sealEnd, unchangedName, unchangedNew, reviewName, reviewName + ".new", reviewLock, lockName}) {
		info, err := f.plain(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = f.root.Remove(name)
		}
		if err != nil {
			return 0, err
		}
		bytes += info.Size()
	}
	bytes += sizeBelow(filepath.Join(f.path, reportsName))
	if err := f.root.RemoveAll(reportsName); err != nil {
		return bytes, err
	}
	if rest, err := fs.ReadDir(f.root.FS(), "."); err != nil || len(rest) > 0 {
		return bytes, err
	}
	return bytes, os.Remove(f.path)
}

// pulls ends checkouts that are half made or half removed, and drops the pull
// requests above their number and what nothing in the own store needs any more.
func (c *Collected) pulls(ctx context.Context, repo *worktree.Repo, limits Limits) error {
	if !repo.HasStore() {
		return nil
	}
	own, err := repo.Store(ctx)
	if err != nil {
		return err
	}
	pruned, err := own.Prune(ctx)
	for _, root := range pruned {
		c.Removed = append(c.Removed, Removed{Path: root, Kind: KindCheckout})
	}
	if err != nil {
		return err
	}
	numbers, err := own.Pulls(ctx)
	if err != nil {
		return err
	}
	if limits.Pulls == 0 {
		return c.forget(ctx, own, nil)
	}
	return c.forget(ctx, own, numbers[:max(0, len(numbers)-max(0, limits.Pulls))])
}

// forget drops pull requests from the own store. That it cannot be done is no
// reason to leave the rest.
func (c *Collected) forget(ctx context.Context, own *worktree.Store, numbers []int) error {
	bytes, err := own.Forget(ctx, numbers...)
	if bytes > 0 {
		c.Removed = append(c.Removed, Removed{Path: own.Repo().GitDir(), Kind: KindPulls, Bytes: bytes})
	}
	switch {
	case errors.Is(err, worktree.ErrStoreInUse):
		c.Busy++
	case ctx.Err() != nil:
		return err
	case err != nil:
		c.Failed = err
	}
	return nil
}

// graphs removes kept graphs above their number and as long as there is too much
// of all.
func (c *Collected) graphs(ctx context.Context, repo *worktree.Repo, limits Limits) error {
	over, err := c.over(ctx, repo, limits)
	if err != nil {
		return err
	}
	return c.trim(repo, limits.Files, over)
}

// facts makes the facts smaller if the graphs that were removed do not suffice.
func (c *Collected) facts(ctx context.Context, repo *worktree.Repo, limits Limits) error {
	over, err := c.over(ctx, repo, limits)
	if err != nil || over <= 0 {
		return err
	}
	return c.shrink(ctx, FactsFile(repo), over)
}

// morePulls drops pull requests if even that does not suffice, the older half of
// what is left at a time: only afterwards it is known how much each took.
func (c *Collected) morePulls(ctx context.Context, repo *worktree.Repo, limits Limits) error {
	for repo.HasStore() && c.Failed == nil {
		busy := c.Busy
		over, err := c.over(ctx, repo, limits)
		if err != nil || over <= 0 {
			return err
		}
		own, err := repo.Store(ctx)
		if err != nil {
			return err
		}
		numbers, err := own.Pulls(ctx)
		if err != nil || len(numbers) == 0 {
			return err
		}
		if err := c.forget(ctx, own, numbers[:(len(numbers)+1)/2]); err != nil || c.Busy > busy {
			return err
		}
	}
	return nil
}

// over is by how many bytes there is too much; 0 or less if there is not.
func (c *Collected) over(ctx context.Context, repo *worktree.Repo, limits Limits) (int64, error) {
	if limits.Bytes == 0 {
		return 0, nil
	}
	total, err := c.measure(ctx, repo)
	return total - limits.Bytes, err
}

// measure finds out how much state there is.
func (c *Collected) measure(ctx context.Context, repo *worktree.Repo) (total int64, err error) {
	kept, graphs, facts := Kept{Kind: KindKept}, Kept{Kind: KindGraph}, Kept{Kind: KindFacts, Bytes: sizeOf(FactsFile(repo))}
	pulls, checkouts, decisions := Kept{Kind: KindPulls}, Kept{Kind: KindCheckout}, Kept{Kind: KindDecisions}
	if facts.Bytes > 0 {
		facts.Count = 1
	}
	for _, path := range filesIn(KeptFolder(repo), ".db") {
		kept.Count++
		kept.Bytes += sizeOf(path)
	}
	for _, dir := range repo.StateDirs() {
		if size := sizeOf(filepath.Join(dir, graphName)); size > 0 {
			graphs.Count++
			graphs.Bytes += size
		}
		graphs.Bytes += sizeBelow(filepath.Join(dir, reportsName))
	}
	decisions.Count, decisions.Bytes = len(filesIn(DecisionsFolder(repo), ".md")), sizeBelow(DecisionsFolder(repo))
	if repo.HasStore() {
		own, err := repo.Store(ctx)
		if err != nil {
			return 0, err
		}
		numbers, err := own.Pulls(ctx)
		if err != nil {
			return 0, err
		}
		pulls.Count, pulls.Bytes = len(numbers), own.Size()
		if checkouts.Count, checkouts.Bytes, err = own.CheckoutSize(ctx); err != nil {
			return 0, err
		}
	}
	c.State, c.Bytes = c.State[:0], 0
	for _, k := range []Kept{kept, facts, pulls, graphs, checkouts, decisions} {
		c.State = append(c.State, k)
		c.Bytes += k.Bytes
	}
	return c.Bytes, nil
}

// sizeBelow adds up the plain files of a folder, 0 if there is none.
func sizeBelow(dir string) (bytes int64) {
	for _, path := range filesIn(dir, "") {
		bytes += sizeOf(path)
	}
	return bytes
}

// filesIn lists the plain files of a folder whose name ends so.
func filesIn(dir, end string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there is none
	}
	var paths []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), end) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

// shrink makes the facts smaller by at least over bytes, if that is possible.
func (c *Collected) shrink(ctx context.Context, facts string, over int64) error {
	before := sizeOf(facts)
	if before == 0 {
		return nil
	}
	err := factcache.Shrink(ctx, facts, max(before-over, 1))
	if errors.Is(err, factcache.ErrInUse) {
		c.Busy++
		return nil
	}
	if after := sizeOf(facts); after < before {
		c.Removed = append(c.Removed, Removed{Path: facts, Kind: KindFacts, Bytes: before - after})
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

// Trim removes kept graphs above a number, the least recently used first, as
// [Collect] does.
func Trim(repo *worktree.Repo, limits Limits) error {
	return Named((&Collected{}).trim(repo, limits.Files, 0))
}

// DropKept removes the kept graphs of a tree, whichever engine built them, unless
// they are in use: nobody is going to ask about the tree any more.
func DropKept(repo *worktree.Repo, tree worktree.OID) (c *Collected, err error) {
	c = &Collected{}
	f, err := openFolder(KeptFolder(repo), false)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, Named(err)
	}
	graphs, err := f.keptGraphs()
	for _, g := range graphs {
		if err == nil && strings.HasPrefix(g.name, string(tree)+"-") {
			_, err = c.drop(f, g)
		}
	}
	return c, Named(errors.Join(err, f.close()))
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

// A keptGraph is one graph in the folder of kept graphs.
type keptGraph struct {
	name string
	size int64
	used time.Time
}

// trim removes kept graphs until no more than files are left, 0 for any number,
// and over bytes are gone.
func (c *Collected) trim(repo *worktree.Repo, files int, over int64) (err error) {
	f, err := openFolder(KeptFolder(repo), false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	graphs, err := f.keptGraphs()
	if err != nil {
		return err
	}
	left := len(graphs)
	for _, g := range graphs {
		if (files == 0 || left <= files) && over <= 0 {
			break
		}
		gone, err := c.drop(f, g)
		if err != nil {
			return err
		}
		if gone {
			left--
			over -= g.size
		}
	}
	return nil
}

// keptGraphs lists them, the least recently used first.
func (f *folder) keptGraphs() ([]keptGraph, error) {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var graphs []keptGraph
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".db") {
			graphs = append(graphs, keptGraph{e.Name(), info.Size(), info.ModTime()})
		}
	}
	slices.SortFunc(graphs, func(a, b keptGraph) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name)) })
	return graphs, nil
}

// drop removes one kept graph unless it is in use.
func (c *Collected) drop(f *folder, g keptGraph) (gone bool, err error) {
	l, err := f.lock(g.name, true, false)
	switch {
	case errors.Is(err, ErrBusy):
		c.Busy++
		return false, nil
	case errors.Is(err, fs.ErrNotExist): // another process was faster
		return true, nil
	case err != nil:
		return false, err
	}
	err = f.root.Remove(g.name)
	if lost := f.root.Remove(g.name + sealEnd); !errors.Is(lost, fs.ErrNotExist) {
		err = errors.Join(err, lost)
	}
	if err := errors.Join(err, l.Close()); err != nil {
		return false, err
	}
	c.Removed = append(c.Removed, Removed{Path: filepath.Join(f.path, g.name), Kind: KindKept, Bytes: g.size})
	return true, nil
}
