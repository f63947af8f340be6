package worktree

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
)

const someOID = OID("0123456789abcdef0123456789abcdef01234567")

func TestParseVersion(t *testing.T) {
	for _, c := range []struct {
		line string
		want version
		ok   bool
	}{
		{"git version 2.39.5\n", version{"2.39.5", 2, 39}, true},
		{"git version 2.39.5 (Apple Git-154)\n", version{"2.39.5", 2, 39}, true},
		{"git version 2.45.1.windows.1\n", version{"2.45.1.windows.1", 2, 45}, true},
		{"git version 2.50.0-rc1", version{"2.50.0", 2, 50}, true},
		{"git version 3.0", version{"3.0", 3, 0}, true},
		{"git version 2", version{}, false},
		{"hub version 2.39", version{}, false},
		{"git version 99999.1", version{}, false},
		{"", version{}, false},
	} {
		if got, ok := parseVersion(c.line); got != c.want || ok != c.ok {
			t.Errorf("%q: %+v, %t", c.line, got, ok)
		}
	}
}

func TestRemoteName(t *testing.T) {
	for remote, want := range map[string]string{
		"https://example.com/owner/name.git":         "owner/name",
		"https://example.com/owner/name":             "owner/name",
		"https://example.com/owner/name/":            "owner/name",
		"https://user:pass@example.com/owner/name":   "owner/name",
		"https://token@example.com:8443/o/n.git?x=1": "o/n",
		"ssh://git@example.com/owner/name.git":       "owner/name",
		"git@example.com:owner/name.git":             "owner/name",
		"example.com:owner/name":                     "owner/name",
		"git@example.com:/owner/name.git":            "owner/name",
		"https://example.com/group/sub/name.git":     "group/sub/name",
		"https://example.com/owner/name.js.git":      "owner/name.js",
		"git@example.com:secret@owner/name":          "",
		"https://example.com/name":                   "",
		"https://example.com/":                       "",
		"https://example.com/../name":                "",
		"https://example.com/a//b":                   "",
		"https://example.com/owner/na%0Ame":          "",
		"https://example.com/owner/<script>":         "",
		"/srv/git/owner/name.git":                    "",
		"../owner/name":                              "",
		"file:///srv/owner/name.git":                 "",
		"C:/Users/owner/name":                        "",
		"ext::sh -c id/owner/name":                   "",
		"":                                           "",
	} {
		if got := remoteName(remote); got != want {
			t.Errorf("%q: %q, want %q", remote, got, want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		dir, path string
		want      bool
	}{
		{"/a", "/a", true}, {"/a", "/a/b", true}, {"/a", "/a/..b", true}, {"/a", "/ab", false}, {"/a/b", "/a", false}, {"/", "/a", true},
	} {
		if got := within(c.dir, c.path); got != c.want {
			t.Errorf("%s within %s: %t", c.path, c.dir, got)
		}
	}
}

func TestExactRenamesPreferTheSameFileName(t *testing.T) {
	gone := func(path string, oid OID) Change {
		return Change{Status: Removed, OldPath: path, Path: path, OldMode: ModeFile, OldOID: oid}
	}
	come := func(path string, oid OID) Change { return Change{Status: Added, Path: path, Mode: ModeFile, OID: oid} }
	got := fmt.Sprint(equalContent([]Change{
		come("z/a", "1"), come("b", "1"), gone("x/c", "1"), gone("y/a", "1"), gone("d", "2"), come("e", "3"),
	}))
	if want := "[{y/a z/a 100} {x/c b 100}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestARenameThatNamesOtherFilesIsDropped(t *testing.T) {
	changes := []Change{
		{Status: Removed, OldPath: "old", Path: "old", OldMode: ModeFile, OldOID: "1"},
		{Status: Removed, OldPath: "link", Path: "link", OldMode: ModeSymlink, OldOID: "2"},
		{Status: Added, Path: "new", Mode: ModeFile, OID: "3"},
		{Status: Modified, OldPath: "kept", Path: "kept", OldMode: ModeFile, Mode: ModeFile, OldOID: "4", OID: "5"},
	}
	for _, rn := range []rename{{"kept", "new", 90}, {"old", "kept", 90}, {"no", "new", 90}, {"old", "no", 90}, {"link", "new", 90}} {
		if got := applyRenames(changes, []rename{rn}); fmt.Sprint(got) != fmt.Sprint(changes) {
			t.Errorf("%+v gives %+v", rn, got)
		}
	}
	got := applyRenames(changes, []rename{{"old", "new", 90}, {"old", "new", 80}})
	if len(got) != 3 || got[1].Status != Renamed || got[1].OldPath != "old" || got[1].Similarity != 90 {
		t.Errorf("got %+v", got)
	}
}

// A decoded tree says all that the object said, and no accepted name leaves
// its folder or enters a git dir.
func FuzzDecodeTree(f *testing.F) {
	id := strings.Repeat("\x01", 20)
	f.Add([]byte(""))
	f.Add([]byte("100644 a\x00" + id + "40000 b\x00" + id))
	f.Add([]byte("40000 .git\x00" + id + "120000 .gitmodules\x00" + id + "100644 a/b\x00" + id))
	f.Add([]byte("100644 a\x00" + id + "100644 a\x00" + id))
	f.Add([]byte("100644 a\x00short"))
	f.Add([]byte("0777777 \x00" + id))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := decodeTree(data, 20)
		if err != nil {
			if !errors.Is(err, ErrObjectCorrupt) {
				t.Fatalf("an error without a name: %v", err)
			}
			return
		}
		seen := make(map[string]bool)
		rest := string(data)
		for _, e := range entries {
			_, after, _ := strings.Cut(rest, " ")
			id, err := hex.DecodeString(string(e.oid))
			if err != nil {
				t.Fatal(err)
			}
			encoded := e.name + "\x00" + string(id)
			if !strings.HasPrefix(after, encoded) {
				t.Fatalf("entry %+v is not what comes next in %q", e, after)
			}
			rest = after[len(encoded):]
			if (e.mode == "") != (e.reason != "") {
				t.Fatalf("entry %+v is neither refused nor accepted", e)
			}
			if e.mode == "" {
				continue
			}
			if seen[e.name] || e.name == "" || e.name == "." || e.name == ".." || strings.Contains(e.name, "/") || strings.EqualFold(e.name, ".git") {
				t.Fatalf("accepted %+v", e)
			}
			seen[e.name] = true
		}
		if rest != "" {
			t.Fatalf("%q was left out", rest)
		}
	})
}

