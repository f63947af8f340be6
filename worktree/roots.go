package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrUnauthorizedRoot means that a folder may not be named as the root of a
// worktree. The reason follows.
var ErrUnauthorizedRoot = errors.New("unauthorized root")

// ErrNotNamed is an [ErrUnauthorizedRoot]: the git dir lies apart from the folder
// and does not say that this is its worktree, so any folder could claim it.
var ErrNotNamed = errors.New("git dir does not name its worktree")

// A Root is a worktree that was found to be one, pinned: it is this folder,
// whatever lies at its path later.
type Root struct {
	Path      string // absolute, without symlinks
	GitDir    string // of the worktree
	CommonDir string // of its repository
	Device    uint64 // these two are 0 where the system has no such numbers
	Inode     uint64
}

// Authorize accepts the path of a repository's primary worktree or of a linked
// one and nothing else. That a folder has a .git file which names a repository
// is no proof, since anybody can write one: git has to list the worktree, and
// the git dir has to name the folder back. Of a repository that lies apart from its
// primary worktree, as a submodule's does, core.worktree has to. A checkout of a [Store] must also be
// the folder that the store made.
//
// The folder is pinned; [Root.Check] compares it later. Nothing that the
// repository configures widens what is accepted.
func Authorize(ctx context.Context, path string) (Root, *Repo, error) {
	return State{}.Authorize(ctx, path)
}

// Authorize is the function of that name for the worktrees of one repository:
// its own and those of its [Store]. Another clone is refused.
func (r *Repo) Authorize(ctx context.Context, path string) (Root, *Repo, error) {
	root, repo, err := r.state.authorize(ctx, path)
	if err == nil && repo.origin() != r.origin() {
		err = unauthorized("it belongs to the repository %s, not to %s", repo.origin(), r.origin())
	}
	if err != nil {
		return Root{}, nil, fmt.Errorf("root %q: %w", path, err)
	}
	return root, repo, nil
}

func unauthorized(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUnauthorizedRoot}, args...)...)
}

func (s State) authorize(ctx context.Context, path string) (Root, *Repo, error) {
	pin, err := pinFolder(path)
	if err != nil {
		return Root{}, nil, err
	}
	r, err := s.Open(ctx, path)
	if errors.Is(err, ErrBadStateDir) {
		return Root{}, nil, err
	}
	if err != nil {
		return Root{}, nil, fmt.Errorf("%w: %w", ErrUnauthorizedRoot, err)
	}
	switch r.root {
	case path:
	case "":
		return Root{}, nil, unauthorized("it is a bare repository, not a worktree")
	default:
		return Root{}, nil, unauthorized("it lies inside the worktree %s", r.root)
	}
	pin, err = r.accept(ctx, pin)
	if err != nil {
		return Root{}, nil, err
	}
	return pin, r, nil
}

// Authorized is [Authorize] for the root of the worktree that was opened.
func (r *Repo) Authorized(ctx context.Context) (Root, error) {
	pin, err := pinFolder(r.root)
	if err == nil {
		pin, err = r.accept(ctx, pin)
	}
	if err != nil {
		return Root{}, fmt.Errorf("root %q: %w", r.root, err)
	}
	return pin, nil
}

// accept accepts the folder that was pinned as the root of this worktree.
func (r *Repo) accept(ctx context.Context, pin Root) (Root, error) {
	pin.GitDir, pin.CommonDir = r.gitDir, r.commonDir
	err := pin.tied()
	if err == nil && pin.separate() {
		err = r.named(ctx, pin.Path)
	} else if err == nil {
		err = r.listed(ctx, pin.Path)
	}
	if err == nil {
		err = r.madeByStore(pin)
	}
	if err != nil {
		return Root{}, err
	}
	// What git was asked meanwhile must have been about this folder.
	return pin, pin.Check(ctx)
}

// Check compares the folder at the path with the one that was pinned, and that
// it still belongs to the same git dir and repository.
func (p Root) Check(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	now, err := pinFolder(p.Path)
	if err != nil {
		return fmt.Errorf("root %q: %w", p.Path, err)
	}
	if now.Device != p.Device || now.Inode != p.Inode {
		return fmt.Errorf("root %q: %w", p.Path, unauthorized("another folder took its place"))
	}
	if err := p.tied(); err != nil {
		return fmt.Errorf("root %q: %w", p.Path, err)
	}
	return nil
}

// pinFolder accepts an absolute path that leads to a folder without detours.
func pinFolder(path string) (Root, error) {
	if !filepath.IsAbs(path) {
		return Root{}, unauthorized("the path is relative")
	}
	if filepath.Clean(path) != path {
		return Root{}, unauthorized("the path is not in its shortest form, %s", filepath.Clean(path))
	}
	if filepath.Dir(path) == path {
		return Root{}, unauthorized("it is the top of the file system")
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Root{}, unauthorized("it does not exist")
	}
	if err != nil {
		return Root{}, fmt.Errorf("%w: %w", ErrUnauthorizedRoot, err)
	}
	if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
		return Root{}, unauthorized("there is a symlink in the path")
	}
	if !info.IsDir() {
		return Root{}, unauthorized("it is not a folder")
	}
	pin := Root{Path: path}
	pin.Device, pin.Inode = identity(info)
	return pin, nil
}

