package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

var (
	// ErrNotRepository means that the folder is no worktree, nothing inside
	// one and no bare repository.
	ErrNotRepository = errors.New("not a git repository")
	// ErrDubiousOwnership means that the repository belongs to another user
	// and that this user has not listed it in safe.directory.
	ErrDubiousOwnership = errors.New("repository is owned by another user")
	// ErrUnsupportedRepository means that the repository uses a format or
	// extension, named in the message, that this git does not know.
	ErrUnsupportedRepository = errors.New("unsupported repository format")
)

const (
	formatSHA1   = "sha1"
	formatSHA256 = "sha256"
)

// A Repo is a repository found by [Open]. It holds no open files.
type Repo struct {
	git       git
	state     State
	root      string
	gitDir    string
	commonDir string
	format    string
	shallow   bool
	partial   *partial
	known     *known
}

// Open finds the repository of dir: the root of a worktree, a folder inside
// one, a linked worktree, or a bare repository itself. Symlinks are resolved.
//
// A bare repository is not looked for above dir: one that was committed into a
// tree would be found there.
func Open(ctx context.Context, dir string) (*Repo, error) {
	return State{}.Open(ctx, dir)
}

func (s State) open(ctx context.Context, dir string) (*Repo, error) {
	path, err := realDir(dir)
	if err != nil {
		return nil, err
	}
	g, err := findGit(ctx)
	if err != nil {
		return nil, err
	}
	r := &Repo{git: g, state: s, partial: &partial{}, known: &known{}}
	if err := r.discover(ctx, path); err != nil {
		return nil, err
	}
	return r, s.check(r)
}

// Root returns the absolute path of the worktree, or "" if there is none.
func (r *Repo) Root() string { return r.root }

// GitDir returns the absolute path of the git dir of this worktree.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir returns the absolute path of the git dir that all worktrees of the
// repository share.
func (r *Repo) CommonDir() string { return r.commonDir }

// GitVersion returns the version of the git in use, such as "2.39.5".
func (r *Repo) GitVersion() string { return r.git.version }

// ObjectFormat returns the hash that names objects: "sha1" or "sha256".
func (r *Repo) ObjectFormat() string { return r.format }

// Shallow reports whether history was cut when the repository was opened.
func (r *Repo) Shallow() bool { return r.shallow }

// Partial reports whether the repository is a partial clone, so that objects
// may be absent. They are never fetched.
func (r *Repo) Partial(ctx context.Context) (bool, error) {
	r.partial.mu.Lock()
	defer r.partial.mu.Unlock()
	if !r.partial.asked {
		_, err := r.git.run(ctx, r.refs(), "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`)
		if err != nil && !exited(err, 1) {
			return false, err
		}
		r.partial.is, r.partial.asked = err == nil, true
	}
	return r.partial.is, nil
}

// A partial says whether a repository is a partial clone, once somebody asked: it
// takes a git, and few want to know.
type partial struct {
	mu        sync.Mutex
	asked, is bool
}

func (r *Repo) objects() string { return filepath.Join(r.commonDir, "objects") }

// refs is the place of the few commands that need the repository's own refs
// or configuration.
func (r *Repo) refs() place {
	return place{dir: r.gitDir, env: []string{"GIT_DIR=" + r.gitDir}}
}

func realDir(dir string) (string, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotRepository, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotRepository, err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%w: not a folder", ErrNotRepository)
	}
	return path, nil
}

// discover lets git find the repository, because only there does it check who
// owns it. Later commands name the git dir and skip that check.
func (r *Repo) discover(ctx context.Context, dir string) error {
	at := place{dir: dir}
	askedUser, bare := false, false
	var f facts
	for {
		var err error
		f, err = r.ask(ctx, at)
		if err == nil {
			break
		}
		err = named(err)
		switch {
		case errors.Is(err, ErrDubiousOwnership) && !askedUser:
			// The user's own list is honoured although the rest of the
			// user's configuration is not read.
			askedUser = true
			at.config = append(at.config, r.safeDirectories(ctx)...)
		case said(err, "cannot use bare repository") && !bare:
			bare = true
			at.config = append(at.config, "safe.bareRepository=all")
		default:
			return err
		}
	}
	return r.locate(ctx, at, dir, bare, f)
}

// facts are what rev-parse says of a repository.
type facts struct {
	inWorktree, bare bool
	format           string
	shallow          bool
	paths            []string // of [pathOptions]; empty if they have to be asked for one at a time
}

// pathOptions ask for the git dir, for the one that all worktrees share, and for the
// root of the worktree.
var pathOptions = [...]string{"--absolute-git-dir", "--git-common-dir", "--show-toplevel"}

