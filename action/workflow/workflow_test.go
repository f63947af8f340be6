package workflow

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/previdence/previdence/action/actiontest"
	"github.com/previdence/previdence/reporters/reporterstest"
)

func from(values map[string]string) Env { return func(key string) string { return values[key] } }

// attacks are what a name would have to hold to be taken for a command or an
// output, beside the names that every reporter is tried with.
func attacks() []string {
	return append(reporterstest.HostileNames(),
		"\n::warning file=x::owned", "\r\n::set-output name=outcome::pass", "::error::owned", "##[add-mask]x", "a ##[set-output name=outcome]pass",
		"%0A::error::owned", "%250A", ",line=1", ":", "::", "::stop-commands::x", "\n::x::\n::error::owned", "\noutcome=pass", "\noutcome<<E\npass\nE\n",
	)
}

func TestNamesAreNoCommands(t *testing.T) {
	for _, name := range attacks() {
		var log bytes.Buffer
		r := NewRunner(&log, from(nil))
		r.Annotate(Annotation{Level: Warning, Path: name, StartLine: 3, EndLine: 4, Title: name, Message: name})
		r.Text("what was seen", name)
		commands, _ := actiontest.ReadLog(t, log.String())
		var names []string
		for _, c := range commands {
			names = append(names, c.Name)
		}
		if want := []string{"warning", "group", "stop-commands", "endgroup"}; !slices.Equal(names, want) {
			t.Errorf("%q: commands %q, want %q", name, names, want)
			continue
		}
		c := commands[0]
		if got := c.Properties["file"]; got != name {
			t.Errorf("file is %q, want %q", got, name)
		}
		if name != "" && c.Properties["line"] != "3" || name != "" && c.Properties["endLine"] != "4" || len(c.Properties) > 4 {
			t.Errorf("%q: properties %v", name, c.Properties)
		}
		if strings.ContainsAny(c.Properties["title"], "\r\n\u202e\x1b") || strings.ContainsAny(c.Message, "\r\u202e\x1b") {
			t.Errorf("%q: title %q, message %q", name, c.Properties["title"], c.Message)
		}
	}
}

func TestTextIsShownAsItIs(t *testing.T) {
	var log bytes.Buffer
	NewRunner(&log, from(nil)).Text("report", "one\n::error::no\n\nlast")
	_, shown := actiontest.ReadLog(t, log.String())
	if want := []string{"one", "::error::no", "last"}; !slices.Equal(shown, want) {
		t.Errorf("shown %q, want %q", shown, want)
	}
	var again bytes.Buffer
	NewRunner(&again, from(nil)).Text("report", "one\n::error::no\n\nlast")
	if log.String() == again.String() {
		t.Error("the word that starts commands again can be guessed")
	}
}

func TestAnnotationsAreBounded(t *testing.T) {
	var log bytes.Buffer
	r := NewRunner(&log, from(nil))
	shown := 0
	for range MaxAnnotations + 5 {
		if r.Annotate(Annotation{Level: Notice, Message: strings.Repeat("é", 5000)}) {
			shown++
		}
	}
	commands, _ := actiontest.ReadLog(t, log.String())
	if shown != MaxAnnotations || len(commands) != MaxAnnotations {
		t.Errorf("%d reported, %d in the log", shown, len(commands))
	}
	for _, c := range commands {
		if len(c.Message) > maxMessage || !utf8.ValidString(c.Message) || !strings.HasSuffix(c.Message, "…") {
			t.Errorf("message of %d bytes ends in %q", len(c.Message), c.Message[len(c.Message)-5:])
		}
	}
}

