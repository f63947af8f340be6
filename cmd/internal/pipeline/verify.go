package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/previdence/previdence/cmd/internal/config"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/delta"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

var (
	// ErrNoReport means that the bytes to verify are no report.
	ErrNoReport = errors.New("not a report")
	// ErrOtherMaker means that a report was made by another version of this
	// program, of a grammar or of git, so that making it again proves nothing.
	ErrOtherMaker = errors.New("the report was made by another version")
	// ErrOtherSubject means that a report is about another pull request or
	// repository than the one that it is to be compared with.
	ErrOtherSubject = errors.New("the earlier report is about something else")
	// ErrOtherCoverage means that a report was made with other files of measured
	// coverage than were given to verify it.
	ErrOtherCoverage = errors.New("the report was made with other measured coverage")
	// ErrCommitAbsent means that the repository lacks a commit that a report is
	// about.
	ErrCommitAbsent = errors.New("commit is not here")
)

// A Verification says whether a report is what its repository gives.
type Verification struct {
	Same     bool
	Report   string // SHA-256 of the bytes that were given, in hex
	Again    string // SHA-256 of the canonical bytes made here
	Reformed bool   // it differs in how it is written and in nothing else
	Assumed  bool   // it has a delta, which was taken as it is: the earlier report was not given
	Outside  bool   // it differs, and other sources of dependencies were at hand where it was made
	Difference
}

// Verify makes a report again from its repository and compares bytes. From the
// report it takes what cannot be found out: the commits, the names that they
// were asked for by, where the history ended, the depth and the rules, whether the configuration of the
// merge base was to be read, and which other pull requests were reviewed beside
// it. All else is found anew, what that configuration says included. A local
// binding is not compared. Nobody is contacted.
//
// What changed since an earlier report is found anew from earlier, if that is
// given. The repository does not hold it, so without it a delta is taken from
// the report, and the answer says so.
func (p *Pipeline) Verify(ctx context.Context, data []byte, earlier *report.Report) (Verification, error) {
	given, err := report.Read(bytes.NewReader(data))
	if err != nil {
		return Verification{}, fmt.Errorf("%w: %w", ErrNoReport, err)
	}
	if given.Cut() {
		return Verification{}, fmt.Errorf("%w: a deadline ended the work on it, so the same commits may give another", ErrPartial)
	}
	if err := p.sameMaker(given.Provenance); err != nil {
		return Verification{}, err
	}
	if err := p.sameCoverage(given.Tests.Measured); err != nil {
		return Verification{}, err
	}
	held, err := p.repo.Hold(ctx)
	if err != nil {
		return Verification{}, err
	}
	defer held.Close()
	again, err := p.again(ctx, given)
	if err != nil {
		return Verification{}, err
	}
	if earlier != nil {
		if again.Delta, err = Since(ctx, p.repo, earlier, again); err != nil {
			return Verification{}, err
		}
	} else {
		again.Delta = given.Delta
	}
	v, err := compare(data, given, again)
	v.Assumed = earlier == nil && given.Delta != nil
	return v, err
}

// Since says what changed since an earlier report of the same pull request. A
// report of anything else is refused with [ErrOtherSubject], a partial one with
// [ErrPartial]: what it does not name may have been there.
func Since(ctx context.Context, repo *worktree.Repo, earlier, now *report.Report) (*report.Delta, error) {
	was, is := earlier.Subject, now.Subject
	if earlier.Cut() || now.Cut() {
		return nil, fmt.Errorf("%w: it does not tell what is new from what nobody looked for", ErrPartial)
	}
	if was.Repository != is.Repository || was.PullRequest != is.PullRequest {
		return nil, fmt.Errorf("%w: it is about %s, and this one about %s", ErrOtherSubject, about(was), about(is))
	}
	d := delta.Compare(delta.Of(earlier), now)
	d.Since.Head = pastOf(ctx, repo, endsOf(now), worktree.OID(was.Head.Commit), worktree.OID(is.Head.Commit))
	return d, ctx.Err()
}

// pastOf says whether a head was pushed over: fetched pull requests lie in the store
// of the repository.
func pastOf(ctx context.Context, repo *worktree.Repo, ends []worktree.OID, was, is worktree.OID) report.Past {
	if has(ctx, repo, was, is) != nil {
		if !repo.HasStore() {
			return report.UnknownPast
		}
		store, err := repo.Store(ctx)
		if err != nil || has(ctx, store.Repo(), was, is) != nil {
			return report.UnknownPast
		}
		repo = store.Repo()
	}
	switch follows, err := repo.Past(ends).Has(ctx, is, was); {
	case err != nil:
		return report.UnknownPast
	case follows:
		return report.Follows
	}
	return report.Rewritten
}

// about names what a report is about.
func about(s report.Subject) string {
	repository := "a repository without remote"
	if s.Repository != "" {
		repository = fmt.Sprintf("%q", s.Repository)
	}
	if s.PullRequest == 0 {
		return "no pull request of " + repository
	}
	return fmt.Sprintf("pull request %d of %s", s.PullRequest, repository)
}

// sameMaker reports an error if something that decides the bytes has another
// version here.
func (p *Pipeline) sameMaker(v report.Provenance) error {
	for _, part := range []struct{ name, there, here string }{
		{"tool", v.Tool.Name, toolName},
		{"tool version", v.Tool.Version, p.options.ToolVersion},
		{"engine", v.EngineDigest, p.builder.EngineDigest()},
		{"git version", v.GitVersion, p.repo.GitVersion()},
	} {
		if part.there != part.here {
			return fmt.Errorf("%w: %s is %q in the report, %q here", ErrOtherMaker, part.name, part.there, part.here)
		}
	}
	languages := slices.Sorted(maps.Keys(v.Grammars))
	for _, language := range append(languages, slices.Sorted(maps.Keys(p.options.Grammars))...) {
		if there, here := v.Grammars[language], p.options.Grammars[language]; there != here {
			return fmt.Errorf("%w: grammar of %s is %q in the report, %q here", ErrOtherMaker, language, there, here)
		}
	}
	return nil
}

