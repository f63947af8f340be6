package provenance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/worktree"
)

// ErrNoWorktree means that a repository has no files on disk to compare.
var ErrNoWorktree = errors.New("the repository has no worktree")

// The cases in which files on disk are not those of a commit.
const (
	DirtModified        = "modified"            // other bytes, whatever attributes and filters make of them
	DirtStaged          = "staged"              // the index differs from the commit
	DirtDeleted         = "deleted"             // not on disk
	DirtUntracked       = "untracked_source"    // a file that the graph would read if it was committed, ignored or not
	DirtMode            = "mode"                // another permission to execute
	DirtType            = "type_change"         // a link, a folder or a file in place of another of them
	DirtIntentToAdd     = "intent_to_add"       // announced in the index, without content
	DirtUnmerged        = "unmerged"            // a merge is undecided
	DirtSubmodule       = "submodule"           // not at its commit, or itself dirty
	DirtAssumeUnchanged = "assume_unchanged"    // git status is told not to look
	DirtSkipWorktree    = "skip_worktree"       // git status is told not to miss it
	DirtSparse          = "sparse"              // left out by a sparse checkout
	DirtEmbedded        = "embedded_repository" // another repository inside the tree
)

// A Dirt is one way in which the files on disk are not those of HEAD.
type Dirt struct {
	Case string `json:"case"`
	Path string `json:"path"` // slash-separated; a folder ends with a slash
}

const (
	// maxDirt is how many findings are looked for. One is enough to refuse.
	maxDirt = 50
	// maxNested is how deep submodules lie in submodules.
	maxNested = 8
	// sniff is how many bytes of a file tell what it is.
	sniff = 512
)

// A Source reports whether the graph would read a file with this path and these
// first bytes.
type Source func(path string, head []byte) bool

// Clean compares the files on disk with HEAD and returns how they differ, by
// path, at most 50 findings. None is a proof: every tracked file was hashed as
// it lies there, the index says the same as the commit and hides nothing, and no
// source lies beside them. Neither the configuration nor the attributes nor the
// ignore rules of the repository have a say, and no program runs.
func Clean(ctx context.Context, repo *worktree.Repo, source Source) ([]Dirt, error) {
	if repo.Root() == "" {
		return nil, ErrNoWorktree
	}
	_, head, err := repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	dirt, err := clean(ctx, repo, head, source, 0)
	if err != nil {
		return nil, fmt.Errorf("compare files with %s: %w", head, err)
	}
	return dirt, nil
}

// A comparison is one worktree held against one commit.
type comparison struct {
	ctx     context.Context
	repo    *worktree.Repo
	root    *os.Root
	source  Source
	nested  int
	links   bool                      // links are plain files here
	tracked map[string]worktree.Entry // by path
	folders map[string]bool           // that hold something tracked
	real    map[string]bool           // of them, those that were seen to be folders on disk
	inner   *os.Root                  // the folder that was entered last
	entered string                    // its path
	seen    *unchanged
	found   map[Dirt]bool
}

func clean(ctx context.Context, repo *worktree.Repo, commit worktree.OID, source Source, nested int) (dirt []Dirt, err error) {
	root, err := os.OpenRoot(repo.Root())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	c := &comparison{
		ctx: ctx, repo: repo, root: root, source: source, nested: nested, links: repo.PlainSymlinks(ctx),
		tracked: map[string]worktree.Entry{}, folders: map[string]bool{".": true}, real: map[string]bool{".": true},
		seen: readUnchanged(repo), found: map[Dirt]bool{},
	}
	defer func() { err = errors.Join(err, c.leave(), c.seen.close()) }()
	tree, err := repo.TreeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	if err := c.list(tree); err != nil {
		return nil, err
	}
	if err := c.index(tree); err != nil {
		return nil, err
	}
	if err := c.files(); err != nil {
		return nil, err
	}
	if err := c.walk("."); err != nil {
		return nil, err
	}
	return c.sorted(), nil
}

func (c *comparison) sorted() []Dirt {
	dirt := make([]Dirt, 0, len(c.found))
	for d := range c.found {
		dirt = append(dirt, d)
	}
	slices.SortFunc(dirt, func(a, b Dirt) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Case, b.Case)) })
	return dirt[:min(len(dirt), maxDirt)]
}

func (c *comparison) add(which, path string) { c.found[Dirt{which, path}] = true }

// full reports whether enough was found.
func (c *comparison) full() bool { return len(c.found) >= maxDirt }

