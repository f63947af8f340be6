// Package child runs long work in a second process of this program, so that a
// crash or an appetite for memory ends that work and nothing else.
//
// The parent gives a command line of this program and receives what it prints, or
// a [Failure]; while it runs, it is told of progress. The child writes [Line]s on
// stderr and ends when its stdin does, since that is how it learns that its parent
// is gone, however it went. No other program is ever started here.
package child

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// Flag makes a process of this program a child.
const Flag = "child"

// A Line is what a child writes on stderr, as one line of JSON. One of its parts
// is set.
type Line struct {
	Progress *Progress `json:"progress,omitempty"`
	Note     string    `json:"note,omitempty"`
	Failure  *Failure  `json:"failure,omitempty"`
}

// Progress says how far the work has come.
type Progress struct {
	Phase string `json:"phase"`
	Done  int    `json:"done"`
	Total int    `json:"total"` // 0: not known
}

// A Failure is an error of a child, with its advice.
type Failure struct {
	State  string `json:"state"` // of a graph that does not answer; "" for other errors
	Reason string `json:"reason"`
	Remedy string `json:"remedy"`
	Code   int    `json:"code"` // exit code
}

func (f *Failure) Error() string { return f.Reason }

// ErrLost means that a child ended without saying why: it crashed or was killed,
// most often for want of memory.
var ErrLost = errors.New("the process that did the work ended without a word")

const (
	mostLine = 64 << 10
	grace    = 3 * time.Second // between asking a child to end and killing it
)

// mostOutput bounds what a child prints; tests make it less.
var mostOutput = 128 << 20

// Run runs this program with arguments and returns what it prints. Codes are the
// exit codes that are no failure, beside 0.
func Run(ctx context.Context, args []string, told func(Line), codes ...int) ([]byte, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd := exec.CommandContext(ctx, program, append([]string{"--" + Flag}, args...)...)
	ownGroup(cmd)
	cmd.WaitDelay = grace
	// The child lives as long as this pipe is open. Nothing is written to it.
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	out := &bounded{most: mostOutput, stop: stop}
	failure := &Failure{}
	lines := &lineWriter{line: func(line []byte) {
		var l Line
		if json.Unmarshal(line, &l) != nil {
			return // of the runtime, which has no form for its last words
		}
		if l.Failure != nil {
			failure = l.Failure
		} else if told != nil {
			told(l)
		}
	}}
	cmd.Stdout, cmd.Stderr = out, lines
	err = cmd.Run()
	killGroup(cmd)
	lines.end()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return result(out.kept.Bytes(), err, failure, codes)
}

// result says what a child that has ended has done.
func result(out []byte, err error, failure *Failure, codes []int) ([]byte, error) {
	var exited *exec.ExitError
	switch {
	case err == nil:
		return out, nil
	case !errors.As(err, &exited):
		return nil, err
	}
	for _, c := range codes {
		if exited.ExitCode() == c {
			return out, nil
		}
	}
	if failure.Reason != "" {
		return nil, failure
	}
	return nil, fmt.Errorf("%w: %w", ErrLost, exited)
}

// bounded keeps what is written up to a size, and stops who writes more. It has no
// method of the buffer: io.Copy would read into that by itself, past the bound.
type bounded struct {
	kept bytes.Buffer
	most int
	stop func(error)
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > b.most {
		b.stop(fmt.Errorf("it printed more than %d bytes: %w", b.most, ErrLost))
		return 0, io.ErrShortBuffer
	}
	return b.kept.Write(p)
}

// lineWriter gives every line of what is written to a function. What is longer
// than a line may be is dropped.
type lineWriter struct {
	rest []byte
	line func([]byte)
}

func (w *lineWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if rest = after; len(w.rest)+len(line) <= mostLine {
			w.rest = append(w.rest, line...)
		}
		if whole {
			w.end()
		}
	}
	return len(p), nil
}

func (w *lineWriter) end() {
	if len(w.rest) > 0 {
		w.line(w.rest)
	}
	w.rest = w.rest[:0]
}

// Say writes a line for the parent.
func Say(w io.Writer, l Line) {
	text, err := json.Marshal(l)
	if err != nil {
		return // of texts and numbers: cannot be
	}
	// A parent that is gone needs no words.
	_, _ = w.Write(append(text, '\n'))
}

// Obey makes this process a good child: cancel is called when stdin ends, the
// system takes this process first if memory runs short, and the questions that its
// parent answers meanwhile go before its work.
func Obey(stdin io.Reader, cancel func()) {
	yield()
	lowerPriority()
	runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)-1)) // the collector would take all
	go func() {
		_, _ = io.Copy(io.Discard, bufio.NewReader(stdin))
		cancel()
	}()
}

// yield tells Linux to take this process before its parent. Elsewhere nothing is
// to be said.
func yield() {
	// It is a wish: without the file, or the right, things stay as they are.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000\n"), 0o644)
}
