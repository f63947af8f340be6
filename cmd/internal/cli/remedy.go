package cli

import (
	"context"
	"errors"
)

// A remedy is what to do about an error, said for the command line.
type remedy struct {
	err  error
	code int
	hint string
}

// remedies has one line for every exported error of the packages that the
// command line reaches; a test compares it with the source. The first match
// counts, so an error that wraps another stands above it.
var remedies = []remedy{
	{context.DeadlineExceeded, ExitUnevaluated, "run again with more time"},
}

// remedyFor finds the remedy of the first known error in err's chain.
func remedyFor(err error) (remedy, bool) {
	for _, r := range remedies {
		if errors.Is(err, r.err) {
			return r, true
		}
	}
	return remedy{}, false
}
