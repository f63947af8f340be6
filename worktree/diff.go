package worktree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
)

// RenameLimit is the number of removed files times added files, as a square
// root, up to which renames are found by similar content. Over it only files
// with equal content are paired. It is a count so that every machine stops at
// the same place.
const RenameLimit = 1000

// minSimilarity is the share of equal content, in percent, from which on a
// removed and an added file are one that was renamed.
const minSimilarity = 50

// Diff returns what changed from a to b, sorted by path. Both may be commits
// or trees. Entries that [Repo.List] skips are left out.
//
// What changed is found by comparing the two trees, whose objects are hashed
// again. Only which removed file became which added one is git's proposal. Where
// git cannot compare contents, as in a partial clone that lacks them, or must
// not, as with files of gigabytes, files with equal content are still paired.
func (r *Repo) Diff(ctx context.Context, a, b OID) ([]Change, error) {
	s := r.newSession(ctx)
	defer s.close()
	return s.changes(a, b)
}

func (s *session) changes(a, b OID) ([]Change, error) {
	changes, err := s.diff(a, b)
	if err != nil {
		return nil, fmt.Errorf("diff of %s and %s: %w", a, b, err)
	}
	return changes, nil
}

func (s *session) diff(a, b OID) ([]Change, error) {
	before, err := s.rootTree(a)
	if err != nil {
		return nil, err
	}
	after, err := s.rootTree(b)
	if err != nil {
		return nil, err
	}
	changes, err := s.compare(before, after)
	if err != nil {
		return nil, err
	}
	if has(changes, Removed) && has(changes, Added) {
		pairs, err := s.renames(changes, before, after)
		if err != nil {
			return nil, err
		}
		changes = applyRenames(changes, pairs)
	}
	slices.SortFunc(changes, func(x, y Change) int { return cmp.Compare(x.Path, y.Path) })
	return changes, nil
}

func has(changes []Change, status Status) bool {
	return slices.ContainsFunc(changes, func(c Change) bool { return c.Status == status })
}

// git compares files of at most maxCompared bytes. If more than maxLarge removed
// and added files are larger, only files with equal content are paired.
const (
	maxCompared = 16 << 20
	maxLarge    = 200
)

// A pair of folders is one path in two trees. Equal ones are never opened.
type folderPair struct {
	path          string
	before, after OID // "" where there is none
}

// compare returns all entries that differ, without renames.
func (s *session) compare(before, after OID) ([]Change, error) {
	var changes []Change
	w := walk{session: s}
	level := []folderPair{{before: before, after: after}}
	for depth := 0; len(level) > 0 && depth <= maxDepth; depth++ {
		var folders []folder
		for _, p := range level {
			folders = append(folders, folder{oid: p.before}, folder{oid: p.after})
		}
		trees, err := w.trees(folders)
		if err != nil {
			return nil, err
		}
		var next []folderPair
		for _, p := range level {
			for _, e := range differing(trees[p.before], trees[p.after]) {
				at := p.path + e.name
				if len(at) > maxPath {
					continue
				}
				if err := w.count(at); err != nil {
					return nil, err
				}
				sub := folderPair{path: at + "/"}
				if e.before.mode == modeTree {
					sub.before, e.before = e.before.oid, treeEntry{}
				}
				if e.after.mode == modeTree {
					sub.after, e.after = e.after.oid, treeEntry{}
				}
				if sub.before != sub.after {
					next = append(next, sub)
				}
				if c, ok := change(at, e.before, e.after); ok {
					changes = append(changes, c)
				}
			}
		}
		level = next
	}
	return changes, nil
}

// An entryPair is one name in two folders. The zero entry stands for none.
type entryPair struct {
	name          string
	before, after treeEntry
}

