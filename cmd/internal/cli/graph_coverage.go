package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/review/report"
)

// A coverageAnswer is the JSON form of "previdence graph coverage".
type coverageAnswer struct {
	header
	Paths     []string                  `json:"paths"`     // as asked for; empty: the whole tree
	Languages []report.LanguageCoverage `json:"languages"` // of the files asked for; calls are those of the whole tree
	Files     []fileAnswer              `json:"files"`     // all files under paths; of the whole tree those not seen whole
	Caveats   []caveatAnswer            `json:"caveats"`   // of the whole tree
}

// A fileAnswer says how much of one file was seen.
type fileAnswer struct {
	Path      string         `json:"path"`
	Blob      string         `json:"blob"`
	Language  string         `json:"language"`
	State     string         `json:"state"`
	Reason    string         `json:"reason"`
	Ranges    []report.Range `json:"ranges"` // lines that were not understood
	Generated bool           `json:"generated"`
}

// A caveatAnswer is something that the graph could not see.
type caveatAnswer struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Count    int      `json:"count"`
	Of       int      `json:"of"` // 0: there is no population
	Examples []string `json:"examples"`
}

func newGraphCoverage(a *app, sel *selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "coverage [PATH…]",
		Short: "Say how much of the tree, of folders or of files the graph has seen",
		Args:  cobra.ArbitraryArgs,
	}
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, paths []string) error {
		return a.withGraph(c.Context(), sel, f, func(r *reading) (func() error, error) {
			seen := r.coverage
			var err error
			if len(paths) > 0 {
				seen, err = r.DB.Coverage(c.Context(), paths...)
			}
			answer := describeCoverage(r.header(), paths, seen)
			return func() error {
				if f.value == "json" {
					return writeJSON(a.Out, answer)
				}
				return writeText(a.Out, answer.text(r))
			}, err
		})
	}
	return c
}

func describeCoverage(h header, paths []string, seen store.Coverage) coverageAnswer {
	answer := coverageAnswer{header: h, Paths: append([]string{}, paths...), Languages: languages(seen), Files: []fileAnswer{}, Caveats: []caveatAnswer{}}
	for _, f := range seen.Files {
		if len(paths) == 0 && f.State == graph.FileParsed {
			continue
		}
		file := fileAnswer{Path: f.Path, Blob: f.Blob, Language: f.Language, State: f.State.String(), Reason: f.Reason,
			Ranges: []report.Range{}, Generated: f.Generated}
		for _, g := range f.Gaps {
			file.Ranges = append(file.Ranges, report.Range{Start: g.Start, End: g.End})
		}
		answer.Files = append(answer.Files, file)
	}
	for _, c := range seen.Caveats {
		answer.Caveats = append(answer.Caveats, caveatAnswer{ID: c.ID, Text: c.Text, Count: c.Count, Of: c.Of, Examples: append([]string{}, c.Examples...)})
	}
	return answer
}

// maxShown bounds the files in the text; JSON has them all.
const maxShown = 50

func (c coverageAnswer) text(r *reading) *strings.Builder {
	var b strings.Builder
	for _, l := range c.Languages {
		fmt.Fprintf(&b, "%-12s %d files: %d parsed, %d in part, %d not\n", inert(l.Language), l.Files, l.Parsed, l.Partial, l.Skipped)
		if n := l.Calls; n != (report.Calls{}) {
			fmt.Fprintf(&b, "%-12s calls: %d compiler, %d exact, %d dispatch, %d import, %d name, %d unresolved, %d external\n",
				"", n.Compiler, n.Exact, n.Dispatch, n.Import, n.Name, n.Unresolved, n.External)
		}
	}
	c.files(&b, r)
	for _, v := range c.Caveats {
		fmt.Fprintf(&b, "caveat %s, %s: %s\n", v.ID, share(v.Count, v.Of), inert(v.Text))
		for _, e := range v.Examples {
			fmt.Fprintf(&b, "    %s\n", inert(e))
		}
	}
	b.WriteString(r.footer())
	return &b
}

func (c coverageAnswer) files(b *strings.Builder, r *reading) {
	for i, f := range c.Files {
		if i == maxShown {
			fmt.Fprintf(b, "%d of %d files shown; --format json has all\n", i, len(c.Files))
			break
		}
		fmt.Fprintf(b, "%-12s %s", f.State, inert(f.Path))
		if f.Reason != "" {
			fmt.Fprintf(b, ": %s", inert(f.Reason))
		}
		for _, g := range f.Ranges {
			fmt.Fprintf(b, " [%d-%d]", g.Start, g.End)
		}
		b.WriteByte('\n')
	}
	if len(c.Files) == 0 && len(c.Paths) > 0 {
		fmt.Fprintf(b, "no file lies at or under %s in %s\n", inert(strings.Join(c.Paths, ", ")), r.seen())
	}
}

// share writes a count and what it is a part of.
func share(count, of int) string {
	if of == 0 {
		return fmt.Sprint(count)
	}
	return fmt.Sprintf("%d of %d", count, of)
}
