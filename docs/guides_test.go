package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// included are blocks of a guide that repeat a file, under a comment that names it.
var included = regexp.MustCompile("(?s)<!-- file: ([^ ]+) -->\n```[a-z]*\n(.*?)```\n")

// TestGuidesShowTheFilesThatTheyName compares them, or with UPDATE_GUIDES=1 writes
// the files into the guides.
func TestGuidesShowTheFilesThatTheyName(t *testing.T) {
	guides, err := filepath.Glob("guides/*.md")
	if err != nil || len(guides) == 0 {
		t.Fatal(err, guides)
	}
	found := 0
	for _, guide := range guides {
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		whole := included.ReplaceAllStringFunc(string(text), func(block string) string {
			found++
			m := included.FindStringSubmatch(block)
			file, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(m[1])))
			if err != nil {
				t.Error(err)
				return block
			}
			if m[2] == string(file) {
				return block
			}
			if os.Getenv("UPDATE_GUIDES") == "" {
				t.Errorf("%s does not show %s as it is; run: UPDATE_GUIDES=1 go test ./docs", guide, m[1])
			}
			return strings.Replace(block, m[2]+"```\n", string(file)+"```\n", 1)
		})
		if os.Getenv("UPDATE_GUIDES") != "" && whole != string(text) {
			if err := os.WriteFile(guide, []byte(whole), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if found == 0 {
		t.Error("no block was found, so nothing was compared")
	}
}

// Every input and output of the action stands in its guide, with its default.
func TestTheGuideNamesEveryInputAndOutput(t *testing.T) {
	guide, err := os.ReadFile("guides/github-action.md")
	if err != nil {
		t.Fatal(err)
	}
	action, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(action), "\nruns:\n")
	named := regexp.MustCompile(`(?m)^  ([a-z-]+):\n(?:    .*\n)*`).FindAllString(text, -1)
	if len(named) < 20 {
		t.Fatalf("action.yml has %d inputs and outputs", len(named))
	}
	for _, block := range named {
		name, _, _ := strings.Cut(strings.TrimSpace(block), ":")
		row := regexp.MustCompile("(?m)^\\| `" + name + "` \\|([^|]*)\\|").FindStringSubmatch(string(guide))
		if row == nil {
			t.Errorf("the guide has no row for %s", name)
			continue
		}
		value := regexp.MustCompile(`(?m)^    default: "?([^"\n]*)"?$`).FindStringSubmatch(block)
		if value == nil || name == "token" {
			continue
		}
		want := ""
		if value[1] != "" {
			want = "`" + value[1] + "`"
		}
		if got := strings.TrimSpace(row[1]); got != want {
			t.Errorf("the default of %s is %s in the guide, %s in action.yml", name, got, want)
		}
	}
}
