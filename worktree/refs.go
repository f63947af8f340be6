package worktree

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

var (
	// ErrBadRevision means that a revision is no name of one commit but an
	// option, a range or several words.
	ErrBadRevision = errors.New("not a revision")
	// ErrUnknownRevision means that a revision names no commit that is here.
	ErrUnknownRevision = errors.New("unknown revision")
	// ErrNoCommit means that HEAD is a branch without a commit.
	ErrNoCommit = errors.New("no commit yet")
	// ErrNoDefaultBase means that neither origin's default branch nor a main
	// or master branch is here.
	ErrNoDefaultBase = errors.New("no default branch found")
)

// Head returns the branch that is checked out, such as "refs/heads/main", and
// its commit. A detached HEAD has no branch: ref is "".
func (r *Repo) Head(ctx context.Context) (ref string, oid OID, err error) {
	if ref, oid, ok := r.plainHead(ctx); ok {
		return ref, oid, nil
	}
	ref, err = r.symref(ctx, "HEAD")
	if err != nil {
		return "", "", fmt.Errorf("read HEAD: %w", err)
	}
	// The branch is asked and not HEAD again, so that the two results belong
	// together even if another branch is checked out meanwhile.
	rev := "HEAD"
	if ref != "" {
		rev = ref
	}
	oid, err = r.Resolve(ctx, rev)
	if errors.Is(err, ErrUnknownRevision) {
		err = fmt.Errorf("%w: %w", ErrNoCommit, err)
	}
	if err != nil {
		return "", "", fmt.Errorf("read HEAD: %w", err)
	}
	return ref, oid, nil
}

// symref returns the ref that the symbolic ref name points to, "" if it is
// none.
func (r *Repo) symref(ctx context.Context, name string) (string, error) {
	out, err := r.git.run(ctx, r.refs(), "symbolic-ref", "-q", name)
	if exited(err, 1) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// Resolve returns the commit that rev names: a branch, tag, object ID or any
// other revision that git understands.
func (r *Repo) Resolve(ctx context.Context, rev string) (OID, error) {
	if err := checkRevision(rev); err != nil {
		return "", err
	}
	out, err := r.git.run(ctx, r.refs(), "rev-parse", "--verify", "--end-of-options", rev+"^{commit}")
	switch {
	case err == nil:
	case said(err, "not a git repository"):
		return "", fmt.Errorf("resolve %q: %w", rev, named(err))
	case said(err, "is corrupt"):
		return "", fmt.Errorf("resolve %q: %w: %w", rev, ErrObjectCorrupt, err)
	case said(err, "Needed a single revision") && !said(err, "ambiguous"):
		return "", fmt.Errorf("%w: %q", ErrUnknownRevision, rev)
	case exited(err, 128):
		return "", fmt.Errorf("%w: %q: %w", ErrUnknownRevision, rev, err)
	default:
		return "", fmt.Errorf("resolve %q: %w", rev, err)
	}
	oid := OID(strings.TrimSuffix(string(out), "\n"))
	if !r.valid(oid) {
		return "", fmt.Errorf("%w: %q", ErrBadRevision, rev)
	}
	return oid, nil
}

// checkRevision refuses what git would not read as the name of one commit.
func checkRevision(rev string) error {
	switch {
	case rev == "":
		return fmt.Errorf("%w: it is empty", ErrBadRevision)
	case strings.HasPrefix(rev, "-"):
		return fmt.Errorf("%w: %q starts with a dash", ErrBadRevision, rev)
	case strings.HasPrefix(rev, "^"):
		return fmt.Errorf("%w: %q excludes a commit", ErrBadRevision, rev)
	case strings.ContainsAny(rev, "\x00\n"):
		return fmt.Errorf("%w: %q is more than one line", ErrBadRevision, rev)
	}
	return nil
}

// DefaultBase returns the branch that pull requests go to: origin's default
// branch, else main or master of origin, else main or master here. A bare
// repository's own HEAD counts as origin's if origin has left no branches. The
// name is as short as [Repo.Resolve] can tell it from a tag. The checkout of a pull
// request goes to [PullBase].
func (r *Repo) DefaultBase(ctx context.Context) (string, error) {
	if c, ok := r.Checkout(); ok {
		return PullBase(c.Number), nil
	}
	const remote, local = "refs/remotes/origin/", "refs/heads/"
	first, err := r.symref(ctx, remote+"HEAD")
	if err != nil {
		return "", fmt.Errorf("default branch: %w", err)
	}
	candidates := []string{first, remote + "main", remote + "master"}
	if r.root == "" {
		head, err := r.symref(ctx, "HEAD")
		if err != nil {
			return "", fmt.Errorf("default branch: %w", err)
		}
		candidates = append(candidates, head)
	}
	candidates = append(candidates, local+"main", local+"master")
	short, err := r.shortNames(ctx)
	if err != nil {
		return "", fmt.Errorf("default branch: %w", err)
	}
	for _, ref := range candidates {
		if name, ok := short[ref]; ok {
			return name, nil
		}
	}
	return "", fmt.Errorf("%w: tried %s", ErrNoDefaultBase, strings.Join(candidates[1:], ", "))
}

// shortNames returns the branches that are here, each with the shortest name
// that means it and nothing else: a tag named origin/main must not be taken
// for the branch.
func (r *Repo) shortNames(ctx context.Context) (map[string]string, error) {
	out, err := r.git.run(ctx, r.refs(), "for-each-ref", "--format=%(refname) %(refname:short)", "refs/remotes/origin", "refs/heads")
	if err != nil {
		return nil, err
	}
	short := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		// No ref holds a space or a newline.
		if ref, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			short[ref] = name
		}
	}
	return short, nil
}

// Name returns the repository's name on its host, such as "spf13/cobra", from
// the URL of the remote origin. It is "" if there is none or if origin is a
// path, which says nothing on another machine. A store has that of its repository.
func (r *Repo) Name(ctx context.Context) string {
	out, err := r.git.run(ctx, r.remotes(), "config", "-z", "--get", "remote.origin.url")
	if err != nil {
		return ""
	}
	return remoteName(strings.TrimSuffix(string(out), "\x00"))
}

// remotes is where the remotes of the repository are configured; a store has none
// of its own.
func (r *Repo) remotes() place {
	if origin := r.origin(); origin != r.commonDir {
		return place{dir: origin, env: []string{"GIT_DIR=" + origin}}
	}
	return r.refs()
}

var (
	scpLike     = regexp.MustCompile(`^(?:[^/@:]+@)?[A-Za-z0-9.\-]{2,}:([^:]*)$`)
	nameSegment = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`)
)

// remoteName returns the path of a remote's URL without ".git": owner and
// name, or more on a host with nested groups. User, password, query and host
// are left out.
func remoteName(remote string) string {
	path := ""
	if strings.Contains(remote, "://") {
		if u, err := url.Parse(remote); err == nil && u.Scheme != "file" && u.Host != "" {
			path = u.Path
		}
	} else if m := scpLike.FindStringSubmatch(remote); m != nil {
		path = m[1]
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	segments := strings.Split(path, "/")
	if len(segments) < 2 {
		return ""
	}
	for _, segment := range segments {
		if !nameSegment.MatchString(segment) {
			return ""
		}
	}
	return path
}
