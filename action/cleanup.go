package action

import (
	"context"

	"github.com/previdence/previdence/action/event"
)

// cleanup deletes what a runner that outlives its jobs keeps of a pull request
// that was approved or closed. The comment stays: it is what people decided by.
func (s *step) cleanup(ctx context.Context) int {
	removed, err := s.Cleanup(ctx, Closing{
		Dir: s.checkout(), Number: s.event.Number, Head: s.event.Head.SHA, Approved: s.event.Kind == event.PullRequestReview,
	})
	if err != nil {
		return s.fail(err)
	}
	for _, sentence := range removed {
		s.note(sentence)
	}
	if len(removed) == 0 {
		s.note("No graph and no worktree of the pull request is kept here.")
	}
	if err := s.end(outcomeCleaned, "cleaned up"); err != nil {
		return s.fail(err)
	}
	return exitOK
}
