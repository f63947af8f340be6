package provenance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
)

// A Review is what is remembered of the last review of a worktree's HEAD. It lies
// beside the graph of the worktree and decides nothing but whether that graph may
// be deleted.
type Review struct {
	Schema string `json:"schema"` // "previdence.reviewed/v1"

	RepositoryRoot string `json:"repository_root"` // the worktree that it lies beside
	RootID         string `json:"root_id"`         // of that folder; see store.Stamp
	CommonDir      string `json:"common_dir"`      // of its repository

	Head      worktree.OID `json:"head"`       // commit that was reviewed
	Base      string       `json:"base"`       // revision that it was reviewed against
	MergeBase worktree.OID `json:"merge_base"` // of the two, at that time
	Report    string       `json:"report"`     // SHA-256 of the canonical report, in hex
	Graph     string       `json:"graph"`      // digest of the graph of head that it was made from
	Outcome   string       `json:"outcome"`    // of the report: pass, fail or incomplete
	Failing   int          `json:"failing"`    // reasons for which policy made it fail
}

const (
	reviewSchema = "previdence.reviewed/v1"
	reviewName   = "review.json"
	reviewLock   = "review.lock"
	maxReview    = 64 << 10 // bytes of a record; it holds three paths at most

	outcomeFail       = "fail"
	outcomePass       = "pass"
	outcomeIncomplete = "incomplete"
)

// errNoReview means that a file is not what [Remember] writes.
var errNoReview = errors.New("not the record of a review")

// Remember records the review of a worktree's HEAD in place of the one before,
// whole or not at all. Of the record it fills in which worktree that is. If HEAD
// is another commit by now, the review was of something else and nothing is
// recorded.
func Remember(ctx context.Context, repo *worktree.Repo, made Review) error {
	p, err := Locate(ctx, repo)
	if err != nil || p.Head != made.Head {
		return err
	}
	stamp := p.Stamp()
	made.Schema = reviewSchema
	made.RepositoryRoot, made.RootID, made.CommonDir = stamp.RepositoryRoot, stamp.RootID, stamp.CommonDir
	text, err := json.Marshal(made)
	if err != nil {
		return err
	}
	f, err := openFolder(p.Folder, true)
	if err != nil {
		return Named(err)
	}
	return Named(errors.Join(f.remember(ctx, append(text, '\n')), f.close()))
}

// remember puts a record in place. Who writes one waits for others who do, so
// that the file they write it in first is never that of two.
func (f *folder) remember(ctx context.Context, text []byte) (err error) {
	held, err := f.wait(ctx, reviewLock, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	if _, err := f.plain(reviewName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	const temporary = reviewName + ".new" // at most one is left by a kill, and used again
	if err := f.root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := f.root.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close(), f.check()); err != nil {
		return err
	}
	return errors.Join(f.root.Rename(temporary, reviewName), f.sync())
}

// LastReview returns what is remembered of the review of a worktree's HEAD. If
// nothing is, or not of this HEAD, the error is a [Refusal] as [NotReviewed].
func LastReview(ctx context.Context, repo *worktree.Repo) (Review, error) {
	p, err := Locate(ctx, repo)
	if err != nil {
		return Review{}, err
	}
	f, err := openFolder(p.Folder, false)
	if errors.Is(err, fs.ErrNotExist) {
		return Review{}, notReviewed("no review of %s is recorded here", short(string(p.Head)))
	}
	if err != nil {
		return Review{}, Named(err)
	}
	last, err := p.review(f)
	return last, Named(errors.Join(err, f.close()))
}

// review reads the record of HEAD's review.
func (p *Place) review(f *folder) (Review, error) {
	last, err := f.readReview()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Review{}, notReviewed("no review of %s is recorded here", short(string(p.Head)))
	case errors.Is(err, errNoReview):
		return Review{}, notReviewed("%v", err)
	case err != nil:
		return Review{}, err
	}
	// A record that was copied here is of a review of something else.
	then := store.Stamp{RepositoryRoot: last.RepositoryRoot, RootID: last.RootID, CommonDir: last.CommonDir}
	now := p.Stamp()
	now.Head, now.Tree = "", ""
	switch moved := compare(then, now); {
	case moved != nil:
		return Review{}, notReviewed("the review that is recorded here is of another worktree: %s", moved.Reason)
	case last.Head != p.Head:
		return Review{}, notReviewed("the review that is recorded here is of %s, HEAD is %s", short(string(last.Head)), short(string(p.Head)))
	}
	return last, nil
}

