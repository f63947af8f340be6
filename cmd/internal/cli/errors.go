package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/previdence/previdence/cmd/internal/child"
	"github.com/previdence/previdence/provenance"
)

// An exit is an error that knows its exit code and its advice.
type exit struct {
	err  error // nil: the answer was given, only the code matters
	code int
	hint string
}

func (e *exit) Error() string {
	if e.err == nil {
		return "exit code " + strconv.Itoa(e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// usage marks err as a command line that cannot be understood.
func usage(err error, hint string) error { return &exit{err: err, code: ExitUsage, hint: hint} }

// refused marks err as the reason why nothing can be said.
func refused(err error, hint string) error {
	return &exit{err: err, code: ExitUnevaluated, hint: hint}
}

// ended ends with a code after the answer has been given.
func ended(code int) error {
	if code == ExitOK {
		return nil
	}
	return &exit{code: code}
}

// fail tells the process that waits for the answer why there is none.
func (a *app) fail(err error) int {
	var words strings.Builder
	code := Streams{Err: &words}.report(err)
	if words.Len() == 0 {
		return code // only the code matters
	}
	f := child.Failure{Reason: err.Error(), Code: code}
	if r, ok := provenance.AsRefusal(err); ok {
		f.State = r.Name()
	}
	if _, hint, ok := strings.Cut(words.String(), "\nhint: "); ok {
		f.Remedy = strings.ReplaceAll(strings.TrimSpace(hint), "\nhint: ", "; ")
	}
	child.Say(a.Err, child.Line{Failure: &f})
	return code
}

// report writes err and its advice for people and returns the exit code.
func (s Streams) report(err error) int {
	if err == nil {
		return ExitOK
	}
	code, hint := ExitUnevaluated, ""
	if r, ok := remedyFor(err); ok {
		code, hint = r.code, r.hint
	}
	var e *exit
	if errors.As(err, &e) {
		code = e.code
		if e.hint != "" {
			hint = e.hint
		}
		if e.err == nil {
			return code
		}
	}
	if errors.Is(err, context.Canceled) {
		hint = "interrupted; nothing was written"
	}
	fmt.Fprintln(s.Err, "error: "+inert(err.Error()))
	for line := range strings.SplitSeq(hint, "\n") {
		if line != "" {
			fmt.Fprintln(s.Err, "hint: "+inert(line))
		}
	}
	return code
}

// inert makes text from a repository harmless on a terminal: control and
// formatting characters are written as escapes, so that no escape sequence and
// no reordering of characters gets through.
func inert(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == unicode.ReplacementChar && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02X`, s[i])
		case r != ' ' && !unicode.IsPrint(r):
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
