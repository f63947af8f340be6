package cover

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// parseCoveragePy reads the JSON report of coverage.py: for each file the lines
// that ran and those that did not, and with --show-contexts which test ran a
// line.
func parseCoveragePy(in *bufio.Reader, b *builder) error {
	d := json.NewDecoder(in)
	found := false
	err := eachMember(d, func(key string) error {
		if key != "files" {
			return skip(d)
		}
		found = true
		return eachMember(d, func(name string) error {
			var f pyFile
			if err := d.Decode(&f); err != nil {
				return err
			}
			return f.into(b, strings.ReplaceAll(name, `\`, "/"))
		})
	})
	if err == nil && !found {
		return fmt.Errorf("%w: the JSON has no files as coverage.py writes them", ErrFormat)
	}
	return err
}

// A pyFile is one file of coverage.py's report.
type pyFile struct {
	Executed []int               `json:"executed_lines"`
	Missing  []int               `json:"missing_lines"`
	Contexts map[string][]string `json:"contexts"` // line → what ran it
}

func (f *pyFile) into(b *builder, name string) error {
	to, err := b.file(name)
	if err != nil {
		return err
	}
	for _, n := range f.Missing {
		if err := b.line(to, n, false); err != nil {
			return err
		}
	}
	for _, n := range f.Executed {
		if err := b.line(to, n, true); err != nil {
			return err
		}
		last := &to.Lines[len(to.Lines)-1]
		for _, c := range f.Contexts[strconv.Itoa(n)] {
			if c == "" {
				continue // outside any test, as when a module is imported
			}
			test, _, _ := strings.Cut(c, "|") // pytest-cov adds the phase: setup, run, teardown
			i, err := b.test(test)
			if err == nil {
				err = b.count()
			}
			if err != nil {
				return err
			}
			last.Tests = append(last.Tests, i)
		}
	}
	return nil
}

// parseLLVM reads what llvm-cov export writes: for each file segments, places
// from which on another count holds.
func parseLLVM(in *bufio.Reader, b *builder) error {
	d := json.NewDecoder(in)
	found := false
	err := eachMember(d, func(key string) error {
		if key != "data" {
			return skip(d)
		}
		return eachItem(d, func() error {
			return eachMember(d, func(key string) error {
				if key != "files" {
					return skip(d)
				}
				found = true
				return eachItem(d, func() error {
					var f llvmFile
					if err := d.Decode(&f); err != nil {
						return err
					}
					return f.into(b)
				})
			})
		})
	})
	if err == nil && !found {
		return fmt.Errorf("%w: the JSON has no data as llvm-cov writes it", ErrFormat)
	}
	return err
}

type llvmFile struct {
	Name     string    `json:"filename"`
	Segments []segment `json:"segments"`
}

// A segment says what holds from a place on.
type segment struct {
	line, column int
	count        uint64
	counted      bool // there is a count; else the text belongs to no code
	entry        bool // a region starts here; else one ends
	gap          bool // only white space between statements
}

// UnmarshalJSON reads [line, column, count, counted, entry, gap]; older versions
// leave the last one out.
func (s *segment) UnmarshalJSON(data []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	into := []any{&s.line, &s.column, &s.count, &s.counted, &s.entry, &s.gap}
	if len(raw) < 5 || len(raw) > len(into) {
		return fmt.Errorf("%w: a segment of %d values", ErrFormat, len(raw))
	}
	for i := range raw {
		if err := json.Unmarshal(raw[i], into[i]); err != nil {
			return err
		}
	}
	return nil
}

// into counts lines as llvm-cov shows them: a line ran as often as the region
// that reaches into it, or the one of those starting on it that ran most.
func (f *llvmFile) into(b *builder) error {
	to, err := b.file(f.Name)
	if err != nil {
		return err
	}
	to.spans = true
	var before *segment // the last one of an earlier line
	for i := 0; i < len(f.Segments); {
		line := f.Segments[i].line
		end := i
		for end < len(f.Segments) && f.Segments[end].line == line {
			end++
		}
		here := f.Segments[i:end]
		if err := addLLVM(b, to, line, before, here); err != nil {
			return err
		}
		before = &here[len(here)-1]
		if end == len(f.Segments) {
			return nil
		}
		next := f.Segments[end].line
		if next < line {
			return fmt.Errorf("%w: segments out of order", ErrFormat)
		}
		for l := line + 1; l < next && before.counted; l++ {
			if err := b.line(to, l, before.count > 0); err != nil {
				return err
			}
		}
		i = end
	}
	return nil
}

// addLLVM adds one line that has segments of its own.
func addLLVM(b *builder, to *File, line int, before *segment, here []segment) error {
	if here[0].entry && !here[0].counted {
		return nil // the preprocessor left it out
	}
	ran := before != nil && before.counted && before.count > 0
	mapped := before != nil && before.counted
	for _, s := range here {
		if s.entry && s.counted && !s.gap {
			mapped, ran = true, ran || s.count > 0
		}
	}
	if !mapped {
		return nil
	}
	return b.line(to, line, ran)
}

// eachMember calls fn with every key of the object that comes next; fn reads the
// value.
func eachMember(d *json.Decoder, fn func(key string) error) error {
	return inside(d, '{', func() error {
		key, err := d.Token()
		if err != nil {
			return err
		}
		return fn(key.(string)) // the decoder admits nothing else before a colon
	})
}

// eachItem calls fn for every item of the list that comes next; fn reads it.
func eachItem(d *json.Decoder, fn func() error) error { return inside(d, '[', fn) }

func inside(d *json.Decoder, open json.Delim, each func() error) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	if t != open {
		return fmt.Errorf("%w: the JSON has another shape", ErrFormat)
	}
	for d.More() {
		if err := each(); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// skip reads one value that nobody needs, token by token.
func skip(d *json.Decoder) error {
	depth := 0
	for {
		t, err := d.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
