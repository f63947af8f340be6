package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/previdence/previdence/action/actiontest"
)

func TestARigSetsAndReadsTheState(t *testing.T) {
	h := handler(actiontest.New(actiontest.State{}))
	ask := func(method, path, body string) (int, string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	if code, _ := ask("PUT", "/_hub/state", `{"owner":"o","name":"n","repository_id":7,"pull_requests":[{"number":1,"head":"d","head_repo_id":7}]}`); code != http.StatusOK {
		t.Fatalf("status %d", code)
	}
	if code, _ := ask("POST", "/repos/o/n/issues/1/comments", `{"body":"hello"}`); code != http.StatusCreated {
		t.Errorf("a comment: status %d", code)
	}
	if code, _ := ask("POST", "/repos/o/n/issues/1/comments", `{}`); code != http.StatusUnprocessableEntity {
		t.Errorf("no comment: status %d", code)
	}
	var s actiontest.State
	_, text := ask("GET", "/_hub/state", "")
	if err := json.Unmarshal([]byte(text), &s); err != nil || len(s.Comments) != 1 || s.Comments[0].Body != "hello" {
		t.Errorf("state %s, %v", text, err)
	}
	var requests []actiontest.Request
	_, text = ask("GET", "/_hub/requests", "")
	if err := json.Unmarshal([]byte(text), &requests); err != nil || len(requests) != 1 {
		t.Errorf("requests %s, %v", text, err)
	}
	if _, text = ask("GET", "/_hub/violations", ""); strings.Count(text, "\n") != 1 || !strings.Contains(text, "POST /repos/o/n/issues/1/comments") {
		t.Errorf("violations %q", text)
	}
	if code, _ := ask("PUT", "/_hub/state", "no JSON"); code != http.StatusBadRequest {
		t.Errorf("a state that is none: status %d", code)
	}
}
