package owners

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

// documented has one line for each rule that GitHub's documentation of the format
// explains.
const documented = `# The last matching pattern wins.
*       @global-owner1 @global-owner2

*.js    @js-owner # comments stand after owners, too
*.go    docs@example.com
*.txt   @octo-org/octocats
/build/logs/ @doctocat
docs/*  docs@example.org
apps/   @octocat
/docs/  @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat-logs
/apps/  @octocat-apps
/apps/github
`

func TestOwnersAreThoseThatTheDocumentationNames(t *testing.T) {
	f, err := Parse([]byte(documented))
	if err != nil || len(f.Errors) > 0 {
		t.Fatal(err, f.Errors)
	}
	for path, want := range map[string]string{
		"README.md":                "@global-owner1 @global-owner2",
		"src/deep/app.js":          "@js-owner",
		"src/main.go":              "docs@example.com",
		"notes.txt":                "@octo-org/octocats",
		"build/logs":               "@octocat-logs",
		"build/logs/today.txt":     "@octocat-logs",
		"deeply/nested/logs/a":     "@octocat-logs",
		"docs/getting-started.md":  "@doctocat",
		"docs/build-app/trouble":   "@doctocat",
		"src/docs/guide.md":        "@global-owner1 @global-owner2",
		"src/apps/x.js":            "@octocat",
		"apps/web/index.js":        "@octocat-apps",
		"apps/github":              "",
		"apps/github/webhook.go":   "",
		"apps/github-mirror/x.txt": "@octocat-apps",
		"scripts/release.sh":       "@doctocat @octocat",
	} {
		r, ok := f.Of(path)
		if got := strings.Join(r.Owners, " "); !ok || got != want {
			t.Errorf("%s is owned by %q (line %d), want %q", path, got, r.Line, want)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, yes, no string
	}{
		{"docs/*", "docs/a.md", "docs/deep/a.md x/docs/a.md"},
		{"/docs/**", "docs/a docs/deep/a", "docs x/docs/a"},
		{"docs", "docs docs/a x/docs/a", "docs.md"},
		{"docs/", "docs/a x/docs/deep/a", "docs"},
		{"/docs", "docs docs/a", "x/docs"},
		{"a/b", "a/b a/b/c", "x/a/b"},
		{"a/**/b", "a/b a/x/y/b a/x/b/c", "b"},
		{"*.d.ts", "a.d.ts x/y.d.ts", "a.ts"},
		{"f?o", "foo x/fuo", "fo f/o"},
		{`with\ space.md`, "with space.md", "with"},
		{"{a}", "{a} x/{a}/y", "a"},
		{"ünit.py", "ünit.py", "unit.py"},
		{"**", "a a/b", ""},
		{"/", "", "a a/b"},
		{"/*", "a", "a/b"},
	} {
		f, err := Parse([]byte(c.pattern + " @a"))
		if err != nil || len(f.Errors) > 0 {
			t.Errorf("%s: %v %v", c.pattern, err, f.Errors)
			continue
		}
		paths := strings.Split(c.yes, " ")
		if strings.Contains(c.pattern, `\ `) {
			paths = []string{c.yes}
		}
		for _, p := range paths {
			if _, ok := f.Of(p); !ok && p != "" {
				t.Errorf("%s does not match %s", c.pattern, p)
			}
		}
		for p := range strings.FieldsSeq(c.no) {
			if _, ok := f.Of(p); ok {
				t.Errorf("%s matches %s", c.pattern, p)
			}
		}
	}
}

func TestALineThatMeansNothingIsSkippedAndSaid(t *testing.T) {
	f, err := Parse([]byte("* @all\n!a.go @b\n\\#x @b\n[ab].go @b\na.go @b nobody\nb.go @o/t/x\n[Section] @b\n\xff @b\n# fine\n\n  c.go\t@c\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, e := range f.Errors {
		lines = append(lines, e.Line)
	}
	if !slices.Equal(lines, []int{2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("%+v", f.Errors)
	}
	if r, _ := f.Of("a.go"); r.Line != 1 {
		t.Errorf("a skipped line owns a.go: %+v", r)
	}
	if r, _ := f.Of("c.go"); r.Line != 11 || !slices.Equal(r.Owners, []string{"@c"}) {
		t.Errorf("%+v", r)
	}
}

func TestAFileThatGitHubDoesNotLoadOwnsNothing(t *testing.T) {
	if _, err := Parse(bytes.Repeat([]byte("#"), MaxBytes)); !errors.Is(err, errTooLarge) {
		t.Error(err)
	}
	if f, err := Parse(append([]byte("* @a\n"), bytes.Repeat([]byte("#"), MaxBytes-6)...)); err != nil || len(f.Rules) != 1 {
		t.Error(err, len(f.Rules))
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(documented), "apps/github/x.go")
	f.Add([]byte("a\\ b/**/{x,y}?[ @a"), "a b/x")
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		file, err := Parse(data)
		if err != nil {
			return
		}
		last := 0
		for _, r := range file.Rules {
			if r.Line <= last || r.Pattern == "" {
				t.Fatalf("%+v after line %d", r, last)
			}
			last = r.Line
		}
		file.Of(path)
	})
}
