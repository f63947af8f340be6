package provenance_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// Each row is dirty although, as noted, git status may call it clean.
func TestRefusesToCallFilesClean(t *testing.T) {
	type situation struct {
		name  string
		blind bool // git status sees nothing
		make  func(*testing.T, *worktreetest.Repo)
		want  []provenance.Dirt
	}
	one := func(which, path string) []provenance.Dirt { return []provenance.Dirt{{Case: which, Path: path}} }
	write := func(path, text string) func(*testing.T, *worktreetest.Repo) {
		return func(_ *testing.T, r *worktreetest.Repo) { r.Write(map[string]string{path: text}) }
	}
	for _, tt := range []situation{
		{"nothing is dirty", true, func(*testing.T, *worktreetest.Repo) {}, nil},
		{"a file without meaning for the graph is not", false, write("notes.txt", "x"), nil},
		{"modified", false, write("a.go", "package x\n"), one("modified", "a.go")},
		{"modified, same size and time", false, func(t *testing.T, r *worktreetest.Repo) {
			path := filepath.Join(r.Dir, "a.go")
			info, err := os.Stat(path)
			must(t, err, os.WriteFile(path, []byte("package z\n"), 0o600), os.Chtimes(path, info.ModTime(), info.ModTime()))
		}, one("modified", "a.go")},
		{"modified behind a forged time and a lax stat", true, func(t *testing.T, r *worktreetest.Repo) {
			path := filepath.Join(r.Dir, "a.go")
			// The index must not be as young as the file, or git looks again.
			old := time.Now().Add(-time.Hour)
			must(t, os.Chtimes(path, old, old))
			r.Git("config", "core.checkStat", "minimal")
			r.Git("config", "core.trustctime", "false")
			r.Git("update-index", "--refresh")
			must(t, os.WriteFile(path, []byte("package z\n"), 0o600), os.Chtimes(path, old, old))
		}, one("modified", "a.go")},
		{"other line ends, which git converts", true, func(t *testing.T, r *worktreetest.Repo) {
			r.Git("config", "core.autocrlf", "true")
			must(t, os.Remove(filepath.Join(r.Dir, "a.go")))
			r.Git("checkout", "--", "a.go")
		}, one("modified", "a.go")},
		{"a filter that undoes the change", true, func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.WriteFile(filepath.Join(r.Dir, ".git", "info", "attributes"), []byte("a.go filter=lie\n"), 0o600))
			r.Git("config", "filter.lie.clean", "echo package a")
			r.Write(map[string]string{"a.go": "package z\n"})
		}, one("modified", "a.go")},
		{"staged", false, func(_ *testing.T, r *worktreetest.Repo) {
			r.Write(map[string]string{"a.go": "package x\n"})
			r.Git("add", "a.go")
			r.Write(map[string]string{"a.go": "package a\n"})
		}, one("staged", "a.go")},
		{"staged removal", false, func(_ *testing.T, r *worktreetest.Repo) { r.Git("rm", "-q", "--cached", "a.go") }, one("staged", "a.go")},
		{"staged addition of an empty file", false, func(_ *testing.T, r *worktreetest.Repo) {
			r.Write(map[string]string{"n.go": ""})
			r.Git("add", "n.go")
		}, one("staged", "n.go")},
		{"deleted", false, func(t *testing.T, r *worktreetest.Repo) { must(t, os.Remove(filepath.Join(r.Dir, "a.go"))) }, one("deleted", "a.go")},
		{"a folder that became a link", false, func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.Rename(filepath.Join(r.Dir, "b"), filepath.Join(r.Dir, "c")), os.Symlink("c", filepath.Join(r.Dir, "b")))
		}, []provenance.Dirt{{Case: "deleted", Path: "b/b.go"}, {Case: "untracked_source", Path: "c/"}}},
		{"untracked source", false, write("new.py", "x = 1\n"), one("untracked_source", "new.py")},
		{"untracked folder with a source deep in it", false, write("x/y/z.ts", ""), one("untracked_source", "x/")},
		{"untracked script without an ending", false, write("run", "#!/bin/sh\n"), one("untracked_source", "run")},
		{"ignored source", true, func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.WriteFile(filepath.Join(r.Dir, ".git", "info", "exclude"), []byte("*.go\n"), 0o600))
			r.Write(map[string]string{"hidden.go": "package a\n"})
		}, one("untracked_source", "hidden.go")},
		{"source hidden by the user's excludes", true, func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.WriteFile(filepath.Join(r.Dir, ".git", "excludes"), []byte("hidden.go\n"), 0o600))
			r.Git("config", "core.excludesFile", filepath.Join(r.Dir, ".git", "excludes"))
			r.Write(map[string]string{"hidden.go": "package a\n"})
		}, one("untracked_source", "hidden.go")},
		{"mode", false, func(t *testing.T, r *worktreetest.Repo) { must(t, os.Chmod(filepath.Join(r.Dir, "a.go"), 0o700)) }, one("mode", "a.go")},
		{"mode, which git is told not to see", true, func(t *testing.T, r *worktreetest.Repo) {
			r.Git("config", "core.fileMode", "false")
			must(t, os.Chmod(filepath.Join(r.Dir, "a.go"), 0o700))
		}, one("mode", "a.go")},
		{"type change, file to link", false, func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.Remove(filepath.Join(r.Dir, "a.go")), os.Symlink("b/b.go", filepath.Join(r.Dir, "a.go")))
		}, one("type_change", "a.go")},
		{"type change, link to file with its target", false, func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.Remove(filepath.Join(r.Dir, "link")), os.WriteFile(filepath.Join(r.Dir, "link"), []byte("a.go"), 0o600))
		}, one("type_change", "link")},
		{"links are plain files where git is configured so", true, func(t *testing.T, r *worktreetest.Repo) {
			r.Git("config", "core.symlinks", "false")
			must(t, os.Remove(filepath.Join(r.Dir, "link")), os.WriteFile(filepath.Join(r.Dir, "link"), []byte("a.go"), 0o600))
		}, nil},
		{"a link with another target", false, func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.Remove(filepath.Join(r.Dir, "link")), os.Symlink("b", filepath.Join(r.Dir, "link")))
		}, one("modified", "link")},
		{"type change, file to folder", false, func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.Remove(filepath.Join(r.Dir, "a.go")), os.Mkdir(filepath.Join(r.Dir, "a.go"), 0o700))
		}, one("type_change", "a.go")},
		{"intent to add", false, func(_ *testing.T, r *worktreetest.Repo) {
			r.Write(map[string]string{"n.go": "package n\n"})
			r.Git("add", "-N", "n.go")
		}, one("intent_to_add", "n.go")},
		{"unmerged", false, func(_ *testing.T, r *worktreetest.Repo) {
			r.Checkout("other", "main")
			r.Commit(map[string]string{"a.go": "package x\n"})
			r.Checkout("main")
			r.Commit(map[string]string{"a.go": "package y\n"})
			_, _ = r.Try(nil, "merge", "-q", "other") // it conflicts
		}, []provenance.Dirt{{Case: "modified", Path: "a.go"}, {Case: "unmerged", Path: "a.go"}}},
		{"assume-unchanged, even if it is", true, func(_ *testing.T, r *worktreetest.Repo) { r.Git("update-index", "--assume-unchanged", "a.go") },
			one("assume_unchanged", "a.go")},
		{"skip-worktree", true, func(_ *testing.T, r *worktreetest.Repo) {
			r.Git("update-index", "--skip-worktree", "a.go")
		}, one("skip_worktree", "a.go")},
		{"sparse", true, func(_ *testing.T, r *worktreetest.Repo) {
			r.Git("sparse-checkout", "set", "--no-cone", "/a.go", "/link")
		},
			one("sparse", "b/b.go")},
		{"sparse, with an index that holds folders", true, func(_ *testing.T, r *worktreetest.Repo) {
			r.Git("sparse-checkout", "set", "--cone", "--sparse-index", "none")
		}, one("sparse", "b/b.go")},
		{"a split index", false, func(_ *testing.T, r *worktreetest.Repo) {
			r.Git("update-index", "--split-index")
			r.Write(map[string]string{"a.go": "package x\n"})
			r.Git("add", "a.go")
		}, []provenance.Dirt{{Case: "modified", Path: "a.go"}, {Case: "staged", Path: "a.go"}}},
		{"another worktree named by the configuration", true, func(t *testing.T, r *worktreetest.Repo) {
			clean := t.TempDir()
			must(t, os.CopyFS(clean, os.DirFS(r.Dir)), os.RemoveAll(filepath.Join(clean, ".git")))
			r.Git("config", "core.worktree", r.Dir)
			r.Write(map[string]string{"b/b.go": "package x\n"})
			r.Git("update-index", "--assume-unchanged", "b/b.go")
		}, []provenance.Dirt{{Case: "assume_unchanged", Path: "b/b.go"}, {Case: "modified", Path: "b/b.go"}}},
		{"a monitor that lies", true, func(t *testing.T, r *worktreetest.Repo) {
			liar := filepath.Join(r.Dir, ".git", "liar")
			must(t, os.WriteFile(liar, []byte("#!/bin/sh\nprintf 'token\\0'\n"), 0o700))
			r.Git("config", "core.fsmonitor", liar)
			r.Git("config", "core.fsmonitorHookVersion", "2")
			r.Git("update-index", "--fsmonitor")
			r.Git("status")
			r.Git("update-index", "--fsmonitor-valid", "a.go")
			r.Write(map[string]string{"a.go": "package x\n"})
		}, one("modified", "a.go")},
		{"an embedded repository", false, func(_ *testing.T, r *worktreetest.Repo) {
			r.Git("init", "-q", "inner")
		}, one("embedded_repository", "inner/")},
		{"a repository embedded around tracked files", true, func(_ *testing.T, r *worktreetest.Repo) {
			r.Git("init", "-q", "b")
		}, one("embedded_repository", "b/")},
	} {
		for _, known := range []bool{false, true} {
			if known {
				tt.name += ", after it was clean"
			}
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				r := worktreetest.New(t)
				must(t, os.Symlink("a.go", filepath.Join(r.Dir, "link")))
				r.Commit(map[string]string{"a.go": "package a\n", "b/b.go": "package b\n"})
				if known {
					knowClean(t, r, 2)
				}
				tt.make(t, r)
				status, err := r.Try(nil, "-c", "status.showUntrackedFiles=all", "status", "--porcelain")
				if blind := err == nil && status == ""; blind != tt.blind {
					t.Errorf("git status says %q, %v", status, err)
				}
				got, err := provenance.Clean(t.Context(), r.Open(), index.Reads)
				must(t, err)
				if !slices.Equal(got, tt.want) {
					t.Errorf("got %v, want %v", got, tt.want)
				}
			})
		}
	}
}

