package workflow

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
)

// MaxSummary is the most that a step writes to the job summary, in bytes. The
// runner drops one of more than a megabyte whole.
const MaxSummary = 900 << 10

// ErrNotWritten means that a file of the runner could not be written.
var ErrNotWritten = errors.New("could not write for the runner")

// An Output is one value that later steps can read.
type Output struct{ Name, Value string }

// Output sets outputs of the step. Each stands between delimiters that a value
// cannot know, so none can set another.
func (r *Runner) Output(outputs ...Output) error {
	if r.outputs == "" {
		return nil // run by hand
	}
	var b strings.Builder
	for _, o := range outputs {
		delimiter := "end-" + rand.Text()
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", o.Name, delimiter, o.Value, delimiter)
	}
	return appendTo(r.outputs, b.String())
}

// Summary adds Markdown to the job summary. What is too large is refused, since
// cut Markdown shows something else; callers render within [MaxSummary].
func (r *Runner) Summary(markdown string) error {
	if r.summary == "" {
		return nil
	}
	markdown = strings.TrimSuffix(markdown, "\n") + "\n"
	size := int64(len(markdown))
	if info, err := os.Stat(r.summary); err == nil {
		size += info.Size()
	}
	if size > MaxSummary {
		return fmt.Errorf("%w: a job summary of %d bytes, limit %d", ErrNotWritten, size, MaxSummary)
	}
	return appendTo(r.summary, markdown)
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotWritten, err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%w: %w", ErrNotWritten, err)
	}
	return nil
}
