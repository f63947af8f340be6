package provenance

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/previdence/previdence/worktree"
)

const (
	// unchangedName is the file beside a worktree's graph that says in which state
	// files of the worktree were hashed and found to be those of their blobs.
	unchangedName = "files.seal"
	unchangedNew  = unchangedName + ".new"
	unchangedHead = "previdence.files/v1"
	// maxUnchanged is the size of the largest that is read, in bytes.
	maxUnchanged = 256 << 20
)

// An unchanged is what is known of the files of a worktree from an earlier comparison.
// Hashing them again can be left out as long as they were not written to since: when
// that was, no program can say otherwise than by writing to them (docs/adr/0017).
//
// That time is as coarse as a clock of the system. So only files count that were last
// written to before the comparison began, by the same clock: whoever writes to one of
// them later leaves a later time.
type unchanged struct {
	folder *folder
	known  map[string]bool // states of files, each with its blob and its path
	began  int64           // when this comparison did
	device uint64          // whose clock said so
	states []string        // as they are now
	fresh  bool            // one of them was not known
}

// readUnchanged reads what is kept for a worktree. Where there is no folder for it, or
// none that is safe, all files are hashed each time.
func readUnchanged(repo *worktree.Repo) *unchanged {
	u := &unchanged{known: map[string]bool{}}
	f, err := openFolder(repo.WorktreeStateDir(), false)
	if err != nil {
		return u
	}
	u.folder = f
	if err := f.write(unchangedNew, unchangedHead); err != nil {
		return u
	}
	now, err := f.plain(unchangedNew)
	if err != nil {
		return u
	}
	u.began = now.ModTime().UnixNano()
	u.device, _ = identity(now)
	data, err := f.read(unchangedName, maxUnchanged)
	if states, ours := strings.CutPrefix(string(data), unchangedHead+"\x00"); err == nil && ours {
		for state := range strings.SplitSeq(states, "\x00") {
			u.known[state] = true
		}
	}
	return u
}

// state names a file as it lies there with the blob that it was found to be; "" if
// nothing can be concluded from it later.
func (u *unchanged) state(e worktree.Entry, info fs.FileInfo) string {
	device, inode := identity(info)
	changed := changed(info)
	if changed == 0 || changed >= u.began || device != u.device {
		return ""
	}
	return fmt.Sprintf("%s %d:%d %d %d %d %s", e.OID, device, inode, info.Size(), info.ModTime().UnixNano(), changed, e.Path)
}

// has reports whether a file in this state is known to have the content of its blob.
func (u *unchanged) has(state string) bool { return state != "" && u.known[state] }

// add notes that a file in this state has the content of its blob.
func (u *unchanged) add(state string) {
	if state != "" {
		u.states = append(u.states, state)
		u.fresh = u.fresh || !u.known[state]
	}
}

// keep writes down what is known of all files now. If it cannot, they are hashed again,
// and that is all.
func (u *unchanged) keep() {
	if u.folder == nil || !u.fresh {
		return
	}
	if u.folder.write(unchangedNew, unchangedHead+"\x00"+strings.Join(u.states, "\x00")) == nil {
		_ = u.folder.root.Rename(unchangedNew, unchangedName)
	}
}

func (u *unchanged) close() error {
	if u.folder == nil {
		return nil
	}
	_ = u.folder.root.Remove(unchangedNew) // it is gone, or harms nobody
	return u.folder.close()
}
