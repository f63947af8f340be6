package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ErrBadStateDir means that a folder may not be where everything about a
// repository is written. The reason follows.
var ErrBadStateDir = errors.New("folder for state is refused")

// A State says where lies what is written about repositories. The zero value
// means the git dir of each; [StateIn] names one folder outside of all, for
// repositories that are not written to.
//
// Such a folder holds one folder for each repository, and in it one for each
// worktree, both named by where they are. So two of a kind never meet.
type State struct {
	dir string // absolute, without symlinks as far as it exists; "" for the git dirs
}

// StateIn returns the state in a folder, which is made when something is first
// written. The path must be absolute: a relative one would mean another folder,
// and other graphs, wherever a command is run.
func StateIn(dir string) (State, error) {
	if !filepath.IsAbs(dir) {
		return State{}, badStateDir(dir, "the path is not absolute")
	}
	real, err := canonicalStart(filepath.Clean(dir))
	if err != nil {
		return State{}, badStateDir(dir, "%w", err)
	}
	info, err := os.Stat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return State{}, badStateDir(dir, "%w", err)
	case !info.IsDir():
		return State{}, badStateDir(dir, "it is not a folder")
	case writableByAll(info):
		return State{}, badStateDir(dir, "everybody may write to it, and so put something in the place of a graph")
	}
	return State{dir: real}, nil
}

func badStateDir(dir, format string, args ...any) error {
	return fmt.Errorf("%w: %s: "+format, append([]any{ErrBadStateDir, dir}, args...)...)
}

// canonicalStart resolves the symlinks of a path as far as it exists.
func canonicalStart(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s is a symlink that leads nowhere", path)
	}
	parent, err := canonicalStart(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}

// Open is the function of that name for repositories with this state.
func (s State) Open(ctx context.Context, dir string) (*Repo, error) {
	r, err := s.open(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	return r, nil
}

// Authorize is the function of that name for repositories with this state.
func (s State) Authorize(ctx context.Context, path string) (Root, *Repo, error) {
	root, repo, err := s.authorize(ctx, path)
	if err != nil {
		return Root{}, nil, fmt.Errorf("root %q: %w", path, err)
	}
	return root, repo, nil
}

// check refuses state inside what belongs to the repository, where it would be
// a file of a tree that is reviewed, and state that is shared by a detour.
func (s State) check(r *Repo) error {
	if s.dir == "" {
		return nil
	}
	for _, tree := range r.trees() {
		if within(tree, s.dir) {
			return badStateDir(s.dir, "it lies inside the repository, in %s", tree)
		}
	}
	for _, dir := range []string{r.StateDir(), filepath.Dir(r.WorktreeStateDir()), r.WorktreeStateDir()} {
		info, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return badStateDir(s.dir, "%w", err)
		}
		if !info.IsDir() {
			return badStateDir(s.dir, "%s is not a folder of its own, so two could have one database", dir)
		}
	}
	return nil
}

// trees lists the folders that belong to the repository: its git dirs and its
// worktrees, as far as their git dirs name them.
func (r *Repo) trees() []string {
	origin := r.origin()
	trees := []string{origin, r.commonDir}
	if r.root != "" {
		trees = append(trees, r.root)
	}
	if filepath.Base(origin) == ".git" {
		trees = append(trees, filepath.Dir(origin))
	}
	for _, common := range []string{origin, filepath.Join(r.StateDir(), storeName)} {
		for _, gitDir := range linkedDirs(common) {
			if back := backPointer(gitDir); back != "" {
				trees = append(trees, canonical(filepath.Dir(back)))
			}
		}
	}
	return trees
}

// linkedDirs lists the git dirs of the linked worktrees of a repository.
func linkedDirs(commonDir string) []string {
	entries, err := os.ReadDir(filepath.Join(commonDir, "worktrees"))
	if err != nil {
		return nil // there is none
	}
	var dirs []string
	for _, e := range entries {
		dirs = append(dirs, filepath.Join(commonDir, "worktrees", e.Name()))
	}
	return dirs
}

// StateDir returns the folder for what all worktrees of the repository share,
// those of its own store included.
func (r *Repo) StateDir() string { return r.state.of(r.origin()) }

// of returns the folder for the repository with a common dir.
func (s State) of(commonDir string) string {
	if s.dir == "" {
		return filepath.Join(commonDir, stateName)
	}
	return filepath.Join(s.dir, folderOf(strings.TrimSuffix(commonDir, string(filepath.Separator)+".git"), commonDir))
}

// WorktreeStateDir returns the folder for what only this worktree has. That of a
// checkout lies in its git dir and goes with it, since the store is state too.
func (r *Repo) WorktreeStateDir() string {
	if r.state.dir == "" || within(r.StateDir(), r.gitDir) {
		return filepath.Join(r.gitDir, stateName)
	}
	name := r.root
	if name == "" {
		name = r.gitDir
	}
	return filepath.Join(r.StateDir(), worktreesName, folderOf(name, r.gitDir))
}

// StateDirs lists where state of the repository and of its worktrees may lie,
// that which they share first.
func (r *Repo) StateDirs() []string {
	shared := r.StateDir()
	dirs := []string{shared}
	linked := linkedDirs(filepath.Join(shared, storeName))
	if r.state.dir == "" {
		linked = append(linkedDirs(r.origin()), linked...)
	} else {
		// Also those of worktrees that are gone.
		dirs = append(dirs, linkedDirs(shared)...)
	}
	for _, gitDir := range linked {
		dirs = append(dirs, filepath.Join(gitDir, stateName))
	}
	return dirs
}

// Vanished lists folders for state of worktrees that the repository no longer has.
// In a git dir there are none: they go with their worktree.
func (r *Repo) Vanished() []string {
	if r.state.dir == "" {
		return nil
	}
	origin := r.origin()
	living := map[string]bool{digestOf(origin): true}
	for _, gitDir := range linkedDirs(origin) {
		living[digestOf(gitDir)] = true
	}
	var gone []string
	for _, dir := range linkedDirs(r.StateDir()) {
		if m := stateFolder.FindStringSubmatch(filepath.Base(dir)); m != nil && !living[m[1]] {
			gone = append(gone, dir)
		}
	}
	return gone
}

// stateFolder is what [folderOf] makes.
var stateFolder = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}-([0-9a-f]{32})$`)

// worktreesName is where a folder for state has those of worktrees.
const worktreesName = "worktrees"

// folderOf names the folder for a repository or a worktree: what people call
// it, and a digest of its git dir, which no other has.
func folderOf(path, gitDir string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".git")
	if !nameSegment.MatchString(name) {
		name = "repository"
	}
	return name + "-" + digestOf(gitDir)
}

func digestOf(gitDir string) string {
	sum := sha256.Sum256([]byte(gitDir))
	return hex.EncodeToString(sum[:16])
}
