// Package cover reads measured coverage: which lines of which files ran, and,
// where the tool recorded it, for which test.
//
// Input is the bytes of one file as a tool wrote it: a Go cover profile, an lcov
// tracefile, Cobertura or JaCoCo XML, or the JSON of coverage.py or llvm-cov.
// Output is a [Profile]. Files are named as the tool named them; [Locate] finds
// them in a tree, and [File.Fits] says whether a content can be what was
// measured. Nothing here opens a file or believes a name.
//
// A profile comes from a run of the code under review, so it is untrusted: it is
// read as a stream, within stated caps, and one that cannot be read whole is
// refused. Half a measurement would call lines untested that were not.
package cover

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
)

var (
	// ErrFormat means that a file is not measured coverage in a format that is
	// read here, or breaks the rules of its format.
	ErrFormat = errors.New("not measured coverage that can be read")
	// ErrTooLarge means that a file names more than any repository has.
	ErrTooLarge = errors.New("measured coverage is too large")
)

// The formats.
const (
	Go         = "go"          // go test -coverprofile
	LCOV       = "lcov"        // lcov, c8, nyc, cargo llvm-cov, simplecov-lcov
	Cobertura  = "cobertura"   // XML of coverage.py, gcovr, coverlet, PHPUnit
	JaCoCo     = "jacoco"      // XML of JaCoCo and Kover
	CoveragePy = "coverage.py" // coverage json, pytest --cov-report=json
	LLVM       = "llvm-cov"    // llvm-cov export, cargo llvm-cov --json
)

// Formats lists the formats in words, for people who gave another one.
const Formats = "a Go cover profile, lcov, Cobertura XML, JaCoCo XML, coverage.py JSON or llvm-cov JSON"

// Caps of one profile.
const (
	MaxBytes = 1 << 30
	maxFiles = 300_000
	maxLines = 8_000_000 // of all files, and what ran them
	maxTests = 1_000_000
	maxName  = 4_096 // bytes of one name
	maxLine  = 1_000_000
)

// A Profile is what one file of coverage says.
type Profile struct {
	Format string
	Digest string   // SHA-256 of its bytes, in hex
	Files  []File   // by name, each once
	Tests  []string // what ran, as the tool names it; empty if it did not say
}

// A File is the measurement of one source file.
type File struct {
	Name  string // as the tool wrote it
	Lines []Line // those that were measured, by number, each once

	// Untold says that lines ran for a test that is not named, so that a test which
	// no line names may have run it all the same.
	Untold bool

	// marks are places that the measured content has: byte Column of Line, from
	// 1, holds the start of a statement or block.
	marks []mark
	spans bool // regions were measured, which hold lines without code
}

type mark struct{ line, column int32 }

// A Line is one measured line.
type Line struct {
	Number int32 // from 1
	Ran    bool
	Tests  []int32 // indexes into [Profile.Tests] of those that ran it, ascending
}

// Read reads one profile. It tells the format by the content.
func Read(r io.Reader) (*Profile, error) { return read(r, maxLines) }

func read(r io.Reader, most int) (*Profile, error) {
	sum := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(&capped{r: r, left: MaxBytes}, sum), 1<<16)
	b := &builder{files: map[string]*File{}, tests: map[string]int32{}, most: most}
	format, parse, err := detect(in)
	if err == nil {
		err = parse(in, b)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, in) // the digest is of the whole file
	}
	if err != nil {
		if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrTooLarge) {
			err = fmt.Errorf("%w: %w", ErrFormat, err)
		}
		return nil, err
	}
	if len(b.files) == 0 {
		return nil, fmt.Errorf("%w: it names no file", ErrFormat)
	}
	return b.profile(format, hex.EncodeToString(sum.Sum(nil))), nil
}

// A parser reads the rest of one profile into b.
type parser func(in *bufio.Reader, b *builder) error

// detect tells the format by the first bytes.
func detect(in *bufio.Reader) (string, parser, error) {
	if bom, _ := in.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		if _, err := in.Discard(3); err != nil {
			return "", nil, err
		}
	}
	head, err := in.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return "", nil, err
	}
	start := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case bytes.HasPrefix(start, []byte("mode: ")):
		return Go, parseGo, nil
	case bytes.HasPrefix(start, []byte("TN:")), bytes.HasPrefix(start, []byte("SF:")):
		return LCOV, parseLCOV, nil
	case bytes.HasPrefix(start, []byte("{")) && bytes.Contains(head, []byte(`"llvm.coverage.json.export"`)),
		bytes.HasPrefix(start, []byte("{")) && bytes.HasPrefix(bytes.TrimLeft(start[1:], " \t\r\n"), []byte(`"data"`)):
		return LLVM, parseLLVM, nil
	case bytes.HasPrefix(start, []byte("{")):
		return CoveragePy, parseCoveragePy, nil
	case bytes.HasPrefix(start, []byte("<")) && bytes.Contains(head, []byte("<report")):
		return JaCoCo, parseJaCoCo, nil
	case bytes.HasPrefix(start, []byte("<")) && bytes.Contains(head, []byte("<coverage")):
		return Cobertura, parseCobertura, nil
	}
	return "", nil, fmt.Errorf("%w: it begins like none of the formats", ErrFormat)
}

