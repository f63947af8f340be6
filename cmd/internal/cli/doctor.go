package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

// A doctorAnswer is the JSON form of "previdence doctor".
type doctorAnswer struct {
	Schema string        `json:"schema"` // "previdence.doctor/v1"
	Tool   versionAnswer `json:"tool"`
	Checks []check       `json:"checks"`
}

// A check is one thing that an answer may depend on.
type check struct {
	Name   string `json:"name"`
	State  string `json:"state"` // ok, limited (it works, with caveats), missing (it cannot work)
	Detail string `json:"detail"`
	Hint   string `json:"hint"` // what to do unless it is ok
}

// The states of a check.
const (
	checkOK      = "ok"
	checkLimited = "limited"
	checkMissing = "missing"
)

func newDoctor(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "doctor",
		Short:   "Say what this machine and this repository offer",
		Long:    "Doctor looks at git, at the repository, at the Go sources that the type checker can\nuse, at the kept graphs and facts, and at whether the worktree's graph answers. It\nchanges nothing, and exits with 3 if a review here could not work.",
		GroupID: "tool",
		Args:    operands(),
	}
	dir := c.Flags().String("repo", ".", "repository or worktree `DIR`")
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		answer, code, err := a.diagnose(c.Context(), *dir)
		if err != nil {
			return err
		}
		if f.value == "json" {
			err = writeJSON(a.Out, answer)
		} else {
			var b strings.Builder
			answer.text(&b)
			err = writeText(a.Out, &b)
		}
		return errors.Join(err, ended(code))
	}
	return c
}

func (a *app) diagnose(ctx context.Context, dir string) (doctorAnswer, int, error) {
	repo, err := a.state.Open(ctx, dir)
	if errors.Is(err, worktree.ErrBadStateDir) {
		return doctorAnswer{}, 0, err
	}
	answer := doctorAnswer{Schema: "previdence.doctor/v1", Tool: versions("")}
	answer.Checks = append(answer.Checks, checkGit(repo, err))
	if err != nil {
		answer.Checks = append(answer.Checks, missing("repository", err))
	} else {
		answer.Tool.Git = repo.GitVersion()
		answer.Checks = append(answer.Checks, checkRepository(ctx, repo), checkHead(ctx, repo), checkBase(ctx, repo))
	}
	answer.Checks = append(answer.Checks, checkGo()...)
	if err == nil {
		answer.Checks = append(answer.Checks, checkCaches(repo)...)
		answer.Checks = append(answer.Checks, a.checkGraph(ctx, repo)...)
	}
	code := ExitOK
	for _, c := range answer.Checks {
		if c.State == checkMissing {
			code = ExitUnevaluated
		}
	}
	return answer, code, nil
}

// missing turns an error into a check, with the advice that a command would give.
func missing(name string, err error) check {
	c := check{Name: name, State: checkMissing, Detail: err.Error()}
	if r, ok := remedyFor(err); ok {
		c.Hint = r.hint
	}
	return c
}

func checkGit(repo *worktree.Repo, err error) check {
	if errors.Is(err, worktree.ErrGitMissing) || errors.Is(err, worktree.ErrGitTooOld) {
		return missing("git", err)
	}
	if repo == nil {
		return check{Name: "git", State: checkOK, Detail: "found, and new enough"}
	}
	return check{Name: "git", State: checkOK, Detail: repo.GitVersion()}
}

func checkRepository(ctx context.Context, repo *worktree.Repo) check {
	c := check{Name: "repository", State: checkOK, Detail: repo.Root() + ", " + repo.ObjectFormat()}
	if repo.Root() == "" {
		c.Detail = repo.GitDir() + ", bare, " + repo.ObjectFormat()
	}
	if repo.Shallow() {
		c.State, c.Hint = checkLimited, "run: git fetch --unshallow"
		c.Detail += "; its history is cut, so a merge base may be missing"
	}
	partial, err := repo.Partial(ctx)
	if err != nil {
		return missing("repository", err)
	}
	if partial {
		c.State, c.Hint = checkLimited, strings.TrimPrefix(c.Hint+"\nrun: git fetch --refetch --no-filter", "\n")
		c.Detail += "; it was cloned in part, so objects may be missing, and none is fetched"
	}
	return c
}

func checkHead(ctx context.Context, repo *worktree.Repo) check {
	ref, oid, err := repo.Head(ctx)
	if err != nil {
		return missing("head", err)
	}
	if ref == "" {
		ref = "detached"
	}
	return check{Name: "head", State: checkOK, Detail: ref + " at " + string(oid)}
}

func checkBase(ctx context.Context, repo *worktree.Repo) check {
	base, err := repo.DefaultBase(ctx)
	if err != nil {
		c := missing("base", err)
		c.State = checkLimited // a base can be named
		return c
	}
	return check{Name: "base", State: checkOK, Detail: base + ", unless --base says otherwise"}
}

// checkGo says which sources the Go type checker can use.
func checkGo() []check {
	goroot, modules := index.GoSources()
	checks := []check{
		{Name: "go_standard_library", State: checkOK, Detail: goroot},
		{Name: "go_module_cache", State: checkOK, Detail: modules},
	}
	if goroot == "" {
		checks[0] = check{"go_standard_library", checkLimited, "not found: its types are stood in for", "install Go, or set GOROOT"}
	}
	if info, err := os.Stat(modules); err != nil || !info.IsDir() {
		checks[1] = check{"go_module_cache", checkLimited, "not found: dependencies are stood in for", "run: go mod download, or set GOMODCACHE"}
	}
	return checks
}

// checkCaches says where graphs and facts are kept and how large they are.
func checkCaches(repo *worktree.Repo) []check {
	var checks []check
	for _, kept := range []struct{ name, path string }{
		{"graph", filepath.Join(repo.WorktreeStateDir(), "graph.db")},
		{"kept_graphs", provenance.KeptFolder(repo)},
		{"facts", provenance.FactsFile(repo)},
	} {
		checks = append(checks, check{Name: kept.name, State: checkOK, Detail: kept.path + ", " + sizeOf(kept.path)})
	}
	return checks
}

// sizeOf says how many files lie at path or below it and how large they are.
func sizeOf(path string) string {
	files, bytes, err := diskUse(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "none yet"
	case err != nil:
		return "cannot be read: " + err.Error()
	}
	return fmt.Sprintf("%s, %.1f MB", english.Plural(files, "file", ""), float64(bytes)/1e6)
}

// diskUse counts the regular files at path or below it and their bytes. What
// goes while it counts is left out.
func diskUse(path string) (files int, bytes int64, err error) {
	err = filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		if err == nil {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil && info.Mode().IsRegular() {
				files++
				bytes += info.Size()
			}
		}
		if at != path && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return files, bytes, err
}

func (d doctorAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "previdence %s, engine %s\n", d.Tool.Version, short(d.Tool.Engine))
	for _, language := range sortedKeys(d.Tool.Grammars) {
		fmt.Fprintf(b, "  %-20s %s\n", language, d.Tool.Grammars[language])
	}
	for _, c := range d.Checks {
		fmt.Fprintf(b, "%-8s %-20s %s\n", c.State, c.Name, inert(c.Detail))
		for line := range strings.Lines(c.Hint) {
			fmt.Fprintf(b, "%-8s %s\n", "", strings.TrimSpace(line))
		}
	}
}
