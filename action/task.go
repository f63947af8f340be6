package action

import (
	"errors"
	"fmt"

	"github.com/previdence/previdence/action/event"
	"github.com/previdence/previdence/action/workflow"
)

// ErrMode means that a mode was asked for that an event has nothing for.
var ErrMode = errors.New("mode does not go with the event")

// What a step can do.
const (
	analyzing = iota + 1
	publishing
	cleaning
	nothing
)

// A task is what one event calls for.
type task struct {
	do  int
	why string // there is nothing to do
}

// taskOf says what is to be done for an event.
func taskOf(mode workflow.Mode, e *event.Event) (task, error) {
	natural := calledFor(e)
	switch {
	case mode == workflow.Auto || natural.do == nothing:
		return natural, nil
	case mode == workflow.Analyze && natural.do == analyzing,
		mode == workflow.Publish && natural.do == publishing,
		mode == workflow.Cleanup && natural.do == cleaning:
		return natural, nil
	case mode == workflow.Analyze && natural.do == cleaning, mode == workflow.Cleanup && natural.do == analyzing:
		return task{nothing, fmt.Sprintf("mode %s has nothing to do for %s", mode, e.Describe())}, nil
	}
	return task{}, fmt.Errorf("%w: mode is %s, the event is %s", ErrMode, mode, e.Describe())
}

// calledFor says what an event is for when nobody says so.
func calledFor(e *event.Event) task {
	switch e.Kind {
	case event.PullRequest:
		if e.Action == "closed" {
			return task{do: cleaning}
		}
	case event.PullRequestReview:
		if e.Approves() {
			return task{do: cleaning}
		}
		return task{nothing, "the review does not approve the head of the pull request, or its author does not belong to the repository"}
	case event.MergeGroup:
		if e.Action != "checks_requested" {
			return task{nothing, "the merge group is gone"}
		}
	case event.WorkflowRun:
		switch run := e.WorkflowRun; {
		case e.Action != "completed":
			return task{nothing, "the run has not ended yet"}
		case run.Event != string(event.PullRequest):
			return task{nothing, "the run was not one of a pull request"}
		}
		return task{do: publishing}
	case event.Push:
		if e.Head.SHA == "" {
			return task{nothing, "the branch was deleted"}
		}
	}
	return task{do: analyzing}
}
