package provenance_test

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// settle lets a graph become older than what is written about it next.
func settle(t *testing.T, r *worktreetest.Repo) {
	t.Helper()
	info, err := os.Stat(file(t, r))
	must(t, err)
	probe := file(t, r) + ".probe"
	for later := false; !later; time.Sleep(time.Millisecond) {
		must(t, os.WriteFile(probe, nil, 0o600))
		now, err := os.Stat(probe)
		must(t, err)
		later = now.ModTime().After(info.ModTime())
	}
	must(t, os.Remove(probe))
}

// Whatever row was changed, and however well that is hidden, no question is
// answered, not even one that does not read that row.
func TestRefusesAGraphInWhichARowWasChanged(t *testing.T) {
	statement := func(sql string) func(*testing.T, string) {
		return func(t *testing.T, file string) { change(t, file, sql) }
	}
	for name, spoil := range map[string]func(t *testing.T, file string){
		"nothing":                 statement("PRAGMA user_version"),
		"a file's state":          statement("UPDATE files SET state='oversized'"),
		"a lost file":             statement("DELETE FROM files"),
		"another digest":          statement("UPDATE stamp SET value='00' WHERE name='digest'"),
		"a count":                 statement("INSERT INTO counts VALUES ('go', 1, 1, 1, 1, 1, 1, 1)"),
		"a total":                 statement("UPDATE totals SET value=value+1 WHERE name='parsed'"),
		"a symbol":                overwrite("a.go#B/function", "a.go#D/function"),
		"what names are searched": overwrite("\nb\n", "\nd\n"),
		"the last byte":           func(t *testing.T, file string) { flip(t, file, -1) },
		"a byte after symbols":    func(t *testing.T, file string) { flip(t, file, -4100) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := program(t)
			buildGraph(t, r, three())
			settle(t, r)
			for range 2 { // the first proves it, the second finds that it was proved
				if got := refusal(t, r.Open(), query()); got != "" {
					t.Fatalf("before: %s", got)
				}
			}
			before, err := os.Stat(file(t, r))
			must(t, err)
			spoil(t, file(t, r))
			must(t, os.Chtimes(file(t, r), before.ModTime(), before.ModTime()))
			want := "graph_tampered"
			if name == "nothing" {
				want = ""
			}
			if got := refusal(t, r.Open(), query()); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// A seal saves reading the whole graph; one that somebody copied or wrote does not.
func TestRefusesToBelieveASealOfAnotherFile(t *testing.T) {
	r := program(t)
	buildGraph(t, r, three())
	settle(t, r)
	seal := file(t, r) + ".seal"
	must(t, answers(t, r))
	info, err := os.Lstat(seal)
	must(t, err)
	if info.Mode() != 0o600 {
		t.Errorf("the seal has mode %v", info.Mode())
	}
	flip(t, file(t, r), -4100)
	old, err := os.ReadFile(seal)
	must(t, err)
	for name, forge := range map[string]func() error{
		"the old one, written again": func() error { return os.WriteFile(seal, old, 0o600) },
		"none":                       func() error { return os.RemoveAll(seal) },
		"cut off":                    func() error { return os.WriteFile(seal, old[:20], 0o600) },
		"a link": func() error {
			return errors.Join(os.RemoveAll(seal), os.WriteFile(seal+".real", old, 0o600), os.Symlink("graph.db.seal.real", seal))
		},
	} {
		must(t, forge())
		if got := refusal(t, r.Open(), query()); got != "graph_tampered" {
			t.Errorf("%s: %q", name, got)
		}
	}
	must(t, os.RemoveAll(seal), os.Mkdir(seal, 0o700))
	build(t, r)
	if err := answers(t, r); err != nil {
		t.Errorf("where no seal can be written: %v", err)
	}
}

// overwrite puts other bytes of the same length in the place of some.
func overwrite(old, other string) func(*testing.T, string) {
	return func(t *testing.T, file string) {
		data, err := os.ReadFile(file)
		must(t, err)
		at := bytes.Index(data, []byte(old))
		if at < 0 {
			t.Fatalf("%q is not in the graph", old)
		}
		copy(data[at:], other)
		must(t, os.WriteFile(file, data, 0o600))
	}
}

// flip changes one bit of the byte at a place, counted from the end if it is negative.
func flip(t *testing.T, file string, at int) {
	data, err := os.ReadFile(file)
	must(t, err)
	data[(at+len(data))%len(data)] ^= 1
	must(t, os.WriteFile(file, data, 0o600))
}

func answers(t *testing.T, r *worktreetest.Repo) error {
	t.Helper()
	reading, err := provenance.Open(t.Context(), r.Open(), query())
	if err != nil {
		return err
	}
	return reading.Close()
}
