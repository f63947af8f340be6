package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/previdence/previdence/bench/score"
)

func committed(t *testing.T) []result {
	t.Helper()
	text, err := os.ReadFile("../results/accuracy.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []result
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Nobody writes a figure into the table by hand.
func TestTheTableIsThatOfTheFigures(t *testing.T) {
	peers, err := readPeers("../peers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("../results/accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	if got := markdown(committed(t), peers); got != string(table) {
		t.Error("results/accuracy.md is not what results/accuracy.json and peers.tsv give: run make bench-accuracy")
	}
}

func TestEveryCellHasAResultAndAKeyThatCanBeRead(t *testing.T) {
	cells, err := readCells("../cells.tsv")
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]result{}
	for _, r := range committed(t) {
		results[r.Cell] = r
	}
	for _, c := range cells {
		r, ok := results[c.Name]
		if !ok || r.Commit != c.Commit {
			t.Errorf("%s: no result at %s", c.Name, c.Commit)
			continue
		}
		key, err := c.readKey("../keys")
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if none := score.Compare(key, nil); none.Calls != r.Score.Calls || none.Calls == 0 != c.unkeyed() {
			t.Errorf("%s: the key has %d calls, the result was scored against %d", c.Name, none.Calls, r.Score.Calls)
		}
	}
}

func TestAPeerOfACellIsScoredLikeTheGraph(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cells := write("cells.tsv", "one\tgo\trepo\tc0ffee\t\n")
	edges := write("edges.tsv", "a.go\t1\ta.go\t5\tcall\texact\t2\n")
	write("one.tsv", "E\ta.go\t1\ta.go\t5\tstatic\tfunction\nF\ta.go\n")
	if err := scorePeer(cells, dir, "one", edges, "tool 1"); err != nil {
		t.Error(err)
	}
	if err := scorePeer(cells, dir, "two", edges, "tool 1"); err == nil || !strings.Contains(err.Error(), "no such cell") {
		t.Errorf("an unknown cell: %v", err)
	}
}
