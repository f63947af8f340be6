// Package action is the front door for GitHub Actions.
//
// Input is the environment of one step: its inputs, the event and the payload
// file. Output is what the step leaves: a report file, a job summary, at most ten
// annotations, step outputs, an exit code, and, where the event and the token
// allow it, what [github.com/previdence/previdence/action/post] publishes.
//
// Analysing reads commits and needs no right to write, so it works for forks.
// Publishing takes a report from this run, or an artifact of another run, which
// it believes nothing of that GitHub does not confirm. The package sees reports
// only: who makes them, and who deletes what a runner keeps, is given as [Tools].
// Nothing from a pull request is run, and none of its names reaches the log but
// by [github.com/previdence/previdence/action/workflow].
package action

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/previdence/previdence/action/event"
	"github.com/previdence/previdence/action/github"
	"github.com/previdence/previdence/action/workflow"
	"github.com/previdence/previdence/review/report"
)

// The exit codes of a step are those of the command line.
const (
	exitOK          = 0
	exitPolicy      = 1
	exitUsage       = 2
	exitUnevaluated = 3
	exitPublish     = 4
)

// An Environment is what a step has of its process.
type Environment struct {
	Env workflow.Env
	Log io.Writer // read by the runner, which acts on some of its lines
}

// Tools are what the front door needs of the rest of the program.
type Tools struct {
	Version string
	Rules   []string                                                     // that fail-on may name
	Review  func(ctx context.Context, r Request) (*report.Report, error) // makes a report
	Cleanup func(ctx context.Context, c Closing) ([]string, error)       // deletes what is kept; one sentence for each thing
	Advice  func(err error) (code int, hint string)                      // what to do about an error; "" if nobody knows

	Transport http.RoundTripper // nil: the network
	Clock     github.Clock      // nil: the real one
}

// A Request is one change to review.
type Request struct {
	Dir        string          // a folder of the checkout
	Number     int             // of the pull request; 0: none
	Base       report.Revision // without Commit: Ref is looked up; without both: the default branch
	Head       report.Revision // of which Ref and Commit count
	FailOn     []string        // nil: what the configuration says
	NoConfig   bool            // do not read the configuration of the merge base
	Repository string          // "owner/name" that the checkout is one of
	ServerURL  string          // where missing history comes from
	Token      string          // for that server; "": none
	Coverage   []Coverage      // measured on the head
}

// Coverage is one file of measured coverage, which the code under review wrote.
type Coverage struct {
	Name string
	Text io.Reader
}

// A Closing says why what a runner keeps of a pull request is not needed any more.
type Closing struct {
	Dir      string
	Number   int
	Head     string // commit of the pull request
	Approved bool   // somebody who may approved its head; else it is closed or merged
}

// A step is one run of the Action.
type step struct {
	Tools
	run    workflow.Run
	in     workflow.Inputs
	runner *workflow.Runner
	event  *event.Event
	notes  []string // said once, in the log and in the summary
	errors []string // said in the log already
}

// Run does what the event calls for and returns the exit code.
func Run(ctx context.Context, env Environment, tools Tools) int {
	s := &step{Tools: tools, runner: workflow.NewRunner(env.Log, env.Env)}
	if err := s.prepare(env.Env); err != nil {
		return s.fail(err)
	}
	task, err := taskOf(s.in.Mode, s.event)
	if err != nil {
		return s.fail(err)
	}
	switch task.do {
	case analyzing:
		return s.analyze(ctx)
	case publishing:
		return s.publishArtifact(ctx)
	case cleaning:
		return s.cleanup(ctx)
	}
	return s.nothing(task.why)
}

// prepare reads everything that the runner hands over.
func (s *step) prepare(env workflow.Env) (err error) {
	if s.in, err = workflow.ReadInputs(env, s.Rules); err != nil {
		return err
	}
	s.runner.Mask(s.in.Token)
	if s.run, err = workflow.ReadRun(env); err != nil {
		return err
	}
	payload, err := readBounded(s.run.EventPath, event.MaxBytes)
	if err != nil {
		return fmt.Errorf("%w: %w", event.ErrPayload, err)
	}
	if s.event, err = event.Parse(event.Kind(s.run.EventName), payload); err != nil {
		return err
	}
	return nil
}

// readBounded reads a file, and one byte more than limit if it is larger.
func readBounded(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}
