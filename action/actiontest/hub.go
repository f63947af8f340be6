package actiontest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Hub is GitHub with one repository. Its methods are safe for concurrent use.
type Hub struct {
	mux http.ServeMux

	mu       sync.Mutex
	state    State
	requests []Request
	hooks    []hook
}

type hook struct {
	method, path string
	do           func(*State)
}

// New makes a hub. Its repository is acme/pay, and its token that of a workflow
// which may write, unless the state says otherwise.
func New(s State) *Hub {
	h := &Hub{}
	h.Set(s)
	h.routes()
	return h
}

// Set replaces the state.
func (h *Hub) Set(s State) {
	if s.Owner == "" {
		s.Owner, s.Name, s.RepositoryID = "acme", "pay", 1001
	}
	if s.Login == "" {
		s.Login = "github-actions[bot]"
	}
	if s.Scopes == nil {
		s.Scopes = []string{PullRequestsScope, ChecksScope, SecurityEventsScope}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state, h.requests = s, nil
}

// Change changes the state.
func (h *Hub) Change(change func(*State)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.state)
}

// State returns a copy of the state.
func (h *Hub) State() State {
	h.mu.Lock()
	defer h.mu.Unlock()
	raw, err := json.Marshal(h.state)
	if err != nil {
		panic(err)
	}
	var s State
	if err := json.Unmarshal(raw, &s); err != nil {
		panic(err)
	}
	return s
}

// Requests returns what came in since the state was set.
func (h *Hub) Requests() []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.requests)
}

// Writes returns the requests that would change something.
func (h *Hub) Writes() []Request {
	return slices.DeleteFunc(h.Requests(), func(r Request) bool { return r.Method == http.MethodGet || r.Path == "/graphql" })
}

// Before changes the state once, right before the next request with a method
// and a part of a path: something that happens in between.
func (h *Hub) Before(method, path string, do func(*State)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hooks = append(h.hooks, hook{method, path, do})
}

// ServeHTTP answers one request.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		answer(w, http.StatusBadRequest, problem("Problems reading the body"))
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.requests = append(h.requests, Request{r.Method, r.URL.RequestURI(), string(body), r.Header.Get("Authorization")})
	for i, hk := range h.hooks {
		if hk.method == r.Method && strings.Contains(r.URL.Path, hk.path) {
			h.hooks = slices.Delete(h.hooks, i, i+1)
			hk.do(&h.state)
			break
		}
	}
	if f := h.fault(r); f != nil {
		if f.Late {
			h.mux.ServeHTTP(&recorder{header: http.Header{}}, r)
		}
		for k, v := range f.Header {
			w.Header().Set(k, v)
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(f.Status)
		fmt.Fprint(w, f.Body)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// fault returns the fault that a request meets, and uses it up.
func (h *Hub) fault(r *http.Request) *Fault {
	for i := range h.state.Faults {
		f := h.state.Faults[i]
		if f.Method != r.Method || !strings.Contains(r.URL.Path, f.Path) {
			continue
		}
		switch f.Times {
		case 0:
		case 1:
			h.state.Faults = slices.Delete(h.state.Faults, i, i+1)
		default:
			h.state.Faults[i].Times--
		}
		return &f
	}
	return nil
}

func (h *Hub) routes() {
	const repo = " /repos/{owner}/{repo}"
	for pattern, do := range map[string]http.HandlerFunc{
		"POST /graphql":                               h.graphql,
		"GET" + repo + "/pulls/{number}":              h.getPull,
		"GET" + repo + "/pulls/{number}/files":        h.listFiles,
		"GET" + repo + "/pulls/{number}/comments":     h.listReviewComments,
		"POST" + repo + "/pulls/{number}/comments":    h.write(PullRequestsScope, h.createReviewComment),
		"POST" + repo + "/pulls/{number}/reviews":     h.write(PullRequestsScope, h.createReview),
		"GET" + repo + "/issues/{number}/comments":    h.listComments,
		"POST" + repo + "/issues/{number}/comments":   h.write(PullRequestsScope, h.createComment),
		"PATCH" + repo + "/issues/comments/{id}":      h.write(PullRequestsScope, h.editComment),
		"DELETE" + repo + "/issues/comments/{id}":     h.write(PullRequestsScope, h.deleteComment),
		"GET" + repo + "/commits/{sha}/check-runs":    h.listCheckRuns,
		"POST" + repo + "/check-runs":                 h.write(ChecksScope, h.createCheckRun),
		"PATCH" + repo + "/check-runs/{id}":           h.write(ChecksScope, h.updateCheckRun),
		"GET" + repo + "/compare/{basehead}":          h.compare,
		"POST" + repo + "/code-scanning/sarifs":       h.write(SecurityEventsScope, h.uploadSARIF),
		"GET" + repo + "/code-scanning/analyses":      h.listAnalyses,
		"GET" + repo + "/actions/runs/{id}/artifacts": h.listArtifacts,
		"GET" + repo + "/actions/artifacts/{id}/zip":  h.downloadArtifact,
		"GET /blobs/{id}":                             h.blob,
	} {
		h.mux.HandleFunc(pattern, do)
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusNotFound, problem("Not Found")) })
}

