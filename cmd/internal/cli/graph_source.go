package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
)

// maxSource bounds the file that a definition is cut out of.
const maxSource = 16 << 20

// A sourceAnswer is the JSON form of "previdence graph source".
type sourceAnswer struct {
	header
	Symbol symbolAnswer `json:"symbol"`
	Blob   string       `json:"blob"` // object ID of the file's content
	Line   int          `json:"line"` // of the first line of text
	Text   string       `json:"text"` // invalid UTF-8 is replaced
}

func newGraphSource(a *app, sel *selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "source SYMBOL",
		Short: "Print a definition as the commit has it",
		Args:  operands("SYMBOL"),
	}
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.withGraph(c.Context(), sel, f, func(r *reading) (func() error, error) {
			s, err := r.symbol(c.Context(), args[0])
			if err != nil {
				return nil, err
			}
			answer, err := r.source(c.Context(), s)
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

// source reads the definition from the blob that the graph was built from.
func (r *reading) source(ctx context.Context, s graph.Symbol) (sourceAnswer, error) {
	answer := sourceAnswer{header: r.header(), Symbol: describe(s)}
	for _, f := range r.coverage.Files {
		if f.Path == s.Path {
			answer.Blob = f.Blob
		}
	}
	data, err := r.Repo.Blob(ctx, worktree.OID(answer.Blob), maxSource)
	if err != nil {
		return answer, fmt.Errorf("source of %s: %w", s.ID, err)
	}
	if s.Start < 0 || s.Start > s.End || s.End > len(data) {
		return answer, fmt.Errorf("%s lies outside its file: %w", s.ID, store.ErrTampered)
	}
	text := string(data[s.Start:s.End])
	answer.Line = 1 + strings.Count(string(data[:s.Start]), "\n")
	answer.Text = strings.ToValidUTF8(text, "\uFFFD")
	return answer, nil
}

func (s sourceAnswer) text(r *reading) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", s.Symbol.title())
	line := s.Line
	for text := range strings.Lines(s.Text) {
		text = strings.TrimRight(text, "\r\n")
		fmt.Fprintf(&b, "%6d  %s\n", line, strings.ReplaceAll(inert(strings.ReplaceAll(text, "\t", "    ")), "\\t", "\t"))
		line++
	}
	b.WriteString(r.footer())
	return &b
}
