package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

func screenOf(t *testing.T, r *report.Report, opts Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, r, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFirstScreen(t *testing.T) {
	r := reporterstest.Small()
	// Each of these takes lines of its own when it has something to say.
	r.Delta, r.Overlap, r.Decisions, r.Owners, r.History = nil, nil, nil, nil, report.History{}
	r.Contracts, r.Groups, r.Dependencies.Layers = nil, report.Groups{}, nil
	for _, width := range []int{80, 120} {
		got := strings.Split(screenOf(t, r, Options{Width: width}), "\n")
		first := strings.Join(got[:24], "\n")
		for _, want := range []string{"FAIL  acme/pay", "fails  breaks: 2 references", "Broken references     2 references",
			"Tests                 1 test to run", "orders/cancel.go:88 in Cancel (call, compiler)", "text search: contradicted"} {
			if !strings.Contains(first, want) {
				t.Errorf("width %d: the first screen does not say %q:\n%s", width, want, first)
			}
		}
	}
}

// TestWidth checks every line but the commands, which are whole to be copied.
func TestWidth(t *testing.T) {
	for _, f := range reporterstest.Fixtures() {
		for _, width := range []int{40, 80, 120, 200} {
			t.Run(fmt.Sprintf("%s at %d", f.Name, width), func(t *testing.T) {
				for _, line := range strings.Split(screenOf(t, f.Make(), Options{Width: width}), "\n") {
					if w := ansi.StringWidth(line); w > width && !strings.HasPrefix(strings.TrimSpace(line), "$ ") {
						t.Errorf("%d cells: %q", w, line)
					}
				}
			})
		}
	}
}

func TestColorAddsNothingButColor(t *testing.T) {
	for _, f := range reporterstest.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			plain, colored := screenOf(t, f.Make(), Options{}), screenOf(t, f.Make(), Options{Color: true})
			if ansi.Strip(colored) != plain {
				t.Error("the text differs")
			}
			if strings.Contains(plain, "\x1b") {
				t.Error("plain text holds an escape sequence")
			}
		})
	}
}

// TestOnlyOurSequencesPass removes the few sequences that this package writes:
// nothing of a hostile name's may be left.
func TestOnlyOurSequencesPass(t *testing.T) {
	got := screenOf(t, reporterstest.Hostile(), Options{Color: true})
	for _, ours := range []string{"\x1b[1m", "\x1b[36m", "\x1b[0m", "\x1b[1;31m", "\x1b[1;32m", "\x1b[1;33m"} {
		got = strings.ReplaceAll(got, ours, "")
	}
	if i := strings.IndexByte(got, '\x1b'); i >= 0 {
		t.Errorf("left over: %q", got[i:i+min(20, len(got)-i)])
	}
}

// TestLogsReadNoCommand reads the screen as the runner of a workflow reads its
// log: at any width, so that every name starts a line somewhere.
func TestLogsReadNoCommand(t *testing.T) {
	for width := 40; width < 100; width += 3 {
		for _, color := range []bool{false, true} {
			for _, line := range strings.Split(screenOf(t, reporterstest.Hostile(), Options{Width: width, Color: color}), "\n") {
				if strings.HasPrefix(strings.TrimSpace(ansi.Strip(line)), "::") || strings.Contains(line, "##[") {
					t.Fatalf("width %d: the log reads a command: %q", width, line)
				}
			}
		}
	}
}

func TestColumnsWhereThereIsRoom(t *testing.T) {
	narrow, wide := screenOf(t, reporterstest.Small(), Options{Width: 80}), screenOf(t, reporterstest.Small(), Options{Width: 120})
	const line = "    2 Cancel at orders/cancel.go:91 (call, compiler) through Client.Charge\n"
	if !strings.Contains(narrow, line) {
		t.Errorf("no line %q at 80 cells:\n%s", line, narrow)
	}
	const row = "    2         Cancel           orders/cancel.go:91    call      compiler  Client.Charge\n"
	if !strings.Contains(wide, row) {
		t.Errorf("no row %q at 120 cells:\n%s", row, wide)
	}
}

// FuzzRender gives a report one name wherever it can have one: no line may be
// wider than the screen, and no line may start that was not written here.
func FuzzRender(f *testing.F) {
	for _, n := range reporterstest.HostileNames() {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := screenOf(t, reporterstest.Named(name), Options{})
		for _, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
			if w := ansi.StringWidth(line); w > 80 && !strings.HasPrefix(strings.TrimSpace(line), "$ ") {
				t.Errorf("%q: %d cells: %q", name, w, line)
			}
		}
		for _, r := range got {
			if r != '\n' && (r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0) {
				t.Fatalf("%q: control %U in the output", name, r)
			}
		}
	})
}
