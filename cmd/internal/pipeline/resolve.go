package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// ErrOtherRepository means that a request names a pull request or a worktree of
// another repository.
var ErrOtherRepository = errors.New("belongs to another repository")

// A located request is one whose names have become commits.
type located struct {
	repo       *worktree.Repo // where the objects are read
	pull       int
	base, head named
	binding    report.Binding
	checkout   string // root of the pull request's own worktree; "" if it has none
}

// A named commit is one with the name that it was asked for by.
type named struct {
	ref    string
	commit worktree.OID
}

// A subject is a located request with what its commits say of themselves.
type subject struct {
	report.Subject
	baseTree, headTree worktree.OID // of the merge base and of head
}

// objectID is a full object ID. Two of them need no names to be looked up.
var objectID = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// locate turns names into commits, once.
func (p *Pipeline) locate(ctx context.Context, req Request) (at located, err error) {
	at.repo = p.repo
	at.binding = report.Binding{RepositoryRoot: p.repo.Root(), CommonDir: p.repo.CommonDir()}
	if objectID.MatchString(req.Base) && objectID.MatchString(req.Head) {
		// They may be those of a fetched pull request, as a report names them.
		there, err := p.pinned(ctx, 0, named{req.Base, worktree.OID(req.Base)}, named{req.Head, worktree.OID(req.Head)})
		if err == nil {
			return there, nil
		}
	}
	switch {
	case req.Pull != 0:
		err = p.locatePull(ctx, req, &at)
	case req.Worktree != "":
		err = p.locateWorktree(ctx, req.Worktree, &at)
	default:
		if at.head, err = p.revision(ctx, cmp.Or(req.Head, "HEAD")); err != nil {
			err = fmt.Errorf("head: %w", err)
		} else if req.Head == "" {
			err = at.ofPull(ctx)
		}
	}
	if err != nil {
		return at, err
	}
	at.binding.Head = string(at.head.commit)
	if req.Base == "" && at.base.commit != "" {
		return at, nil // the pull request says what it goes into
	}
	base := req.Base
	if base == "" {
		if base, err = p.repo.DefaultBase(ctx); err != nil {
			return at, fmt.Errorf("base: %w", err)
		}
	}
	if at.base, err = p.revision(ctx, base); err != nil {
		return at, fmt.Errorf("base: %w", err)
	}
	return at, nil
}

// ofPull finds out which pull request a checkout is of and what it goes into.
// Another worktree has none.
func (at *located) ofPull(ctx context.Context) error {
	c, ok := at.repo.Checkout()
	if !ok {
		return nil
	}
	if c.Head == at.head.commit {
		at.pull = c.Number
	}
	ref := worktree.PullBase(c.Number)
	base, err := at.repo.Resolve(ctx, ref)
	if errors.Is(err, worktree.ErrUnknownRevision) {
		return nil // nobody knows any more
	}
	if err != nil {
		return fmt.Errorf("base: %w", err)
	}
	at.base = named{ref, base}
	return nil
}

// revision resolves a name; if it means nothing here, the branch of the remote
// that has this name.
func (p *Pipeline) revision(ctx context.Context, ref string) (named, error) {
	commit, err := p.repo.Resolve(ctx, ref)
	if errors.Is(err, worktree.ErrUnknownRevision) {
		tracked := p.remote() + "/" + ref
		if other, lost := p.repo.Resolve(ctx, "refs/remotes/"+tracked); lost == nil {
			return named{tracked, other}, nil
		}
	}
	return named{ref, commit}, err
}

// remote is the name of the remote that pull requests come from.
func (p *Pipeline) remote() string { return cmp.Or(p.options.Remote, "origin") }

// resolve reads what the report says about its subject.
func (p *Pipeline) resolve(ctx context.Context, objects *worktree.Reader, at located) (s subject, err error) {
	s.Repository, s.PullRequest = p.repo.Name(ctx), at.pull
	s.Head = report.Revision{Ref: at.head.ref, Commit: string(at.head.commit)}
	s.Base = report.Revision{Ref: at.base.ref, Commit: string(at.base.commit)}
	if s.headTree, err = objects.TreeOf(ctx, at.head.commit); err != nil {
		return s, fmt.Errorf("head: %w", err)
	}
	s.Head.Tree = string(s.headTree)
	tree, err := objects.TreeOf(ctx, at.base.commit)
	if err != nil {
		return s, fmt.Errorf("base: %w", err)
	}
	s.Base.Tree = string(tree)
	bases, err := at.repo.MergeBases(ctx, at.base.commit, at.head.commit)
	if err != nil {
		return s, err
	}
	for _, b := range bases {
		s.MergeBases = append(s.MergeBases, string(b))
	}
	s.MergeBase = s.MergeBases[0]
	s.baseTree, err = objects.TreeOf(ctx, bases[0])
	return s, err
}

