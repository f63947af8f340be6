package workflow

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var rules = []string{"breaks", "api-breaking", "incomplete"}

func TestInputsThatAreNotGiven(t *testing.T) {
	in, err := ReadInputs(from(nil), rules)
	want := Inputs{Mode: Auto, Budget: 60_000, Comment: "auto", Check: true, Annotations: true, SARIF: SARIFNever}
	if err != nil || !reflect.DeepEqual(in, want) {
		t.Errorf("got %+v, %v; want %+v", in, err, want)
	}
}

func TestInputsThatAreGiven(t *testing.T) {
	in, err := ReadInputs(from(map[string]string{
		"PREVIDENCE_MODE": "publish", "PREVIDENCE_TOKEN": "t0k", "PREVIDENCE_PATH": "src/pay", "PREVIDENCE_BASE": "release/1", "PREVIDENCE_BUDGET": "20000",
		"PREVIDENCE_FAIL_ON": "breaks, \n incomplete\n", "PREVIDENCE_COMMENT": "never", "PREVIDENCE_CHECK": "False", "PREVIDENCE_ANNOTATIONS": "false",
		"PREVIDENCE_REVIEW_COMMENTS": "true", "PREVIDENCE_KEY": "web-2", "PREVIDENCE_SARIF": "upload", "PREVIDENCE_HTML": " true ", "PREVIDENCE_COVERAGE_FILES": "cover.out\nweb/lcov.info", "PREVIDENCE_CONFIG": "none",
	}), rules)
	want := Inputs{Mode: Publish, Token: "t0k", Path: filepath.FromSlash("src/pay"), Base: "release/1", Budget: 20_000, FailOn: []string{"breaks", "incomplete"}, Comment: "never",
		SARIF: SARIFUpload, Review: true, Key: "web-2", HTML: true, CoverageFiles: []string{"cover.out", "web/lcov.info"}, NoConfig: true}
	if err != nil || !reflect.DeepEqual(in, want) {
		t.Errorf("got %+v, %v\nwant %+v", in, err, want)
	}
}

func TestNeverFailingIsSaidAndNotLeftOut(t *testing.T) {
	in, err := ReadInputs(from(map[string]string{"PREVIDENCE_FAIL_ON": "never"}), rules)
	if err != nil || in.FailOn == nil || len(in.FailOn) > 0 {
		t.Errorf("got %#v, %v", in.FailOn, err)
	}
}

func TestBadInputsAreRefused(t *testing.T) {
	for _, c := range []struct{ input, value, says string }{
		{"mode", "post", "auto, analyze, publish, cleanup"},
		{"mode", "AUTO", "auto, analyze"},
		{"token", "a b", "characters that no token has"},
		{"token", "tök", "characters that no token has"},
		{"path", "../pay", "inside the workspace"},
		{"path", "/srv/pay", "inside the workspace"},
		{"budget", "many", "from 4000 to 60000"},
		{"budget", "65536", "from 4000 to 60000"},
		{"budget", "0", "from 4000 to 60000"},
		{"fail-on", "risk", `no rule "risk"`},
		{"fail-on", "never, breaks", `no rule "never"`},
		{"comment", "yes", "auto, always, never"},
		{"check", "yes", "true or false"},
		{"annotations", "10", "true or false"},
		{"sarif", "yes", "false, true, upload"},
		{"review-comments", "always", "true or false"},
		{"key", "-a", "40 of a-z"},
		{"key", "a b -->", "40 of a-z"},
		{"html", "report.html", "true or false"},
		{"coverage-files", "../cover.out", "inside the workspace"},
		{"coverage-files", "/etc/passwd", "inside the workspace"},
		{"coverage-files", strings.Repeat("a,", 51), "more than 50"},
		{"config", "other.yml", "merge base"},
	} {
		_, err := ReadInputs(from(map[string]string{Variable(c.input): c.value}), rules)
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.input) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q: %v", c.input, c.value, err)
		}
		if c.input == "token" && err != nil && strings.Contains(err.Error(), c.value) {
			t.Errorf("the error tells the token: %v", err)
		}
	}
}