// knowClean compares files until so many are known to be those of their blobs.
func knowClean(t *testing.T, r *worktreetest.Repo, files int) {
	t.Helper()
	build(t, r) // where the graph lies, what is known of files does, too
	for range 1000 {
		dirt, err := provenance.Clean(t.Context(), r.Open(), index.Reads)
		if must(t, err); len(dirt) > 0 {
			t.Fatalf("not clean: %v", dirt)
		}
		states, err := os.ReadFile(knownFiles(t, r))
		if err == nil && bytes.Count(states, []byte{0}) == files {
			return
		}
		time.Sleep(time.Millisecond) // the files are as young as the comparison
	}
	t.Fatalf("%d files never became known", files)
}

// knownFiles is where what is known of files is kept.
func knownFiles(t *testing.T, r *worktreetest.Repo) string {
	t.Helper()
	return filepath.Join(filepath.Dir(file(t, r)), "files.seal")
}

func TestAFileIsHashedOnceInEachState(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n", "b/b.go": "package b\n"})
	knowClean(t, r, 2)
	// Whoever may write there could write a graph as well. That what he wrote is
	// believed shows that the file was not read.
	r.Write(map[string]string{"a.go": "package x\n"})
	lie(t, r, "a.go")
	clean := func(when string, want ...provenance.Dirt) {
		t.Helper()
		got, err := provenance.Clean(t.Context(), r.Open(), index.Reads)
		if must(t, err); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
	}
	clean("as it was known")
	modified := provenance.Dirt{Case: "modified", Path: "a.go"}
	now := time.Now()
	must(t, os.Chtimes(filepath.Join(r.Dir, "a.go"), now, now))
	clean("touched", modified)
	lie(t, r, "a.go")
	must(t, os.Truncate(knownFiles(t, r), 30))
	clean("what was known is cut short", modified)
	must(t, os.WriteFile(knownFiles(t, r), []byte("previdence.files/v1\x00\x00"), 0o600))
	clean("nothing was known", modified)
}

