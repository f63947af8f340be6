package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var (
	// ErrNoMergeBase means that two commits share no commit that is here.
	ErrNoMergeBase = errors.New("no merge base")
	// ErrShallow means that the repository is a shallow clone and that the
	// answer lies, or may lie, in the history that was cut off.
	ErrShallow = errors.New("history is cut: this is a shallow clone")
	// ErrNotCommit means that an object ID names something that has no tree.
	ErrNotCommit = errors.New("not a commit")
)

// maxCommit is the size, in bytes, over which a commit is not read.
const maxCommit = 16 << 20

// TreeOf returns the tree of a commit.
func (r *Repo) TreeOf(ctx context.Context, commit OID) (OID, error) {
	s := r.newSession(ctx)
	defer s.close()
	return s.treeOf(commit)
}

func (s *session) treeOf(commit OID) (OID, error) {
	tree, err := s.rootTree(commit)
	if err != nil {
		return "", fmt.Errorf("tree of %s: %w", commit, err)
	}
	return tree, nil
}

// rootTree returns the tree of a commit, or oid itself if it is a tree.
func (s *session) rootTree(oid OID) (OID, error) {
	if tree, ok := s.repo.known.treeOf(oid); ok {
		return tree, nil
	}
	heads, err := s.heads([]OID{oid})
	if err != nil {
		return "", err
	}
	head := heads[0]
	switch {
	case head.err != nil:
		return "", head.err
	case head.kind == "tree":
		return oid, nil
	case head.kind != "commit":
		return "", fmt.Errorf("%w but a %s", ErrNotCommit, head.kind)
	case head.size > maxCommit:
		return "", fmt.Errorf("%w: the commit has %d bytes", ErrTooLarge, head.size)
	}
	var tree OID
	err = s.contents([]OID{oid}, heads, func(_ int, data []byte, err error) error {
		if err != nil {
			return err
		}
		var ok bool
		if tree, ok = treeLine(data); !ok || !s.repo.valid(tree) {
			return fmt.Errorf("%w: the commit names no tree", ErrObjectCorrupt)
		}
		s.repo.known.setTree(oid, tree)
		return nil
	})
	return tree, err
}

// treeLine reads the first line of a commit, the only one needed here.
func treeLine(commit []byte) (OID, bool) {
	line, _, ok := bytes.Cut(commit, []byte("\n"))
	if !ok {
		return "", false
	}
	hex, ok := bytes.CutPrefix(line, []byte("tree "))
	return OID(hex), ok
}

// MergeBases returns the best common ancestors of two commits, sorted. Mostly
// it is one; a criss-cross merge leaves several.
//
// In a shallow clone a commit whose parents were cut off could hide a better
// one. If the search met such a commit, the error is [ErrShallow].
func (r *Repo) MergeBases(ctx context.Context, a, b OID) ([]OID, error) {
	fail := func(err error) ([]OID, error) {
		return nil, fmt.Errorf("merge base of %s and %s: %w", a, b, err)
	}
	if !r.valid(a) || !r.valid(b) {
		return fail(ErrBadRevision)
	}
	st, err := r.newStore()
	if err != nil {
		return fail(err)
	}
	defer st.remove()
	cut, err := r.cutCommits()
	if err != nil {
		return fail(err)
	}
	out, err := r.git.run(ctx, st.place, "merge-base", "--all", "--end-of-options", string(a), string(b))
	switch {
	case exited(err, 1) && len(cut) > 0:
		return fail(fmt.Errorf("%w: %w", ErrShallow, ErrNoMergeBase))
	case exited(err, 1):
		return fail(ErrNoMergeBase)
	case said(err, "Not a valid commit name"), said(err, "Not a valid object name"):
		return fail(fmt.Errorf("%w: %w", ErrUnknownRevision, err))
	case err != nil:
		return fail(err)
	}
	bases := oidLines(out)
	if len(cut) > 0 {
		if err := r.checkUncut(ctx, st.place, cut, a, b, bases); err != nil {
			return fail(err)
		}
	}
	slices.Sort(bases)
	return bases, nil
}

// checkUncut makes sure that all commits above the merge bases have their
// parents here. What was cut below a base is an ancestor of it and cannot be a
// better one.
func (r *Repo) checkUncut(ctx context.Context, at place, cut map[OID]bool, a, b OID, bases []OID) error {
	args := []string{"rev-list", "--end-of-options", string(a), string(b)}
	for _, base := range bases {
		args = append(args, "^"+string(base))
	}
	out, err := r.git.run(ctx, at, args...)
	if err != nil {
		return err
	}
	for _, oid := range oidLines(out) {
		if cut[oid] {
			return fmt.Errorf("%w: the parents of %s are not here", ErrShallow, oid)
		}
	}
	return nil
}

// cutCommits returns the commits whose parents were left out of a shallow
// clone.
func (r *Repo) cutCommits() (map[OID]bool, error) {
	text, err := os.ReadFile(filepath.Join(r.commonDir, "shallow"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	cut := make(map[OID]bool)
	for _, oid := range oidLines(text) {
		cut[oid] = true
	}
	return cut, nil
}

func oidLines(out []byte) []OID {
	var oids []OID
	for line := range strings.Lines(string(out)) {
		oids = append(oids, OID(strings.TrimSuffix(line, "\n")))
	}
	return oids
}
