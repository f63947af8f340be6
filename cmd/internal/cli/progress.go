package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/previdence/previdence/cmd/internal/child"
	"github.com/previdence/previdence/graph/index"
)

// A progress shows how far a long piece of work has come. It writes to stderr,
// only if that is a terminal, and leaves no trace when it ends. It is safe for
// concurrent use; the zero value and nil show nothing.
type progress struct {
	mu    sync.Mutex
	out   io.Writer            // nil: show nothing
	say   func(child.Progress) // tell another process instead; nil: there is none
	said  time.Time            // when that was told last
	color bool
	phase string
	total int
	bar   *progressbar.ProgressBar
}

// progress returns a reporter for this command's stderr.
func (a *app) progress() *progress {
	if a.child {
		return &progress{say: func(p child.Progress) { child.Say(a.Err, child.Line{Progress: &p}) }}
	}
	if !terminal(a.Err) || a.Env("TERM") == "dumb" {
		return &progress{}
	}
	return &progress{out: a.Err, color: a.colour(a.Err)}
}

// show says how far a build has come, with the bytes where it reads contents.
func (p *progress) show(at index.Progress) {
	label := at.Phase
	if at.Of > 0 {
		label += fmt.Sprintf(" %s of %s", humanize.IBytes(uint64(at.Bytes)), humanize.IBytes(uint64(at.Of)))
	}
	p.advance(at.Phase, label, at.Done, at.Total)
}

// step says that done of total parts of a phase are done. A total that is not
// known yet is 0. Phase is a text of this program, never of a repository.
func (p *progress) step(phase string, done, total int) { p.advance(phase, phase, done, total) }

// advance draws how far a phase is, under a label.
func (p *progress) advance(phase, label string, done, total int) {
	if p == nil || p.out == nil && p.say == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.say != nil {
		if phase != p.phase || time.Since(p.said) > sayPeriod {
			p.phase, p.said = phase, time.Now()
			p.say(child.Progress{Phase: phase, Done: done, Total: total})
		}
		return
	}
	if p.bar == nil || phase != p.phase || total != p.total {
		p.start(phase, total)
	}
	p.bar.Describe(label)
	// A bar that cannot be drawn must not stop the work that it shows.
	_ = p.bar.Set(done)
}

// sayPeriod keeps another process from being told of every file.
const sayPeriod = 100 * time.Millisecond

// end removes what was shown.
func (p *progress) end() {
	if p == nil || p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) start(phase string, total int) {
	p.clear()
	p.phase, p.total = phase, total
	length := total
	if total <= 0 {
		length = -1
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(p.out),
		progressbar.OptionSetDescription(phase),
		progressbar.OptionEnableColorCodes(p.color),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(80 * time.Millisecond),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionClearOnFinish(),
	}
	if phase == index.PhaseExtract {
		// Only these parts are alike, so that a rate says something.
		options = append(options, progressbar.OptionShowIts(), progressbar.OptionSetItsString("blobs"))
	}
	p.bar = progressbar.NewOptions(length, options...)
}

func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear() // see step
		p.bar = nil
	}
}

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colour reports whether colour is wanted on w: a terminal that is not dumb,
// unless NO_COLOR is set to anything.
func (a *app) colour(w io.Writer) bool {
	return terminal(w) && a.Env("NO_COLOR") == "" && a.Env("TERM") != "dumb"
}

// width is the number of columns of w, or 100 where there is no terminal.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 100
}