// differing returns the names whose entries are not the same, in the order in
// which they are met.
func differing(before, after []treeEntry) []entryPair {
	old := make(map[string]treeEntry, len(before))
	for _, e := range before {
		if e.mode != "" {
			old[e.name] = e
		}
	}
	var pairs []entryPair
	for _, e := range after {
		if e.mode == "" {
			continue
		}
		was := old[e.name]
		delete(old, e.name)
		if was != e {
			pairs = append(pairs, entryPair{name: e.name, before: was, after: e})
		}
	}
	for _, e := range before {
		if was, ok := old[e.name]; ok {
			delete(old, e.name)
			pairs = append(pairs, entryPair{name: e.name, before: was})
		}
	}
	return pairs
}

// change describes what became of the file at path. There is none if neither
// side is a file.
func change(path string, before, after treeEntry) (Change, bool) {
	c := Change{Path: path, OldMode: before.mode, Mode: after.mode, OldOID: before.oid, OID: after.oid}
	if before.mode != "" {
		c.OldPath = path
	}
	switch {
	case before == after:
		return Change{}, false
	case before.mode == "":
		c.Status = Added
	case after.mode == "":
		c.Status = Removed
	case !sameType(before.mode, after.mode):
		c.Status = TypeChanged
	case before.oid == after.oid:
		c.Status = ModeChanged
	default:
		c.Status = Modified
	}
	return c, true
}

func sameType(a, b Mode) bool {
	file := func(m Mode) bool { return m == ModeFile || m == ModeExecutable }
	return a == b || file(a) && file(b)
}

// A rename is a removed path and the added one that it became.
type rename struct {
	from, to   string
	similarity int // percent
}

// renames pairs removed files with added ones: those that git may compare by
// what they hold, the large ones and, if git cannot compare, all of them by equal
// content.
func (s *session) renames(changes []Change, before, after OID) ([]rename, error) {
	large, err := s.large(changes)
	if err != nil {
		return nil, err
	}
	if len(large) > maxLarge {
		return equalContent(changes), nil
	}
	pairs, compared, err := s.repo.proposeRenames(s.ctx, before, after, large)
	if err != nil {
		return nil, err
	}
	if !compared {
		return equalContent(changes), nil
	}
	return append(pairs, equalContent(large)...), nil
}

// large lists the removed and added files that git must not compare, because it
// reads both wholly into memory.
func (s *session) large(changes []Change) ([]Change, error) {
	var candidates []Change
	var oids []OID
	for _, c := range changes {
		switch {
		case c.Status == Removed && c.OldMode != ModeSubmodule:
			candidates, oids = append(candidates, c), append(oids, c.OldOID)
		case c.Status == Added && c.Mode != ModeSubmodule:
			candidates, oids = append(candidates, c), append(oids, c.OID)
		}
	}
	heads, err := s.heads(oids)
	if err != nil {
		return nil, err
	}
	var large []Change
	for i, c := range candidates {
		if heads[i].size > maxCompared {
			large = append(large, c)
		}
	}
	return large, nil
}

