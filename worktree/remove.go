package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrDirty means that a checkout holds something that is not in its commit.
// What it is follows.
var ErrDirty = errors.New("checkout is dirty")

// A Reserve keeps others from using the graph that lies in a checkout until it is
// closed, or says why that cannot be. What a graph is only others know, so who
// deletes checkouts is told; nil asks nobody.
type Reserve func(ctx context.Context, checkout *Repo) (io.Closer, error)

// Remove deletes a checkout with its graph, once that is reserved. A dirty one is
// refused, and so is a folder that took its place.
func (s *Store) Remove(ctx context.Context, root string, reserve Reserve) error {
	if err := s.remove(ctx, root, reserve); err != nil {
		return fmt.Errorf("remove the checkout %s: %w", root, err)
	}
	return nil
}

func (s *Store) remove(ctx context.Context, root string, reserve Reserve) error {
	records, err := s.records(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(records, func(r record) bool { return r.Root == root })
	if i < 0 {
		return ErrNoCheckout
	}
	held, err := s.lockPull(ctx, records[i].Number)
	if err != nil {
		return err
	}
	defer held.Close()
	r, err := s.record(records[i].Number)
	if err != nil {
		return err
	}
	if r.Root != root {
		return ErrNoCheckout
	}
	state := s.state(r)
	if state == CheckoutReady {
		return s.removeClean(ctx, r, reserve)
	}
	if _, err := os.Lstat(root); err == nil && state == CheckoutVanished {
		return fmt.Errorf("%w: another folder took its place", ErrNoCheckout)
	}
	return s.finish(r)
}

// Prune ends the checkouts that a killed process left half made or half removed
// and forgets those whose folder is gone. It returns their roots. What is in use
// and what is complete stays, and so does a folder that took the place of one.
func (s *Store) Prune(ctx context.Context) ([]string, error) {
	records, err := s.records(ctx)
	if err != nil {
		return nil, fmt.Errorf("prune checkouts: %w", err)
	}
	var pruned []string
	for _, r := range records {
		ended, err := s.prune(ctx, r.Number)
		if err != nil {
			return pruned, fmt.Errorf("prune the checkout %s: %w", r.Root, err)
		}
		if ended {
			pruned = append(pruned, r.Root)
		}
	}
	return pruned, nil
}

func (s *Store) prune(ctx context.Context, number int) (ended bool, err error) {
	// Whoever makes or removes it holds the lock, so what is half done under
	// the lock was left so.
	held, err := s.lockPull(ctx, number)
	if err != nil {
		return false, err
	}
	defer held.Close()
	r, err := s.record(number)
	if errors.Is(err, ErrNoCheckout) {
		return false, nil
	}
	if err != nil || s.state(r) == CheckoutReady {
		return false, err
	}
	return true, s.finish(r)
}

// removeClean removes a checkout that is as it was made.
func (s *Store) removeClean(ctx context.Context, r record, reserve Reserve) (err error) {
	if reserve != nil {
		held, failed := reserve(ctx, s.worktree(r))
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, held.Close()) }()
	}
	listing, err := s.repo.List(ctx, r.Head)
	if errors.Is(err, ErrObjectMissing) {
		return fmt.Errorf("%w: %w", ErrCheckoutLost, err)
	}
	if err != nil {
		return err
	}
	differences, err := s.inspect(ctx, r, listing)
	if err != nil {
		return err
	}
	if len(differences) > 0 {
		return fmt.Errorf("%w: %s: %s", ErrDirty, r.Root, summary(differences))
	}
	r.State = CheckoutRemoving
	if err := s.keep(r); err != nil {
		return err
	}
	return s.finish(r)
}