// list reads what should be on disk.
func (c *comparison) list(tree worktree.OID) error {
	l, err := c.repo.List(c.ctx, tree)
	if err != nil {
		return err
	}
	for _, e := range l.Entries {
		c.tracked[e.Path] = e
		for dir := path.Dir(e.Path); !c.folders[dir]; dir = path.Dir(dir) {
			c.folders[dir] = true
		}
	}
	for _, s := range l.Skipped {
		c.add(DirtDeleted, s.Path) // no checkout could have written it
	}
	return nil
}

// index compares the index with the commit: what it hides, git status would not
// tell.
func (c *comparison) index(tree worktree.OID) error {
	entries, err := c.repo.Index(c.ctx)
	if err != nil {
		return err
	}
	indexed := make(map[string]bool, len(entries))
	var unknown []string // in the index and not in the commit
	for _, e := range entries {
		indexed[e.Path] = true
		want, tracked := c.tracked[e.Path]
		switch {
		case e.Stage != 0:
			c.add(DirtUnmerged, e.Path)
		case !tracked:
			unknown = append(unknown, e.Path)
		case want.OID != e.OID || want.Mode != e.Mode:
			c.add(DirtStaged, e.Path)
		}
		if err := c.flags(e); err != nil {
			return err
		}
	}
	for name := range c.tracked {
		if !indexed[name] {
			c.add(DirtStaged, name)
		}
	}
	return c.announced(tree, unknown)
}

// flags names what an entry of the index keeps from being seen.
func (c *comparison) flags(e worktree.IndexEntry) error {
	if e.AssumeUnchanged {
		c.add(DirtAssumeUnchanged, e.Path)
	}
	if !e.SkipWorktree {
		return nil
	}
	_, err := c.root.Lstat(e.Path)
	if missing(err) {
		c.add(DirtSparse, e.Path)
		return nil
	}
	c.add(DirtSkipWorktree, e.Path)
	return err
}

// announced tells what is staged from what is only intended to be.
func (c *comparison) announced(tree worktree.OID, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	staged, err := c.repo.Staged(c.ctx, tree)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if staged[p] {
			c.add(DirtStaged, p)
		} else {
			c.add(DirtIntentToAdd, p)
		}
	}
	return nil
}

// files compares every tracked file with what is on disk.
func (c *comparison) files() error {
	paths := make([]string, 0, len(c.tracked))
	for p := range c.tracked {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		if err := c.ctx.Err(); err != nil {
			return context.Cause(c.ctx)
		}
		if c.full() {
			return nil
		}
		which, err := c.file(c.tracked[p])
		if err != nil {
			return fmt.Errorf("%q: %w", p, err)
		}
		if which != "" && !c.found[Dirt{DirtSparse, p}] {
			c.add(which, p)
		}
	}
	c.seen.keep()
	return nil
}

// file says how one tracked file differs, "" if it does not.
func (c *comparison) file(e worktree.Entry) (string, error) {
	info, err := c.lstat(e.Path)
	if missing(err) {
		return DirtDeleted, nil
	}
	if err != nil {
		return "", err
	}
	switch {
	case e.Mode == worktree.ModeSubmodule:
		if !info.IsDir() {
			return DirtType, nil
		}
		return c.submodule(e)
	case e.Mode == worktree.ModeSymlink && info.Mode()&fs.ModeSymlink != 0:
		target, err := c.root.Readlink(e.Path)
		if err != nil {
			return "", err
		}
		return c.content(e, strings.NewReader(target), int64(len(target)))
	case e.Mode == worktree.ModeSymlink && !c.links, !info.Mode().IsRegular():
		return DirtType, nil
	}
	if executable := info.Mode()&0o100 != 0; e.Mode != worktree.ModeSymlink && executable != (e.Mode == worktree.ModeExecutable) {
		return DirtMode, nil
	}
	return c.bytes(e, info)
}

// lstat looks at a file whose folders are real: one that is a link would lead
// elsewhere.
func (c *comparison) lstat(name string) (fs.FileInfo, error) {
	for dir := path.Dir(name); !c.real[dir]; dir = path.Dir(dir) {
		info, err := c.root.Lstat(dir)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, fs.ErrNotExist
		}
		c.real[dir] = true
	}
	in, err := c.enter(path.Dir(name))
	if err != nil {
		return nil, err
	}
	return in.Lstat(path.Base(name))
}

