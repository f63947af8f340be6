package diff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	tests := []struct {
		name     string
		old, new string
		want     []Hunk
	}{
		{"equal sides have no hunk", "a\nb\n", "a\nb\n", nil},
		{"a new file is one hunk after line 0", "", "a\nb\n", []Hunk{{0, 0, 1, 2, false}}},
		{"a removed file is one hunk before line 0", "a\nb\n", "", []Hunk{{1, 2, 0, 0, false}}},
		{"a changed line names itself on both sides", "a\nb\nc\n", "a\nB\nc\n", []Hunk{{2, 1, 2, 1, false}}},
		{"an insertion names the line before", "a\nc\n", "a\nb\nc\n", []Hunk{{1, 0, 2, 1, false}}},
		{"a deletion names the line before", "a\nb\nc\n", "a\nc\n", []Hunk{{2, 1, 1, 0, false}}},
		{"a lost newline changes the last line", "a\nb\n", "a\nb", []Hunk{{2, 1, 2, 1, false}}},
		{"a carriage return is part of the line", "a\nb\n", "a\r\nb\n", []Hunk{{1, 1, 1, 1, false}}},
		{"two places are two hunks", "a\nb\nc\nd\n", "A\nb\nc\nD\n", []Hunk{{1, 1, 1, 1, false}, {4, 1, 4, 1, false}}},
		{"an added function starts at its own first line",
			"func A() {\n}\n\nfunc C() {\n}\n", "func A() {\n}\n\nfunc B() {\n}\n\nfunc C() {\n}\n",
			[]Hunk{{3, 0, 4, 3, false}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Lines([]byte(tt.old), []byte(tt.new))
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// apply rebuilds new from old and the lines that the hunks take from new. It
// fails if a line between hunks is not the same on both sides.
func apply(t *testing.T, old, new []byte, hunks []Hunk) {
	t.Helper()
	a, b := bytes.SplitAfter(old, []byte("\n")), bytes.SplitAfter(new, []byte("\n"))
	var out []byte
	i := 0
	for _, h := range hunks {
		a0, b0 := h.OldStart, h.NewStart
		if h.OldLines > 0 {
			a0--
		}
		if h.NewLines > 0 {
			b0--
		}
		if a0 < i || h.OldLines+h.NewLines == 0 {
			t.Fatalf("hunk %v out of order or empty", h)
		}
		for ; i < a0; i++ {
			out = append(out, a[i]...)
		}
		i += h.OldLines
		for _, line := range b[b0 : b0+h.NewLines] {
			out = append(out, line...)
		}
	}
	for ; i < len(a); i++ {
		out = append(out, a[i]...)
	}
	if !bytes.Equal(out, new) {
		t.Fatalf("hunks %v turn\n%q into\n%q, want\n%q", hunks, old, out, new)
	}
}

func git(t testing.TB, dir string, stdin []byte, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "LC_ALL=C")
	return cmd.Output()
}

func write(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// randomText writes lines from a small alphabet, so that many repeat.
func randomText(r *rand.Rand, lines, alphabet int) []byte {
	var b []byte
	for range lines {
		b = fmt.Appendf(b, "%d\n", r.IntN(alphabet))
	}
	if len(b) > 0 && r.IntN(4) == 0 {
		b = b[:len(b)-1]
	}
	return b
}

func edit(r *rand.Rand, text []byte, edits int) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	for range edits {
		at := r.IntN(len(lines))
		switch r.IntN(3) {
		case 0:
			lines = append(lines[:at], lines[min(at+1+r.IntN(3), len(lines)):]...)
			if len(lines) == 0 {
				lines = [][]byte{nil}
			}
		case 1:
			lines[at] = fmt.Appendf(nil, "new %d\n", r.IntN(5))
		case 2:
			lines = append(lines[:at], append([][]byte{fmt.Appendf(nil, "%d\n", r.IntN(9))}, lines[at:]...)...)
		}
	}
	return bytes.Join(lines, nil)
}

func TestLinesAreAsFewAsGitsMinimalDiff(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		old := randomText(r, r.IntN(80), 1+r.IntN(40))
		new := edit(r, old, r.IntN(20))
		if n%5 == 0 {
			new = randomText(r, r.IntN(80), 1+r.IntN(40))
		}
		hunks := Lines(old, new)
		apply(t, old, new, hunks)
		write(t, dir, "old", old)
		write(t, dir, "new", new)
		// Exit status 1 says that the files differ.
		out, err := git(t, dir, nil, "diff", "--no-index", "--minimal", "--numstat", "old", "new")
		if exit := new != nil && err == nil; exit != bytes.Equal(old, new) {
			t.Fatalf("git diff: %v", err)
		}
		additions, deletions := Totals(hunks)
		want := "0 0"
		if f := strings.Fields(string(out)); len(f) > 1 {
			want = f[0] + " " + f[1]
		}
		if got := fmt.Sprint(additions, " ", deletions); got != want {
			t.Errorf("old %q new %q: got %s, git says %s", old, new, got, want)
		}
	}
}

func TestLargeSidesAreCutAtLinesThatStandOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var a, b bytes.Buffer
	for i := range 6_000 {
		x, y := r.IntN(3), r.IntN(3)
		fmt.Fprintf(&a, "unique %d\n%d\n%d\n", i, x, y)
		fmt.Fprintf(&b, "unique %d\n%d\n%d\n", i, y, x)
	}
	hunks := Lines(a.Bytes(), b.Bytes())
	apply(t, a.Bytes(), b.Bytes(), hunks)
	for _, h := range hunks {
		if h.Coarse {
			t.Fatalf("hunk %v is coarse", h)
		}
		if h.OldLines > 2 {
			t.Fatalf("hunk %v reaches past a line that both sides have once", h)
		}
	}
}

func TestTooLargeIsOneCoarseHunk(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	old := append([]byte("first\n"), randomText(r, MaxLines, 3)...)
	new := append([]byte("first\n"), randomText(r, MaxLines, 3)...)
	hunks := Lines(old, new)
	apply(t, old, new, hunks)
	if len(hunks) != 1 || !hunks[0].Coarse {
		t.Errorf("got %d hunks, want one that says it is coarse", len(hunks))
	}
	if hunks[0].OldStart == 1 {
		t.Errorf("the hunk holds the first line, which both sides share")
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\nc"), []byte("a\nc\n"))
	f.Add([]byte(""), []byte("\n"))
	f.Add([]byte("x\nx\ny\nx\n"), []byte("x\ny\nx\nx\n"))
	f.Fuzz(func(t *testing.T, old, new []byte) {
		hunks := Lines(old, new)
		apply(t, old, new, hunks)
		back := Lines(new, old)
		a, d := Totals(hunks)
		if ba, bd := Totals(back); a != bd || d != ba {
			t.Errorf("there +%d -%d, back +%d -%d", a, d, ba, bd)
		}
	})
}

func BenchmarkLines(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	old := randomText(r, 5_000, 4_000)
	new := edit(r, old, 200)
	b.SetBytes(int64(len(old)))
	for b.Loop() {
		Lines(old, new)
	}
}

func BenchmarkLinesWorst(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	old, new := randomText(r, MaxLines/2, 50), randomText(r, MaxLines/2, 50)
	for b.Loop() {
		Lines(old, new)
	}
}
