package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// A versionAnswer is the JSON form of "previdence version".
type versionAnswer struct {
	Schema   string            `json:"schema"` // "previdence.version/v1"
	Version  string            `json:"version"`
	Revision string            `json:"revision"` // commit that the binary was built from; "" if not recorded
	Engine   string            `json:"engine"`   // digest of extractor and linker versions
	Go       string            `json:"go"`
	Grammars map[string]string `json:"grammars"` // language → version of its grammar
	Git      string            `json:"git"`      // version of the git that would run; "" if there is none
}

func newVersion(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of the tool, its engine, its grammars and git",
		Long:    "Version prints what an answer of this binary depends on. Two binaries with the same\nengine digest build the same graph from the same tree.",
		GroupID: "tool",
		Args:    operands(),
	}
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		v := versions(gitVersion(c.Context()))
		if f.value == "json" {
			return writeJSON(a.Out, v)
		}
		return v.text(a.Out)
	}
	return c
}

func versions(git string) versionAnswer {
	v := versionAnswer{
		Schema:   "previdence.version/v1",
		Version:  toolVersion(),
		Engine:   query.EngineDigest(),
		Go:       runtime.Version(),
		Grammars: grammars(),
		Git:      git,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	return v
}

func (v versionAnswer) text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "previdence %s\n", v.Version)
	if v.Revision != "" {
		fmt.Fprintf(&b, "revision   %s\n", v.Revision)
	}
	fmt.Fprintf(&b, "engine     %s\n", v.Engine)
	fmt.Fprintf(&b, "go         %s\n", v.Go)
	for _, language := range sortedKeys(v.Grammars) {
		fmt.Fprintf(&b, "grammar    %s %s\n", language, v.Grammars[language])
	}
	git := v.Git
	if git == "" {
		git = "not found"
	}
	fmt.Fprintf(&b, "git        %s\n", inert(git))
	_, err := io.WriteString(w, b.String())
	return err
}

// release is the version that scripts/build-release builds; "" in other binaries.
var release string

// toolVersion is the version of the module that this binary was built from.
func toolVersion() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// grammars lists what reads each language. Go's is the Go release, whose parser
// and type checker are part of the program.
func grammars() map[string]string {
	versions := index.Grammars()
	versions["go"] = runtime.Version()
	return versions
}

// writeJSON writes one value the way every JSON answer is written.
func writeJSON(w io.Writer, v any) error {
	b, err := report.JSON(v)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// gitVersion is the version of the git that would run here; "" if there is none.
func gitVersion(ctx context.Context) string {
	v, err := worktree.GitVersion(ctx)
	if err != nil {
		return ""
	}
	return v
}
