package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"
)

var (
	// ErrNoPullRequest means that the remote has no pull request of that number.
	ErrNoPullRequest = errors.New("no such pull request")
	// ErrFetchFailed means that the remote gave no objects, or objects that git
	// found malformed.
	ErrFetchFailed = errors.New("fetch failed")
)

// A Fetched is a pull request whose commits are in the store.
type Fetched struct {
	Number  int
	URL     string // that it was fetched from, without password
	Head    OID
	Base    OID    // tip of BaseRef
	BaseRef string // branch of the remote that it goes into, "refs/heads/main"
}

// FetchPull fetches a pull request and the branch that it goes into. Only the
// URL given is contacted, with the one protocol that it names; git checks every
// object for form, and no program but git's own and ssh is started.
//
// The branch is the one that the remote's trial merge of the pull request
// starts from, if that is the tip of exactly one branch; else the remote's
// default branch.
func (s *Store) FetchPull(ctx context.Context, url string, number int) (Fetched, error) {
	f, err := s.fetchPull(ctx, url, number)
	if err != nil {
		return Fetched{}, fmt.Errorf("fetch pull request %d from %s: %w", number, redacted(url), err)
	}
	return f, nil
}

func (s *Store) fetchPull(ctx context.Context, url string, number int) (Fetched, error) {
	if number < 1 {
		return Fetched{}, fmt.Errorf("%w: numbers start at 1", ErrNoPullRequest)
	}
	from, err := parseURL(url)
	if err != nil {
		return Fetched{}, err
	}
	using, err := s.repo.Hold(ctx)
	if err != nil {
		return Fetched{}, err
	}
	defer using.Close()
	held, err := s.lockPull(ctx, number)
	if err != nil {
		return Fetched{}, err
	}
	defer held.Close()
	if err := s.touch(number); err != nil {
		return Fetched{}, err
	}
	at := s.reaching(from, held.File)
	f, err := s.fetchFrom(ctx, at, from, number)
	if err != nil && (said(err, "bad object") || said(err, "Could not read")) {
		f, err = s.fetchAgain(ctx, at, from, number)
	}
	if err != nil {
		return Fetched{}, err
	}
	f.URL = redacted(url)
	return f, nil
}

// fetchAgain fetches after the repository dropped objects that it lent: what was
// fetched here before is no longer whole, and git refuses to go on. The commits of
// checkouts come again with this one, others when they are asked for.
func (s *Store) fetchAgain(ctx context.Context, at place, from source, number int) (Fetched, error) {
	lost, err := s.lost(ctx)
	if err == nil {
		err = s.dropOthers(ctx, at, number)
	}
	if err != nil {
		return Fetched{}, err
	}
	var also []string
	for _, r := range lost {
		if r.Number == number {
			also = append(also, string(r.Head)) // its ref gets the head of today
			continue
		}
		if err := s.dropBroken(ctx, at, r.Number); err != nil {
			return Fetched{}, err
		}
		also = append(also, string(r.Head)+":"+pullRefs(r.Number)+"head")
	}
	return s.fetchFrom(ctx, at, from, number, also...)
}

// fetchFrom fetches head and base, and the trial merge for as long as it takes to
// find out the base; with them what else is to come from there.
func (s *Store) fetchFrom(ctx context.Context, at place, from source, number int, also ...string) (Fetched, error) {
	pull, own := fmt.Sprintf("refs/pull/%d/", number), pullRefs(number)
	out, err := s.network(ctx, at, "ls-remote", "--symref", "--", from.text, "HEAD", pull+"head", pull+"merge", "refs/heads/*")
	if err != nil {
		return Fetched{}, err
	}
	there, err := s.repo.parseAdvertised(string(out))
	if err != nil {
		return Fetched{}, err
	}
	if there.refs[pull+"head"] == "" {
		return Fetched{}, ErrNoPullRequest
	}
	base, err := s.baseRef(ctx, at, from, there, pull, own, also)
	if err != nil {
		return Fetched{}, err
	}
	if err := s.fetch(ctx, at, from, append([]string{pull + "head:" + own + "head", base + ":" + own + "base"}, also...)...); err != nil {
		return Fetched{}, err
	}
	f := Fetched{Number: number, BaseRef: base}
	if f.Head, err = s.repo.Resolve(ctx, own+"head"); err != nil {
		return Fetched{}, fmt.Errorf("%w: %w", ErrFetchFailed, err)
	}
	if f.Base, err = s.repo.Resolve(ctx, own+"base"); err != nil {
		return Fetched{}, fmt.Errorf("%w: %w", ErrFetchFailed, err)
	}
	return f, nil
}

