package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestMain makes this program a build that stops before its graph is published,
// if a test starts it so.
func TestMain(m *testing.M) {
	if dir := os.Getenv("STORE_TEST_BUILD_IN"); dir != "" {
		if _, err := create(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("building")
		time.Sleep(time.Minute)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// building starts another process that builds a graph in dir and returns what
// kills it.
func building(t *testing.T, dir string) (kill func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_BUILD_IN="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, len("building"))
	if _, err := out.Read(said); err != nil || string(said) != "building" {
		t.Fatalf("the other build said %q, %v", said, err)
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	}
}

func TestWhatAKilledBuildLeftIsRemovedByTheNext(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*c")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	kill := building(t, dir)
	path := filepath.Join(dir, "graph.db")
	left := func() int {
		entries, err := filepath.Glob(filepath.Join(escapeGlob(dir), temporary))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	if err := Write(t.Context(), path, small(), Stamp{}); err != nil {
		t.Fatal(err)
	}
	if n := left(); n != 1 {
		t.Errorf("%d files being built, want the one of the build that runs", n)
	}
	kill()
	if _, err := Open(t.Context(), filepath.Join(dir, "other.db")); !errors.Is(err, ErrNotReady) {
		t.Errorf("a killed build is visible: %v", err)
	}
	if err := Write(t.Context(), path, small(), Stamp{}); err != nil {
		t.Fatal(err)
	}
	if n := left(); n != 0 {
		t.Errorf("%d files are left", n)
	}
	openGraph(t, path)
}

func TestReapTouchesOnlyFilesBeingBuilt(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"graph.db", "x.building", ".graph-1.db", "keep"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "keep"), filepath.Join(dir, ".graph-2.building")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".graph-3.building"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".graph-4.building"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if gone, err := Reap(dir); err != nil || len(gone) != 1 {
		t.Errorf("gone are %v, %v; want one", gone, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 6 {
		t.Errorf("left are %v, %v; want all but .graph-4.building", entries, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, ".graph-4.building")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestSeveralMayBuildOneGraphAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "graph.db")
	g := synthetic(300, 900)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 3 {
				if err := Write(t.Context(), path, g, Stamp{}); err != nil {
					t.Error(err)
				}
				db, err := Open(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := db.Load(t.Context()); err != nil {
					t.Error(err)
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left are %v, %v; want the graph alone", entries, err)
	}
}
