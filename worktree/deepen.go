package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An Upstream is where the history comes from that a clone lacks.
type Upstream struct {
	URL           string
	Authorization string // value of the header for http and https, a secret; "": none is sent
}

// Deepen makes sure that two commits are here with the history that their merge
// base needs, and reports whether it had to fetch. What is complete is left
// alone, so a whole clone stays one: git itself would cut it if it were asked for
// a depth.
//
// It is the one function that changes a repository, and all it does is to add
// objects and to take out of the list of cut commits those whose parents have
// come. git runs in a store of ours, so no configuration of the repository says
// where it connects to or what it starts, and no ref moves. A [Repo] that was
// opened before still says [Repo.Shallow].
func (r *Repo) Deepen(ctx context.Context, from Upstream, base, head OID) (fetched bool, err error) {
	if complete, err := r.together(ctx, base, head); complete || err != nil {
		return false, err
	}
	if err := r.deepen(ctx, from, base, head); err != nil {
		return false, fmt.Errorf("fetch the history of %s and %s from %s: %w", base, head, redacted(from.URL), err)
	}
	return true, nil
}

// together reports whether two commits are here with the history between them.
// That they share none is an answer as well.
func (r *Repo) together(ctx context.Context, base, head OID) (bool, error) {
	for _, oid := range []OID{base, head} {
		if !r.valid(oid) {
			return false, fmt.Errorf("%w: %q is no full object ID", ErrBadRevision, oid)
		}
		_, err := r.Resolve(ctx, string(oid))
		if errors.Is(err, ErrUnknownRevision) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	_, err := r.MergeBases(ctx, base, head)
	switch {
	case errors.Is(err, ErrShallow):
		return false, nil
	case errors.Is(err, ErrNoMergeBase):
		return true, nil
	}
	return err == nil, err
}

func (r *Repo) deepen(ctx context.Context, from Upstream, base, head OID) error {
	url, err := parseURL(from.URL)
	if err != nil {
		return err
	}
	held, err := os.OpenFile(r.shallowFile()+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // git's own name for it
	if err != nil {
		return err
	}
	defer os.Remove(held.Name())
	defer held.Close()
	cut, err := r.cutCommits()
	if err != nil {
		return err
	}
	st, err := r.newStore()
	if err != nil {
		return err
	}
	defer st.remove()
	args := []string{"fetch", "--quiet", "--no-progress", "--no-tags", "--no-auto-maintenance", "--no-write-fetch-head", "--no-recurse-submodules"}
	if len(cut) > 0 {
		args = append(args, "--unshallow")
		if err := os.WriteFile(filepath.Join(st.path, "shallow"), cutLines(cut), 0o600); err != nil {
			return err
		}
	}
	if err := r.offer(ctx, st); err != nil {
		return err
	}
	at := r.upstream(st, url, from.Authorization)
	if _, err := r.git.runDetached(ctx, at, append(args, "--", url.text, string(base), string(head))...); err != nil {
		if errors.Is(err, ErrGitFailed) {
			err = fmt.Errorf("%w: %w", ErrFetchFailed, err)
		}
		return err
	}
	return r.uncut(ctx, cut, held)
}

// upstream is a store as the place from which a URL can be reached. Unlike for
// reading, the list of cut commits is the store's own: git changes it.
func (r *Repo) upstream(st store, url source, authorization string) place {
	at := place{dir: st.path, env: []string{
		"GIT_DIR=" + st.path, "GIT_OBJECT_DIRECTORY=" + r.objects(), "GIT_ALLOW_PROTOCOL=" + url.protocol,
	}}
	for _, name := range inherited {
		if value := os.Getenv(name); value != "" && url.protocol != "file" {
			at.env = append(at.env, name+"="+value)
		}
	}
	at.config = append(append(at.config, fsck...), "http.lowSpeedLimit=1000", "http.lowSpeedTime=60", "http.followRedirects=false")
	if authorization != "" {
		// By environment: arguments are seen by everybody on the machine.
		at.config = append(at.config, "http.extraHeader=Authorization: "+authorization)
	}
	return at
}

// offer puts HEAD into a store, so that git tells the other side what need not be
// sent. A partial clone may lack parts of what it has, so nothing is offered.
func (r *Repo) offer(ctx context.Context, st store) error {
	_, head, err := r.Head(ctx)
	if errors.Is(err, ErrNoCommit) {
		return nil
	}
	if err != nil {
		return err
	}
	if partial, err := r.Partial(ctx); partial || err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(st.path, "refs", "heads"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(st.path, "refs", "heads", "here"), []byte(head+"\n"), 0o600)
}

// uncut takes the commits whose parents are here off the list of cut ones. The
// others stay: git would take the repository for a damaged one. It writes as git
// does, by renaming the lock.
func (r *Repo) uncut(ctx context.Context, cut map[OID]bool, held *os.File) error {
	s := r.newSession(ctx)
	defer s.close()
	still := map[OID]bool{}
	for _, oid := range slices.Sorted(maps.Keys(cut)) {
		whole, err := s.hasParents(oid)
		if err != nil {
			return err
		}
		if !whole {
			still[oid] = true
		}
	}
	if len(still) == len(cut) {
		return nil
	}
	if len(still) == 0 {
		return os.Remove(r.shallowFile())
	}
	if _, err := held.Write(cutLines(still)); err != nil {
		return err
	}
	if err := errors.Join(held.Sync(), held.Close()); err != nil { // an open file is not renamed everywhere
		return err
	}
	return os.Rename(held.Name(), r.shallowFile())
}

// hasParents reports whether a commit and all its parents are here. One that
// nobody has any more is not.
func (s *session) hasParents(commit OID) (bool, error) {
	heads, err := s.heads([]OID{commit})
	if err != nil {
		return false, err
	}
	if h := heads[0]; h.kind != "commit" || h.size > maxCommit { // it has no kind if it is not here
		return false, nil
	}
	var parents []OID
	err = s.contents([]OID{commit}, heads, func(_ int, data []byte, err error) error {
		header, _, _ := bytes.Cut(data, []byte("\n\n"))
		for line := range bytes.Lines(header) {
			if hex, ok := bytes.CutPrefix(bytes.TrimSuffix(line, []byte("\n")), []byte("parent ")); ok {
				parents = append(parents, OID(hex))
			}
		}
		return err
	})
	if err != nil || len(parents) == 0 {
		return err == nil, err
	}
	if heads, err = s.heads(parents); err != nil {
		return false, err
	}
	return !slices.ContainsFunc(heads, func(h head) bool { return h.kind != "commit" }), nil
}

// shallowFile is the list of cut commits; there is none in a whole clone.
func (r *Repo) shallowFile() string { return filepath.Join(r.commonDir, "shallow") }

// cutLines is the content of that file.
func cutLines(cut map[OID]bool) []byte {
	var b strings.Builder
	for _, oid := range slices.Sorted(maps.Keys(cut)) {
		b.WriteString(string(oid) + "\n")
	}
	return []byte(b.String())
}
