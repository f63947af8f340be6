package config

import (
	"errors"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
)

func TestParse(t *testing.T) {
	tests := map[string]struct {
		file string
		want Config
	}{
		"an empty file says nothing":     {"", Config{}},
		"comments say nothing":           {"# later\n", Config{}},
		"an empty document says nothing": {"---\n", Config{}},
		"every key":                      {"ignore: [\"gen/**\", '*.pb.go']\nplatforms: [windows/amd64]\ntypes: off\nfail-on:\n  - breaks\n  - cycle\ndepth: 7\n", Config{Ignore: []string{"gen/**", "*.pb.go"}, Platforms: []string{"windows/amd64"}, Types: TypesOff, FailOn: []string{"breaks", "cycle"}, Depth: 7}},
		"layers": {"layers:\n  - {name: a, paths: ['a/**'], may-import: [b]}\n  - {name: b, paths: [b]}\n", Config{Policy: report.Policy{Layers: []report.Layer{
			{Name: "a", Paths: []string{"a/**"}, MayImport: []string{"b"}}, {Name: "b", Paths: []string{"b"}, MayImport: []string{}}}}}},
		"an empty list is said":           {"fail-on: []\n", Config{FailOn: []string{}}},
		"the order of patterns is kept":   {"ignore: [b, a]\n", Config{Ignore: []string{"b", "a"}}},
		"the largest depth":               {"depth: 100\n", Config{Depth: 100}},
		"a text that looks like a number": {"ignore: ['12']\n", Config{Ignore: []string{"12"}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := Parse([]byte(tt.file)); err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}

// The documented examples are read by the program, and the larger one names every key.
func TestTheDocumentedExamplesAreRead(t *testing.T) {
	for _, file := range []string{"README.md", "docs/policy.md"} {
		text, err := os.ReadFile("../../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		_, example, _ := strings.Cut(string(text), "```yaml\n")
		example, _, _ = strings.Cut(example, "```")
		c, err := Parse([]byte(example))
		if err != nil || c.Depth == 0 || len(c.Ignore) == 0 || len(c.Platforms) == 0 || len(c.FailOn) == 0 {
			t.Errorf("%s: got %+v, %v", file, c, err)
		}
		if n := len(topKey.FindAllString(example, -1)); file != "README.md" && n != reflect.TypeFor[Config]().NumField()+2 { // a policy has three
			t.Errorf("%s: the example has %d keys", file, n)
		}
	}
}

var topKey = regexp.MustCompile(`(?m)^[a-z-]+:`)

func TestParseRefuses(t *testing.T) {
	tests := map[string]struct{ file, want string }{
		"an unknown key":                  {"depth: 3\nignor: [a]\n", `line 2: unknown key "ignor"`},
		"the same key twice":              {"depth: 3\nfail-on: []\ndepth: 4\n", `depth`},
		"a list that is a text":           {"ignore: gen/**\n", "line 1: want a list"},
		"a pattern that is a list":        {"ignore:\n  - a\n  - [b]\n", "line 3: want a text"},
		"a pattern that is nothing":       {"ignore:\n  - a\n  -\n", "line 3: want a text"},
		"an unreadable pattern":           {"ignore:\n  - 'a[b'\n", `line 2: pattern "a[b" cannot be read`},
		"an empty pattern":                {"ignore: ['']\n", "line 1: empty pattern"},
		"a path from the disk":            {"ignore: ['/etc/**']\n", "line 1: pattern"},
		"a pattern that takes back":       {"ignore: ['!keep']\n", "line 1: pattern"},
		"a pattern that explodes":         {"ignore: ['{a,b}{a,b}{a,b}{a,b}{a,b}']\n", "line 1: pattern with more than 4"},
		"a pattern too long":              {"ignore: [" + strings.Repeat("a", 201) + "]\n", "line 1: pattern of more than"},
		"too many patterns":               {"ignore:\n" + strings.Repeat("- x\n", 201), "more than 200 lines"},
		"the same pattern twice":          {"ignore: [a, a]\n", `line 1: second "a"`},
		"a platform without architecture": {"platforms: [windows]\n", `line 1: platform "windows"`},
		"types that are neither":          {"types: maybe\n", "line 1: types: want on or off"},
		"types of another kind":           {"types: [off]\n", "line 1: types: want on or off"},
		"too many platforms":              {"platforms: [a/1, a/2, a/3, a/4, a/5, a/6, a/7, a/8, a/9]\n", "line 1: more than 8"},
		"a layer without paths":           {"layers:\n  - {name: a}\n", "line 2: a layer needs a name and paths"},
		"a layer that is none":            {"layers:\n  - {name: a, paths: [a], may-import: [b]}\n", `may import "b", which is no layer`},
		"the same layer twice":            {"layers:\n  - {name: a, paths: [a]}\n  - {name: a, paths: [b]}\n", `line 3: second layer "a"`},
		"an unknown key of a layer":       {"layers:\n  - {nam: a}\n", `line 2: unknown key "nam" of a layer`},
		"an unknown rule":                 {"fail-on: [breaks, risk]\n", `line 1: no rule "risk"`},
		"a depth of nothing":              {"depth: 0\n", "line 1: depth"},
		"a depth that is a text":          {"depth: '3'\n", "line 1: depth"},
		"a depth beyond all bounds":       {"depth: 99999999999999999999\n", "line 1: depth"},
		"a list at the top":               {"- ignore\n", "line 1: want keys"},
		"two documents":                   {"depth: 3\n---\ndepth: 4\n", "more than one document"},
		"an alias":                        {"ignore: &a [x]\nfail-on: *a\n", "line 2: want a list"},
		"a merge":                         {"<<: {depth: 3}\n", `unknown key "<<"`},
		"what is no YAML":                 {"a: b: c\n", "invalid .previdence.yml"},
		"a file too large":                {"#" + strings.Repeat("x", MaxBytes), "more than 65536 bytes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Parse([]byte(tt.file))
			if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want one with %q", err, tt.want)
			}
			if !reflect.DeepEqual(got, Config{}) {
				t.Errorf("something was kept: %+v", got)
			}
		})
	}
}

// What is accepted means something: patterns can be matched, rules exist, and
// saying it again in another way of writing gives the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "ignore: [a/**]\nfail-on: [breaks]\ndepth: 4\n", "depth: 0x10\n", "ignore: *a", "? a\n: b\n", "ignore: !!binary aGk=", "\xff", "{", "depth: 1\n...\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("error without a name: %v", err)
			}
			return
		}
		if c.Depth < 0 || c.Depth > maxDepth {
			t.Errorf("depth %d", c.Depth)
		}
		for _, p := range c.Ignore {
			if _, err := doublestar.Match(p, "some/path.go"); err != nil {
				t.Errorf("pattern %q: %v", p, err)
			}
		}
		for _, rule := range c.FailOn {
			if !slices.Contains(review.Rules, rule) {
				t.Errorf("rule %q", rule)
			}
		}
	})
}