// readReview reads the record in a folder. If there is none the error is
// [fs.ErrNotExist].
func (f *folder) readReview() (Review, error) {
	info, err := f.plain(reviewName)
	if err != nil {
		return Review{}, err
	}
	path := filepath.Join(f.path, reviewName)
	if info.Size() > maxReview {
		return Review{}, fmt.Errorf("%s: %w: more than %d bytes", path, errNoReview, maxReview)
	}
	file, err := f.root.OpenFile(reviewName, os.O_RDONLY|noWait, 0)
	if err != nil {
		return Review{}, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxReview))
	if err := errors.Join(err, file.Close()); err != nil {
		return Review{}, err
	}
	r, err := parseReview(text)
	if err != nil {
		return Review{}, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// parseReview reads a record as [Remember] writes it, and no other.
func parseReview(text []byte) (Review, error) {
	var r Review
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Review{}, fmt.Errorf("%w: %w", errNoReview, err)
	}
	if again, err := json.Marshal(r); err != nil || !bytes.Equal(append(again, '\n'), text) {
		return Review{}, fmt.Errorf("%w: it is not written as this program does", errNoReview)
	}
	switch {
	case r.Schema != reviewSchema:
		return Review{}, fmt.Errorf("%w: its schema is %q", errNoReview, r.Schema)
	case !slices.Contains([]string{outcomePass, outcomeFail, outcomeIncomplete}, r.Outcome):
		return Review{}, fmt.Errorf("%w: its outcome is %q", errNoReview, r.Outcome)
	}
	return r, nil
}

func notReviewed(reason string, operands ...any) *Refusal {
	return refuse(NotReviewed, "run: previdence review, in this worktree", reason, operands...)
}

// reviewed refuses to let a graph go that nobody used for a review of HEAD, or
// whose review is not over: the base has moved since, or policy keeps what it
// found. Used are digests of graphs that this process itself answered from.
func (p *Place) reviewed(ctx context.Context, f *folder, graph string, used []string) error {
	last, err := p.review(f)
	if refusal, ok := AsRefusal(err); ok && refusal.State == NotReviewed && slices.Contains(used, graph) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := p.baseMoved(ctx, last); err != nil {
		return err
	}
	switch {
	case last.Outcome == outcomeFail:
		return refuse(FindingsOpen, "mend what the review found, then review again",
			"the review of %s failed for %d reasons, report %s", short(string(last.Head)), last.Failing, short(last.Report))
	case last.Graph != graph && !slices.Contains(used, graph):
		r := notReviewed("the review of %s was made from the graph %s, this one is %s", short(string(last.Head)), short(last.Graph), short(graph))
		r.Remedy = "run: previdence graph build, then previdence review; if its rules ignore other paths than those of the merge base, delete graph.db by hand"
		return r
	}
	return nil
}

// baseMoved refuses if the review would start from another merge base now.
func (p *Place) baseMoved(ctx context.Context, last Review) error {
	const again = "review again: previdence review"
	base, err := p.Repo.Resolve(ctx, last.Base)
	if errors.Is(err, worktree.ErrUnknownRevision) {
		return stale(CaseBase, again, "reviewed against %q, which is not here any more", last.Base)
	}
	if err != nil {
		return err
	}
	bases, err := p.Repo.MergeBases(ctx, base, p.Head)
	if errors.Is(err, worktree.ErrNoMergeBase) {
		return stale(CaseBase, again, "reviewed from %s, by now %q and HEAD share no commit", short(string(last.MergeBase)), last.Base)
	}
	if err != nil {
		return err
	}
	if bases[0] != last.MergeBase {
		return stale(CaseBase, again, "reviewed from the merge base %s, by now it is %s", short(string(last.MergeBase)), short(string(bases[0])))
	}
	return nil
}
