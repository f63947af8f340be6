// Package store keeps the code graph of one tree in one file: an SQLite database
// with what there is little of, and after its pages a body with symbols, edges and
// names, which is mapped into memory.
//
// [Write] takes a graph in canonical order and makes a new file beside the old
// one, then renames it into place: a reader sees the old graph or the new one,
// never half of one, and a build that is killed leaves nothing that could be
// taken for a graph. [Open] reads such a file and nothing else: a file with
// another version, an object too many or no stamp is refused by name.
//
// A graph is never changed in place. [DB.Load] proves the content against the
// digest in the stamp; the single questions ([DB.Callers], [DB.Search], …) touch
// only the pages they need and check each page by itself. The package runs no
// git, reads no source and holds no lock: who may write is decided by callers.
// Why one file per graph: docs/adr/0007-graphs-by-tree.md; why a body:
// docs/adr/0019-a-graph-has-a-mapped-body.md.
package store

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrNotReady means that there is no graph at this path yet.
var ErrNotReady = errors.New("no graph has been built")

// ErrCorrupt means that the file is no readable database.
var ErrCorrupt = errors.New("graph database is corrupt")

// ErrTampered means that the file holds something that [Write] did not put
// there, or that its rows do not give the digest in its stamp.
var ErrTampered = errors.New("graph database is not as it was written")

// ErrUnknownVersion means that another version of this program wrote the file.
var ErrUnknownVersion = errors.New("graph database has an unknown schema version")

// ErrNoStamp means that the file does not say which tree it describes.
var ErrNoStamp = errors.New("graph database has no stamp")

// ErrNoSymbol means that the graph has no symbol of this name.
var ErrNoSymbol = errors.New("no such symbol")

// ErrNotWritten means that the place for a graph did not take it: the disk is
// full or read-only, or something else lies there. What was there before is
// still there.
var ErrNotWritten = errors.New("graph could not be written")

// A Stamp says what a graph was built from and by what.
type Stamp struct {
	RepositoryRoot string // absolute worktree root; empty if the repository is bare
	RootID         string // device and inode of the worktree root, "device:inode"; empty for a graph of no one worktree
	CommonDir      string // absolute git common directory
	Head           string // commit that the tree was taken from
	Tree           string // object ID of the tree that the graph describes
	Engine         string // digest of extractor and linker versions
	Config         string // digest of the configuration in force
	Outside        string // what outside the tree decided the graph, as its builder describes it
	Generation     int64  // counts the builds of this file; told apart by readers that started before
	Digest         string // [Digest] of the graph; filled in by [Write] if empty
	ToolVersion    string
}

// databaseURI names a file for the driver. The path is escaped, so that no
// character in it is taken for an option.
func databaseURI(path string, options url.Values) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("place of the graph: %w", err)
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(abs), RawQuery: options.Encode()}
	return u.String(), nil
}

// corrupt turns SQLite's own finding of damage into [ErrCorrupt].
func corrupt(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
			return fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
	}
	return err
}