// ask asks for everything at once. Where there is no worktree git does not say its
// root and fails, so then it is asked for the rest.
func (r *Repo) ask(ctx context.Context, at place) (facts, error) {
	args := []string{"rev-parse", "--is-inside-work-tree", "--is-bare-repository", "--show-object-format", "--is-shallow-repository"}
	out, err := r.git.run(ctx, at, append(append(args, "--path-format=absolute"), pathOptions[:]...)...)
	if said(err, "must be run in a work tree") {
		out, err = r.git.run(ctx, at, args...)
	}
	if err != nil {
		return facts{}, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) < 4 {
		return facts{}, fmt.Errorf("%w: rev-parse said %q", ErrGitFailed, clean(string(out)))
	}
	f := facts{inWorktree: lines[0] == "true", bare: lines[1] == "true", format: lines[2], shallow: lines[3] == "true"}
	if paths := lines[4:]; len(paths) == len(pathOptions) {
		f.paths = paths // more lines are a path that holds a newline, and none can be told where it ends
	}
	return f, nil
}

// locate fills r with the paths of the repository that dir belongs to.
func (r *Repo) locate(ctx context.Context, at place, dir string, bare bool, f facts) error {
	if f.format != formatSHA1 && f.format != formatSHA256 {
		return fmt.Errorf("%w: objects are named by %q", ErrUnsupportedRepository, clean(f.format))
	}
	r.format, r.shallow = f.format, f.shallow
	var err error
	if r.gitDir, err = r.path(ctx, at, f, 0); err != nil {
		return err
	}
	if r.commonDir, err = r.path(ctx, at, f, 1); err != nil {
		return err
	}
	if bare || !f.inWorktree {
		return r.checkBare(dir, f)
	}
	if r.root, err = r.path(ctx, at, f, 2); err != nil {
		return err
	}
	if !within(r.root, dir) {
		return fmt.Errorf("%w: core.worktree points to %s", ErrUnsupportedRepository, r.root)
	}
	return nil
}

// checkBare accepts a folder outside a worktree only if it is a bare
// repository itself.
func (r *Repo) checkBare(dir string, f facts) error {
	switch {
	case !f.bare && within(r.gitDir, dir):
		return fmt.Errorf("%w: this is inside the git dir of a worktree", ErrNotRepository)
	case !f.bare:
		return fmt.Errorf("%w: core.worktree points elsewhere", ErrUnsupportedRepository)
	case r.gitDir != dir:
		return fmt.Errorf("%w: this is inside the bare repository %s", ErrNotRepository, r.gitDir)
	}
	return nil
}

// path returns one of the paths of [pathOptions]. If it was not told with the facts,
// rev-parse is asked for it alone, because a path may hold a newline and rev-parse
// has no -z.
func (r *Repo) path(ctx context.Context, at place, f facts, i int) (string, error) {
	if f.paths != nil {
		return filepath.EvalSymlinks(f.paths[i])
	}
	out, err := r.git.run(ctx, at, "rev-parse", "--path-format=absolute", pathOptions[i])
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(strings.TrimSuffix(string(out), "\n"))
}

// safeDirectories reads safe.directory from the system's and the user's
// configuration, the only files git itself accepts it from.
func (r *Repo) safeDirectories(ctx context.Context) []string {
	at := place{dir: os.TempDir(), env: []string{"GIT_CONFIG_NOSYSTEM=0", "HOME=" + os.Getenv("HOME")}}
	var config []string
	for _, file := range append([][]string{{"--system"}}, userConfigFiles()...) {
		args := append(append([]string{"config"}, file...), "--includes", "-z", "--get-all", "safe.directory")
		out, err := r.git.run(ctx, at, args...)
		if err != nil {
			continue // no such file or no such key
		}
		for _, value := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			config = append(config, "safe.directory="+value)
		}
	}
	return config
}

// userConfigFiles says where git looks for the user's configuration, as
// arguments of git config.
func userConfigFiles() [][]string {
	if file := os.Getenv("GIT_CONFIG_GLOBAL"); file != "" {
		return [][]string{{"--file", file}}
	}
	var files [][]string
	home := os.Getenv("HOME")
	if xdg := os.Getenv("XDG_CONFIG_HOME"); xdg != "" {
		files = append(files, []string{"--file", filepath.Join(xdg, "git", "config")})
	} else if home != "" {
		files = append(files, []string{"--file", filepath.Join(home, ".config", "git", "config")})
	}
	if home != "" {
		files = append(files, []string{"--file", filepath.Join(home, ".gitconfig")})
	}
	return files
}

// named gives the failures of discovery their names.
func named(err error) error {
	for _, n := range []struct {
		words string
		err   error
	}{
		{"not a git repository", ErrNotRepository},
		{"cannot use bare repository", ErrNotRepository},
		{"dubious ownership", ErrDubiousOwnership},
		{"unsafe repository", ErrDubiousOwnership},
		{"unknown repository extension", ErrUnsupportedRepository},
		{"Expected git repo version", ErrUnsupportedRepository},
		{"invalid value for 'extensions.", ErrUnsupportedRepository},
	} {
		if said(err, n.words) {
			return fmt.Errorf("%w: %w", n.err, err)
		}
	}
	return err
}

// within reports whether path is dir or lies inside it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