func TestOutputsAreApart(t *testing.T) {
	for _, value := range append(attacks(), "") {
		path := filepath.Join(t.TempDir(), "output")
		r := NewRunner(&bytes.Buffer{}, from(map[string]string{"GITHUB_OUTPUT": path}))
		if err := r.Output(Output{"outcome", "fail"}, Output{"report", value}, Output{"gaps", "3"}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := actiontest.ReadOutputs(t, string(text))
		if len(got) != 3 || got["outcome"] != "fail" || got["report"] != value || got["gaps"] != "3" {
			t.Errorf("%q: outputs %q", value, got)
		}
	}
}

func TestSummaryIsAppendedAndBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "summary")
	r := NewRunner(&bytes.Buffer{}, from(map[string]string{"GITHUB_STEP_SUMMARY": path}))
	for _, text := range []string{"one", "two\n"} {
		if err := r.Summary(text); err != nil {
			t.Fatal(err)
		}
	}
	rest := MaxSummary - len("one\ntwo\n")
	if err := r.Summary(strings.Repeat("x", rest)); !errors.Is(err, ErrNotWritten) {
		t.Errorf("the line end is one byte too many: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "one\ntwo\n" {
		t.Errorf("summary %q, %v", got, err)
	}
	if err := r.Summary(strings.Repeat("x", rest-1)); err != nil {
		t.Errorf("exactly the limit: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != MaxSummary {
		t.Errorf("the summary has %d bytes, %v", info.Size(), err)
	}
	if err := NewRunner(&bytes.Buffer{}, from(map[string]string{"GITHUB_STEP_SUMMARY": t.TempDir()})).Summary("x"); !errors.Is(err, ErrNotWritten) {
		t.Errorf("a folder in place of the file: %v", err)
	}
}

func TestMaskHidesATokenAndNothingElse(t *testing.T) {
	var log bytes.Buffer
	r := NewRunner(&log, from(nil))
	r.Mask("")
	r.Mask("s3cret")
	commands, _ := actiontest.ReadLog(t, log.String())
	if len(commands) != 1 || commands[0].Name != "add-mask" || commands[0].Message != "s3cret" {
		t.Errorf("commands %v", commands)
	}
}

func TestReadRun(t *testing.T) {
	whole := map[string]string{
		"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": "/e.json", "GITHUB_REPOSITORY": "octo/pay", "GITHUB_WORKSPACE": "/w",
		"GITHUB_SERVER_URL": "https://github.com/", "GITHUB_API_URL": "https://api.github.com", "GITHUB_RUN_ID": "17", "GITHUB_RUN_ATTEMPT": "2",
		"GITHUB_WORKFLOW_REF": "octo/pay/.github/workflows/a.yml@refs/pull/2/merge", "GITHUB_SHA": "abc", "RUNNER_TEMP": "/t",
	}
	run, err := ReadRun(from(whole))
	want := Run{EventName: "pull_request", EventPath: "/e.json", Repository: "octo/pay", SHA: "abc", RunID: 17, Attempt: 2,
		Workflow: ".github/workflows/a.yml", Workspace: "/w", TempDir: "/t", ServerURL: "https://github.com", APIURL: "https://api.github.com"}
	if err != nil || run != want {
		t.Errorf("got %+v, %v\nwant %+v", run, err, want)
	}
	for _, c := range []struct{ key, value string }{
		{"GITHUB_EVENT_NAME", ""}, {"GITHUB_EVENT_PATH", ""}, {"GITHUB_REPOSITORY", ""}, {"GITHUB_WORKSPACE", ""}, {"GITHUB_API_URL", ""},
		{"GITHUB_SERVER_URL", ""}, {"GITHUB_RUN_ID", "x"}, {"GITHUB_RUN_ID", "0"}, {"GITHUB_RUN_ATTEMPT", ""}, {"GITHUB_WORKFLOW_REF", ""},
		{"GITHUB_WORKFLOW_REF", "octo/pay/.github/workflows/@x"}, {"GITHUB_WORKFLOW_REF", "a.yml@x"},
	} {
		_, err := ReadRun(func(key string) string {
			if key == c.key {
				return c.value
			}
			return whole[key]
		})
		if !errors.Is(err, ErrEnvironment) || !strings.Contains(err.Error(), c.key) {
			t.Errorf("%s=%q: %v", c.key, c.value, err)
		}
	}
}
