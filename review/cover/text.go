package cover

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// parseGo reads a Go cover profile: "name:line.column,line.column statements
// count" for each block. A line ran if one of its blocks did: the line of an if
// belongs to the block before it and to the one that it opens.
func parseGo(in *bufio.Reader, b *builder) error {
	return eachLine(in, func(n int, text string) error {
		if text == "" || strings.HasPrefix(text, "mode: ") { // concatenated profiles repeat it
			return nil
		}
		name, block, err := cutBlock(text)
		if err != nil {
			return fmt.Errorf("%w: line %d is no block of a cover profile", ErrFormat, n)
		}
		f, err := b.file(name)
		if err != nil {
			return err
		}
		f.marks = append(f.marks, mark{block.line, block.column})
		last := int(block.endLine)
		if block.endColumn <= 1 && last > int(block.line) {
			last-- // it ends before the first byte of that line
		}
		for l := int(block.line); l <= last; l++ {
			if err := b.line(f, l, block.count > 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// A block is one row of a Go cover profile.
type block struct {
	line, column, endLine, endColumn int32
	count                            int64
}

var errBlock = errors.New("no block")

// cutBlock takes a row apart from behind: a name may hold colons and spaces.
func cutBlock(text string) (name string, b block, err error) {
	colon := strings.LastIndexByte(text, ':')
	if colon < 1 {
		return "", b, errBlock
	}
	fields := strings.Fields(text[colon+1:])
	if len(fields) != 3 {
		return "", b, errBlock
	}
	from, to, ok := strings.Cut(fields[0], ",")
	if !ok || !place(from, &b.line, &b.column) || !place(to, &b.endLine, &b.endColumn) {
		return "", b, errBlock
	}
	if _, err := strconv.ParseUint(fields[1], 10, 32); err != nil {
		return "", b, errBlock
	}
	if b.count, err = strconv.ParseInt(fields[2], 10, 64); err != nil || b.count < 0 || b.endLine < b.line {
		return "", b, errBlock
	}
	return text[:colon], b, nil
}

func place(text string, line, column *int32) bool {
	l, c, ok := strings.Cut(text, ".")
	n, err := strconv.ParseUint(l, 10, 31)
	m, err2 := strconv.ParseUint(c, 10, 31)
	*line, *column = int32(n), int32(m)
	return ok && err == nil && err2 == nil && n > 0 && m > 0
}

// parseLCOV reads a tracefile: TN names the test of the records that follow, SF
// names a file, DA says how often a line ran. Everything else, such as branches
// and totals, is for others.
func parseLCOV(in *bufio.Reader, b *builder) error {
	var f *File
	test := noTest
	open := false // between SF and end_of_record
	err := eachLine(in, func(n int, text string) (err error) {
		key, value, _ := strings.Cut(text, ":")
		switch key {
		case "TN":
			if test = noTest; value != "" {
				test, err = b.test(value)
			}
		case "SF":
			f, err = b.file(value)
			open = true
		case "end_of_record":
			f, open = nil, false
		case "DA":
			number, count, ok := daRow(value)
			if !ok || f == nil {
				return fmt.Errorf("%w: line %d is no DA record of a file", ErrFormat, n)
			}
			err = b.lineOf(f, number, count, test)
		}
		return err
	})
	if err == nil && open {
		return fmt.Errorf("%w: the tracefile ends within a record", ErrFormat)
	}
	return err
}

// noTest stands for a run of which nobody said what test it was.
const noTest = int32(-1)

// lineOf adds one measurement of one line by one test.
func (b *builder) lineOf(f *File, number int, ran bool, test int32) error {
	if err := b.line(f, number, ran); err != nil || !ran {
		return err
	}
	if test == noTest {
		f.Untold = true
		return nil
	}
	f.Lines[len(f.Lines)-1].Tests = []int32{test}
	return b.count()
}

// daRow reads "line,count[,checksum]". Some tools write counts as fractions or
// below zero where a counter overflowed, which still means that it ran.
func daRow(value string) (number int, ran, ok bool) {
	fields := strings.Split(value, ",")
	if len(fields) < 2 {
		return 0, false, false
	}
	number, err := strconv.Atoi(fields[0])
	count, err2 := strconv.ParseFloat(fields[1], 64)
	return number, count != 0, err == nil && err2 == nil
}

// eachLine calls fn with every line, without its end.
func eachLine(in *bufio.Reader, fn func(n int, text string) error) error {
	for n := 1; ; n++ {
		text, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("%w: line %d is longer than any record", ErrFormat, n)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(text) > 0 {
			if err := fn(n, strings.TrimRight(string(text), "\r\n")); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}
