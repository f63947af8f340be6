package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/child"
	"github.com/previdence/previdence/worktree"
)

// The exit codes. Could-not-evaluate is never a pass.
const (
	ExitOK          = 0 // evaluated, and policy passed
	ExitPolicy      = 1 // evaluated, and policy failed
	ExitUsage       = 2 // the command line cannot be understood
	ExitUnevaluated = 3 // nothing can be said
	ExitPublish     = 4 // evaluated, but publishing failed
)

// Streams is what a command may touch of its process.
type Streams struct {
	In  io.Reader               // a report to render; nil if there is none
	Out io.Writer               // the answer
	Err io.Writer               // progress, errors and hints: for people only
	Env func(key string) string // "" if unset
}

// An app carries the streams to the subcommands.
type app struct {
	Streams
	verbose  bool           // tell more on stderr than what a person needs
	unaided  bool           // build graphs without facts of earlier runs, and keep none
	state    worktree.State // where all that is written about a repository goes
	stateDir string         // as the flag names it
	child    bool           // another process of this program waits for the answer
	obey     func()         // ends this process when the other one is gone
	notes    sync.Mutex     // one note at a time
}

const rootLong = `previdence reviews a pull request with evidence.

It builds a code graph of exactly two commits, the merge base and the head,
compares them, and prints what breaks, what can be reached, which tests to run,
and what it could not see. It reads commits: the working tree is neither read
nor needed. It runs no program that a repository names and contacts nobody but the
remote whose pull request it is asked for.`

const rootExample = `  previdence review                       the current branch against the default branch
  previdence review --base v1.4.0         against a tag
  previdence review main...feature        any two revisions
  previdence review --format markdown     as a comment
  previdence graph build                  keep a graph of HEAD, then ask it:
  previdence graph callers Client.Send    who calls it`

const exitHelp = `Exit codes:
  0  evaluated, policy passed
  1  evaluated, policy failed
  2  the command line cannot be understood
  3  could not evaluate; never a pass
  4  evaluated, but publishing failed`

// Run executes one command line and returns the exit code.
func Run(ctx context.Context, args []string, s Streams) int {
	a := &app{Streams: s}
	root := newRoot(a)
	root.SetArgs(args)
	understood := false
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		understood = true
		if a.child {
			a.obey()
		}
		return a.chooseState(root.PersistentFlags().Changed(stateFlag))
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	a.obey = func() { child.Obey(os.Stdin, end) }
	err := root.ExecuteContext(ctx)
	if own := (*exit)(nil); err != nil && !understood && !errors.As(err, &own) {
		err = usage(err, "run: previdence --help")
	}
	if a.child && err != nil {
		return a.fail(err)
	}
	return s.report(err)
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "previdence",
		Short:         "Evidence about a pull request",
		Long:          rootLong,
		Example:       rootExample,
		Version:       toolVersion(),
		Args:          subcommandOnly,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddGroup(
		&cobra.Group{ID: "review", Title: "Review:"},
		&cobra.Group{ID: "graph", Title: "Ask the code graph:"},
		&cobra.Group{ID: "mcp", Title: "Serve agents:"},
		&cobra.Group{ID: "tool", Title: "About the tool:"},
	)
	root.SuggestionsMinimumDistance = 2
	root.SetHelpCommand(newHelp())
	root.SetCompletionCommandGroupID("tool")
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.PersistentFlags().StringVar(&a.stateDir, stateFlag, "", "keep state in `DIR`, an absolute path, and not in the repository (default: $"+stateVariable+")")
	root.PersistentFlags().BoolVar(&a.child, child.Flag, false, "work for another process of this program")
	if err := root.PersistentFlags().MarkHidden(child.Flag); err != nil {
		panic(err) // the flag was defined above
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage(err, "run: "+c.CommandPath()+" --help")
	})
	root.AddCommand(commands(a)...)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = subcommandOnly, func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
	root.SetHelpTemplate(root.HelpTemplate() + "\n" + exitHelp + "\n")
	return root
}

// The flag that says where state is, and the variable that counts without it.
const (
	stateFlag     = "state-dir"
	stateVariable = "PREVIDENCE_STATE_DIR"
)

// chooseState reads where everything that commands write about a repository goes:
// into its git directory unless the user says otherwise.
func (a *app) chooseState(flag bool) (err error) {
	dir := a.stateDir
	if !flag {
		dir = a.Env(stateVariable)
	}
	if flag || dir != "" {
		a.state, err = worktree.StateIn(dir)
	}
	return err
}

// commands lists the subcommands in the order of the help text.
func commands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newReview(a),
		newRender(a),
		newVerify(a),
		newDecide(a),
		newDecisions(a),
		newWorktree(a),
		newGraph(a),
		newMCP(a),
		newCleanup(a),
		newGC(a),
		newDoctor(a),
		newBench(a),
		newInit(a),
		newConfig(a),
		newAction(a),
		newVersion(a),
	}
}

// newHelp is help that does not take an unknown command for a request to show
// everything.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		GroupID: "tool",
		RunE: func(c *cobra.Command, args []string) error {
			target, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage(fmt.Errorf("no command %q to explain", strings.Join(args, " ")), "run: previdence help")
			}
			target.InitDefaultHelpFlag() // otherwise made when it runs
			target.InitDefaultVersionFlag()
			return target.Help()
		},
	}
}

// subcommandOnly refuses arguments of a command that only groups others.
func subcommandOnly(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "run: " + c.CommandPath() + " --help"
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean: " + c.CommandPath() + " " + strings.Join(near, ", ")
	}
	return usage(fmt.Errorf("unknown command %q", args[0]), hint)
}

// operands returns a validator that wants exactly the named arguments.
func operands(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		want := "no arguments"
		if len(names) > 0 {
			want = strings.Join(names, " and ")
		}
		return usage(fmt.Errorf("%s wants %s, got %d", c.CommandPath(), want, len(args)),
			"run: "+c.CommandPath()+" --help")
	}
}

// formatFlag adds --format and returns where its value will stand.
func formatFlag(c *cobra.Command, allowed ...string) *format {
	f := &format{value: allowed[0], allowed: allowed}
	c.Flags().Var(f, "format", "output format: "+strings.Join(allowed, ", "))
	return f
}

// A format is the value of --format: one of a fixed list, the first by default.
type format struct {
	value   string
	allowed []string
}

func (f *format) String() string { return f.value }

func (f *format) Type() string { return "FORMAT" }

func (f *format) Set(s string) error {
	for _, a := range f.allowed {
		if s == a {
			f.value = s
			return nil
		}
	}
	return fmt.Errorf("want one of %s", strings.Join(f.allowed, ", "))
}