// tied reports an error unless folder and git dir name each other, and the git
// dir its repository.
func (p Root) tied() error {
	dotGit := filepath.Join(p.Path, ".git")
	if p.GitDir == p.CommonDir && !p.separate() {
		if info, err := os.Lstat(dotGit); err != nil || !info.IsDir() {
			return unauthorized("its .git is not the repository itself, and no linked worktree")
		}
		return nil
	}
	there, ok := gitFile(p.Path)
	if ok {
		there = canonical(there)
	}
	if !ok || there != p.GitDir {
		return unauthorized("its .git does not name the git dir %s", p.GitDir)
	}
	if p.separate() {
		return nil
	}
	if filepath.Dir(p.GitDir) != filepath.Join(p.CommonDir, "worktrees") {
		return unauthorized("the git dir %s is not one of the repository %s", p.GitDir, p.CommonDir)
	}
	common, ok := readPointer(filepath.Join(p.GitDir, "commondir"))
	if ok && !filepath.IsAbs(common) {
		common = filepath.Join(p.GitDir, common)
	}
	if !ok || canonical(common) != p.CommonDir {
		return unauthorized("the git dir %s belongs to another repository", p.GitDir)
	}
	if back := backPointer(p.GitDir); back == "" || canonical(filepath.Dir(back)) != p.Path || filepath.Base(back) != ".git" {
		return unauthorized("the git dir %s belongs to another folder", p.GitDir)
	}
	return nil
}

// separate reports whether the folder is the primary worktree of a repository that
// lies elsewhere: a submodule, or one made with --separate-git-dir.
func (p Root) separate() bool {
	return p.GitDir == p.CommonDir && p.GitDir != filepath.Join(p.Path, ".git")
}

// named reports an error unless the repository that lies apart from its primary
// worktree names the folder back, as core.worktree in its own file and in nothing
// that this includes: a pull request can edit what is included. Git writes it for a
// submodule. Git's list of worktrees does not help, it names the git dir there.
func (r *Repo) named(ctx context.Context, path string) error {
	for _, file := range []string{"config", "config.worktree"} {
		out, err := r.git.run(ctx, place{dir: r.gitDir}, "config", "--file", filepath.Join(r.gitDir, file), "--no-includes", "-z", "--get", "core.worktree")
		if err != nil {
			continue // no such file or no such key
		}
		back := strings.TrimSuffix(string(out), "\x00")
		if !filepath.IsAbs(back) {
			back = filepath.Join(r.gitDir, back)
		}
		if canonical(back) == path {
			return nil
		}
		return unauthorized("the git dir %s belongs to the folder %s", r.gitDir, canonical(back))
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if filepath.Base(r.gitDir) == ".git" {
		return unauthorized("the git dir %s belongs to the folder around it", r.gitDir)
	}
	return fmt.Errorf("%w: %w: %s", ErrUnauthorizedRoot, ErrNotNamed, r.gitDir)
}

// canonical resolves the symlinks of a path; one that leads nowhere stays.
func canonical(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// listed reports an error unless git lists the worktree.
func (r *Repo) listed(ctx context.Context, path string) error {
	paths, err := r.Worktrees(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnauthorizedRoot, err)
	}
	if slices.Contains(paths, path) {
		return nil
	}
	return unauthorized("git does not list it as a worktree of %s", r.commonDir)
}

// Worktrees returns the folders that git lists as worktrees of the repository, the
// primary one first. Which of them may be named as a root, and whether they are
// still there, is for [Repo.Authorize] to say.
func (r *Repo) Worktrees(ctx context.Context) ([]string, error) {
	at := place{dir: r.commonDir, env: []string{"GIT_DIR=" + r.commonDir}}
	out, err := r.git.run(ctx, at, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	paths := parseWorktrees(string(out))
	for i, p := range paths {
		paths[i] = canonical(p)
	}
	return paths, nil
}

// parseWorktrees reads the paths from the output of worktree list --porcelain
// -z: attributes that end with NUL, an empty one after each worktree.
func parseWorktrees(text string) []string {
	var paths []string
	first := true
	for attribute := range strings.SplitSeq(text, "\x00") {
		// Only the first attribute is a path: a reason for a lock may look
		// like one.
		if path, ok := strings.CutPrefix(attribute, "worktree "); ok && first {
			paths = append(paths, path)
		}
		first = attribute == ""
	}
	return paths
}

// Checkout returns which pull request's checkout this worktree is, if it is one
// that a [Store] made.
func (r *Repo) Checkout() (c Checkout, ok bool) {
	if r.origin() == r.commonDir {
		return Checkout{}, false
	}
	made, ok := r.made()
	if !ok || made.Root != r.root {
		return Checkout{}, false
	}
	own := *r
	own.gitDir = r.commonDir
	return (&Store{repo: &own}).checkout(made), true
}

// made returns what the store of a worktree remembers of it.
func (r *Repo) made() (record, bool) {
	own := *r
	own.gitDir = r.commonDir
	number, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(r.gitDir), "pr-"))
	if err != nil {
		return record{}, false
	}
	made, err := (&Store{repo: &own}).record(number)
	return made, err == nil && made.State == CheckoutReady
}

// madeByStore reports an error if the folder is a worktree of an own store but
// not the one that the store made.
func (r *Repo) madeByStore(pin Root) error {
	if r.origin() == r.commonDir {
		return nil
	}
	if made, ok := r.made(); ok && made.Root == pin.Path && made.Device == pin.Device && made.Inode == pin.Inode {
		return nil
	}
	return unauthorized("the store %s did not make this folder", r.commonDir)
}
