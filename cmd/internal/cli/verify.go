package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/review"
)

const verifyLong = `Verify makes a report again from its repository and compares bytes.

REPORT is a file as "previdence review --format json" writes it. The commits, the
names that they were asked for by, the depth, the rules and --no-config are taken
from the report; everything else is found anew from objects, the configuration of
the merge base included. What earlier runs kept is not used, and nothing is
fetched: the commits must be here, in the repository or among the pull requests
that were reviewed in it.

The report is the same (0), or it differs and the first difference is named (1).
A report of another version of previdence, of a grammar or of git cannot be
verified (3): those decide the bytes as well.`

// maxReport is the size in bytes of the largest report that is read.
const maxReport = 1 << 30

// A verifyAnswer is the JSON form of "previdence verify".
type verifyAnswer struct {
	Schema       string `json:"schema"`        // "previdence.verify/v1"
	State        string `json:"state"`         // same, differs, or reformatted: the same evidence in other bytes
	Report       string `json:"report"`        // SHA-256 of the file
	Again        string `json:"again"`         // SHA-256 of the canonical bytes made here
	Pointer      string `json:"pointer"`       // JSON pointer to the first difference; "" if there is none
	InReport     string `json:"in_report"`     // the value there, as JSON; "" if there is none
	InRepository string `json:"in_repository"` // the value that the repository gives
}

func newVerify(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "verify REPORT",
		Short:   "Make a report again and compare",
		Long:    verifyLong,
		Example: "  previdence review --format json --output report.json\n  previdence verify report.json",
		GroupID: "review",
		Args:    operands("REPORT"),
	}
	dir := c.Flags().String("repo", ".", "repository or worktree `DIR`")
	jobs := jobsFlag(c)
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *jobs < 1 {
			return usage(fmt.Errorf("--jobs %d", *jobs), "give 1 or more")
		}
		v, err := a.verify(c.Context(), args[0], *dir, *jobs)
		if err != nil {
			return err
		}
		if err := writeVerification(a.Out, v, f.value); err != nil {
			return err
		}
		if !v.Same {
			return ended(ExitPolicy)
		}
		return nil
	}
	return c
}

func (a *app) verify(ctx context.Context, file, dir string, jobs int) (v pipeline.Verification, err error) {
	data, err := readReport(file)
	if err != nil {
		return v, err
	}
	repo, err := a.state.Open(ctx, dir)
	if err != nil {
		return v, err
	}
	options := pipeline.Options{
		Limits: review.DefaultLimits, ToolVersion: toolVersion(), Grammars: grammars(), Notice: a.note,
	}
	a.unaided = true // what an earlier run kept may have been made to fit
	err = a.withBuilder(ctx, repo, jobs, func(b *index.Builder) error {
		v, err = pipeline.New(repo, b, options).Verify(ctx, data)
		return err
	})
	return v, err
}

func readReport(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, usage(err, "name a report that is here")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	if err == nil && len(data) > maxReport {
		err = errors.New("the file is too large for a report")
	}
	if err != nil {
		return nil, refused(err, "give a report as previdence review --format json writes it")
	}
	return data, nil
}

func writeVerification(w io.Writer, v pipeline.Verification, format string) error {
	state := "differs"
	switch {
	case v.Same:
		state = "same"
	case v.Reformed:
		state = "reformatted"
	}
	if format == "json" {
		return writeJSON(w, verifyAnswer{
			Schema: "previdence.verify/v1", State: state, Report: v.Report, Again: v.Again,
			Pointer: v.Pointer, InReport: v.A, InRepository: v.B,
		})
	}
	var b strings.Builder
	switch state {
	case "same":
		fmt.Fprintf(&b, "same: the repository gives this report, %s\n", v.Again)
	case "reformatted":
		fmt.Fprintf(&b, "differs: the same evidence, but not the bytes that previdence writes\n")
	default:
		fmt.Fprintf(&b, "differs at %s\n", inert(v.Pointer))
		fmt.Fprintf(&b, "  report      %s\n", orNothing(v.A))
		fmt.Fprintf(&b, "  repository  %s\n", orNothing(v.B))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// orNothing is a value for people, who do not see an empty one.
func orNothing(text string) string {
	if text == "" {
		return "(nothing)"
	}
	return inert(text)
}
