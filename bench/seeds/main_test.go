package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const made = `{"made_by":"an oracle"}
{"kind":"rename","name":"a.ts:1 f","files":{"a.ts":"g\n"},"asked":["a.ts","b.ts"],"errors":[{"path":"b.ts","line":2,"message":"no\n f"},{"path":"b.ts","line":3,"message":"no f"}],"follows":[{"path":"b.ts","line":7}]}
`

const reviewed = `{"schema":"previdence.evidence/v1","breaks":[{"symbol":"s","references":[{"path":"b.ts","line":2},{"path":"a.ts","line":9},{"path":"c.ts","line":1},{"path":"b.ts","line":7}]}]}`

func TestScore(t *testing.T) {
	s, err := readSeeds(strings.NewReader(made))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "seed-0-abc.json"), []byte(reviewed), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := s.score(dir)
	if err != nil {
		t.Fatal(err)
	}
	// c.ts is not judged: the oracle was not asked about it; b.ts:7 follows from an error.
	if got, want := *r.kinds["rename"], (tally{seeds: 1, truth: 2, found: 1, said: 2, wrong: 1}); got != want {
		t.Errorf("tally = %+v, want %+v", got, want)
	}
	want := []string{"missed\trename\ta.ts:1 f\tb.ts\t3\tno f", "wrong\trename\ta.ts:1 f\ta.ts\t9\t"}
	if !slices.Equal(r.rows, want) {
		t.Errorf("rows = %q, want %q", r.rows, want)
	}
}

func TestScoreNeedsAReport(t *testing.T) {
	s, err := readSeeds(strings.NewReader(made))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.score(t.TempDir()); err == nil {
		t.Error("no report, no error")
	}
}

func TestStream(t *testing.T) {
	s, err := readSeeds(strings.NewReader(made))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := s.stream(&out, "0123"); err != nil {
		t.Fatal(err)
	}
	want := "commit refs/heads/seed-0\ncommitter seeds <seeds@example.invalid> 0 +0000\ndata 4\nseed\nfrom 0123\nM 100644 inline \"a.ts\"\ndata 2\ng\n\n\n"
	if out.String() != want {
		t.Errorf("stream = %q, want %q", out.String(), want)
	}
}

func TestNoSeeds(t *testing.T) {
	for _, text := range []string{"", `{"files":[]}` + "\n", "{"} {
		if _, err := readSeeds(strings.NewReader(text)); err == nil {
			t.Errorf("seeds of %q, want an error", text)
		}
	}
}
