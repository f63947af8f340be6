package github_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/previdence/previdence/action/actiontest"
	"github.com/previdence/previdence/action/github"
)

const head = "dddddddddddddddddddddddddddddddddddddddd"

// clock is a clock that only sleeping moves.
type clock struct {
	now   time.Time
	slept []time.Duration
}

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

func (c *clock) total() (d time.Duration) {
	for _, s := range c.slept {
		d += s
	}
	return d
}

func open(t *testing.T, hub *actiontest.Hub, change func(*github.Options)) (*github.Client, *clock) {
	t.Helper()
	c := &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	o := github.Options{APIURL: actiontest.Serve(t, hub), Token: "s3cret", Owner: "acme", Repository: "pay", Clock: c}
	if change != nil {
		change(&o)
	}
	client, err := github.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return client, c
}

func state() actiontest.State {
	return actiontest.State{PullRequests: []actiontest.PullRequest{{Number: 42, Head: head, HeadRepoID: 1001, Base: strings.Repeat("a", 40), BaseRef: "main",
		Files: []actiontest.File{{Path: "pay/refund.go", Patch: "@@ -1,3 +1,4 @@\n a\n+b\n c\n d"}}}}}
}

func TestCallsReadWhatIsThere(t *testing.T) {
	ctx, s := t.Context(), state()
	for i := range 230 {
		s.Comments = append(s.Comments, actiontest.Comment{ID: int64(i + 1), Number: 42, Login: "octocat", Type: "User", Body: fmt.Sprint("comment ", i)})
	}
	s.MergeBases = map[string]string{"a...b": "c"}
	hub := actiontest.New(s)
	c, _ := open(t, hub, nil)

	login, err := c.Login(ctx)
	if err != nil || login != "github-actions[bot]" {
		t.Errorf("login %q, %v", login, err)
	}
	p, err := c.PullRequest(ctx, 42)
	if want := (github.PullRequest{Number: 42, Open: true, Head: head, HeadRepoID: 1001, BaseRef: "main", BaseRepoID: 1001}); err != nil || p != want {
		t.Errorf("pull request %+v, %v", p, err)
	}
	comments, err := c.Comments(ctx, 42)
	if err != nil || len(comments) != 230 || comments[229].Body != "comment 229" || comments[0].Login != "octocat" || comments[0].Type != "User" {
		t.Errorf("%d comments, %v", len(comments), err)
	}
	files, more, err := c.Files(ctx, 42)
	if err != nil || more || len(files) != 1 || files[0].Path != "pay/refund.go" || files[0].Patch == "" {
		t.Errorf("files %+v, more %v, %v", files, more, err)
	}
	base, err := c.MergeBase(ctx, "a", "b")
	if err != nil || base != "c" {
		t.Errorf("merge base %q, %v", base, err)
	}
	if len(hub.Writes()) != 0 || c.Writes() != 0 {
		t.Errorf("reading wrote: %v", hub.Writes())
	}
	for _, r := range hub.Requests() {
		if r.Authorization != "Bearer s3cret" {
			t.Errorf("%s %s without the token", r.Method, r.Path)
		}
	}
}

