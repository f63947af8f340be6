package prose

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestKindOf(t *testing.T) {
	for path, want := range map[string]Kind{
		"docs/adrs/7-retries.md":                 ADR,
		"docs/architecture_decisions/7.md":       ADR,
		"adr/README.md":                          "",
		"adr/0000-template.md":                   "",
		"rfcs/text/12-async.rst":                 RFC,
		"docs/rfc-12.md":                         RFC,
		"ops/runbooks/db.adoc":                   Runbook,
		"docs/db-runbook.md":                     Runbook,
		"docs/postmortems/2021.md":               Postmortem,
		"pay/AGENTS.md":                          Rules,
		".github/instructions/a.instructions.md": Rules,
		"docs/guide.md":                          "",
		"docs/decisions.md":                      "",
		"docs/design.md":                         "",
	} {
		if got := KindOf(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestHome(t *testing.T) {
	for path, want := range map[string]string{
		"pay/AGENTS.md": "pay", "pay/docs/adr/1.md": "pay", "docs/adr/1.md": "", "AGENTS.md": "", "a/b/runbooks/x.md": "a/b",
	} {
		if got := Home(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestStatus(t *testing.T) {
	for text, want := range map[string]string{
		"# 1\n\n## Status\n\nAccepted by all\n":       "accepted",
		"Status\n------\n\nSuperseded by [2](2.md)\n": "superseded",
		"* Status: **rejected**\n":                    "rejected",
		"- **Status:** proposed\n":                    "proposed",
		"Status codes are numbers.\n\n404\n":          "",
		"nothing":                                     "",
	} {
		if got := Status([]byte(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestReadFront(t *testing.T) {
	f, err := ReadFront([]byte("---\ntitle: x\nstatus: Accepted\ntype: ADR\ndeciders: [ann, bob]\npaths:\n  - pay/**\n  - /shop/\napplyTo: '**/*.{ts,tsx}, *.sql'\n---\ntext\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.Patterns, " "); got != "pay/** /shop/ **/*.{ts,tsx} *.sql" {
		t.Errorf("patterns: %s", got)
	}
	if f.Line != 6 || f.Type != ADR || f.Status != "accepted" || strings.Join(f.Owners, " ") != "ann bob" {
		t.Errorf("got %+v", f)
	}
	for path, want := range map[string]bool{"pay/a.go": true, "pay/b/c.go": true, "shop/x": true, "a/b.tsx": true, "db/1.sql": true,
		"payment/a.go": false, "a.go": false} {
		if got := f.Governs(path); got != want {
			t.Errorf("%s: got %v", path, got)
		}
	}
}

func TestFrontMatterThatIsNone(t *testing.T) {
	for _, text := range []string{"", "text", "---\na line\n", "---\n- a\n---\n", "---\n---\n"} {
		if f, err := ReadFront([]byte(text)); err != nil || len(f.Patterns) > 0 {
			t.Errorf("%q: got %+v, %v", text, f, err)
		}
	}
	for name, text := range map[string]string{
		"no YAML":            "---\npaths: [a\n---\n",
		"no pattern":         "---\npaths: ['[']\n---\n",
		"too many stars":     "---\npaths: ['" + strings.Repeat("**/", 9) + "']\n---\n",
		"too long a pattern": "---\npaths: [" + strings.Repeat("a", maxPattern+1) + "]\n---\n",
		"too many patterns":  "---\npaths: '" + strings.Repeat("a,", maxPatterns+1) + "'\n---\n",
		"too large":          "---\n" + strings.Repeat("a: b # \n", maxFront) + "---\n",
	} {
		if _, err := ReadFront([]byte(text)); !errors.Is(err, errFront) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func said(text, document string) string {
	var all []string
	for w := range Words([]byte(text)) {
		all = append(all, w.Paths(document)...)
	}
	return strings.Join(all, " ")
}

func TestPaths(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"from the folder and from the root", "see pay/a.go.", "docs/pay/a.go pay/a.go"},
		{"a bare name as code is one of this folder", "`conf.py` and other.py", "docs/conf.py"},
		{"up and rooted", "[x](../a.go#L3) (/b.go:12)", "a.go b.go"},
		{"a folder", "in `pay/core/`,", "docs/pay/core pay/core"},
		{"a folder of the root", "`pay/` but not shop/", "docs/pay pay"},
		{"no address", "https://example.com/pay/a.go", ""},
		{"no dots alone", "`..` ./ / ...", ""},
		{"a block of code", "```sh\nrun main.py\n```\nmain.py", "docs/run docs/main.py"},
	} {
		if got := said(c.text, "docs/x.md"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzProse(f *testing.F) {
	f.Add("docs/adr/1.md", []byte("---\npaths: [a, '**/b']\nowner: &a x\nowners: [*a]\n---\n# x\n\n`a/b.go` --flag\n"))
	f.Add("x", []byte("```\n`a\n"))
	f.Fuzz(func(t *testing.T, file string, data []byte) {
		if len(data) > 4096 {
			return
		}
		KindOf(file)
		Home(file)
		if s := Status(data); s != "" && !slices.Contains(statuses, s) {
			t.Errorf("status %q", s)
		}
		if front, err := ReadFront(data); err == nil {
			front.Governs(file)
		}
		lines := 1 + strings.Count(string(data), "\n")
		for w := range Words(data) {
			if w.Line < 1 || w.Line > lines || !strings.Contains(string(data), w.Text) {
				t.Errorf("no such word: %+v", w)
			}
			w.Paths(file)
		}
	})
}
