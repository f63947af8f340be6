package cli

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/provenance"
)

// answers names the type of each command's JSON answer, as docs/graph.md does.
var answers = map[string]any{
	"build":    answer.Status{},
	"search":   answer.Symbols{},
	"callers":  answer.Neighbours{},
	"radius":   answer.Radius{},
	"path":     answer.Path{},
	"source":   answer.Source{},
	"coverage": answer.Coverage{},
	"edges":    answer.Edges{},
}

// fields lists the JSON names of a struct's own fields.
func fields(v any) []string {
	var names []string
	for f := range reflect.TypeOf(v).Fields() {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag != "" {
			names = append(names, tag)
		}
	}
	return names
}

var (
	braces = regexp.MustCompile(`\{[^}]*\}|\[\]`)
	names  = regexp.MustCompile("[a-z_]+")
)

func TestGraphAnswersAreDocumented(t *testing.T) {
	document := read(t, "../../../docs/graph.md")
	_, commands, _ := strings.Cut(document, "## By command")
	for command, shape := range answers {
		row := regexp.MustCompile("(?m)^\\| `" + command + "\\b.* \\| (.*) \\|$").FindStringSubmatch(commands)
		if row == nil {
			t.Errorf("docs/graph.md has no row for %s", command)
			continue
		}
		var documented []string
		for _, span := range regexp.MustCompile("`[^`]+`").FindAllString(braces.ReplaceAllString(row[1], ""), -1) {
			documented = append(documented, names.FindString(span))
		}
		if want := fields(shape); !slices.Equal(documented, want) {
			t.Errorf("%s: docs/graph.md lists %q, the answer has %q", command, documented, want)
		}
	}
	for _, name := range slices.Concat(fields(answer.Header{}), fields(answer.Symbol{}), fields(answer.Summary{})[1:]) {
		if !strings.Contains(document, "`"+name+"`") {
			t.Errorf("docs/graph.md does not name the field %s", name)
		}
	}
}

func TestGraphStatesAreDocumented(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "../../../docs/graph.md"), "## When a graph does not answer")
	var documented []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		documented = append(documented, m[1])
	}
	if want := provenance.Names(); !slices.Equal(documented, want) {
		t.Errorf("docs/graph.md lists %q, the program has %q", documented, want)
	}
}

func TestExitCodesAreDocumented(t *testing.T) {
	readme := read(t, "../../../README.md")
	for _, line := range strings.Split(exitHelp, "\n")[1:] {
		code, meaning, _ := strings.Cut(strings.TrimSpace(line), "  ")
		meaning, _, _ = strings.Cut(meaning, ";")
		if !regexp.MustCompile(`(?m)^\| ` + code + ` \| ` + regexp.QuoteMeta(meaning)).MatchString(readme) {
			t.Errorf("README.md does not say that %s means %q", code, meaning)
		}
	}
}

func TestTheShortGuideIsShort(t *testing.T) {
	if n := strings.Count(read(t, "../../../AGENTS.md"), "\n"); n > 25 {
		t.Errorf("AGENTS.md has %d lines", n)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
