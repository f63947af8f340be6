package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrTreeTooLarge means that a tree holds more than the limits below, as a
// tree bomb does. A part of it would be arbitrary, so none is given.
var ErrTreeTooLarge = errors.New("tree is too large")

// Limits of one tree. What is too deep or too long is skipped; the others are
// [ErrTreeTooLarge].
const (
	maxEntries    = 1_000_000 // files and folders
	maxTreeBytes  = 256 << 20 // all tree objects together
	maxPathsBytes = 512 << 20 // all paths together
	maxDepth      = 256       // folders above a file
	maxPath       = 4096      // bytes of a path
)

// A Listing is the files of one tree.
type Listing struct {
	Entries []Entry        // by path, bytewise
	Skipped []SkippedEntry // by path, bytewise
}

// A SkippedEntry is an entry that is left out of a listing. If it is a folder,
// so is what it holds.
type SkippedEntry struct {
	Path   string
	Reason string
}

// List returns all files of a tree or of a commit's tree, with their sizes.
func (r *Repo) List(ctx context.Context, tree OID) (Listing, error) {
	s := r.newSession(ctx)
	defer s.close()
	return s.listing(tree)
}

func (s *session) listing(tree OID) (Listing, error) {
	l, err := s.list(tree)
	if err != nil {
		return Listing{}, fmt.Errorf("list %s: %w", tree, err)
	}
	return l, nil
}

func (s *session) list(oid OID) (Listing, error) {
	root, err := s.rootTree(oid)
	if err != nil {
		return Listing{}, err
	}
	var l Listing
	w := walk{session: s}
	level := []folder{{oid: root}}
	for depth := 0; len(level) > 0; depth++ {
		trees, err := w.trees(level)
		if err != nil {
			return Listing{}, err
		}
		var next []folder
		for _, dir := range level {
			for _, e := range trees[dir.oid] {
				path := dir.path + e.name
				reason := e.reason
				switch {
				case reason != "":
				case len(path) > maxPath:
					path, reason = path[:maxPath], fmt.Sprintf("path of more than %d bytes", maxPath)
				case e.mode == modeTree && depth == maxDepth:
					reason = fmt.Sprintf("more than %d folders deep", maxDepth)
				}
				if err := w.count(path); err != nil {
					return Listing{}, err
				}
				switch {
				case reason != "":
					l.Skipped = append(l.Skipped, SkippedEntry{Path: path, Reason: reason})
				case e.mode == modeTree:
					next = append(next, folder{path: path + "/", oid: e.oid})
				default:
					l.Entries = append(l.Entries, Entry{Path: path, Mode: e.mode, OID: e.oid})
				}
			}
		}
		level = next
	}
	slices.SortFunc(l.Entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(l.Skipped, func(a, b SkippedEntry) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Reason, b.Reason))
	})
	return l, s.sizes(l.Entries)
}

// sizes fills in the sizes of all entries that are blobs.
func (s *session) sizes(entries []Entry) error {
	index := make(map[OID]int)
	var oids []OID
	for _, e := range entries {
		if _, ok := index[e.OID]; !ok && e.Mode != ModeSubmodule {
			index[e.OID] = len(oids)
			oids = append(oids, e.OID)
		}
	}
	heads, err := s.heads(oids)
	if err != nil {
		return err
	}
	for i := range entries {
		if entries[i].Mode == ModeSubmodule {
			continue
		}
		entries[i].Size = -1
		if h := heads[index[entries[i].OID]]; h.err == nil {
			entries[i].Size = h.size
		}
	}
	return nil
}

// A folder is one tree object at one path.
type folder struct {
	path string // with a slash at the end; "" for the root
	oid  OID
}

// A walk reads tree objects level by level and keeps count of what it met.
type walk struct {
	*session
	entries, pathsBytes int
	treeBytes           int64
}

func (w *walk) count(path string) error {
	w.entries++
	w.pathsBytes += len(path)
	if w.entries > maxEntries {
		return fmt.Errorf("%w: more than %d entries", ErrTreeTooLarge, maxEntries)
	}
	if w.pathsBytes > maxPathsBytes {
		return fmt.Errorf("%w: more than %d bytes of paths", ErrTreeTooLarge, maxPathsBytes)
	}
	return nil
}

// trees reads the tree objects of one level, each once. A folder without an
// ID stands for one that does not exist.
func (w *walk) trees(level []folder) (map[OID][]treeEntry, error) {
	trees := make(map[OID][]treeEntry)
	var oids []OID
	for _, f := range level {
		if _, ok := trees[f.oid]; !ok && f.oid != "" {
			trees[f.oid] = nil
			oids = append(oids, f.oid)
		}
	}
	heads, err := w.heads(oids)
	if err != nil {
		return nil, err
	}
	for i, h := range heads {
		switch {
		case h.err != nil:
			return nil, fmt.Errorf("%w: tree %s", h.err, oids[i])
		case h.kind != "tree":
			return nil, fmt.Errorf("%w: %s is not a tree but a %s", ErrObjectCorrupt, oids[i], h.kind)
		}
		if w.treeBytes += h.size; w.treeBytes > maxTreeBytes {
			return nil, fmt.Errorf("%w: more than %d bytes of tree objects", ErrTreeTooLarge, maxTreeBytes)
		}
	}
	err = w.contents(oids, heads, func(i int, data []byte, err error) error {
		if err == nil {
			trees[oids[i]], err = decodeTree(data, len(oids[i])/2)
		}
		if err != nil {
			return fmt.Errorf("tree %s: %w", oids[i], err)
		}
		return nil
	})
	return trees, err
}
