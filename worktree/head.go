package worktree

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// maxRefs is the size of the largest file of packed refs that is read here, in bytes.
const maxRefs = 16 << 20

// plainHead reads HEAD where git itself would read it, as long as nothing about it is
// out of the ordinary: HEAD names a branch whose own file, or line among the packed
// refs, names a commit. Whatever else there is, git has to be asked: ok is false.
//
// A question about a graph compares HEAD twice, and two gits cost more than all the
// rest of it.
func (r *Repo) plainHead(ctx context.Context) (ref string, oid OID, ok bool) {
	text, ok := plainFile(filepath.Join(r.gitDir, "HEAD"), maxPointer)
	if !ok {
		return "", "", false
	}
	m := branchLine.FindStringSubmatch(text)
	if m == nil || strings.Contains(m[1], "..") || strings.HasSuffix(m[1], ".lock") {
		return "", "", false
	}
	ref = m[1]
	text, ok = plainFile(filepath.Join(r.commonDir, filepath.FromSlash(ref)), maxPointer)
	if ok {
		oid = OID(strings.TrimSuffix(text, "\n"))
	} else if oid, ok = r.packed(ref); !ok {
		return "", "", false
	}
	if !r.valid(oid) {
		return "", "", false
	}
	s := r.newSession(ctx)
	defer s.close()
	// A tag or a tree in the place of a commit is for git to look into.
	tree, err := s.rootTree(oid)
	return ref, oid, err == nil && tree != oid
}

// branchLine is what HEAD says where a branch with an ordinary name is checked out.
var branchLine = regexp.MustCompile(`^ref: (refs/heads(?:/[A-Za-z0-9_+=-][A-Za-z0-9._+=-]*)+)\n$`)

// plainFile reads a small file that is no link.
func plainFile(path string, limit int64) (string, bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return "", false
	}
	text, err := os.ReadFile(path)
	return string(text), err == nil && int64(len(text)) <= limit
}

// packed finds a branch among the packed refs. It must have no file of its own, which
// would count instead; git writes the packed refs before it removes such files, so
// they are read after that was looked for.
func (r *Repo) packed(ref string) (OID, bool) {
	if _, err := os.Lstat(filepath.Join(r.commonDir, filepath.FromSlash(ref))); !os.IsNotExist(err) {
		return "", false
	}
	text, ok := plainFile(filepath.Join(r.commonDir, "packed-refs"), maxRefs)
	if !ok {
		return "", false
	}
	return packedRef([]byte(text), ref)
}

// packedRef finds the one line of a ref: "<oid> <ref>\n".
func packedRef(text []byte, ref string) (OID, bool) {
	end := []byte(" " + ref + "\n")
	i := bytes.Index(text, end)
	if i < 0 || bytes.Contains(text[i+1:], end) {
		return "", false
	}
	start := bytes.LastIndexByte(text[:i], '\n') + 1
	return OID(text[start:i]), true
}
