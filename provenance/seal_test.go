package provenance_test

import (
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
	for name, statement := range map[string]string{
		"nothing":              "PRAGMA user_version",
		"a file's state":       "UPDATE files SET state='oversized'",
		"a lost file":          "DELETE FROM files",
		"a lost symbol":        "DELETE FROM symbols WHERE id=1",
		"a lost list of edges": "DELETE FROM edges_in WHERE id=1",
		"a name":               "UPDATE symbols SET name='Other' WHERE id=1",
		"another digest":       "UPDATE stamp SET value='00' WHERE name='digest'",
		"a count":              "INSERT INTO counts VALUES ('go', 1, 1, 1, 1, 1, 1, 1)",
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
			change(t, file(t, r), statement)
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
	change(t, file(t, r), "DELETE FROM symbols WHERE id=1")
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

func answers(t *testing.T, r *worktreetest.Repo) error {
	t.Helper()
	reading, err := provenance.Open(t.Context(), r.Open(), query())
	if err != nil {
		return err
	}
	return reading.Close()
}
