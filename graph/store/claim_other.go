//go:build !unix

package store

import (
	"os"
	"time"
)

// abandoned is how old a file is that no build can still be writing.
const abandoned = 24 * time.Hour

// claim cannot ask other processes here, so it goes by age: a file that was
// just made is this process's own, an old one is nobody's.
func claim(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	age := time.Since(info.ModTime())
	return info.Size() == 0 && age < time.Minute || age > abandoned, nil
}

// publish gives a finished file its name. An open file cannot be renamed here.
func publish(f *os.File, path string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
