package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain makes this program its own child.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "--"+Flag {
		os.Exit(work(os.Args[2]))
	}
	os.Exit(m.Run())
}

func work(what string) int {
	switch what {
	case "answer":
		Say(os.Stderr, Line{Progress: &Progress{"count", 1, 2}})
		fmt.Fprintln(os.Stderr, "not JSON")
		Say(os.Stderr, Line{Note: "noted"})
		fmt.Print("the answer")
		return 0
	case "policy":
		fmt.Print("the answer")
		return 1
	case "refuse":
		Say(os.Stderr, Line{Failure: &Failure{State: "graph_updating", Reason: "it runs", Remedy: "wait", Code: 3}})
		return 3
	case "panic":
		panic("out of words")
	case "flood":
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<20)); err != nil {
				return 0
			}
		}
	}
	// Ends only when its parent wants it to.
	done := make(chan struct{})
	Obey(os.Stdin, func() { close(done) })
	Say(os.Stderr, Line{Note: "waiting"})
	<-done
	return 0
}

func TestAnAnswerIsGivenWithItsProgress(t *testing.T) {
	var told []Line
	out, err := Run(t.Context(), []string{"answer"}, func(l Line) { told = append(told, l) })
	if err != nil || string(out) != "the answer" || len(told) != 2 || *told[0].Progress != (Progress{"count", 1, 2}) || told[1].Note != "noted" {
		t.Errorf("%q, %v, %+v", out, err, told)
	}
	if out, err := Run(t.Context(), []string{"policy"}, nil, 1); err != nil || string(out) != "the answer" {
		t.Errorf("a code that is no failure: %q, %v", out, err)
	}
}

func TestAFailureSaysWhy(t *testing.T) {
	_, err := Run(t.Context(), []string{"refuse"}, nil)
	var f *Failure
	if !errors.As(err, &f) || *f != (Failure{"graph_updating", "it runs", "wait", 3}) {
		t.Errorf("%+v", err)
	}
}

func TestACrashIsAnErrorAndNothingElse(t *testing.T) {
	if _, err := Run(t.Context(), []string{"panic"}, nil); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
}

func TestAFloodIsCut(t *testing.T) {
	defer func(most int) { mostOutput = most }(mostOutput)
	mostOutput = 3 << 20
	if _, err := Run(t.Context(), []string{"flood"}, nil); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "more than") {
		t.Error(err)
	}
}

func TestAChildEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, []string{"wait"}, func(Line) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestObeyEndsWithStdin(t *testing.T) {
	r, w := io.Pipe()
	ended := make(chan struct{})
	Obey(r, func() { close(ended) })
	w.Close()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("it goes on")
	}
}
