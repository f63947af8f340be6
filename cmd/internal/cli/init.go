package cli

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// What "previdence init" writes, as it stands in docs/guides/github-action.md.
//
//go:embed workflows
var workflows embed.FS

const initGitHubLong = `Github writes the workflows that put evidence on pull requests, into .github/workflows
of a folder. By default it is one, for pull requests of the repository's own branches.
With --forks it is two: one that reviews and may only read, and one that posts.

Nothing is overwritten without --force. docs/guides/github-action.md explains both.`

func newInit(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "init",
		Short:   "Set previdence up in a repository",
		GroupID: "tool",
		Args:    subcommandOnly,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newInitGitHub(a))
	return c
}

func newInitGitHub(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "github",
		Short: "Write the workflows for GitHub",
		Long:  initGitHubLong,
		Args:  operands(),
	}
	dir := c.Flags().String("dir", ".", "top folder `DIR` of the repository")
	forks := c.Flags().Bool("forks", false, "write the two workflows that also post on pull requests from forks")
	force := c.Flags().Bool("force", false, "overwrite workflows of these names")
	c.RunE = func(*cobra.Command, []string) error {
		files := map[string]string{"previdence.yml": "review.yml"}
		if *forks {
			files = map[string]string{"previdence.yml": "analyze.yml", "previdence-publish.yml": "publish.yml"}
		}
		written, err := writeWorkflows(*dir, files, *force)
		if err != nil {
			return err
		}
		var b strings.Builder
		for _, path := range written {
			fmt.Fprintf(&b, "wrote %s\n", inert(path))
		}
		fmt.Fprintln(&b, "Commit them to the default branch: a workflow works from there.")
		return writeText(a.Out, &b)
	}
	return c
}

// writeWorkflows writes all files, each from a template, or none if one of them is
// there already. A repository whose folder of workflows is a link to somewhere else
// gets none.
func writeWorkflows(repository string, files map[string]string, force bool) (written []string, err error) {
	root, err := os.OpenRoot(repository)
	if err != nil {
		return nil, refused(err, "choose the top folder of a repository")
	}
	defer root.Close()
	folder := filepath.Join(".github", "workflows")
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return nil, refused(err, "look at .github/workflows: it cannot be made, or leads out of the repository")
	}
	dir := filepath.Join(repository, folder)
	names := sortedKeys(files)
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil && !force {
			return nil, usage(fmt.Errorf("%s is there already", path), "look at it, then say --force to overwrite it")
		} else if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, refused(err, "choose a folder that can be read")
		}
	}
	for _, name := range names {
		text, err := workflows.ReadFile("workflows/" + files[name])
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, name)
		if err := writeFile(path, text); err != nil {
			return nil, err
		}
		written = append(written, path)
	}
	return written, nil
}
