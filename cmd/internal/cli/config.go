package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/config"
)

const configLong = `Config looks at .previdence.yml, the rules by which a repository wants its pull
requests judged. A review reads the file of the merge base, so a new one counts from
the merge that brings it on; check reads the one that is being written.`

func newConfig(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "config",
		Short:   "Check " + config.Path + ", or print its JSON Schema",
		Long:    configLong,
		GroupID: "tool",
		Args:    subcommandOnly,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newConfigCheck(a), newConfigSchema(a))
	return c
}

func newConfigCheck(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE]",
		Short: "Say whether a review would read a file, and what it says",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			file := config.Path
			if len(args) == 1 {
				file = args[0]
			}
			data, err := readAtMost(file, config.MaxBytes+1)
			if err != nil {
				return usage(err, "name the file: previdence config check FILE")
			}
			c, err := config.Parse(data)
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.ToSlash(file), err)
			}
			_, err = io.WriteString(a.Out, configText(file, c))
			return err
		},
	}
}

// configText says what a file says, so that what it lacks is seen.
func configText(file string, c config.Config) string {
	failOn := "nothing"
	if len(c.FailOn) > 0 {
		failOn = strings.Join(c.FailOn, ", ")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s can be read\n  ignores   %d patterns\n  fails on  %s\n  rules     %d\n  suppress  %d\n",
		inert(file), len(c.Ignore), failOn, len(c.Policy.Rules), len(c.Policy.Suppress))
	for _, s := range c.Policy.Suppress {
		fmt.Fprintf(&b, "    %s by %s until %s\n", s.Rule, s.Decision, s.Until)
	}
	return b.String()
}

// readAtMost reads a file, and no more of it than is looked at.
func readAtMost(file string, most int64) (data []byte, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, most))
}

func newConfigSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the file, for editors",
		Args:  operands(),
		RunE: func(*cobra.Command, []string) error {
			_, err := a.Out.Write(config.Schema())
			return err
		},
	}
}