// caveats says what the choice of the merge base hides.
func (s subject) caveats() []report.Caveat {
	n := len(s.MergeBases)
	if n < 2 {
		return nil
	}
	return []report.Caveat{{
		ID: "subject.several_merge_bases", Section: "changes", Count: n, Examples: s.MergeBases[:min(n, 5)],
		Text: "Base and head have several best common ancestors; the diff starts from the first.",
	}}
}

// locatePull fetches a pull request into the repository's own store.
func (p *Pipeline) locatePull(ctx context.Context, req Request, at *located) error {
	remote := p.remote()
	from, err := worktree.RemoteURL(ctx, p.repo, remote)
	if err != nil {
		return err
	}
	if host, name := hostAndName(from); req.Host != "" && (!strings.EqualFold(host, req.Host) || !strings.EqualFold(name, req.Name)) {
		return fmt.Errorf("%w: the pull request is one of %s/%s, the remote %s is not", ErrOtherRepository, req.Host, req.Name, remote)
	}
	store, err := p.repo.Store(ctx)
	if err != nil {
		return err
	}
	pull, err := store.FetchPull(ctx, from, req.Pull)
	if err != nil {
		return err
	}
	at.repo, at.pull = store.Repo(), pull.Number
	at.head = named{fmt.Sprintf("refs/pull/%d/head", pull.Number), pull.Head}
	at.base = named{strings.TrimPrefix(pull.BaseRef, "refs/heads/"), pull.Base}
	if !p.options.Checkout {
		return nil
	}
	made, err := store.Add(ctx, pull.Number, pull.Head, p.options.CheckoutParent, provenance.Reserve)
	switch {
	case err == nil:
		at.checkout = made.Root
		at.binding = report.Binding{RepositoryRoot: made.Root, CommonDir: at.repo.CommonDir()}
		p.notice(fmt.Sprintf("pull request %d is checked out at %s", pull.Number, made.Root))
	case ctx.Err() != nil:
		return err
	default: // the review needs no files
		p.notice(err.Error())
	}
	return nil
}

// scpLike is git's short form of an ssh URL.
var scpLike = regexp.MustCompile(`^(?:[^/@:]+@)?([A-Za-z0-9.-]{2,}):([^:]*)$`)

// hostAndName says which repository of which host a remote's URL means; both
// are "" if it is a path. An ssh host is taken for the web host of its name.
func hostAndName(remote string) (host, name string) {
	path := ""
	if strings.Contains(remote, "://") {
		if u, err := url.Parse(remote); err == nil && u.Scheme != "file" {
			host, path = u.Host, u.Path
			if u.Scheme == "ssh" {
				host = u.Hostname()
			}
		}
	} else if m := scpLike.FindStringSubmatch(remote); m != nil {
		host, path = m[1], m[2]
	}
	if path = strings.TrimSuffix(strings.Trim(path, "/"), ".git"); path == "" || host == "" {
		return "", ""
	}
	return host, path
}

// locateWorktree takes the commit that is checked out in another worktree of
// the repository or of its own store.
func (p *Pipeline) locateWorktree(ctx context.Context, path string, at *located) error {
	if !filepath.IsAbs(path) {
		// Where the user stands may be reached by links; what was named may not.
		here, err := filepath.Abs(".")
		if err == nil {
			here, err = filepath.EvalSymlinks(here)
		}
		if err != nil {
			return err
		}
		path = filepath.Join(here, path)
	}
	root, repo, err := p.repo.Authorize(ctx, filepath.Clean(path))
	if err != nil {
		return err
	}
	ref, head, err := repo.Head(ctx)
	if err != nil {
		return err
	}
	if err := root.Check(ctx); err != nil {
		return err
	}
	if ref = strings.TrimPrefix(ref, "refs/heads/"); ref == "" {
		ref = string(head)
	}
	at.repo, at.head = repo, named{ref, head}
	at.binding = report.Binding{RepositoryRoot: root.Path, CommonDir: root.CommonDir}
	return at.ofPull(ctx)
}