// proposeRenames asks git which removed files have become which added ones, the
// large ones left out. Compared is false if git lacks what it would compare, as
// in a partial clone.
func (r *Repo) proposeRenames(ctx context.Context, before, after OID, large []Change) (pairs []rename, compared bool, err error) {
	st, err := r.newStore()
	if err != nil {
		return nil, false, err
	}
	defer st.remove()
	args := []string{"diff-tree", "-r", "-z", "--raw", "--no-abbrev",
		"--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--diff-filter=R",
		// Without -M a moved file reads as removed plus added, and all that
		// refers to it enters the blast radius.
		fmt.Sprintf("-M%d%%", minSimilarity), fmt.Sprintf("-l%d", RenameLimit),
		"--end-of-options", string(before), string(after), "--"}
	for _, c := range large {
		args = append(args, ":(exclude,literal)"+c.Path)
	}
	out, err := r.git.run(ctx, st.place, args...)
	switch {
	case ctx.Err() != nil:
		return nil, false, context.Cause(ctx)
	case errors.Is(err, ErrGitFailed):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	pairs, err = parseRenames(out)
	return pairs, err == nil, err
}

var renameLine = regexp.MustCompile(`^:[0-7]{6} [0-7]{6} [0-9a-f]{40,64} [0-9a-f]{40,64} R([0-9]{3})$`)

// parseRenames reads the output of diff-tree --raw -z --diff-filter=R.
func parseRenames(out []byte) ([]rename, error) {
	var renames []rename
	for len(out) > 0 {
		var field [3]string
		for i := range field {
			text, rest, ok := bytes.Cut(out, []byte{0})
			if !ok {
				return nil, fmt.Errorf("%w: diff-tree output is cut off", ErrGitFailed)
			}
			field[i], out = string(text), rest
		}
		m := renameLine.FindStringSubmatch(field[0])
		if m == nil {
			return nil, fmt.Errorf("%w: diff-tree said %q", ErrGitFailed, clean(field[0]))
		}
		similarity, err := strconv.Atoi(m[1])
		if err != nil || similarity > 100 || field[1] == "" || field[2] == "" {
			return nil, fmt.Errorf("%w: diff-tree said %q", ErrGitFailed, clean(field[0]))
		}
		renames = append(renames, rename{from: field[1], to: field[2], similarity: similarity})
	}
	return renames, nil
}

// equalContent pairs removed and added files that have the same object, those
// with the same file name first.
func equalContent(changes []Change) []rename {
	removed := make(map[OID][]string)
	var added []Change
	for _, c := range changes {
		switch {
		case c.Status == Removed && c.OldMode != ModeSubmodule:
			removed[c.OldOID] = append(removed[c.OldOID], c.Path)
		case c.Status == Added && c.Mode != ModeSubmodule:
			added = append(added, c)
		}
	}
	for _, paths := range removed {
		slices.Sort(paths)
	}
	slices.SortFunc(added, func(x, y Change) int { return cmp.Compare(x.Path, y.Path) })
	var renames []rename
	pair := func(fits func(from, to string) bool) {
		added = slices.DeleteFunc(added, func(c Change) bool {
			i := slices.IndexFunc(removed[c.OID], func(from string) bool { return fits(from, c.Path) })
			if i < 0 {
				return false
			}
			renames = append(renames, rename{from: removed[c.OID][i], to: c.Path, similarity: 100})
			removed[c.OID] = slices.Delete(removed[c.OID], i, i+1)
			return true
		})
	}
	pair(func(from, to string) bool { return path.Base(from) == path.Base(to) })
	pair(func(string, string) bool { return true })
	return renames
}

// applyRenames joins the two changes of each rename into one. A rename that
// does not name one removed and one added file of the same type is dropped.
func applyRenames(changes []Change, renames []rename) []Change {
	removed, added := make(map[string]Change), make(map[string]Change)
	for _, c := range changes {
		switch c.Status {
		case Removed:
			removed[c.Path] = c
		case Added:
			added[c.Path] = c
		}
	}
	gone := make(map[string]bool)
	became := make(map[string]Change)
	for _, rn := range renames {
		from, wasRemoved := removed[rn.from]
		to, wasAdded := added[rn.to]
		if !wasRemoved || !wasAdded || gone[rn.from] || !sameType(from.OldMode, to.Mode) {
			continue
		}
		to.Status, to.Similarity = Renamed, rn.similarity
		to.OldPath, to.OldMode, to.OldOID = from.Path, from.OldMode, from.OldOID
		gone[rn.from], became[rn.to] = true, to
	}
	joined := make([]Change, 0, len(changes))
	for _, c := range changes {
		if c.Status == Removed && gone[c.Path] {
			continue
		}
		if to, ok := became[c.Path]; ok && c.Status == Added {
			c = to
		}
		joined = append(joined, c)
	}
	return joined
}
