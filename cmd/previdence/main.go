// Command previdence prints the evidence about one pull request: what breaks,
// what can be reached, which tests to run, and what it could not see.
//
// It reads commits, never the files of a working tree, runs no program that a
// repository names, and contacts nobody but the remote whose pull request it is
// asked for. Flags and exit codes are described by "previdence help".
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/previdence/previdence/cmd/internal/cli"
)

// memoryLimit is where the collector starts to work harder. A first build of a
// tree like Go's own stays below it; without it the heap doubles before it is
// looked at.
const memoryLimit = 1200 << 20

func main() { os.Exit(run()) }

func run() int {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal asks for an orderly end. From then on signals have their
	// default effect again, so that a second one always ends the program.
	context.AfterFunc(ctx, stop)
	// Standard output is the answer, which no library may write into.
	out := os.Stdout
	os.Stdout = os.Stderr
	return cli.Run(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: out, Err: os.Stderr, Env: os.Getenv})
}
