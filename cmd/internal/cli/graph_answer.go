package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
)

// footer is the header of an answer as the last lines of a text.
func footer(h answer.Header) string {
	return fmt.Sprintf("\nat %s, graph %s, from %s\n", short(h.Head), short(h.GraphDigest), query.Seen(h.Coverage))
}

// title is a symbol in one line of a text: what it is, then where.
func title(s answer.Symbol) string {
	name := s.Name
	if name == "" {
		name = s.Path // a file has no other name
	}
	return fmt.Sprintf("%s %s  %s:%d", s.Kind, inert(name), inert(s.Path), s.Line)
}

// checkText says what searching the text made of an empty answer.
func checkText(b *strings.Builder, c *answer.Check) {
	if c == nil {
		return
	}
	fmt.Fprintf(b, "  %s: %s\n", c.Checked, inert(c.CheckedText))
	for _, m := range c.Mentions {
		fmt.Fprintf(b, "    %s:%d  %s\n", inert(m.Path), m.Line, m.Reason)
	}
	if n := len(c.Mentions); n < c.MentionsTotal {
		fmt.Fprintf(b, "    %d of %d mentions shown\n", n, c.MentionsTotal)
	}
}

// joinLines writes line numbers with commas between them.
func joinLines(lines []int32) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(lines), " ", ","), "[]")
}

// write gives an answer in the format that was asked for.
func (a *app) write(f *format, v any, text func() *strings.Builder) error {
	if f.value == "json" {
		return writeJSON(a.Out, v)
	}
	return writeText(a.Out, text())
}

// writeText writes a whole text answer at once.
func writeText(w io.Writer, b *strings.Builder) error {
	_, err := io.WriteString(w, b.String())
	return err
}
