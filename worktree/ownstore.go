package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// ErrStoreUnusable means that the own store of a repository cannot be made or
// that something else lies in its place; the reason follows.
var ErrStoreUnusable = errors.New("own store is unusable")

const (
	stateName = "previdence" // the folder of ours in a common git dir
	storeName = "store.git"
)

// A Store is a repository's own store: a bare repository beside its objects,
// at <common dir>/previdence/store.git unless a [State] says otherwise, that
// borrows them and adds those of fetched pull requests. Its configuration,
// attributes and lack of hooks are ours, so what a repository or a pull request
// names is never looked up, not even by a plain git that somebody runs inside one
// of the store's worktrees.
//
// A Store is safe for concurrent use, also by several processes.
type Store struct {
	repo   *Repo
	origin string // common dir of the repository whose store this is
	root   string // of the worktree that it was asked for; "" if there was none
	name   string // of the folder that holds its checkouts by default
}

// Store returns the repository's own store and makes or mends it first. Asked
// in a worktree of a store, it is that store.
func (r *Repo) Store(ctx context.Context) (*Store, error) {
	origin := r.origin()
	own := &Repo{git: r.git, state: r.state, format: r.format, partial: r.partial, known: r.known}
	if _, err := r.Partial(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStoreUnusable, err)
	}
	own.gitDir = filepath.Join(r.StateDir(), storeName)
	own.commonDir = own.gitDir
	s := &Store{repo: own, origin: origin, root: r.root, name: r.folderName(ctx, origin)}
	if err := s.make(ctx); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrStoreUnusable, own.gitDir, err)
	}
	_, err := os.Stat(filepath.Join(own.gitDir, "shallow"))
	own.shallow = err == nil
	return s, nil
}

// Repo returns the store as a repository. It reads the objects of the store and
// those that it borrows.
func (s *Store) Repo() *Repo { return s.repo }

// origin returns the common dir of the repository that owns what r has: its
// own, or, if r is a store, that of the repository which the store belongs to.
// A folder that only has the name of a store does not borrow from there.
func (r *Repo) origin() string {
	if filepath.Base(r.commonDir) != storeName {
		return r.commonDir
	}
	text, err := os.ReadFile(filepath.Join(r.commonDir, "objects", "info", "alternates"))
	if err != nil {
		return r.commonDir
	}
	state := filepath.Dir(r.commonDir)
	dir := lender(string(text))
	if dir == "" || state != (State{}).of(dir) && state != r.state.of(dir) {
		return r.commonDir
	}
	return dir
}

// alternates is the file that borrows the objects of the repository in dir. A
// line of it is quoted as in C, where only these characters would end it.
func alternates(dir string) string {
	path := filepath.Join(dir, "objects")
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + "\"\n"
}

// lender returns the repository of which text is the [alternates], "" if there
// is none.
func lender(text string) string {
	path := strings.TrimSuffix(strings.TrimPrefix(text, `"`), "\"\n")
	dir := filepath.Dir(strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(path))
	if !filepath.IsAbs(dir) || alternates(dir) != text {
		return ""
	}
	return dir
}

// ownAttributes undo whatever a tree's .gitattributes says about the content
// of files. They come from info/attributes, which wins over the tree and over
// the user. The attribute diff is not unset but unsaid: no driver runs either
// way, and unset would make git grep take every file for binary.
const ownAttributes = "* !diff -filter -merge -text -eol -ident -working-tree-encoding -export-subst -export-ignore\n"

// ownConfig is the configuration of every store. It wins over the user's and
// the system's, for the sake of a plain git inside a checkout.
func (r *Repo) ownConfig() string {
	version, extension := "0", ""
	if r.format == formatSHA256 || r.partial.is {
		version = "1"
		extension = "[extensions]\n"
		if r.format == formatSHA256 {
			extension += "\tobjectformat = sha256\n"
		}
		if r.partial.is {
			// A remote that does not exist: objects may be absent, and there is
			// nowhere to fetch them from.
			extension += "\tpartialClone = nowhere\n"
		}
	}
	return "[core]\n\trepositoryformatversion = " + version + "\n" + `	bare = true
	filemode = true
	symlinks = false
	fsmonitor = false
	untrackedCache = false
	commitGraph = false
	hooksPath = ` + os.DevNull + `
	attributesFile = ` + os.DevNull + `
	excludesFile = ` + os.DevNull + `
	autocrlf = false
	safecrlf = false
	logAllRefUpdates = false
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol "ext"]
	allow = never
[submodule]
	recurse = false
[log]
	showSignature = false
` + extension
}

// make brings every file of the store that says how git behaves to what it has
// to be. What git fetched and which worktrees there are stays.
func (s *Store) make(ctx context.Context) error {
	state := filepath.Dir(s.repo.gitDir)
	if err := os.MkdirAll(filepath.Dir(state), 0o700); err != nil {
		return err
	}
	if err := realFolder(state); err != nil {
		return err
	}
	held, err := lock(ctx, filepath.Join(state, "store.lock"))
	if err != nil {
		return err
	}
	defer held.Close()
	for _, dir := range []string{"", "objects", "objects/info", "info", "refs", "checkouts", "locks"} {
		if err := realFolder(s.path(dir)); err != nil {
			return err
		}
	}
	for _, f := range []struct{ name, text string }{
		{"objects/info/alternates", alternates(s.origin)},
		{"info/attributes", ownAttributes},
		{"info/exclude", ""},
		{"config", s.repo.ownConfig()},
		{"HEAD", "ref: refs/heads/unborn\n"}, // last: with it, git sees a repository
	} {
		if err := settle(s.path(f.name), f.text); err != nil {
			return err
		}
	}
	return s.borrowShallow()
}

// borrowShallow copies where the history of the repository is cut.
func (s *Store) borrowShallow() error {
	text, err := os.ReadFile(filepath.Join(s.origin, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Remove(s.path("shallow")); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err != nil {
		return err
	}
	return settle(s.path("shallow"), string(text))
}

// path is that of a file of the store, named with slashes.
func (s *Store) path(name string) string {
	return filepath.Join(s.repo.gitDir, filepath.FromSlash(name))
}

// realFolder makes a folder that only this user may enter, unless it is there.
// A symlink in its place is refused: it could lead anywhere.
func realFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", path)
	}
	return nil
}

// settle makes sure that a file holds text. A reader sees the whole old one or
// the whole new one.
func settle(path, text string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	if err == nil && info.Size() == int64(len(text)) {
		if old, err := os.ReadFile(path); err == nil && string(old) == text {
			return nil
		}
	}
	temporary := path + ".new"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// lock waits until nobody else, in this process or another, holds the lock
// file at path. Closing it lets go; so does the end of the process and of those
// that inherited the file.
func lock(ctx context.Context, path string) (*lockedfile.File, error) {
	return lockAs(ctx, path, os.O_RDWR)
}

// lockAs is lock for one, if how is to write, or for all that only read.
func lockAs(ctx context.Context, path string, how int) (*lockedfile.File, error) {
	type result struct {
		file *lockedfile.File
		err  error
	}
	done := make(chan result, 1)
	go func() {
		file, err := lockedfile.OpenFile(path, how|os.O_CREATE, 0o600)
		done <- result{file, err}
	}()
	select {
	case r := <-done:
		return r.file, r.err
	case <-ctx.Done():
		go func() { // whenever it comes, it is given back
			if r := <-done; r.err == nil {
				_ = r.file.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}