// A head that is understood is written back as it came.
func FuzzParseHead(f *testing.F) {
	f.Add(string(someOID) + " blob 12\n")
	f.Add(string(someOID) + " missing\n")
	f.Add(string(someOID) + " blob -1\n")
	f.Add(string(someOID) + " blob 012\n")
	f.Add(string(someOID) + " ambiguous\n")
	f.Add("\n")
	f.Fuzz(func(t *testing.T, line string) {
		h, ok := parseHead(line, someOID)
		if !ok {
			return
		}
		back := fmt.Sprintf("%s %s %d\n", someOID, h.kind, h.size)
		if h.err != nil {
			back = string(someOID) + " missing\n"
		}
		if back != line || h.size < 0 {
			t.Fatalf("%q became %+v", line, h)
		}
	})
}

// Renames that are understood are written back as they came, but for the
// modes and IDs, which have a fixed width.
func FuzzParseRenames(f *testing.F) {
	head := ":100644 100644 " + string(someOID) + " " + string(someOID) + " R"
	f.Add([]byte(head + "100\x00a\x00b\x00"))
	f.Add([]byte(head + "086\x00a\nb\x00\xff\x00" + head + "050\x00c\x00d\x00"))
	f.Add([]byte(head + "101\x00a\x00b\x00"))
	f.Add([]byte(":100644 100644 1 2 M\x00a\x00"))
	f.Add([]byte(head + "100\x00a\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		renames, err := parseRenames(out)
		if err != nil {
			if !errors.Is(err, ErrGitFailed) {
				t.Fatalf("an error without a name: %v", err)
			}
			return
		}
		rest := string(out)
		for _, rn := range renames {
			_, after, _ := strings.Cut(rest, " R")
			want := fmt.Sprintf("%03d\x00%s\x00%s\x00", rn.similarity, rn.from, rn.to)
			if !strings.HasPrefix(after, want) || rn.similarity > 100 {
				t.Fatalf("%+v is not what comes next in %q", rn, after)
			}
			rest = after[len(want):]
		}
		if rest != "" {
			t.Fatalf("%q was left out", rest)
		}
	})
}

// The name of a remote holds nothing that could be a credential, a way out or
// markup.
func FuzzRemoteName(f *testing.F) {
	f.Add("https://user:pass@example.com/owner/name.git")
	f.Add("git@example.com:owner/name.git")
	f.Add("ext::sh -c id")
	f.Add("https://example.com/a/..%2fb")
	f.Fuzz(func(t *testing.T, remote string) {
		name := remoteName(remote)
		if name == "" {
			return
		}
		if !strings.Contains(name, "/") || strings.ContainsAny(name, "@:?#%<>&\\ ") || strings.Contains(name, "..") && strings.Contains("/"+name+"/", "/../") {
			t.Fatalf("%q became %q", remote, name)
		}
		for _, c := range name {
			if c > unicode.MaxASCII || !unicode.IsPrint(c) {
				t.Fatalf("%q became %q", remote, name)
			}
		}
	})
}

func FuzzParseVersion(f *testing.F) {
	f.Add("git version 2.39.5 (Apple Git-154)")
	f.Add("git version 2.a")
	f.Fuzz(func(t *testing.T, line string) {
		v, ok := parseVersion(line)
		if ok && (!strings.HasPrefix(v.text, fmt.Sprint(v.major)) && !strings.HasPrefix(v.text, "0") || v.major < 0 || v.minor < 0 || !strings.Contains(line, v.text)) {
			t.Fatalf("%q became %+v", line, v)
		}
	})
}

// What git says is always shown as one printable line.
func FuzzClean(f *testing.F) {
	f.Add("fatal: bad\x1b[2J\nname\xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range clean(s) {
			if c != ' ' && !unicode.IsPrint(c) {
				t.Fatalf("%q became %q", s, clean(s))
			}
		}
	})
}