// lie says of a file as it lies there that it has the content of its blob.
func lie(t *testing.T, r *worktreetest.Repo, path string) {
	t.Helper()
	info, err := os.Lstat(filepath.Join(r.Dir, path))
	must(t, err)
	if provenance.Changed(info) == 0 {
		if runtime.GOOS == "linux" {
			t.Fatal("Linux says when a file was changed, and it was not read")
		}
		t.Skipf("%s does not say when a file was changed, so nothing is ever known of one", runtime.GOOS)
	}
	device, inode := provenance.Identity(info)
	state := fmt.Sprintf("%s %d:%d %d %d %d %s", r.Git("rev-parse", "HEAD:"+path), device, inode, info.Size(), info.ModTime().UnixNano(), provenance.Changed(info), path)
	must(t, os.WriteFile(knownFiles(t, r), []byte("previdence.files/v1\x00"+state), 0o600))
	time.Sleep(20 * time.Millisecond) // later than the file was written to
}

func TestRefusesToCallASubmoduleClean(t *testing.T) {
	inner := worktreetest.New(t)
	inner.Commit(map[string]string{"s.go": "package s\n"})
	r := worktreetest.New(t)
	r.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "sub")
	r.Git("config", "-f", ".gitmodules", "submodule.sub.ignore", "all")
	r.Commit(nil)
	sub := r.At(filepath.Join(r.Dir, "sub"))
	check := func(when string, want ...provenance.Dirt) {
		t.Helper()
		got, err := provenance.Clean(t.Context(), r.Open(), index.Reads)
		if must(t, err); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
	}
	dirty := provenance.Dirt{Case: "submodule", Path: "sub"}
	check("at its commit")
	sub.Write(map[string]string{"s.go": "package x\n"})
	check("dirty itself, which .gitmodules hides", dirty)
	sub.Commit(nil)
	check("at another commit", dirty)
	must(t, os.RemoveAll(sub.Dir), os.Mkdir(sub.Dir, 0o700))
	check("not checked out")
	sub.Write(map[string]string{"s.go": "package s\n"})
	check("files without a repository", dirty)
	must(t, os.RemoveAll(sub.Dir))
	check("gone", provenance.Dirt{Case: "deleted", Path: "sub"})
}

