package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Commit is one step of a history, as far as its own object and its tree say it.
// Names and texts come from whoever made it.
type Commit struct {
	ID      OID
	Author  string // name, without mail address
	Time    int64  // when it was committed, in seconds since 1970, by the committer's own word
	Message string // cut after 4 KiB
	Changes []PathChange
}

// A PathChange is one file that a commit changes against its first parent. A rename
// is a file that goes and one that comes.
type PathChange struct {
	Path     string
	Old, New OID // blobs; "" if it is added or removed
}

// maxMessage is how many bytes of a message are kept.
const maxMessage = 4 << 10

// marker begins each commit in what git writes: a sign that no path, being without
// NUL, and no raw line, beginning with a colon, can be taken for.
const marker = "\x01commit"

// Past returns the newest commits that one commit has, itself included, without
// merges, at most limit of them, newest first. The order is that of the committers'
// clocks where ancestry leaves it open, so it is the same on every machine.
//
// In a shallow clone the history ends where it was cut; cut then counts the commits
// there whose parents are not here. What they change is not known, so they have no
// Changes.
func (r *Repo) Past(ctx context.Context, from OID, limit int) (commits []Commit, cut int, err error) {
	if !r.valid(from) {
		return nil, 0, fmt.Errorf("history of %s: %w", from, ErrBadRevision)
	}
	return r.log(ctx, "--no-merges", "--max-count="+strconv.Itoa(limit), "--end-of-options", string(from))
}

// Between returns the commits that head has and base has not, newest first, at most
// limit of them, merges included without changes.
func (r *Repo) Between(ctx context.Context, base, head OID, limit int) ([]Commit, error) {
	if !r.valid(base) || !r.valid(head) {
		return nil, fmt.Errorf("commits of %s..%s: %w", base, head, ErrBadRevision)
	}
	commits, _, err := r.log(ctx, "--max-count="+strconv.Itoa(limit), "--end-of-options", string(head), "^"+string(base))
	return commits, err
}

func (r *Repo) log(ctx context.Context, which ...string) (commits []Commit, cut int, err error) {
	shallow, err := r.cutCommits()
	if err != nil {
		return nil, 0, err
	}
	st, err := r.newStore()
	if err != nil {
		return nil, 0, err
	}
	defer st.remove()
	args := append([]string{"log", "-z", "--raw", "--no-abbrev", "--no-renames", "--root", "--no-mailmap", "--no-show-signature",
		"--no-decorate", "--encoding=UTF-8", "--diff-merges=off", "--format=tformat:" + marker + "%x00%H%x00%an%x00%ct%x00%B%x00"}, which...)
	out, err := r.git.run(ctx, st.place, args...)
	if err != nil {
		return nil, 0, err
	}
	if commits, err = parsePast(out); err != nil {
		return nil, 0, err
	}
	for i := range commits {
		if shallow[commits[i].ID] {
			cut++
			commits[i].Changes = nil // git takes it for the first of all
		}
	}
	return commits, cut, nil
}

// parsePast reads what [Repo.log] asks for.
func parsePast(out []byte) ([]Commit, error) {
	var commits []Commit
	fields := bytes.Split(out, []byte{0})
	next := func() string {
		if len(fields) == 0 {
			return ""
		}
		f := fields[0]
		fields = fields[1:]
		return string(f)
	}
	for len(fields) > 0 {
		field := strings.TrimPrefix(next(), "\n")
		switch {
		case field == "":
		case field == marker && len(fields) >= 4:
			c := Commit{ID: OID(next()), Author: next()}
			seconds, err := strconv.ParseInt(next(), 10, 64)
			if err != nil {
				return nil, fmt.Errorf("history: a commit of no time: %w", err)
			}
			message := next()
			c.Time, c.Message = seconds, strings.ToValidUTF8(message[:min(len(message), maxMessage)], "�")
			commits = append(commits, c)
		case strings.HasPrefix(field, ":") && len(commits) > 0 && len(fields) > 0:
			change, ok := rawChange(field, next())
			if !ok {
				return nil, fmt.Errorf("history: cannot read %q", clean(field))
			}
			last := &commits[len(commits)-1]
			last.Changes = append(last.Changes, change)
		default:
			return nil, fmt.Errorf("history: cannot read %q", clean(field))
		}
	}
	return commits, nil
}

// rawChange reads ":100644 100644 <old> <new> M".
func rawChange(line, path string) (c PathChange, ok bool) {
	f := strings.Fields(line)
	if len(f) != 5 || path == "" {
		return c, false
	}
	object := func(s string) OID {
		if strings.Trim(s, "0") == "" {
			return ""
		}
		return OID(s)
	}
	return PathChange{Path: path, Old: object(f[2]), New: object(f[3])}, true
}

// Descends reports whether a commit is another one or has it among its ancestors.
// The error is [ErrUnknownRevision] if either is not here, and [ErrShallow] if the
// history that could tell was cut off.
func (r *Repo) Descends(ctx context.Context, commit, from OID) (bool, error) {
	bases, err := r.MergeBases(ctx, commit, from)
	switch {
	case err == nil:
		return len(bases) == 1 && bases[0] == from, nil
	case errors.Is(err, ErrNoMergeBase) && !errors.Is(err, ErrShallow):
		return false, nil
	}
	return false, err
}

// DayOf returns the day of a commit in UTC, as 2006-01-02, by its committer's word.
func (r *Repo) DayOf(ctx context.Context, commit OID) (string, error) {
	if !r.valid(commit) {
		return "", fmt.Errorf("day of %s: %w", commit, ErrBadRevision)
	}
	commits, _, err := r.log(ctx, "--no-walk", "--end-of-options", string(commit))
	if err != nil {
		return "", err
	}
	if len(commits) != 1 {
		return "", fmt.Errorf("day of %s: %w", commit, ErrNotCommit)
	}
	return time.Unix(commits[0].Time, 0).UTC().Format(time.DateOnly), nil
}
