// Command previdence prints the evidence about one pull request: what breaks,
// what can be reached, which tests to run, and what it could not see.
//
// It reads commits, never the files of a working tree, runs no program that a
// repository names, and contacts nobody. Flags and exit codes are described by
// "previdence help".
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/previdence/previdence/cmd/internal/cli"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal asks for an orderly end. From then on signals have their
	// default effect again, so that a second one always ends the program.
	context.AfterFunc(ctx, stop)
	return cli.Run(ctx, os.Args[1:], cli.Streams{Out: os.Stdout, Err: os.Stderr, Env: os.Getenv})
}
