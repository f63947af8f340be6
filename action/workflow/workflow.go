// Package workflow talks to the runner of GitHub Actions.
//
// Input is the environment of a step; what comes back are its inputs, each
// checked, and the facts of the run. Output goes to the four places that the
// runner reads: commands in the log, step outputs, the job summary, and masks.
//
// The runner takes any line of the log that starts with two colons for a command,
// in its older form "##[…]" even one in the middle of a line, and any line of the
// outputs for an output. So a text that this program did not write reaches the
// log only as the escaped argument of a command, or while commands are stopped
// under a word that nobody can guess; and outputs stand between random
// delimiters. The package starts nothing and asks nobody.
package workflow

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// An Env returns the value of a variable, "" if it is not set.
type Env func(key string) string

// ErrEnvironment means that a variable is missing or wrong which every runner
// sets: this is no step of a workflow.
var ErrEnvironment = errors.New("not the environment of a workflow's step")

// A Run is what the runner says about the run that this step is a part of.
type Run struct {
	EventName  string // GITHUB_EVENT_NAME
	EventPath  string // file with the payload
	Repository string // "owner/name"
	SHA        string // commit that the event is about; of a pull request a trial merge
	RunID      int64
	Attempt    int    // from 1
	Workflow   string // path of the workflow's file, ".github/workflows/previdence.yml"
	Workspace  string // folder of the checkout
	TempDir    string // folder for files, emptied after the job
	ServerURL  string // "https://github.com"
	APIURL     string // "https://api.github.com"
	GraphQLURL string // "https://api.github.com/graphql"; "" if not said
}

// ReadRun reads the facts of the run.
func ReadRun(env Env) (Run, error) {
	r := Run{
		EventName: env("GITHUB_EVENT_NAME"), EventPath: env("GITHUB_EVENT_PATH"), Repository: env("GITHUB_REPOSITORY"),
		SHA: env("GITHUB_SHA"), Workspace: env("GITHUB_WORKSPACE"), TempDir: env("RUNNER_TEMP"),
		ServerURL: strings.TrimSuffix(env("GITHUB_SERVER_URL"), "/"), APIURL: strings.TrimSuffix(env("GITHUB_API_URL"), "/"),
		GraphQLURL: env("GITHUB_GRAPHQL_URL"),
	}
	for _, v := range []struct{ name, value string }{
		{"GITHUB_EVENT_NAME", r.EventName}, {"GITHUB_EVENT_PATH", r.EventPath}, {"GITHUB_REPOSITORY", r.Repository},
		{"GITHUB_WORKSPACE", r.Workspace}, {"GITHUB_SERVER_URL", r.ServerURL}, {"GITHUB_API_URL", r.APIURL},
	} {
		if v.value == "" {
			return r, fmt.Errorf("%w: %s is not set", ErrEnvironment, v.name)
		}
	}
	var err error
	if r.RunID, err = strconv.ParseInt(env("GITHUB_RUN_ID"), 10, 64); err != nil || r.RunID < 1 {
		return r, fmt.Errorf("%w: GITHUB_RUN_ID is %q", ErrEnvironment, env("GITHUB_RUN_ID"))
	}
	if r.Attempt, err = strconv.Atoi(env("GITHUB_RUN_ATTEMPT")); err != nil || r.Attempt < 1 {
		return r, fmt.Errorf("%w: GITHUB_RUN_ATTEMPT is %q", ErrEnvironment, env("GITHUB_RUN_ATTEMPT"))
	}
	if r.Workflow, err = workflowPath(env("GITHUB_WORKFLOW_REF"), r.Repository); err != nil {
		return r, err
	}
	if r.TempDir == "" {
		r.TempDir = os.TempDir()
	}
	return r, nil
}

// workflowPath takes the file out of "owner/name/.github/workflows/ci.yml@ref".
func workflowPath(ref, repository string) (string, error) {
	file, _, found := strings.Cut(ref, "@")
	_, name, inside := strings.Cut(file, "/.github/workflows/")
	if !found || !inside || name == "" {
		return "", fmt.Errorf("%w: GITHUB_WORKFLOW_REF is %q in %s", ErrEnvironment, ref, repository)
	}
	return ".github/workflows/" + name, nil
}

// A Runner is the other side of the step: what is written to it is shown,
// masked or handed on.
type Runner struct {
	log     io.Writer
	outputs string // path of the file for outputs; "" if there is none
	summary string // path of the file for the job summary; "" if there is none
	shown   int    // annotations so far
}

// NewRunner writes to the log, and to the files that the environment names.
func NewRunner(log io.Writer, env Env) *Runner {
	return &Runner{log: log, outputs: env("GITHUB_OUTPUT"), summary: env("GITHUB_STEP_SUMMARY")}
}
