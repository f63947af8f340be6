package pipeline

import (
	"errors"
	"strings"
	"testing"
)

func TestParseRequest(t *testing.T) {
	tests := map[string]Request{
		"12":                             {Pull: 12},
		"#12":                            {Pull: 12},
		"999999999":                      {Pull: 999999999},
		"1234567890":                     {Head: "1234567890"}, // more likely the start of an object ID
		"012":                            {Head: "012"},
		"0":                              {Head: "0"},
		"refs/heads/12":                  {Head: "refs/heads/12"},
		"feature/x":                      {Head: "feature/x"},
		"v1.2.0^":                        {Head: "v1.2.0^"},
		"main...feature":                 {Base: "main", Head: "feature"},
		"main...":                        {Base: "main"},
		"...feature":                     {Head: "feature"},
		"12...34":                        {Base: "12", Head: "34"},
		"./feature":                      {Worktree: "./feature"},
		"../other":                       {Worktree: "../other"},
		".":                              {Worktree: "."},
		"..":                             {Worktree: ".."},
		"/srv/a...b":                     {Worktree: "/srv/a...b"},
		"https://github.com/o/r/pull/56": {Pull: 56, Host: "github.com", Name: "o/r"},
		"https://GitHub.com/O/r.js/pull/56/files":     {Pull: 56, Host: "github.com", Name: "O/r.js"},
		"https://git.example:8443/o/r/pulls/7#x":      {Pull: 7, Host: "git.example:8443", Name: "o/r"},
		"http://localhost/o/r/pull/7/files?w=1...2":   {Pull: 7, Host: "localhost", Name: "o/r"},
		"https://github.com/o/r/pull/56/commits/abcd": {Pull: 56, Host: "github.com", Name: "o/r"},
	}
	for text, want := range tests {
		if got, err := ParseRequest(text); err != nil || got != want {
			t.Errorf("%q: got %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestParseRequestRefuses(t *testing.T) {
	for _, text := range []string{
		"", "a..b", "a...b...c", "a...b..c", "https://github.com/o/r", "https://github.com/o/r/pull/0", "https://github.com/o/r/pull/x",
		"https://github.com/o/r/issues/5", "https://user:secret@github.com/o/r/pull/5", "https:///o/r/pull/5", "https://github.com/o/r/pull/99999999999",
		"https://github.com/o%2F..%2Fx/r/pull/5", "https://github.com/a/b/c/pull/5", "ssh://git@github.com/o/r/pull/5", "file:///o/r/pull/5", "https://[::1/o/r/pull/5",
	} {
		if got, err := ParseRequest(text); !errors.Is(err, ErrBadRequest) {
			t.Errorf("%q: got %+v, %v", text, got, err)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error repeats a password: %v", text, err)
		}
	}
}

// Whatever is typed means one thing at most.
func FuzzParseRequest(f *testing.F) {
	for _, s := range []string{"12", "#1", "a...b", "./x", "https://h/o/n/pull/1", "x", "...", "....", "\x00", "-x", "https://h/o/n/pull/1/../../2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRequest(text)
		if err != nil {
			if r != (Request{}) || !errors.Is(err, ErrBadRequest) {
				t.Fatalf("%q: %+v, %v", text, r, err)
			}
			return
		}
		meanings := 0
		for _, is := range []bool{r.Pull > 0, r.Worktree != "", r.Base != "" || r.Head != ""} {
			if is {
				meanings++
			}
		}
		if meanings > 1 || meanings == 0 && text != "..." {
			t.Fatalf("%q means %+v", text, r)
		}
		if (r.Host == "") != (r.Name == "") || r.Host != "" && r.Pull == 0 || strings.Contains(r.Head, "..") {
			t.Fatalf("%q means %+v", text, r)
		}
	})
}

func TestHostAndName(t *testing.T) {
	tests := map[string][2]string{
		"https://github.com/o/r":              {"github.com", "o/r"},
		"https://github.com/o/r.git":          {"github.com", "o/r"},
		"https://user:pass@github.com/o/r/":   {"github.com", "o/r"},
		"https://git.example:8443/o/r.git":    {"git.example:8443", "o/r"},
		"ssh://git@github.com:22/o/r.git":     {"github.com", "o/r"},
		"git@github.com:o/r.git":              {"github.com", "o/r"},
		"github.com:o/r":                      {"github.com", "o/r"},
		"/srv/git/o/r.git":                    {"", ""},
		"file:///srv/git/o/r.git":             {"", ""},
		"https://github.com/":                 {"", ""},
		"https://github.com.evil.example/o/r": {"github.com.evil.example", "o/r"},
	}
	for remote, want := range tests {
		if host, name := hostAndName(remote); host != want[0] || name != want[1] {
			t.Errorf("%s: got %q %q, want %q", remote, host, name, want)
		}
	}
}
