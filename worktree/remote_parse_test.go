package worktree

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	for text, protocol := range map[string]string{
		"https://example.com/o/r":              "https",
		"http://example.com:8080/o/r.git":      "http",
		"https://user:secret@example.com/o/r":  "https",
		"ssh://git@example.com:22/o/r.git":     "ssh",
		"git@example.com:o/r.git":              "ssh",
		"example.com:o/r":                      "ssh",
		"git@example.com:/srv/r":               "ssh",
		"file:///srv/r.git":                    "file",
		"/srv/with space/r.git":                "file",
		"/srv/a::b":                            "file",
		"":                                     "",
		"relative/path":                        "",
		"ext::sh -c id":                        "",
		"ext://x":                              "",
		"fd::17":                               "",
		"git://example.com/o/r":                "",
		"ftp://example.com/o/r":                "",
		"HTTPS://example.com/o/r":              "",
		"https://":                             "",
		"https://example.com":                  "",
		"https://example.com/":                 "",
		"https://-oProxyCommand=id/o/r":        "",
		"ssh://-oProxyCommand=id/o/r":          "",
		"ssh://-oProxyCommand=id@example.com/": "",
		"ssh://example.com/-oProxyCommand":     "",
		"-oProxyCommand=id:o/r":                "",
		"git@-oProxyCommand=id:o/r":            "",
		"git@example.com:-x":                   "",
		"--upload-pack=id":                     "",
		"file://host/srv/r.git":                "",
		"file://relative":                      "",
		"https://example.com/o/r\nhost=x":      "",
		"https://example.com/%zz":              "",
		"/srv/" + strings.Repeat("a", maxURL):  "",
	} {
		u, err := parseURL(text)
		if protocol == "" {
			if !errors.Is(err, ErrBadURL) {
				t.Errorf("%.60q is accepted as %q", text, u.protocol)
			}
			continue
		}
		if err != nil || u.protocol != protocol || u.text != text {
			t.Errorf("%q: %+v, %v, want %s", text, u, err, protocol)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{"https://u:p@example.com/o/r", "git@example.com:o/r", "/srv/r", "ext::id", "file:///x", "-x:y", "ssh://-x/y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := parseURL(text)
		if err != nil {
			if !errors.Is(err, ErrBadURL) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		// What git takes for a helper's name or an option.
		helper, _, isHelper := strings.Cut(text, "::")
		if strings.HasPrefix(text, "-") || isHelper && !filepath.IsAbs(text) && !strings.ContainsAny(helper, ":/@") {
			t.Errorf("%q is accepted", text)
		}
		if strings.ContainsAny(text, "\n\r\x00") || len(text) > maxURL {
			t.Errorf("%q is accepted", text)
		}
		switch u.protocol {
		case "http", "https", "ssh", "file":
		default:
			t.Errorf("%q has the protocol %q", text, u.protocol)
		}
	})
}

func TestRedactedHidesUserAndPassword(t *testing.T) {
	for text, want := range map[string]string{
		"https://user:pass@example.com/o/r":  "https://example.com/o/r",
		"https://to@ken@example.com/o@x/r":   "https://example.com/o@x/r",
		"https://example.com/o/r":            "https://example.com/o/r",
		"https://user:pass@example.com":      "https://example.com",
		"/srv/a@b":                           "/srv/a@b",
		"ssh://git:pass@example.com:22/o/r ": "ssh://example.com:22/o/r ",
	} {
		if got := redacted(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestParseAdvertised(t *testing.T) {
	r := &Repo{format: formatSHA1}
	oid := string(someOID)
	a, err := r.parseAdvertised("ref: refs/heads/dev\tHEAD\n" + oid + "\tHEAD\n" + oid + "\trefs/heads/dev\n" + oid + "\trefs/heads/x\n")
	if err != nil || a.head != "refs/heads/dev" || len(a.refs) != 3 || a.refs["refs/heads/x"] != someOID {
		t.Errorf("%+v, %v", a, err)
	}
	if got := a.only(someOID); got != "refs/heads/dev" {
		t.Errorf("of two branches at one commit %q is taken, want the default one", got)
	}
	a.head = ""
	if got := a.only(someOID); got != "" {
		t.Errorf("of two branches at one commit %q is taken, want none", got)
	}
	a, err = r.parseAdvertised("ref: refs/tags/v1\tHEAD\nref: refs/heads/y\trefs/remotes/o/HEAD\n")
	if err != nil || a.head != "" {
		t.Errorf("HEAD is taken for the branch %q, %v", a.head, err)
	}
	for _, text := range []string{"x", oid + "\t\n", oid + " refs/heads/x\n", oid[1:] + "\trefs/heads/x\n", "warning: \tx\n"} {
		if a, err := r.parseAdvertised(text); !errors.Is(err, ErrFetchFailed) {
			t.Errorf("%q: %+v, %v", text, a, err)
		}
	}
}

func FuzzParseAdvertised(f *testing.F) {
	f.Add("ref: refs/heads/dev\tHEAD\n" + string(someOID) + "\tHEAD\n")
	f.Add("\t\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := &Repo{format: formatSHA1}
		a, err := r.parseAdvertised(text)
		if err != nil {
			if !errors.Is(err, ErrFetchFailed) {
				t.Error(err)
			}
			return
		}
		if a.head != "" && !strings.HasPrefix(a.head, "refs/heads/") {
			t.Errorf("HEAD is at %q", a.head)
		}
		for ref, oid := range a.refs {
			if ref == "" || !r.valid(oid) || !strings.Contains(text, string(oid)+"\t"+ref) {
				t.Errorf("%q at %q", ref, oid)
			}
		}
	})
}

func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(`{"state":"ready","number":7,"head":"x","root":"/s/pr-7","device":1,"inode":2}`))
	f.Add([]byte(`{"state":"ready","number":7,"root":"/"}`))
	f.Add([]byte(`{"state":"half_made","number":7,"root":"/s/../pr-7"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseRecord(text)
		if err != nil {
			return
		}
		// The root is what gets deleted.
		if !filepath.IsAbs(r.Root) || filepath.Base(r.Root) != pullName(r.Number) || strings.Contains(r.Root, "/../") || r.Number < 1 {
			t.Errorf("%q gives the root %q of %d", text, r.Root, r.Number)
		}
		if r.State != CheckoutReady && r.State != CheckoutMaking && r.State != CheckoutRemoving {
			t.Errorf("%q gives the state %q", text, r.State)
		}
	})
}

func TestParseWorktrees(t *testing.T) {
	text := "worktree /a\x00HEAD x\x00branch refs/heads/main\x00\x00worktree /b\nworktree /c\x00detached\x00locked worktree /d\x00worktree /e\x00\x00"
	got := parseWorktrees(text)
	if len(got) != 2 || got[0] != "/a" || got[1] != "/b\nworktree /c" {
		t.Errorf("%q", got)
	}
}

func FuzzParseWorktrees(f *testing.F) {
	f.Add("worktree /a\x00bare\x00\x00")
	f.Add("locked worktree /a\x00\x00worktree \x00")
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range parseWorktrees(text) {
			if strings.Contains(path, "\x00") || !strings.Contains("\x00\x00"+text, "\x00worktree "+path) {
				t.Errorf("%q gives %q", text, path)
			}
		}
	})
}
