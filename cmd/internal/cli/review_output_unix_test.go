//go:build unix

package cli

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// As root, a rename over /dev/null would take it away from the whole machine.
func TestWhatIsNoFileIsWrittenToAndStays(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() {
		f, err := os.Open(pipe)
		if err != nil {
			got <- err.Error()
			return
		}
		defer f.Close()
		text, _ := io.ReadAll(f) // what was read is compared
		got <- string(text)
	}()
	if err := writeFile(pipe, []byte("evidence")); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "evidence" {
		t.Errorf("the pipe got %q", text)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().IsRegular() {
		t.Errorf("the pipe is %v now, %v", info, err)
	}
}