// A capped reader reports an error where a plain limit would end the file.
type capped struct {
	r    io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, MaxBytes)
	}
	return n, err
}

// A builder gathers what a parser reads.
type builder struct {
	files map[string]*File
	tests map[string]int32
	names []string // of tests, in the order of their indexes
	lines int
	most  int // lines that are kept
}

// file returns the file of a name. Formats that write one file in several parts
// get the same one again.
func (b *builder) file(name string) (*File, error) {
	if f := b.files[name]; f != nil {
		return f, nil
	}
	switch {
	case name == "" || len(name) > maxName:
		return nil, fmt.Errorf("%w: a file name of %d bytes", ErrFormat, len(name))
	case len(b.files) == maxFiles:
		return nil, fmt.Errorf("%w: more than %d files", ErrTooLarge, maxFiles)
	}
	f := &File{Name: name}
	b.files[name] = f
	return f, nil
}

// line adds one measurement of one line.
func (b *builder) line(f *File, number int, ran bool) error {
	if number < 1 || number > maxLine {
		return fmt.Errorf("%w: line %d of a file", ErrFormat, number)
	}
	if len(f.Lines) == cap(f.Lines) && len(f.Lines) >= 1024 {
		b.lines -= f.compact() // tools repeat a file for every run that loaded it
	}
	f.Lines = append(f.Lines, Line{Number: int32(number), Ran: ran})
	return b.count()
}

// count counts one more measurement.
func (b *builder) count() error {
	if b.lines++; b.lines > b.most {
		return fmt.Errorf("%w: more than %d lines", ErrTooLarge, b.most)
	}
	return nil
}

// test returns the index of a test.
func (b *builder) test(name string) (int32, error) {
	if i, ok := b.tests[name]; ok {
		return i, nil
	}
	if len(name) > maxName {
		return 0, fmt.Errorf("%w: a test name of %d bytes", ErrFormat, len(name))
	}
	if len(b.names) == maxTests {
		return 0, fmt.Errorf("%w: more than %d tests", ErrTooLarge, maxTests)
	}
	i := int32(len(b.names))
	b.tests[name], b.names = i, append(b.names, name)
	return i, nil
}

// profile puts everything into one order. A line that was measured several
// times ran if it ran once.
func (b *builder) profile(format, digest string) *Profile {
	p := &Profile{Format: format, Digest: digest, Tests: b.names, Files: make([]File, 0, len(b.files))}
	for _, f := range b.files {
		f.compact()
		p.Files = append(p.Files, *f)
	}
	slices.SortFunc(p.Files, func(x, y File) int { return cmp.Compare(x.Name, y.Name) })
	return p
}

// compact sorts the measurements and keeps each once. It returns how many lines
// were dropped.
func (f *File) compact() int {
	was := len(f.Lines)
	slices.SortStableFunc(f.Lines, func(x, y Line) int { return cmp.Compare(x.Number, y.Number) })
	f.Lines = merged(f.Lines)
	slices.SortFunc(f.marks, func(x, y mark) int { return cmp.Or(cmp.Compare(x.line, y.line), cmp.Compare(x.column, y.column)) })
	f.marks = slices.Compact(f.marks)
	return was - len(f.Lines)
}

// merged joins the measurements of one line.
func merged(lines []Line) []Line {
	out := lines[:0]
	for _, l := range lines {
		if n := len(out); n > 0 && out[n-1].Number == l.Number {
			out[n-1].Ran = out[n-1].Ran || l.Ran
			out[n-1].Tests = append(out[n-1].Tests, l.Tests...)
			continue
		}
		out = append(out, l)
	}
	for i := range out {
		if len(out[i].Tests) > 1 {
			slices.Sort(out[i].Tests)
			out[i].Tests = slices.Compact(out[i].Tests)
		}
	}
	return out
}

// Measured returns the measurement of one line, if there is one.
func (f *File) Measured(number int) (Line, bool) {
	i, ok := slices.BinarySearchFunc(f.Lines, int32(number), func(l Line, n int32) int { return cmp.Compare(l.Number, n) })
	if !ok {
		return Line{}, false
	}
	return f.Lines[i], true
}