// RemoteHead asks a remote for the head of a pull request and fetches nothing.
func (s *Store) RemoteHead(ctx context.Context, url string, number int) (OID, error) {
	head, err := s.remoteHead(ctx, url, number)
	if err != nil {
		return "", fmt.Errorf("head of pull request %d at %s: %w", number, redacted(url), err)
	}
	return head, nil
}

func (s *Store) remoteHead(ctx context.Context, url string, number int) (OID, error) {
	from, err := parseURL(url)
	if err != nil {
		return "", err
	}
	ref := fmt.Sprintf("refs/pull/%d/head", number)
	out, err := s.network(ctx, s.reaching(from, nil), "ls-remote", "--", from.text, ref)
	if err != nil {
		return "", err
	}
	there, err := s.repo.parseAdvertised(string(out))
	if err == nil && there.refs[ref] == "" {
		err = ErrNoPullRequest
	}
	return there.refs[ref], err
}

// pullRefs is where the store has what it knows of a pull request.
func pullRefs(number int) string { return fmt.Sprintf("refs/review/pr/%d/", number) }

// PullBase is the ref of a store that has the tip of the branch that a pull request
// goes into, as it was when it was fetched last.
func PullBase(number int) string { return pullRefs(number) + "base" }

// lockPull waits for others that fetch, check out or remove the pull request.
func (s *Store) lockPull(ctx context.Context, number int) (*lockedfile.File, error) {
	return lock(ctx, s.path(fmt.Sprintf("locks/pr-%d", number)))
}

// baseRef says which branch a pull request goes into.
func (s *Store) baseRef(ctx context.Context, at place, from source, there advertised, pull, own string, also []string) (string, error) {
	if there.refs[pull+"merge"] != "" {
		// It is fetched for its parents, of which the first is the base.
		if err := s.fetch(ctx, at, from, append([]string{pull + "merge:" + own + "merge"}, also...)...); err != nil {
			return "", err
		}
		if into, err := s.repo.Resolve(ctx, own+"merge^1"); err == nil {
			if branch := there.only(into); branch != "" {
				return branch, nil
			}
		}
	}
	for _, ref := range []string{there.head, "refs/heads/main", "refs/heads/master"} {
		if there.refs[ref] != "" {
			return ref, nil
		}
	}
	return "", fmt.Errorf("%w at the remote", ErrNoDefaultBase)
}

// fetchTries is how often a fetch is tried that met a worktree in the making: git
// looks at the HEAD of each, and gives a new one an object ID that does not exist
// before it gives it the right one.
const fetchTries = 8

// fetch brings refs of the remote, each as "theirs:ours", all or none of them.
func (s *Store) fetch(ctx context.Context, at place, from source, refspecs ...string) error {
	args := []string{"fetch", "--quiet", "--no-progress", "--no-tags", "--no-auto-maintenance", "--atomic",
		"--no-write-fetch-head", "--no-recurse-submodules", "--no-prune", "--", from.text}
	for _, r := range refspecs {
		args = append(args, "+"+r)
	}
	for try := 1; ; try++ {
		_, err := s.network(ctx, at, args...)
		if try == fetchTries || !said(err, "bad object worktrees/") {
			return err
		}
	}
}

