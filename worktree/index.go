package worktree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pjbgf/sha1cd"
)

// An IndexEntry is one line of a worktree's index, the list of what the next
// commit would hold.
type IndexEntry struct {
	Path            string // slash-separated; may hold any byte but NUL
	Mode            Mode
	OID             OID
	Stage           int  // 1 to 3 while a merge is undecided, else 0
	AssumeUnchanged bool // git status does not look at the file
	SkipWorktree    bool // nor does it miss it; a sparse checkout sets this
}

// Index returns what the index of the worktree holds, in its order. A worktree
// without an index has no entries.
//
// git reads the index from a store of ours: the repository's configuration,
// attributes and monitors are not there.
func (r *Repo) Index(ctx context.Context) ([]IndexEntry, error) {
	out, err := r.withIndex(ctx, "ls-files", "--stage", "-v", "-z")
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	return r.parseIndex(out)
}

// Staged returns the paths under which the index differs from a tree. What is
// there only because its addition is intended is left out.
func (r *Repo) Staged(ctx context.Context, tree OID) (map[string]bool, error) {
	if !r.valid(tree) {
		return nil, fmt.Errorf("%w: %q is no object ID", ErrObjectMissing, tree)
	}
	out, err := r.withIndex(ctx, "diff-index", "--cached", "--ita-invisible-in-index", "--name-only", "--no-renames", "-z", string(tree))
	if err != nil {
		return nil, fmt.Errorf("compare index: %w", err)
	}
	paths := map[string]bool{}
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if path != "" {
			paths[path] = true
		}
	}
	return paths, nil
}

// withIndex runs a git that reads the index of the worktree and nothing else of
// its git dir.
func (r *Repo) withIndex(ctx context.Context, args ...string) ([]byte, error) {
	s, err := r.newStore()
	if err != nil {
		return nil, err
	}
	defer s.remove()
	// A split index keeps most entries in a second file, which git looks for
	// in its git dir.
	shared, err := filepath.Glob(filepath.Join(glob(r.gitDir), "sharedindex.*"))
	if err != nil {
		return nil, err
	}
	for _, file := range shared {
		if err := os.Symlink(file, filepath.Join(s.path, filepath.Base(file))); err != nil {
			return nil, err
		}
	}
	at := s.place
	at.env = append(at.env, "GIT_INDEX_FILE="+filepath.Join(r.gitDir, "index"))
	return r.git.run(ctx, at, args...)
}

// glob returns a pattern that matches path alone.
func glob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// parseIndex reads lines of "TAG MODE OID STAGE<tab>PATH<nul>".
func (r *Repo) parseIndex(out []byte) ([]IndexEntry, error) {
	var entries []IndexEntry
	for len(out) > 0 {
		line, rest, ok := bytes.Cut(out, []byte{0})
		if !ok {
			return nil, fmt.Errorf("%w: index entry is cut off", ErrGitFailed)
		}
		e, ok := r.parseIndexEntry(string(line))
		if !ok {
			return nil, fmt.Errorf("%w: index entry %q", ErrGitFailed, clean(string(line)))
		}
		entries, out = append(entries, e), rest
	}
	return entries, nil
}

func (r *Repo) parseIndexEntry(line string) (IndexEntry, bool) {
	head, path, ok := strings.Cut(line, "\t")
	fields := strings.Split(head, " ")
	if !ok || path == "" || len(fields) != 4 {
		return IndexEntry{}, false
	}
	e := IndexEntry{Path: path, Mode: Mode(fields[1]), OID: OID(fields[2])}
	switch fields[0] {
	case "H", "M":
	case "S":
		e.SkipWorktree = true
	case "h", "m":
		e.AssumeUnchanged = true
	case "s":
		e.AssumeUnchanged, e.SkipWorktree = true, true
	default:
		return IndexEntry{}, false
	}
	if len(fields[3]) != 1 || fields[3] < "0" || fields[3] > "3" {
		return IndexEntry{}, false
	}
	e.Stage = int(fields[3][0] - '0')
	return e, r.valid(e.OID)
}

// PlainSymlinks reports whether the repository is configured to write symbolic
// links as plain files that hold their target. Its own file is asked and nothing
// that it includes: what we tell git about links is not meant.
func (r *Repo) PlainSymlinks(ctx context.Context) bool {
	out, err := r.git.run(ctx, r.refs(), "config", "--local", "-z", "--type=bool", "--get", "core.symlinks")
	return err == nil && string(out) == "false\x00"
}

// HashBlob returns the ID that a blob of exactly size bytes read from content
// has. Nothing is converted on the way.
func (r *Repo) HashBlob(content io.Reader, size int64) (OID, error) {
	h := r.newHash("blob", size)
	n, err := io.Copy(h, io.LimitReader(content, size+1))
	if err != nil {
		return "", err
	}
	if n != size {
		return "", fmt.Errorf("read %d bytes of %d: %w", n, size, io.ErrUnexpectedEOF)
	}
	return OID(hex.EncodeToString(h.Sum(nil))), nil
}

// newHash starts the ID of an object with its header.
func (r *Repo) newHash(kind string, size int64) hash.Hash {
	h := sha1cd.New()
	if r.format == formatSHA256 {
		h = sha256.New()
	}
	header := append(make([]byte, 0, 32), kind...)
	h.Write(append(strconv.AppendInt(append(header, ' '), size, 10), 0))
	return h
}
