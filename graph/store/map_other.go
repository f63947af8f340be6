//go:build !unix

package store

import (
	"io"
	"os"
)

// A mapping is a file in memory; here all of it is read.
type mapping struct{ bytes []byte }

func mapFile(f *os.File, size int64) (mapping, error) {
	bytes := make([]byte, size)
	_, err := io.ReadFull(io.NewSectionReader(f, 0, size), bytes)
	return mapping{bytes}, err
}

func (mapping) close() error { return nil }
