package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/graph/index"
)

// A deadline ends a command that takes too long. What is not whole by then is not
// kept: two runs that were stopped would say different things.
type deadline struct {
	after time.Duration // 0: never

	mu      sync.Mutex
	reached index.Progress // what was being done last
}

// grace is how long a review may take after its deadline to read the changed files
// and to write down what it has.
const grace = 10 * time.Second

// deadlineFlag adds --deadline to a command; then is what happens at that time.
func deadlineFlag(c *cobra.Command, then string) *deadline {
	d := &deadline{}
	c.Flags().DurationVar(&d.after, "deadline", 0, "stop after `DURATION`, such as 90s, with exit code 3 and "+then)
	return d
}

func (d *deadline) check() error {
	if d.after < 0 {
		return usage(fmt.Errorf("--deadline is %s", d.after), "give a time such as 90s or 5m")
	}
	return nil
}

// start returns a context that ends at the deadline.
func (d *deadline) start(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.after == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d.after)
}

// split returns a context that ends some time after the deadline, and a channel that is
// closed at the deadline; nil if there is none.
func (d *deadline) split(ctx context.Context) (_ context.Context, until <-chan struct{}, end context.CancelFunc) {
	if d.after == 0 {
		ctx, end = context.WithCancel(ctx)
		return ctx, nil, end
	}
	soon, endSoon := context.WithTimeout(ctx, d.after)
	ctx, endAll := context.WithTimeout(ctx, d.after+grace)
	return ctx, soon.Done(), func() { endSoon(); endAll() }
}

// saw remembers how far the work has come.
func (d *deadline) saw(p index.Progress) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reached = p
}

// explain says of an error that the deadline made how far the work had come.
func (d *deadline) explain(err error) error {
	if d.after == 0 || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	where := "before anything was read"
	if p := d.reached; p.Phase != "" {
		where = fmt.Sprintf("in the phase %s, %d of %d done", p.Phase, p.Done, p.Total)
	}
	return fmt.Errorf("nothing can be said: the deadline of %s was reached %s: %w", d.after, where, context.DeadlineExceeded)
}
