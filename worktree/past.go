package worktree

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Commit is one step of a history, as far as its own object and its tree say it.
// Names and texts come from whoever made it.
type Commit struct {
	ID      OID
	Merge   bool   // it has several parents
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

// A Past answers questions about the commits that a repository has, as if it was a
// shallow clone that ends at some of them. A report names these, so that whoever has
// more of the history still finds what the report says.
type Past struct {
	repo *Repo
	cut  []OID
}

// Past returns what there is to be known of the history of a repository that ends
// at cut, besides where it really ends.
func (r *Repo) Past(cut []OID) Past { return Past{r, cut} }

// Cut returns the commits at which the history of a commit ends because it was cut
// off there, sorted. A whole clone has none.
func (p Past) Cut(ctx context.Context, commit OID) ([]OID, error) {
	ends, err := p.ends()
	if err != nil || len(ends) == 0 {
		return nil, err
	}
	out, err := p.run(ctx, "rev-list", "--end-of-options", string(commit))
	if err != nil {
		return nil, err
	}
	var met []OID
	for _, id := range oidLines(out) {
		if ends[id] {
			met = append(met, id)
		}
	}
	slices.Sort(met)
	return met, nil
}

// Before returns the newest commits that one commit has, itself included, at most
// limit of them, newest first. The order is that of the committers' clocks where
// ancestry leaves it open, so it is the same on every machine. A merge changes
// nothing by itself; what a commit changes whose parents are not here is not known.
func (p Past) Before(ctx context.Context, commit OID, limit int) ([]Commit, error) {
	return p.log(ctx, "--max-count="+strconv.Itoa(limit), "--end-of-options", string(commit))
}

// Between returns the commits that head has and base has not, as [Past.Before] does.
func (p Past) Between(ctx context.Context, base, head OID, limit int) ([]Commit, error) {
	return p.log(ctx, "--max-count="+strconv.Itoa(limit), "--end-of-options", string(head), "^"+string(base))
}

// Has reports whether a commit is another one or has it among its ancestors. The
// error is [ErrShallow] if the history that could tell is not here, and
// [ErrUnknownRevision] if a whole history does not know the other one.
func (p Past) Has(ctx context.Context, commit, other OID) (bool, error) {
	if !p.repo.valid(commit) || !p.repo.valid(other) {
		return false, fmt.Errorf("whether %s has %s: %w", commit, other, ErrBadRevision)
	}
	_, err := p.run(ctx, "merge-base", "--is-ancestor", "--end-of-options", string(other), string(commit))
	switch {
	case err == nil:
		return true, nil
	case exited(err, 1), said(err, "Not a valid commit name"), said(err, "Not a valid object name"):
	default:
		return false, err
	}
	if cut, lost := p.Cut(ctx, commit); lost != nil || len(cut) > 0 {
		return false, cmp.Or(lost, fmt.Errorf("whether %s has %s: %w", commit, other, ErrShallow))
	}
	if !exited(err, 1) {
		err = fmt.Errorf("%w: %s", ErrUnknownRevision, other)
		return false, err
	}
	return false, nil
}

// Day returns the day of a commit in UTC, as 2006-01-02, by its committer's word.
func (p Past) Day(ctx context.Context, commit OID) (string, error) {
	commits, err := p.log(ctx, "--no-walk", "--end-of-options", string(commit))
	if err != nil {
		return "", err
	}
	if len(commits) != 1 {
		return "", fmt.Errorf("day of %s: %w", commit, ErrNotCommit)
	}
	return time.Unix(commits[0].Time, 0).UTC().Format(time.DateOnly), nil
}

// ends are the commits whose parents are not here, or are to be taken for that.
func (p Past) ends() (map[OID]bool, error) {
	ends, err := p.repo.cutCommits()
	if err != nil {
		return nil, err
	}
	if ends == nil {
		ends = map[OID]bool{}
	}
	for _, id := range p.cut {
		if !p.repo.valid(id) {
			return nil, fmt.Errorf("history cut at %q: %w", id, ErrBadRevision)
		}
		ends[id] = true
	}
	return ends, nil
}

// run runs git over the history as it is to be seen. Its last arguments are commits.
func (p Past) run(ctx context.Context, args ...string) ([]byte, error) {
	for _, arg := range args[slices.Index(args, "--end-of-options")+1:] {
		if !p.repo.valid(OID(strings.TrimPrefix(arg, "^"))) {
			return nil, fmt.Errorf("history of %q: %w", arg, ErrBadRevision)
		}
	}
	st, err := p.repo.newStore()
	if err != nil {
		return nil, err
	}
	defer st.remove()
	if len(p.cut) > 0 {
		ends, err := p.ends()
		if err != nil {
			return nil, err
		}
		file := filepath.Join(st.path, "cut")
		if err := os.WriteFile(file, cutLines(ends), 0o600); err != nil {
			return nil, err
		}
		st.env = append(st.env, "GIT_SHALLOW_FILE="+file)
	}
	return p.repo.git.run(ctx, st.place, args...)
}

func (p Past) log(ctx context.Context, which ...string) ([]Commit, error) {
	ends, err := p.ends()
	if err != nil {
		return nil, err
	}
	args := append([]string{"log", "-z", "--raw", "--no-abbrev", "--no-renames", "--root", "--no-mailmap", "--no-show-signature",
		"--no-decorate", "--encoding=UTF-8", "--diff-merges=off", "--format=tformat:" + marker + "%x00%H%x00%P%x00%an%x00%ct%x00%B%x00"}, which...)
	out, err := p.run(ctx, args...)
	if err != nil {
		return nil, err
	}
	commits, err := parsePast(out)
	for i := range commits {
		if ends[commits[i].ID] {
			commits[i].Changes = nil // git takes it for the first of all
		}
	}
	return commits, err
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
		case field == marker && len(fields) >= 5:
			c := Commit{ID: OID(next()), Merge: strings.Contains(next(), " "), Author: next()}
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
