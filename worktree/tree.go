package worktree

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// modeTree is the mode of an entry that is a tree itself. It never leaves this
// package.
const modeTree Mode = "040000"

// A treeEntry is one line of one tree object.
type treeEntry struct {
	name   string
	mode   Mode // "" if refused
	oid    OID
	reason string // why it is refused, "" if not
}

// decodeTree reads a tree object whose IDs have size bytes. go-git's decoder
// is not used because it knows 20-byte IDs only.
//
// Entries that no checkout could or should create keep their name and get a
// reason. Of several entries with one name the first counts.
func decodeTree(data []byte, size int) ([]treeEntry, error) {
	var entries []treeEntry
	seen := make(map[string]bool)
	for len(data) > 0 {
		octal, rest, ok := bytes.Cut(data, []byte{' '})
		if !ok {
			return nil, fmt.Errorf("%w: tree entry without a mode", ErrObjectCorrupt)
		}
		name, rest, ok := bytes.Cut(rest, []byte{0})
		if !ok || len(rest) < size {
			return nil, fmt.Errorf("%w: tree entry is cut off", ErrObjectCorrupt)
		}
		mode, err := filemode.New(string(octal))
		if err != nil {
			return nil, fmt.Errorf("%w: tree entry with mode %q", ErrObjectCorrupt, clean(string(octal)))
		}
		e := treeEntry{name: string(name), oid: OID(hex.EncodeToString(rest[:size]))}
		e.mode, ok = plainMode(mode)
		switch {
		case !ok:
			e.reason = "unknown mode " + clean(string(octal))
		case seen[e.name]:
			e.mode, e.reason = "", "second entry of this name"
		default:
			if e.reason = refusedName(e.name, e.mode); e.reason != "" {
				e.mode = ""
			}
		}
		seen[e.name] = true
		entries = append(entries, e)
		data = rest[size:]
	}
	return entries, nil
}

// plainMode maps the modes found in old and odd trees to the five in use, as
// git does: of the permissions of a file only the owner's x matters.
func plainMode(mode filemode.FileMode) (Mode, bool) {
	const typeBits, ownerExecutes = 0o170000, 0o100
	switch mode & typeBits {
	case filemode.Dir:
		return modeTree, true
	case filemode.Symlink:
		return ModeSymlink, true
	case filemode.Submodule:
		return ModeSubmodule, true
	case filemode.Regular & typeBits:
		if mode&ownerExecutes != 0 {
			return ModeExecutable, true
		}
		return ModeFile, true
	}
	return "", false
}

// refusedName says why an entry of this name is left out, "" if it is not.
// git refuses the same names when it writes files and checks fetched objects.
func refusedName(name string, mode Mode) string {
	switch {
	case name == "":
		return "empty name"
	case name == "." || name == "..":
		return "name means another folder"
	case strings.Contains(name, "/"):
		return "name holds a slash"
	}
	switch seenByFilesystem(name) {
	case ".git", "git~1":
		return "name means the git dir"
	case ".gitmodules":
		if mode == ModeSymlink {
			return "symlink in place of .gitmodules"
		}
	}
	return ""
}

// seenByFilesystem returns what a name means where case does not count (macOS,
// Windows), where some code points are ignored (HFS+) and where trailing dots
// and spaces and what follows a colon are (NTFS).
func seenByFilesystem(name string) string {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(c rune) rune {
		switch {
		case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
			return -1
		}
		return c
	}, name)
	return strings.ToLower(strings.TrimRight(name, ". "))
}
