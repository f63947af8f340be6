package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errLong means a line above the limit. It was read to its end and dropped.
var errLong = errors.New("the line is too long")

// A lineReader splits a stream into lines and keeps no more than limit bytes of
// one, however long it is.
type lineReader struct {
	r     *bufio.Reader
	limit int
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next returns the next line without its end, in memory of its own, or errLong.
// A last line without an end counts; after it comes io.EOF.
func (l *lineReader) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		if long = long || len(line)+len(part) > l.limit+1; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0 && !long):
			return nil, err
		case long:
			return nil, errLong
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}
