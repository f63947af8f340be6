package wire_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/previdence/previdence/mcp/wire"
)

// A gate is a writer that takes nothing until it is opened.
type gate struct {
	taken chan struct{} // gets a value when a line has come
	open  chan struct{}
	lines chan string
}

func (g *gate) Write(p []byte) (int, error) {
	g.taken <- struct{}{}
	<-g.open
	g.lines <- string(p)
	return len(p), nil
}

func TestLogDropsWhatNobodyReads(t *testing.T) {
	g := &gate{taken: make(chan struct{}, 2000), open: make(chan struct{}), lines: make(chan string, 2000)}
	l := wire.NewLog(g)
	fmt.Fprintln(l, "line 0")
	<-g.taken // and there it stays, with 64 lines behind it
	const n = 1000
	for i := 1; i < n; i++ {
		fmt.Fprintf(l, "line %d\n", i) // none of these blocks
	}
	close(g.open)
	for i := range 65 {
		if got, want := <-g.lines, fmt.Sprintf("line %d\n", i); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	fmt.Fprintln(l, "later")
	if got, want := <-g.lines, "(935 lines were not read and are lost)\nlater\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLogCutsLongLinesAndKeepsHalfOnes(t *testing.T) {
	read, write := io.Pipe()
	l := wire.NewLog(write)
	fmt.Fprint(l, "half ")
	fmt.Fprint(l, "and half\n"+strings.Repeat("x", 1<<20)+"\nrest")
	fmt.Fprint(l, " of it\n")
	want := "half and half\n" + strings.Repeat("x", 64<<10) + "\nrest of it\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(read, got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, []byte(want)) {
		t.Errorf("got %s, want %s", short(string(got)), short(want))
	}
}
