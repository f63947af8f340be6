package actiontest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// ask sends one request to a hub behind [Validate] and returns the status, and
// what is not as GitHub describes it.
func ask(t *testing.T, next http.Handler, method, path, body string) (status int, violations []string) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	Validate(next, func(text string) { violations = append(violations, text) }).ServeHTTP(w, r)
	return w.Code, violations
}

func TestWhatGitHubDoesNotDescribeIsFound(t *testing.T) {
	check := func(change string) string {
		annotation := `{"path":"a.go","start_line":1,"end_line":1,"annotation_level":"notice","message":"x"}`
		body := `{"name":"previdence","head_sha":"d","status":"completed","conclusion":"neutral","output":{"title":"t","summary":"s","annotations":[` + annotation + `]}}`
		switch change {
		case "51 annotations":
			return strings.Replace(body, annotation, annotation+strings.Repeat(","+annotation, 50), 1)
		case "50 annotations":
			return strings.Replace(body, annotation, annotation+strings.Repeat(","+annotation, 49), 1)
		case "a long summary":
			return strings.Replace(body, `"s"`, `"`+strings.Repeat("s", 65_536)+`"`, 1)
		case "no head":
			return strings.Replace(body, `"head_sha":"d",`, "", 1)
		case "a level that is none":
			return strings.Replace(body, "notice", "error", 1)
		case "no line":
			return strings.Replace(body, `"start_line":1,`, "", 1)
		}
		return body
	}
	const runs, comments = "/repos/acme/pay/check-runs", "/repos/acme/pay/issues/42/comments"
	for _, c := range []struct {
		claim, method, path, body string
		found                     bool
	}{
		{"a check run", "POST", runs, check(""), false},
		{"50 annotations", "POST", runs, check("50 annotations"), false},
		{"51 annotations", "POST", runs, check("51 annotations"), true},
		{"a long summary", "POST", runs, check("a long summary"), true},
		{"no head", "POST", runs, check("no head"), true},
		{"a level that is none", "POST", runs, check("a level that is none"), true},
		{"no line", "POST", runs, check("no line"), true},
		{"a comment", "POST", comments, `{"body":"x"}`, false},
		{"a comment without a body", "POST", comments, `{}`, true},
		{"a comment whose body is a number", "POST", comments, `{"body":1}`, true},
		{"a pull request that is no number", "GET", "/repos/acme/pay/pulls/main", "", true},
		{"a call that is not made", "GET", "/repos/acme/pay/branches", "", true},
		{"a method that is not used", "PUT", "/repos/acme/pay/pulls/42", "", true},
	} {
		t.Run(c.claim, func(t *testing.T) {
			hub := New(State{PullRequests: []PullRequest{{Number: 42, Head: "d", HeadRepoID: 1001}}})
			if _, v := ask(t, hub, c.method, c.path, c.body); (len(v) > 0) != c.found {
				t.Errorf("found %q", v)
			}
		})
	}
}

func TestAnswersThatGitHubDoesNotDescribeAreFound(t *testing.T) {
	for body, found := range map[string]bool{`[]`: false, `{}`: true, `[{"id":1}]`: true, `no JSON`: true} {
		wrong := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			io.WriteString(w, body)
		})
		if _, v := ask(t, wrong, "GET", "/repos/acme/pay/issues/42/comments", ""); (len(v) > 0) != found {
			t.Errorf("%s: found %q", body, v)
		}
	}
}

func TestLimitsThatGitHubHas(t *testing.T) {
	hub := func() *Hub {
		return New(State{PullRequests: []PullRequest{{Number: 42, Head: "d", HeadRepoID: 1001, Files: []File{{Path: "a.go", Patch: "@@ -1,2 +3,4 @@\n+a\n+b\n c\n d"}}}}})
	}
	body := func(n int) string { return fmt.Sprintf(`{"body":%q}`, strings.Repeat("x", n)) }
	review := func(line int, side string) string {
		return fmt.Sprintf(`{"commit_id":"d","event":"COMMENT","comments":[{"path":"a.go","line":%d,"side":%q,"body":"x"}]}`, line, side)
	}
	for _, c := range []struct {
		claim, path, body string
		status            int
	}{
		{"the longest comment", "/repos/acme/pay/issues/42/comments", body(262_144), 201},
		{"a comment that is longer", "/repos/acme/pay/issues/42/comments", body(262_145), 422},
		{"a comment on nothing", "/repos/acme/pay/issues/43/comments", body(1), 404},
		{"a comment elsewhere", "/repos/acme/other/issues/42/comments", body(1), 404},
		{"the first line of a hunk", "/repos/acme/pay/pulls/42/reviews", review(3, "RIGHT"), 200},
		{"the last line of a hunk", "/repos/acme/pay/pulls/42/reviews", review(6, "RIGHT"), 200},
		{"a line before the hunk", "/repos/acme/pay/pulls/42/reviews", review(2, "RIGHT"), 422},
		{"a line behind the hunk", "/repos/acme/pay/pulls/42/reviews", review(7, "RIGHT"), 422},
		{"a line of the other side", "/repos/acme/pay/pulls/42/reviews", review(3, "LEFT"), 422},
	} {
		if status, v := ask(t, hub(), "POST", c.path, c.body); status != c.status || len(v) > 0 {
			t.Errorf("%s: %d, want %d; %q", c.claim, status, c.status, v)
		}
	}
}

func TestStatesOutliveJSON(t *testing.T) {
	h := New(State{PullRequests: []PullRequest{{Number: 42}}, Artifacts: []Artifact{{ID: 1, Zip: []byte{0, 255}}}})
	s := h.State()
	h.Change(func(s *State) { s.PullRequests[0].Closed = true })
	if s.PullRequests[0].Closed || len(s.Scopes) != 3 || s.Login != "github-actions[bot]" || s.Artifacts[0].Zip[1] != 255 {
		t.Errorf("state %+v", s)
	}
}