// fsck makes git check every object that comes. Trees, names and .gitmodules
// are checked without exception; that a commit's author line has an odd date or
// an old tree a mode with zeros in front does no harm, and old histories are
// full of both.
var fsck = []string{
	"fetch.fsckObjects=true",
	"fetch.fsck.badDate=ignore", "fetch.fsck.badDateOverflow=ignore", "fetch.fsck.badEmail=ignore",
	"fetch.fsck.badName=ignore", "fetch.fsck.badTimezone=ignore", "fetch.fsck.missingEmail=ignore",
	"fetch.fsck.missingNameBeforeEmail=ignore", "fetch.fsck.missingSpaceBeforeDate=ignore",
	"fetch.fsck.missingSpaceBeforeEmail=ignore", "fetch.fsck.zeroPaddedDate=ignore",
	"fetch.fsck.zeroPaddedFilemode=ignore",
}

// inherited are the variables, all of them the user's, that reaching a host may
// need: proxies, and the agent that holds the keys for ssh.
var inherited = []string{
	"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY", "SSH_AUTH_SOCK",
}

// reaching is the store as a place from which one source can be reached, by its
// protocol.
func (s *Store) reaching(from source, held *os.File) place {
	at := s.repo.refs()
	at.held = held
	at.env = append(at.env, "GIT_ALLOW_PROTOCOL="+from.protocol)
	for _, name := range inherited {
		if value := os.Getenv(name); value != "" && from.protocol != "file" {
			at.env = append(at.env, name+"="+value)
		}
	}
	// A transfer of less than 1000 bytes a second for a minute is a dead one.
	at.config = append(append(at.config, fsck...), "http.lowSpeedLimit=1000", "http.lowSpeedTime=60")
	return at
}

// network runs a git that may reach out. It has no terminal: ssh would ask there
// for what nobody is there to answer.
func (s *Store) network(ctx context.Context, at place, args ...string) ([]byte, error) {
	out, err := s.repo.git.runDetached(ctx, at, args...)
	if said(err, "couldn't find remote ref") {
		return nil, fmt.Errorf("%w: %w", ErrNoPullRequest, err)
	}
	if errors.Is(err, ErrGitFailed) {
		return nil, fmt.Errorf("%w: %w", ErrFetchFailed, err)
	}
	return out, err
}

// runDetached is [git.run] without a controlling terminal.
func (g git) runDetached(ctx context.Context, at place, args ...string) ([]byte, error) {
	cmd := g.command(ctx, at, args...)
	noTerminal(cmd)
	stdout := &bounded{max: maxOutput, strict: true}
	stderr := &bounded{max: maxStderr}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Run(); err != nil {
		return nil, g.failure(ctx, err, stderr.kept.String(), args)
	}
	return stdout.kept.Bytes(), nil
}

// advertised is what a remote says it has.
type advertised struct {
	head string // the branch that HEAD names; "" if unknown
	refs map[string]OID
}

// only returns the one branch whose tip is oid, "" if there is none or several.
// The default branch wins over others: a new branch starts at its tip.
func (a advertised) only(oid OID) string {
	if a.refs[a.head] == oid {
		return a.head
	}
	found := ""
	for ref, tip := range a.refs {
		if tip != oid || !strings.HasPrefix(ref, "refs/heads/") {
			continue
		}
		if found != "" {
			return ""
		}
		found = ref
	}
	return found
}

// parseAdvertised reads the output of ls-remote --symref: lines of an object ID
// and a ref, or of "ref: " with a ref and the name that means it.
func (r *Repo) parseAdvertised(text string) (advertised, error) {
	a := advertised{refs: make(map[string]OID)}
	for line := range strings.Lines(text) {
		what, ref, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || ref == "" {
			return advertised{}, fmt.Errorf("%w: the remote said %q", ErrFetchFailed, clean(line))
		}
		if target, symbolic := strings.CutPrefix(what, "ref: "); symbolic {
			if ref == "HEAD" && strings.HasPrefix(target, "refs/heads/") {
				a.head = target
			}
			continue
		}
		if !r.valid(OID(what)) {
			return advertised{}, fmt.Errorf("%w: the remote said %q", ErrFetchFailed, clean(line))
		}
		a.refs[ref] = OID(what)
	}
	return a, nil
}