// finish deletes what there is of a checkout that is not ready, the record
// last. It can be stopped at any point and done again.
func (s *Store) finish(r record) error {
	// Under another name first, so that nobody reads a tree that is half there.
	trash := filepath.Join(filepath.Dir(r.Root), ".removing-"+pullName(r.Number))
	gitDir := s.gitDir(r)
	if r.State == CheckoutRemoving {
		if err := os.RemoveAll(trash); err != nil {
			return err
		}
	}
	if r.mayGo(gitDir) {
		r.State = CheckoutRemoving
		if err := s.keep(r); err != nil {
			return err
		}
		if err := os.Rename(r.Root, trash); err != nil {
			return err
		}
		if err := os.RemoveAll(trash); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(gitDir); err != nil {
		return err
	}
	return os.Remove(s.recordPath(r.Number))
}

// mayGo reports whether the folder at the root is the checkout, and one that was
// never complete or was found clean. Any other is somebody's, even a copy of it.
// It pins the folder, so that this holds when it is asked again.
func (r *record) mayGo(gitDir string) bool {
	info, err := os.Lstat(r.Root)
	if err != nil || !linked(r.Root, gitDir) {
		return false
	}
	device, inode := identity(info)
	switch r.State {
	case CheckoutMaking:
		r.Device, r.Inode = device, inode
		return true
	case CheckoutRemoving:
		return device == r.Device && inode == r.Inode
	}
	return false
}

// linked reports whether root is a worktree whose git dir is gitDir by the
// words of both.
func linked(root, gitDir string) bool {
	there, ok := gitFile(root)
	return ok && there == gitDir && backPointer(gitDir) == filepath.Join(root, ".git")
}

// maxPointer bounds the files that hold one path.
const maxPointer = maxPath + 64

// gitFile returns the git dir that the file root/.git names.
func gitFile(root string) (string, bool) {
	text, ok := readPointer(filepath.Join(root, ".git"))
	if !ok {
		return "", false
	}
	dir, ok := strings.CutPrefix(text, "gitdir: ")
	if !ok {
		return "", false
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	return filepath.Clean(dir), true
}

// backPointer returns the .git file that a git dir says belongs to it, "" if it
// says nothing.
func backPointer(gitDir string) string {
	path, ok := readPointer(filepath.Join(gitDir, "gitdir"))
	if !ok {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(gitDir, path)
	}
	return filepath.Clean(path)
}

// readPointer reads a small regular file without its last line end.
func readPointer(path string) (string, bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxPointer {
		return "", false
	}
	text, err := os.ReadFile(path)
	return strings.TrimSuffix(string(text), "\n"), err == nil && len(text) > 0
}

// A difference is one thing in which a checkout is not its commit.
type difference struct {
	path string // of the file, "" for the checkout as a whole
	what string
}

const shownDifferences = 10

// summary names the first differences and counts the rest.
func summary(differences []difference) string {
	var parts []string
	for i, d := range differences {
		if i == shownDifferences {
			parts = append(parts, fmt.Sprintf("%d more", len(differences)-i))
			break
		}
		if d.path == "" {
			parts = append(parts, d.what)
		} else {
			parts = append(parts, d.what+" "+strconv.Quote(d.path))
		}
	}
	return strings.Join(parts, ", ")
}

// inspect compares a checkout with its commit: HEAD, the index, and every file
// on disk by the hash of its bytes. No size, date or flag is believed, and what
// is ignored counts.
func (s *Store) inspect(ctx context.Context, r record, listing Listing) ([]difference, error) {
	var found []difference
	if head, _ := readPointer(filepath.Join(s.gitDir(r), "HEAD")); head != string(r.Head) {
		found = append(found, difference{what: "HEAD is at " + clean(head)})
	}
	staged, err := s.inspectIndex(ctx, r, listing)
	if err != nil {
		return nil, err
	}
	onDisk, err := s.inspectDisk(ctx, r.Root, listing)
	return slices.Concat(found, staged, onDisk), err
}

// inspectIndex compares the index with the commit.
func (s *Store) inspectIndex(ctx context.Context, r record, listing Listing) ([]difference, error) {
	entries, err := s.worktree(r).Index(ctx)
	if err != nil {
		return nil, err
	}
	left := make(map[string]Entry, len(listing.Entries))
	for _, e := range listing.Entries {
		left[e.Path] = e
	}
	var found []difference
	for _, e := range entries {
		switch want, there := left[e.Path]; {
		case e.Stage != 0:
			found = append(found, difference{e.Path, "unmerged"})
		case !there, want.Mode != e.Mode, want.OID != e.OID:
			found = append(found, difference{e.Path, "staged"})
		}
		delete(left, e.Path)
	}
	for _, e := range listing.Entries {
		if _, missing := left[e.Path]; missing {
			found = append(found, difference{e.Path, "staged deletion of"})
		}
	}
	return found, nil
}

// worktree is the checkout as a repository.
func (s *Store) worktree(r record) *Repo {
	own := *s.repo
	own.root, own.gitDir = r.Root, s.gitDir(r)
	return &own
}

// inspectDisk compares the files on disk with the commit.
func (s *Store) inspectDisk(ctx context.Context, root string, listing Listing) ([]difference, error) {
	left := make(map[string]Entry, len(listing.Entries))
	folders := make(map[string]bool)
	for _, e := range listing.Entries {
		left[e.Path] = e
		for i := len(e.Path); i > 0; {
			if i = strings.LastIndexByte(e.Path[:i], '/'); i > 0 {
				folders[e.Path[:i]] = true
			}
		}
	}
	var found []difference
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil || path == root {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || rel == ".git" {
			return err
		}
		rel = filepath.ToSlash(rel)
		want, tracked := left[rel]
		delete(left, rel)
		if d.IsDir() && !tracked && folders[rel] {
			return nil
		}
		what, err := s.compare(path, d, want, tracked)
		if what != "" {
			found = append(found, difference{rel, what})
		}
		if d.IsDir() && err == nil {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, e := range listing.Entries {
		if _, missing := left[e.Path]; missing {
			found = append(found, difference{e.Path, "deleted"})
		}
	}
	return found, nil
}

// compare says in what a file or folder differs from the entry of its path, ""
// if in nothing. A symlink of the commit is a plain file on disk.
func (s *Store) compare(path string, d fs.DirEntry, want Entry, tracked bool) (string, error) {
	switch {
	case !tracked && d.IsDir():
		return "untracked folder", nil
	case !tracked:
		return "untracked", nil
	case want.Mode == ModeSubmodule:
		return compareSubmodule(path, d)
	case !d.Type().IsRegular():
		return "type changed:", nil
	}
	info, err := d.Info()
	if err != nil {
		return "", err
	}
	if info.Size() != want.Size {
		return "modified", nil
	}
	oid, err := s.repo.hashFile(path, want.Size)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF): // it is being written to
		return "modified", nil
	case err != nil:
		return "", err
	case oid != want.OID:
		return "modified", nil
	case executable(info) != (want.Mode == ModeExecutable):
		return "mode changed:", nil
	}
	return "", nil
}

// compareSubmodule wants an empty folder.
func compareSubmodule(path string, d fs.DirEntry) (string, error) {
	if !d.IsDir() {
		return "type changed:", nil
	}
	inside, err := os.ReadDir(path)
	if err != nil || len(inside) == 0 {
		return "", err
	}
	return "submodule", nil
}

// hashFile returns the ID of the blob that a file of the given size would be.
func (r *Repo) hashFile(path string, size int64) (OID, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // read only
	return r.HashBlob(f, size)
}
