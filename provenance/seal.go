package provenance

import (
	"context"
	"fmt"
	"io/fs"
	"time"
)

// sealEnd ends the name of the file beside a graph that says in which state the
// graph was last read whole and compared with its digest.
const sealEnd = ".seal"

// maxSeal is the size of the largest seal that is read, in bytes.
const maxSeal = 1 << 10

// Prove compares the whole graph with its digest, unless that was done since the
// file was last written to. A question reads a few rows, and a row that somebody
// removed is missed by nobody who does not know of it.
//
// When a file was last written to, no program can say otherwise than by writing to
// it: the time at which a file changed cannot be set. It is as coarse as a clock of
// the system, so a seal counts only if it was made later than that:
// docs/adr/0017.
func (r *Reading) Prove(ctx context.Context) error {
	now := seal(r.opened, r.DB.Stamp().Digest)
	if now != "" && r.folder.sealed(r.name+sealEnd, now, r.opened) {
		return nil
	}
	if err := r.DB.Prove(ctx); err != nil {
		return err
	}
	if now != "" {
		// Without it the next question reads everything again, and that is all. One that
		// is cut short is none.
		_ = r.folder.write(r.name+sealEnd, now)
	}
	return nil
}

// sealTries is how often a graph that was just put in place is sealed anew because the
// system's clock has not gone on since. It does in a few milliseconds.
const sealTries = 20

// sealNew seals the graph that this process has written and read back. If it cannot,
// the first question proves the graph.
func (f *folder) sealNew(name, digest string) {
	for range sealTries {
		info, err := f.plain(name)
		if err != nil {
			return
		}
		text := seal(info, digest)
		if text == "" || f.write(name+sealEnd, text) != nil || f.sealed(name+sealEnd, text, info) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// seal names the state of a graph's file; "" where the system cannot tell.
func seal(file fs.FileInfo, digest string) string {
	device, inode := identity(file)
	changed := changed(file)
	if changed == 0 {
		return ""
	}
	return fmt.Sprintf("previdence.seal/v1 %d:%d %d %d %d %s\n",
		device, inode, file.Size(), file.ModTime().UnixNano(), changed, digest)
}

// sealed reports whether the folder has this seal, made after the graph was last
// written to.
func (f *folder) sealed(name, text string, graph fs.FileInfo) bool {
	info, err := f.plain(name)
	if err != nil || info.ModTime().UnixNano() <= changed(graph) {
		return false
	}
	got, err := f.read(name, maxSeal)
	return err == nil && string(got) == text
}
