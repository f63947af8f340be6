package cli

import (
	"context"
	"fmt"
	"io"
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
that were reviewed in it. What changed since an earlier report is in no repository:
it is made again from the report that --since names, else taken as it is, and the
answer says so. Measured coverage that a report was made with is in no repository
either and must be given again.

The report is the same (0), or it differs and the first difference is named (1).
A report of another version of previdence, of a grammar or of git cannot be
verified (3): those decide the bytes as well. So do, for Go, the sources of the
standard library and of dependencies, which are in no commit: if other modules are
in the module cache here than where the report was made, the answer says so.`

// A verifyAnswer is the JSON form of "previdence verify".
type verifyAnswer struct {
	Schema       string `json:"schema"`        // "previdence.verify/v1"
	State        string `json:"state"`         // same, differs, or reformatted: the same evidence in other bytes
	Report       string `json:"report"`        // SHA-256 of the file
	Again        string `json:"again"`         // SHA-256 of the canonical bytes made here
	Assumed      bool   `json:"assumed"`       // the delta was taken as it is: the earlier report was not given
	Outside      bool   `json:"outside"`       // other sources of dependencies were at hand where it was made, which may be the whole difference
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
	since := c.Flags().String("since", "", "earlier report `FILE` that the delta was made from")
	coverage := c.Flags().StringArray("coverage", nil, "measured coverage `FILE` that the report was made with; may be repeated")
	jobs := jobsFlag(c)
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *jobs < 1 {
			return usage(fmt.Errorf("--jobs %d", *jobs), "give 1 or more")
		}
		v, err := a.verify(c.Context(), args[0], *since, *coverage, *dir, *jobs)
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

func (a *app) verify(ctx context.Context, file, since string, coverage []string, dir string, jobs int) (v pipeline.Verification, err error) {
	data, err := a.readReport(file)
	if err != nil {
		return v, err
	}
	earlier, err := a.earlierReport(since)
	if err != nil {
		return v, err
	}
	profiles, err := coverageFiles(coverage)
	if err != nil {
		return v, err
	}
	repo, err := a.state.Open(ctx, dir)
	if err != nil {
		return v, err
	}
	options := pipeline.Options{
		Limits: review.DefaultLimits, ToolVersion: toolVersion(), Grammars: grammars(), Coverage: profiles, Notice: a.note,
	}
	a.unaided = true // what an earlier run kept may have been made to fit
	err = a.withBuilder(ctx, repo, jobs, &deadline{}, func(b *index.Builder) error {
		v, err = pipeline.New(repo, b, options).Verify(ctx, data, earlier)
		return err
	})
	return v, err
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
			Schema: "previdence.verify/v1", State: state, Report: v.Report, Again: v.Again, Assumed: v.Assumed, Outside: v.Outside,
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
	if v.Outside {
		b.WriteString("perhaps only because the Go module cache here holds other modules than where it was made: run go mod download, then verify again\n")
	}
	if v.Assumed {
		b.WriteString("not checked: what changed since an earlier report; give that with --since\n")
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