func TestABareRepositoryHasNoFilesToCompare(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	bare := r.Clone("--bare")
	if _, err := provenance.Clean(t.Context(), bare.Open(), index.Reads); !errors.Is(err, provenance.ErrNoWorktree) {
		t.Errorf("got %v", err)
	}
	build(t, bare)
	if got := refusal(t, bare.Open(), query()); got != "" {
		t.Errorf("its graph is refused: %s", got)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	files := map[string]string{}
	for i := range 80 {
		files[string(rune('a'+i%26))+string(rune('a'+i/26))+".py"] = "x = 1\n"
	}
	r.Write(files)
	got, err := provenance.Clean(t.Context(), r.Open(), index.Reads)
	if must(t, err); len(got) != 50 {
		t.Errorf("%d findings, want 50", len(got))
	}
}

func TestNoProgramRunsToProveFilesClean(t *testing.T) {
	for _, source := range worktreetest.Sources() {
		t.Run(string(source), func(t *testing.T) {
			t.Parallel()
			h := worktreetest.NewHostile(t, source)
			got, err := provenance.Clean(t.Context(), h.Open(), index.Reads)
			must(t, err)
			if !slices.Contains(got, provenance.Dirt{Case: "modified", Path: "a.txt"}) {
				t.Errorf("got %v", got)
			}
			ran := h.Ran()
			t.Logf("%d of %d vectors ran", len(ran), len(h.Vectors()))
			if len(ran) > 0 {
				t.Errorf("programs of the repository ran: %q", ran)
			}
		})
	}
}