// sameCoverage reports an error unless the files of measured coverage that were
// given are those that a report was made with. No repository holds them.
func (p *Pipeline) sameCoverage(m *report.Measured) error {
	var there []string
	if m != nil {
		for _, in := range m.Inputs {
			there = append(there, in.Digest)
		}
	}
	here := coverageDigests(p.options.Coverage)
	for _, d := range there {
		if !slices.Contains(here, d) {
			return fmt.Errorf("%w: the one with SHA-256 %q was not given", ErrOtherCoverage, d)
		}
	}
	for _, d := range here {
		if !slices.Contains(there, d) {
			return fmt.Errorf("%w: it knows none with SHA-256 %q", ErrOtherCoverage, d)
		}
	}
	return nil
}

// again makes the report that the repository gives for the commits of another.
func (p *Pipeline) again(ctx context.Context, given *report.Report) (*report.Report, error) {
	o := p.options
	o.Given = Given{Depth: true, FailOn: true}
	o.NoConfig = given.Provenance.Config.Unread
	o.Types = cmp.Or(given.Provenance.Config.Types, config.TypesOn)
	o.HistoryCut = endsOf(given)
	o.Limits.Depth = max(1, given.Provenance.Config.Limits.Depth)
	o.FailOn = slices.DeleteFunc(slices.Clone(given.Provenance.Config.FailOn), func(rule string) bool {
		return !slices.Contains(review.Rules, rule)
	})
	q := New(p.repo, p.builder, o)
	s := given.Subject
	first, err := q.pinned(ctx, s.PullRequest, named{s.Base.Ref, worktree.OID(s.Base.Commit)}, named{s.Head.Ref, worktree.OID(s.Head.Commit)})
	if err != nil {
		return nil, err
	}
	all := make([]reviewed, 1, 1+len(given.Overlap))
	if all[0], err = q.examine(ctx, first); err != nil {
		return nil, err
	}
	for _, other := range given.Overlap {
		at, err := q.pinned(ctx, other.PullRequest, named{"", worktree.OID(other.Base)}, named{other.Ref, worktree.OID(other.Head)})
		if err != nil {
			return nil, fmt.Errorf("overlap: %w", err)
		}
		beside, err := q.examine(ctx, at)
		if err != nil {
			return nil, fmt.Errorf("overlap: %w", err)
		}
		all = append(all, beside)
	}
	all[0].report.Overlap = overlaps(0, all)
	return all[0].report, nil
}

// pinned locates two commits by their full IDs, in the repository or in its own
// store, where fetched pull requests lie.
func (p *Pipeline) pinned(ctx context.Context, pull int, base, head named) (located, error) {
	at := located{repo: p.repo, pull: pull, base: base, head: head}
	at.binding = report.Binding{RepositoryRoot: p.repo.Root(), CommonDir: p.repo.CommonDir(), Head: string(head.commit)}
	missing := has(ctx, p.repo, base.commit, head.commit)
	if missing == nil {
		return at, nil
	}
	if !errors.Is(missing, ErrCommitAbsent) {
		return at, missing
	}
	store, err := p.repo.Store(ctx)
	if err != nil {
		return at, errors.Join(missing, err)
	}
	at.repo = store.Repo()
	return at, has(ctx, at.repo, base.commit, head.commit)
}

// has reports an error unless a repository has the commits of these full IDs.
func has(ctx context.Context, repo *worktree.Repo, commits ...worktree.OID) error {
	for _, c := range commits {
		found, err := repo.Resolve(ctx, string(c))
		switch {
		case errors.Is(err, worktree.ErrUnknownRevision) || errors.Is(err, worktree.ErrBadRevision):
			return fmt.Errorf("%w: %q", ErrCommitAbsent, c)
		case err != nil:
			return err
		case found != c:
			return fmt.Errorf("%w: %q is no full object ID", ErrCommitAbsent, c)
		}
	}
	return nil
}

// compare says how the bytes that were given differ from the report made again.
func compare(data []byte, given, again *report.Report) (Verification, error) {
	want, err := again.Canonical()
	if err != nil {
		return Verification{}, err
	}
	got, err := given.Canonical()
	if err != nil {
		return Verification{}, err
	}
	local, err := given.Local()
	if err != nil {
		return Verification{}, err
	}
	v := Verification{Report: sum(data), Again: sum(want)}
	if !bytes.Equal(got, want) {
		d, _, err := difference(got, want)
		v.Difference, v.Outside = d, !slices.EqualFunc(outside(given), outside(again), sameCaveat)
		return v, err
	}
	v.Reformed = !bytes.Equal(data, got) && !bytes.Equal(data, local)
	v.Same = !v.Reformed
	return v, nil
}

// outside returns what a report says of dependencies that it did not see. They
// decide calls through their types, and lie in no commit.
func outside(r *report.Report) []report.Caveat {
	return slices.DeleteFunc(slices.Clone(r.Caveats), func(c report.Caveat) bool {
		return !slices.Contains([]string{"go.stand_in_packages", "go.outlined_packages", "go.missing_modules"}, c.ID)
	})
}

func sameCaveat(a, b report.Caveat) bool {
	return a.ID == b.ID && a.Count == b.Count && a.Of == b.Of && slices.Equal(a.Examples, b.Examples)
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