func TestWritesLieASecondApartAndAreCounted(t *testing.T) {
	hub := actiontest.New(state())
	c, clock := open(t, hub, func(o *github.Options) { o.Writes = 3 })
	for i := range 3 {
		if _, err := c.CreateComment(t.Context(), 42, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if want := []time.Duration{time.Second, time.Second}; !slices.Equal(clock.slept, want) {
		t.Errorf("slept %v, want %v", clock.slept, want)
	}
	if _, err := c.CreateComment(t.Context(), 42, "one too many"); !errors.Is(err, github.ErrTooManyWrites) {
		t.Errorf("got %v", err)
	}
	if n := len(hub.State().Comments); n != 3 || c.Writes() != 3 {
		t.Errorf("%d comments, %d writes", n, c.Writes())
	}
	if _, err := c.Comments(t.Context(), 42); err != nil {
		t.Errorf("reading after the last write: %v", err)
	}
}

func TestLimitsAreWaitedForWithinTheBudget(t *testing.T) {
	create := func(c *github.Client) error {
		_, err := c.CreateComment(t.Context(), 42, "x")
		return err
	}
	fault := func(status int, times int, body string, header ...string) actiontest.Fault {
		f := actiontest.Fault{Method: "POST", Path: "/comments", Status: status, Times: times, Body: `{"message":"` + body + `"}`, Header: map[string]string{}}
		for i := 0; i < len(header); i += 2 {
			f.Header[header[i]] = header[i+1]
		}
		return f
	}
	const dated = "Fri, 02 Jan 2026 03:04:05 GMT"
	reset := fmt.Sprint(time.Date(2026, 1, 2, 3, 4, 50, 0, time.UTC).Unix())
	for _, c := range []struct {
		claim string
		fault actiontest.Fault
		waits time.Duration
		err   error
		sent  int // requests
	}{
		{"429 with retry-after", fault(429, 1, "slow down", "Retry-After", "7"), 7 * time.Second, nil, 2},
		{"429 without advice waits a minute", fault(429, 1, "slow down"), time.Minute, nil, 2},
		{"403 with retry-after", fault(403, 2, "slow down", "Retry-After", "3"), 6 * time.Second, nil, 3},
		{"a secondary limit that only its text names", fault(403, 1, "You have exceeded a secondary rate limit."), time.Minute, nil, 2},
		{"an empty primary limit waits until it is renewed", fault(403, 1, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset, "Date", dated), 46 * time.Second, nil, 2},
		{"retry-after beyond the budget is not waited for", fault(429, 0, "slow down", "Retry-After", "3600"), 0, github.ErrLimited, 1},
		{"waits without advice grow until the budget ends them", fault(429, 0, "slow down"), time.Minute, github.ErrLimited, 2},
		{"a missing permission is not waited for", fault(403, 0, "Resource not accessible by integration"), 0, github.ErrReadOnly, 1},
		{"502 on what must not be sent twice", fault(502, 1, "bad gateway"), 0, github.ErrServer, 1},
	} {
		t.Run(c.claim, func(t *testing.T) {
			s := state()
			s.Faults = []actiontest.Fault{c.fault}
			hub := actiontest.New(s)
			client, clock := open(t, hub, nil)
			if err := create(client); !errors.Is(err, c.err) || c.err == nil && err != nil {
				t.Errorf("got %v, want %v", err, c.err)
			}
			if clock.total() != c.waits || len(hub.Requests()) != c.sent {
				t.Errorf("waited %v over %d requests, want %v over %d", clock.total(), len(hub.Requests()), c.waits, c.sent)
			}
			if client.Writes() != 1 {
				t.Errorf("%d writes counted, want 1", client.Writes())
			}
		})
	}
}

func TestNothingIsAskedAfterALimitBeyondTheBudget(t *testing.T) {
	s := state()
	s.Faults = []actiontest.Fault{{Method: "GET", Path: "/pulls/42", Status: 429, Header: map[string]string{"Retry-After": "900"}, Body: `{}`}}
	hub := actiontest.New(s)
	c, _ := open(t, hub, nil)
	for range 3 {
		if _, err := c.PullRequest(t.Context(), 42); !errors.Is(err, github.ErrLimited) || !strings.Contains(err.Error(), "asked to wait 15m0s, 2m0s left") {
			t.Errorf("got %v", err)
		}
	}
	if n := len(hub.Requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestAServerThatFailsIsAskedAgain(t *testing.T) {
	for _, c := range []struct {
		claim, method string
		call          func(*github.Client) error
	}{
		{"to read", "GET", func(c *github.Client) error { _, err := c.Comments(t.Context(), 42); return err }},
		{"to set what stays the same", "PATCH", func(c *github.Client) error { _, err := c.EditComment(t.Context(), 1, "x"); return err }},
	} {
		t.Run(c.claim, func(t *testing.T) {
			for times, want := range map[int]error{2: nil, 3: github.ErrServer} {
				s := state()
				s.Comments = []actiontest.Comment{{ID: 1, Number: 42}}
				s.Faults = []actiontest.Fault{{Method: c.method, Path: "/comments", Status: 503, Times: times, Body: "no JSON"}}
				hub := actiontest.New(s)
				client, _ := open(t, hub, nil)
				if err := c.call(client); !errors.Is(err, want) || want == nil && err != nil {
					t.Errorf("failing %d times: got %v, want %v", times, err, want)
				}
				if n := len(hub.Requests()); n != 3 {
					t.Errorf("%d requests, want 3", n)
				}
			}
		})
	}
}

func TestRefusalsHaveKinds(t *testing.T) {
	hub := actiontest.New(state())
	c, _ := open(t, hub, nil)
	if _, err := c.PullRequest(t.Context(), 7); !errors.Is(err, github.ErrGone) {
		t.Errorf("no such pull request: %v", err)
	}
	if _, err := c.EditComment(t.Context(), 7, "x"); !errors.Is(err, github.ErrGone) {
		t.Errorf("no such comment: %v", err)
	}
	err := c.Review(t.Context(), 42, head, []github.Draft{{Path: "pay/refund.go", Line: 99, Body: "x"}})
	if !errors.Is(err, github.ErrRefused) || !strings.Contains(err.Error(), "line must be part of the diff") {
		t.Errorf("a line outside the hunks: %v", err)
	}
	hub.Change(func(s *actiontest.State) { s.Scopes = []string{} })
	if _, err := c.CreateComment(t.Context(), 42, "x"); !errors.Is(err, github.ErrReadOnly) {
		t.Errorf("a token that may only read: %v", err)
	}
}

func TestArtifacts(t *testing.T) {
	s := state()
	s.Artifacts = []actiontest.Artifact{
		{ID: 1, RunID: 9, Name: "evidence", Zip: []byte("old")}, {ID: 3, RunID: 9, Name: "evidence", Zip: []byte("new")},
		{ID: 4, RunID: 9, Name: "evidence", Zip: []byte("expired"), Expired: true}, {ID: 5, RunID: 9, Name: "other", Zip: []byte("other")},
		{ID: 6, RunID: 10, Name: "evidence", Zip: []byte("of another run")}}
	hub := actiontest.New(s)
	c, _ := open(t, hub, nil)
	got, err := c.Artifact(t.Context(), 9, "evidence", 3)
	if err != nil || string(got) != "new" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, r := range hub.Requests() {
		if strings.HasPrefix(r.Path, "/blobs/") && r.Authorization != "" {
			t.Error("the token went where the download is redirected to")
		}
	}
	if _, err := c.Artifact(t.Context(), 9, "evidence", 2); !errors.Is(err, github.ErrRefused) {
		t.Errorf("above the limit: %v", err)
	}
	if _, err := c.Artifact(t.Context(), 11, "evidence", 3); !errors.Is(err, github.ErrGone) {
		t.Errorf("no such run: %v", err)
	}
}

func TestADownloadIsNoLessSafeThanTheCalls(t *testing.T) {
	s := state()
	s.Artifacts = []actiontest.Artifact{{ID: 1, RunID: 9, Name: "evidence", Zip: []byte("zip")}}
	server := httptest.NewTLSServer(actiontest.New(s)) // redirects to http
	defer server.Close()
	c, err := github.New(github.Options{APIURL: server.URL, Owner: "acme", Repository: "pay", Transport: server.Client().Transport})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Artifact(t.Context(), 9, "evidence", 99); !errors.Is(err, github.ErrRefused) || !strings.Contains(err.Error(), "redirected to http://") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAddressesAreChecked(t *testing.T) {
	for _, address := range []string{"", "api.github.com", "ftp://x", "file:///etc/passwd"} {
		if _, err := github.New(github.Options{APIURL: address, Owner: "a", Repository: "b"}); !errors.Is(err, github.ErrBadAddress) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestTheTokenStaysWithItsServer(t *testing.T) {
	var leaked string
	other := actiontest.Elsewhere(t, func(r *http.Request) { leaked = r.Header.Get("Authorization") })
	s := state()
	s.Faults = []actiontest.Fault{{Method: "GET", Path: "/pulls/42", Status: 301, Header: map[string]string{"Location": other}, Body: "{}"}}
	c, _ := open(t, actiontest.New(s), nil)
	if _, err := c.PullRequest(t.Context(), 42); err == nil {
		t.Error("an answer from elsewhere was taken for a pull request")
	}
	if leaked != "" {
		t.Errorf("sent %q to another server", leaked)
	}
}

func TestAnEnterpriseServerHasItsAPIBelowAPath(t *testing.T) {
	hub := actiontest.New(state())
	s := httptest.NewServer(http.StripPrefix("/api/v3", hub))
	defer s.Close()
	for _, address := range []string{s.URL + "/api/v3", s.URL + "/api/v3/"} {
		c, err := github.New(github.Options{APIURL: address, GraphQLURL: s.URL + "/api/v3/graphql", Token: "t", Owner: "acme", Repository: "pay"})
		if err != nil {
			t.Fatal(err)
		}
		if p, err := c.PullRequest(t.Context(), 42); err != nil || p.Head != head {
			t.Errorf("%s: %+v, %v", address, p, err)
		}
		if login, err := c.Login(t.Context()); err != nil || login == "" {
			t.Errorf("%s: %q, %v", address, login, err)
		}
	}
}

func TestFilesBeyondWhatGitHubListsAreSaidAloud(t *testing.T) {
	for n, beyond := range map[int]bool{101: false, 2999: false, 3000: true, 3500: true} {
		s := state()
		s.PullRequests[0].Files = nil
		for i := range n {
			s.PullRequests[0].Files = append(s.PullRequests[0].Files, actiontest.File{Path: fmt.Sprintf("f%d.go", i)})
		}
		// Without the description, which would be compared with each file.
		server := httptest.NewServer(actiontest.New(s))
		defer server.Close()
		c, err := github.New(github.Options{APIURL: server.URL, Owner: "acme", Repository: "pay"})
		if err != nil {
			t.Fatal(err)
		}
		files, more, err := c.Files(t.Context(), 42)
		if err != nil || len(files) != min(n, 3000) || more != beyond {
			t.Errorf("%d files: %d listed, more %v, %v", n, len(files), more, err)
		}
	}
}

func TestWhatGitHubDoesNotSayAboutAFailureIsNotInvented(t *testing.T) {
	s := state()
	s.Faults = []actiontest.Fault{{Method: "POST", Path: "/graphql", Status: 200, Body: `{"errors":[{"message":"Something went wrong"}]}`, Times: 1},
		{Method: "POST", Path: "/graphql", Status: 200, Body: `{"data":{"viewer":{}}}`, Times: 1}}
	c, _ := open(t, actiontest.New(s), nil)
	for _, want := range []string{"Something went wrong", "no name in the answer"} {
		if login, err := c.Login(t.Context()); !errors.Is(err, github.ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, %v", login, err)
		}
	}
}
