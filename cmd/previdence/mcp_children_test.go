//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/previdence/previdence/worktree/worktreetest"
)

// A build that hangs in git, in a process of a process of the server, goes with
// the server: when its input ends, when it is told to end, and when it is killed.
func TestMCPLeavesNobodyBehind(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for name, end := range map[string]func(*exec.Cmd, io.Closer) error{
		"end of input": func(_ *exec.Cmd, in io.Closer) error { return in.Close() },
		"interrupt":    func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(os.Interrupt) },
		"kill":         func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			repo := worktreetest.New(t)
			repo.Commit(map[string]string{"a.go": "package a\n"})
			// A git that hangs where the build reads blobs, and holds a pipe while it
			// lives. The server reads a few of its own; that git ends with its input.
			bin := t.TempDir()
			pipe := filepath.Join(bin, "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			script := fmt.Sprintf("#!/bin/sh\ncase \"$(ps -o args= -p $PPID) $*\" in *' mcp '*) ;; *cat-file*) exec 9>'%s'; echo hangs >&9; exec sleep 3600;; esac\nexec '%s' \"$@\"\n", pipe, git)
			if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "previdence", "mcp")
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			cmd.Dir = t.TempDir()
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"build_graph","arguments":{"repo_root":%q},%s}}`+"\n", repo.Dir, modernMeta)
			held, err := os.Open(pipe) // when it hangs
			if err != nil {
				t.Fatal(err)
			}
			defer held.Close()
			r := bufio.NewReader(held)
			if line, err := r.ReadString('\n'); err != nil || line != "hangs\n" {
				t.Fatalf("git said %q, %v", line, err)
			}
			if err := end(cmd, in); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil && !strings.Contains(name, "kill") {
				t.Errorf("the server ended with %v", err)
			}
			// The pipe ends with the last process that holds it.
			if rest, err := io.ReadAll(r); err != nil || strings.Trim(string(rest), "hangs\n") != "" {
				t.Errorf("git said %q, %v", rest, err)
			}
		})
	}
}
