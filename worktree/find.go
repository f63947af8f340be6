package worktree

import (
	"context"
	"fmt"
	"strings"
)

// Find returns the entry at a path of a tree or of a commit's tree, and whether
// there is one. It reads the folders on the way and nothing else. An entry that
// [Reader.List] would skip, and a folder, are not found.
func (d *Reader) Find(ctx context.Context, tree OID, path string) (e Entry, ok bool, err error) {
	err = d.with(ctx, func(s *session) error {
		e, ok, err = s.find(tree, path)
		if err != nil {
			return fmt.Errorf("find %q in %s: %w", path, tree, err)
		}
		return nil
	})
	return e, ok, err
}

func (s *session) find(tree OID, path string) (Entry, bool, error) {
	if e, ok, known := s.repo.known.entry(tree, path); known {
		return e, ok, nil
	}
	e, ok, err := s.lookFor(tree, path)
	if err == nil {
		s.repo.known.setEntry(tree, path, e, ok)
	}
	return e, ok, err
}

func (s *session) lookFor(tree OID, path string) (Entry, bool, error) {
	at, err := s.rootTree(tree)
	if err != nil {
		return Entry{}, false, err
	}
	w := walk{session: s}
	names := strings.Split(path, "/")
	for depth, name := range names {
		trees, err := w.trees([]folder{{oid: at}})
		if err != nil {
			return Entry{}, false, err
		}
		e, ok := entryOf(trees[at], name)
		if last := depth == len(names)-1; !ok || last == (e.mode == modeTree) {
			return Entry{}, false, nil
		}
		if at = e.oid; e.mode != modeTree {
			found := []Entry{{Path: path, Mode: e.mode, OID: e.oid}}
			return found[0], true, s.sizes(found)
		}
	}
	return Entry{}, false, nil
}

// entryOf returns the entry of this name unless it is refused.
func entryOf(entries []treeEntry, name string) (treeEntry, bool) {
	for _, e := range entries {
		if e.name == name && e.reason == "" {
			return e, true
		}
	}
	return treeEntry{}, false
}
