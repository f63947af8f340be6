// Package score compares the call edges of a graph with an answer key.
//
// Input is a key, which something else than the product made (a compiler, a
// type checker, a run), and edges as "previdence graph edges --format tsv"
// prints them; output is counts. An edge is the place of the caller's
// declaration and that of the callee's: names are never compared, edges are a
// set. Score reads no repository and runs nothing; the same bytes give the same
// figures. What they mean and what they leave out: bench/README.md.
package score

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ErrMalformed means that a line of a key or of a list of edges cannot be read.
var ErrMalformed = errors.New("malformed line")

// A Place is the line of a declaration.
type Place struct {
	Path string // slash-separated, relative to the repository
	Line int    // from 1
}

// An Edge leads from a caller to what it calls.
type Edge struct{ Caller, Callee Place }

// A Call is what a key says about an edge.
type Call struct {
	Static bool   // the source names the callee; else a value or a type decides at run time
	Kind   string // how it is called, in the key maker's words: "interface", "self.m"
}

// A Key is what an oracle knows about a set of files.
type Key struct {
	Head     []string        // comments: by what it was made
	Files    map[string]bool // both ends of an edge must lie here
	Calls    map[Edge]Call   // every call that the oracle resolves
	Beyond   []string        // tiers of edges that by their own word nothing takes that the key starts from: they are listed apart
	Possible map[Edge]bool   // calls of overriding methods: neither asked for nor wrong
	Known    map[Place]bool  // functions; edges of anything else take no part. Empty: the key does not list them
	Callers  map[Place]bool  // the oracle knows all that these call
	Lines    map[Place]bool  // the oracle knows all that is called here
	Implicit map[Place]bool  // runs without a call in the source, which the oracle does not see
	Outside  map[string]int  // call sites that leave the repository, by package
	Open     map[string]int  // call sites that the oracle does not resolve, by kind
}

// ReadKey reads a key: lines of tab-separated fields, the first of them a letter.
//
//	E caller-path line callee-path line static|dynamic kind
//	P caller-path line callee-path line
//	F path
//	C path line
//	J path line    L path line    U path line
//	X package number    R kind number
func ReadKey(r io.Reader) (*Key, error) {
	k := &Key{
		Files: map[string]bool{}, Calls: map[Edge]Call{}, Possible: map[Edge]bool{}, Known: map[Place]bool{}, Callers: map[Place]bool{}, Lines: map[Place]bool{},
		Implicit: map[Place]bool{}, Outside: map[string]int{}, Open: map[string]int{},
	}
	err := lines(r, func(line string) error {
		if c, ok := strings.CutPrefix(line, "#"); ok {
			k.Head = append(k.Head, strings.TrimSpace(c))
			return nil
		}
		return k.add(strings.Split(line, "\t"))
	})
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	return k, nil
}

func (k *Key) add(f []string) error {
	switch {
	case f[0] == "E" && len(f) == 7 && (f[5] == "static" || f[5] == "dynamic"):
		e, err := edge(f[1:5])
		k.Calls[e] = Call{Static: f[5] == "static", Kind: f[6]}
		return err
	case f[0] == "P" && len(f) == 5:
		e, err := edge(f[1:5])
		k.Possible[e] = true
		return err
	case f[0] == "F" && len(f) == 2:
		k.Files[f[1]] = true
		return nil
	case len(f) != 3:
		return ErrMalformed
	}
	n, err := strconv.Atoi(f[2])
	at := Place{f[1], n}
	switch f[0] {
	case "C":
		k.Known[at] = true
	case "J":
		k.Callers[at] = true
	case "L":
		k.Lines[at] = true
	case "U":
		k.Implicit[at] = true
	case "X":
		k.Outside[f[1]] = n
	case "R":
		k.Open[f[1]] = n
	default:
		return ErrMalformed
	}
	return err
}

// A Found is one edge of a graph with the lines of its sites.
type Found struct {
	Edge
	Kind  string // "call" or "dispatch"
	Tier  string
	Lines []int // of the sites, in the caller's file
}

// ReadFound reads edges as "previdence graph edges --format tsv" prints them.
func ReadFound(r io.Reader) ([]Found, error) {
	var found []Found
	err := lines(r, func(line string) error {
		f := strings.Split(line, "\t")
		if len(f) != 7 {
			return ErrMalformed
		}
		e, err := edge(f[:4])
		if err != nil {
			return err
		}
		one := Found{Edge: e, Kind: f[4], Tier: f[5]}
		for n := range strings.SplitSeq(f[6], ",") {
			line, err := strconv.Atoi(n)
			if err != nil {
				return err
			}
			one.Lines = append(one.Lines, line)
		}
		found = append(found, one)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("edges: %w", err)
	}
	return found, nil
}

func edge(f []string) (Edge, error) {
	from, err := strconv.Atoi(f[1])
	if err != nil {
		return Edge{}, err
	}
	to, err := strconv.Atoi(f[3])
	return Edge{Place{f[0], from}, Place{f[2], to}}, err
}

// lines calls fn with every line that is not empty and adds its number to an error.
func lines(r io.Reader, fn func(string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		if s.Text() == "" {
			continue
		}
		if err := fn(s.Text()); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return s.Err()
}