// enter opens a folder. It stays open until another is entered: a path is walked from
// the root each time, and the files of a folder follow each other.
func (c *comparison) enter(dir string) (*os.Root, error) {
	if c.inner != nil && c.entered == dir {
		return c.inner, nil
	}
	in, err := c.root.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	err = c.leave()
	c.inner, c.entered = in, dir
	return in, err
}

func (c *comparison) leave() error {
	if c.inner == nil {
		return nil
	}
	return c.inner.Close()
}

func (c *comparison) bytes(e worktree.Entry, info fs.FileInfo) (string, error) {
	if e.Size >= 0 && e.Size != info.Size() {
		return DirtModified, nil
	}
	state := c.seen.state(e, info)
	if c.seen.has(state) {
		c.seen.add(state)
		return "", nil
	}
	f, err := c.root.OpenFile(e.Path, os.O_RDONLY|noWait, 0)
	if missing(err) {
		return DirtDeleted, nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	which, err := c.content(e, f, info.Size())
	if opened, lost := f.Stat(); which == "" && err == nil && lost == nil && os.SameFile(opened, info) {
		c.seen.add(state)
	}
	return which, err
}

func (c *comparison) content(e worktree.Entry, r io.Reader, size int64) (string, error) {
	got, err := c.repo.HashBlob(r, size)
	if errors.Is(err, io.ErrUnexpectedEOF) || err == nil && got != e.OID {
		return DirtModified, nil
	}
	return "", err
}

// submodule proves that a submodule is at its commit and itself clean, or not
// checked out at all.
func (c *comparison) submodule(e worktree.Entry) (string, error) {
	entries, err := c.read(e.Path)
	if err != nil || len(entries) == 0 {
		return "", err
	}
	sub, err := worktree.Open(c.ctx, c.repo.Root()+"/"+e.Path)
	if err != nil || c.nested == maxNested {
		return DirtSubmodule, c.ctx.Err()
	}
	if sub.Root() != c.repo.Root()+"/"+e.Path {
		return DirtSubmodule, nil // git found the repository around it
	}
	_, head, err := sub.Head(c.ctx)
	if err != nil || head != e.OID {
		return DirtSubmodule, c.ctx.Err()
	}
	dirt, err := clean(c.ctx, sub, head, c.source, c.nested+1)
	if err != nil || len(dirt) > 0 {
		return DirtSubmodule, c.ctx.Err()
	}
	return "", nil
}

// walk looks for sources that are not tracked.
func (c *comparison) walk(dir string) error {
	entries, err := c.read(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if c.full() {
			return nil
		}
		name := path.Join(dir, e.Name())
		switch {
		case name == ".git":
		case e.Name() == ".git":
			c.add(DirtEmbedded, dir+"/")
		case e.IsDir() && c.folders[name]:
			err = c.walk(name)
		case e.IsDir() && c.tracked[name].Mode == worktree.ModeSubmodule:
		case e.IsDir():
			err = c.stranger(name)
		case c.tracked[name].Mode != "" || c.found[Dirt{DirtIntentToAdd, name}] || c.found[Dirt{DirtStaged, name}]:
		default:
			var is bool
			if is, err = c.isSource(name, e); is {
				c.add(DirtUntracked, name)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stranger looks into a folder that holds nothing tracked, as far as it takes to
// find one source in it.
func (c *comparison) stranger(dir string) error {
	which, err := c.inside(dir)
	if which != "" {
		c.add(which, dir+"/")
	}
	return err
}

func (c *comparison) inside(dir string) (which string, err error) {
	entries, err := c.read(dir)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".git" }) {
		return DirtEmbedded, nil
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			which, err = c.inside(name)
		} else if is, e := c.isSource(name, e); e != nil || is {
			which, err = DirtUntracked, e
		}
		if which != "" || err != nil {
			return which, err
		}
	}
	return "", nil
}

// read lists a folder by name.
func (c *comparison) read(dir string) ([]fs.DirEntry, error) {
	if c.ctx.Err() != nil {
		return nil, context.Cause(c.ctx)
	}
	f, err := c.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

func (c *comparison) isSource(name string, e fs.DirEntry) (bool, error) {
	if !e.Type().IsRegular() {
		// A link to a source reads like one.
		return e.Type()&fs.ModeSymlink != 0 && c.source(name, nil), nil
	}
	f, err := c.root.OpenFile(name, os.O_RDONLY|noWait, 0)
	if missing(err) {
		return false, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return c.source(name, nil), nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, sniff)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return c.source(name, head[:n]), nil
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) || isNotFolder(err) }