// write lets a request pass if the token has a scope.
func (h *Hub) write(scope string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(h.state.Scopes, scope) {
			answer(w, http.StatusForbidden, problem("Resource not accessible by integration"))
			return
		}
		next(w, r)
	}
}

func (h *Hub) graphql(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"data": map[string]any{"viewer": map[string]any{"login": h.state.Login}}})
}

// id makes the next ID.
func (h *Hub) id() int64 {
	h.state.LastID++
	return 5000 + h.state.LastID
}

// ours reports whether a path is about the one repository.
func (h *Hub) ours(r *http.Request) bool {
	return strings.EqualFold(r.PathValue("owner"), h.state.Owner) && strings.EqualFold(r.PathValue("repo"), h.state.Name)
}

// pull finds the pull request of a path.
func (h *Hub) pull(r *http.Request) *PullRequest {
	n, err := strconv.Atoi(r.PathValue("number"))
	if err != nil || !h.ours(r) {
		return nil
	}
	for i := range h.state.PullRequests {
		if h.state.PullRequests[i].Number == n {
			return &h.state.PullRequests[i]
		}
	}
	return nil
}

func number(r *http.Request, name string) int64 {
	n, err := strconv.ParseInt(r.PathValue(name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// page answers with one page of a list, with the links to the others.
func page[T any](w http.ResponseWriter, r *http.Request, list []T, wrap func(part []any, total int) any) {
	size, at := 30, 1
	if n, err := strconv.Atoi(r.URL.Query().Get("per_page")); err == nil {
		size = min(n, 100)
	}
	if n, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil {
		at = n
	}
	from, to := min((at-1)*size, len(list)), min(at*size, len(list))
	if to < len(list) {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(at+1))
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?%s>; rel="next"`, r.Host, r.URL.Path, q.Encode()))
	}
	part := make([]any, 0, to-from)
	for _, e := range list[from:to] {
		part = append(part, e)
	}
	if wrap == nil {
		answer(w, http.StatusOK, part)
		return
	}
	answer(w, http.StatusOK, wrap(part, len(list)))
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
}

func problem(text string) map[string]any {
	return map[string]any{"message": text, "documentation_url": "https://docs.github.com/rest", "status": ""}
}

// validationError is a refusal as most calls give it, plainError as reviews do.
func validationError(text string, why string) map[string]any {
	return map[string]any{"message": text, "documentation_url": "https://docs.github.com/rest", "errors": []any{map[string]any{"code": "custom", "message": why}}}
}

func plainError(text string, why string) map[string]any {
	return map[string]any{"message": text, "documentation_url": "https://docs.github.com/rest", "errors": []any{why}}
}

func notFound(w http.ResponseWriter) { answer(w, http.StatusNotFound, problem("Not Found")) }
