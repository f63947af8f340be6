package outline

import (
	"errors"
	"fmt"
	"sort"
)

// ErrBudget means that the verdict, the caveats and the provenance alone do not
// fit into the budget. Nothing is drawn then, since all that could still be
// left out must not be.
var ErrBudget = errors.New("budget too small for the verdict and the caveats")

// Fit returns the drawing with the most rows that is at most budget bytes long.
// Draw must draw the rows whose rank is below its argument. A budget of 0 is
// none.
func (o *Outline) Fit(budget int, draw func(rank int) []byte) ([]byte, error) {
	if whole := draw(o.Ranks); budget == 0 || len(whole) <= budget {
		return whole, nil
	}
	out := draw(0)
	if len(out) > budget {
		return nil, fmt.Errorf("%w: %d bytes given, %d needed", ErrBudget, budget, len(out))
	}
	// Search finds the first number of ranks that is too large. A drawing can
	// shrink by the few bytes of a note when a block's last row comes in, so
	// what is kept is measured, not inferred.
	sort.Search(o.Ranks, func(i int) bool {
		d := draw(i + 1)
		if len(d) > budget {
			return true
		}
		out = d
		return false
	})
	return out, nil
}
