package envelope

import (
	"fmt"
	"strings"
)

// wellFormed checks the form of every field that is compared or shown later.
func (e *Envelope) wellFormed() error {
	for _, c := range []struct {
		field string
		ok    bool
	}{
		{"report", e.Report != nil},
		{"repository_id", e.RepositoryID > 0},
		{"head_repository_id", e.HeadRepositoryID > 0},
		{"pull_request", e.PullRequest >= 0},
		{"head", objectID(e.Head)},
		{"base", objectID(e.Base)},
		{"event", word(e.Event)},
		{"run_id", e.RunID > 0},
		{"run_attempt", e.RunAttempt > 0},
		{"workflow", workflow(e.Workflow)},
	} {
		if !c.ok {
			return fmt.Errorf("%w: bad %s", ErrMalformed, c.field)
		}
	}
	return nil
}

// objectID reports whether s is a full object ID of either hash.
func objectID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// word reports whether s is made like the name of an event.
func word(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// workflow reports whether s is made like the path of a workflow.
func workflow(s string) bool {
	return strings.HasPrefix(s, ".github/workflows/") && len(s) <= 1024
}
