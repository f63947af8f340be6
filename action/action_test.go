package action_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/previdence/previdence/action"
	"github.com/previdence/previdence/action/actiontest"
	"github.com/previdence/previdence/action/envelope"
	"github.com/previdence/previdence/action/event"
	"github.com/previdence/previdence/action/workflow"
	"github.com/previdence/previdence/reporters/markdown"
	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

var (
	base = strings.Repeat("a", 40)
	head = strings.Repeat("d", 40)
	next = strings.Repeat("f", 40)
)

const (
	own    = 1001 // ID of acme/pay
	forked = 2002
)

// clock is a clock that only sleeping moves.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return ctx.Err()
}

// A rig runs steps of workflows in acme/pay, on which pull request 42 is open.
type rig struct {
	t      *testing.T
	hub    *actiontest.Hub
	dir    string
	env    map[string]string
	report *report.Report
	err    error // of the review

	asked    []action.Request // for reviews
	coverage []string         // that the last review got
	closed   []action.Closing // for cleaning up

	// What the last step left.
	code     int
	commands []actiontest.Command
	shown    []string
	outputs  map[string]string
	summary  string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	g := &rig{t: t, dir: t.TempDir(), report: reporterstest.Small()}
	g.hub = actiontest.New(actiontest.State{
		PullRequests: []actiontest.PullRequest{{Number: 42, Head: head, HeadRepoID: own, Base: base, BaseRef: "main"}},
		MergeBases:   map[string]string{base + "..." + head: strings.Repeat("c", 40), "main..." + base: base},
	})
	g.env = map[string]string{
		"GITHUB_REPOSITORY": "acme/pay", "GITHUB_WORKSPACE": filepath.Join(g.dir, "work"), "GITHUB_SERVER_URL": "https://github.test",
		"GITHUB_API_URL": actiontest.Serve(t, g.hub), "GITHUB_RUN_ID": "900", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_SHA": next,
		"GITHUB_WORKFLOW_REF": "acme/pay/.github/workflows/previdence.yml@refs/pull/42/merge",
		"RUNNER_TEMP":         filepath.Join(g.dir, "temp"), "PREVIDENCE_TOKEN": "s3cret",
	}
	for _, name := range []string{"work", "temp"} {
		if err := os.Mkdir(filepath.Join(g.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// step runs one step on an event, with inputs as "name=value".
func (g *rig) step(kind event.Kind, payload map[string]any, inputs ...string) int {
	g.t.Helper()
	files := map[string]string{"GITHUB_EVENT_PATH": "event.json", "GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
	env := map[string]string{"GITHUB_EVENT_NAME": string(kind)}
	for key, name := range files {
		env[key] = filepath.Join(g.dir, name)
		_ = os.Remove(env[key]) // of the step before
	}
	for _, in := range inputs {
		name, value, _ := strings.Cut(in, "=")
		env[workflow.Variable(name)] = value
	}
	data, err := json.Marshal(payload)
	if err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(env["GITHUB_EVENT_PATH"], data, 0o644); err != nil {
		g.t.Fatal(err)
	}
	g.hub.Set(g.hub.State()) // forgets what came in
	var log bytes.Buffer
	g.code = action.Run(g.t.Context(), action.Environment{Log: &log, Env: func(key string) string {
		if value, ok := env[key]; ok {
			return value
		}
		return g.env[key]
	}}, action.Tools{
		Version: "test", Rules: []string{"breaks", "incomplete"}, Clock: &clock{now: time.Unix(1_700_000_000, 0)},
		Review: func(_ context.Context, r action.Request) (*report.Report, error) {
			g.asked, g.coverage = append(g.asked, r), nil
			for _, c := range r.Coverage {
				text, err := io.ReadAll(c.Text)
				if err != nil {
					return nil, err
				}
				g.coverage = append(g.coverage, string(text))
			}
			return g.report, g.err
		},
		Cleanup: func(_ context.Context, c action.Closing) ([]string, error) {
			g.closed = append(g.closed, c)
			return []string{"Removed the worktree /w."}, nil
		},
		Advice: func(err error) (int, string) {
			switch {
			case errors.Is(err, workflow.ErrInput), errors.Is(err, event.ErrUnsupported), errors.Is(err, action.ErrMode):
				return 2, "mend it"
			}
			return 3, "look at it"
		},
	})
	g.commands, g.shown = actiontest.ReadLog(g.t, log.String())
	g.outputs = actiontest.ReadOutputs(g.t, g.read("output"))
	g.summary = g.read("summary")
	return g.code
}

func (g *rig) read(name string) string {
	g.t.Helper()
	data, err := os.ReadFile(filepath.Join(g.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		g.t.Fatal(err)
	}
	return strings.TrimSuffix(string(data), "\n")
}

// writes lists what the last step wrote to GitHub.
func (g *rig) writes() []string {
	var list []string
	for _, w := range g.hub.Writes() {
		list = append(list, w.Method+" "+strings.TrimPrefix(w.Path, "/repos/acme/pay"))
	}
	return list
}

// annotations returns the annotations of the last step with a level.
func (g *rig) annotations(level string) (found []actiontest.Command) {
	for _, c := range g.commands {
		if c.Name == level {
			found = append(found, c)
		}
	}
	return found
}

func repository() map[string]any {
	return map[string]any{"id": own, "full_name": "acme/pay", "default_branch": "main"}
}

// pull is the payload of pull request 42 with a head in a repository.
func pull(act, sha string, repo int) map[string]any {
	name, state := "acme/pay", "open"
	if repo != own {
		name = "mallory/pay"
	}
	if act == "closed" {
		state = "closed"
	}
	return map[string]any{"action": act, "number": 42, "repository": repository(), "pull_request": map[string]any{
		"number": 42, "state": state,
		"base": map[string]any{"ref": "main", "sha": base, "repo": repository()},
		"head": map[string]any{"ref": "retry-refunds", "sha": sha, "repo": map[string]any{"id": repo, "full_name": name}},
	}}
}

// finished is the payload of a run that ended.
func finished(sha string, repo int) map[string]any {
	return map[string]any{"action": "completed", "repository": repository(), "workflow_run": map[string]any{
		"id": 900, "run_attempt": 1, "head_sha": sha, "head_branch": "retry-refunds", "head_repository": map[string]any{"id": repo, "full_name": "mallory/pay"},
		"event": "pull_request", "path": ".github/workflows/previdence.yml", "conclusion": "failure",
	}}
}

func TestAPullRequestGetsWhatTheTokenMayWrite(t *testing.T) {
	g := newRig(t)
	if g.step(event.PullRequest, pull("opened", head, own)) != 1 {
		t.Errorf("code %d: the policy of the report failed", g.code)
	}
	s := g.hub.State()
	if len(s.Comments) != 1 || !strings.HasPrefix(s.Comments[0].Body, "<!-- previdence v=1 ") || len(s.CheckRuns) != 1 || len(s.CheckRuns[0].Annotations) == 0 {
		t.Errorf("%d comments, %d check runs", len(s.Comments), len(s.CheckRuns))
	}
	want := action.Request{
		Dir: g.env["GITHUB_WORKSPACE"], Number: 42, Base: report.Revision{Ref: "main", Commit: base}, Head: report.Revision{Ref: "retry-refunds", Commit: head},
		Repository: "acme/pay", ServerURL: "https://github.test", Token: "s3cret",
	}
	if len(g.asked) != 1 || fmt.Sprint(g.asked[0]) != fmt.Sprint(want) {
		t.Errorf("asked for %+v, want %+v; GITHUB_SHA is a merge that nobody wrote", g.asked, want)
	}
	for name, want := range map[string]string{"outcome": "fail", "breaks": "1", "dependents": fmt.Sprint(g.report.Impact.Total), "gaps": fmt.Sprint(len(g.report.Tests.Gaps)), "sarif-file": ""} {
		if g.outputs[name] != want {
			t.Errorf("output %s is %q, want %q", name, g.outputs[name], want)
		}
	}
	if !strings.Contains(g.outputs["comment-url"], "/42#issuecomment-") {
		t.Errorf("output comment-url is %q", g.outputs["comment-url"])
	}
	if !strings.HasPrefix(g.summary, "### previdence: policy failed: 2 broken references") || !strings.Contains(g.summary, "Refund") {
		t.Errorf("summary %.300s", g.summary)
	}
	if n := len(g.annotations("error")) + len(g.annotations("warning")); n > 0 {
		t.Errorf("%d annotations in the log, and the check run has them already", n)
	}
	if g.commands[0].Name != "add-mask" || g.commands[0].Message != "s3cret" {
		t.Errorf("the first command is %v, want the mask", g.commands[0])
	}
}

func TestTheReportFileIsTheCanonicalReport(t *testing.T) {
	g := newRig(t)
	g.step(event.PullRequest, pull("opened", head, own))
	want, err := g.report.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(g.outputs["report"])
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file of %d bytes differs from the report of %d: %v", len(got), len(want), err)
	}
	f, err := os.Open(g.outputs["evidence"])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := envelope.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(f.Name()) != envelope.FileName || e.PullRequest != 42 || e.Head != head || e.RunID != 900 || e.Workflow != ".github/workflows/previdence.yml" || e.Event != "pull_request" {
		t.Errorf("envelope %s: %+v", f.Name(), e)
	}
}

func TestAnUnchangedReportIsNotWrittenAgain(t *testing.T) {
	g := newRig(t)
	g.step(event.PullRequest, pull("opened", head, own))
	url := g.outputs["comment-url"]
	g.env["GITHUB_RUN_ID"] = "901"
	g.step(event.PullRequest, pull("labeled", head, own))
	for _, w := range g.writes() {
		if strings.Contains(w, "comments") {
			t.Errorf("wrote %s", w)
		}
	}
	if g.outputs["comment-url"] != url || url == "" {
		t.Errorf("comment-url is %q, was %q", g.outputs["comment-url"], url)
	}
}

func TestAForkOnlyReads(t *testing.T) {
	g := newRig(t)
	g.hub.Change(func(s *actiontest.State) { s.Scopes = []string{} })
	g.step(event.PullRequest, pull("opened", head, forked))
	if n := len(g.hub.Requests()); n > 0 {
		t.Errorf("%d requests to GitHub", n)
	}
	notices := g.annotations("notice")
	if g.code != 1 || len(notices) == 0 || !strings.Contains(notices[0].Message, "comes from a fork") || strings.Count(g.summary, "comes from a fork") != 1 {
		t.Errorf("code %d, notices %v", g.code, notices)
	}
	if g.outputs["outcome"] != "fail" || g.outputs["evidence"] == "" || g.outputs["comment-url"] != "" {
		t.Errorf("outputs %v", g.outputs)
	}
	if len(g.annotations("error"))+len(g.annotations("warning")) == 0 {
		t.Error("no finding is shown beside its line")
	}
}

func TestATokenThatMayNotWriteIsNoFailure(t *testing.T) {
	g := newRig(t)
	g.report.Verdict.Outcome = report.Pass
	g.hub.Change(func(s *actiontest.State) { s.Scopes = []string{} })
	g.step(event.PullRequest, pull("synchronize", head, own))
	if g.code != 0 || !strings.Contains(g.summary, "pull-requests: write") {
		t.Errorf("code %d, summary %s", g.code, g.summary[max(0, len(g.summary)-600):])
	}
	if len(g.annotations("notice")) == 0 || len(g.annotations("warning"))+len(g.annotations("notice")) < 2 {
		t.Errorf("commands %v", g.commands)
	}
}

func TestAServerThatIsGoneIsNamed(t *testing.T) {
	g := newRig(t)
	g.report.Verdict.Outcome = report.Pass
	g.hub.Change(func(s *actiontest.State) {
		s.Faults = []actiontest.Fault{{Method: "GET", Status: 502, Body: `{"message":"down"}`}}
	})
	g.step(event.PullRequest, pull("synchronize", head, own))
	if notices := g.annotations("notice"); g.code != 0 || len(notices) == 0 || !strings.Contains(notices[0].Message, "502") {
		t.Errorf("code %d, commands %v", g.code, g.commands)
	}
	if g.outputs["outcome"] != "pass" || g.outputs["report"] == "" || !strings.Contains(g.summary, "previdence") {
		t.Errorf("outputs %v", g.outputs)
	}
}

// upload makes the evidence of the last step the artifact of its run.
func (g *rig) upload() {
	g.t.Helper()
	data, err := os.ReadFile(g.outputs["evidence"])
	if err != nil {
		g.t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(filepath.Base(g.outputs["evidence"]))
	if err == nil {
		_, err = w.Write(data)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		g.t.Fatal(err)
	}
	g.hub.Change(func(s *actiontest.State) {
		s.Artifacts = []actiontest.Artifact{{ID: 5, RunID: 900, Name: envelope.ArtifactName, Zip: b.Bytes()}}
	})
}

func TestASecondWorkflowPostsForAFork(t *testing.T) {
	g := newRig(t)
	g.hub.Change(func(s *actiontest.State) { s.PullRequests[0].HeadRepoID = forked })
	g.step(event.PullRequest, pull("opened", head, forked), "mode=analyze")
	g.upload()
	g.env["GITHUB_RUN_ID"], g.env["GITHUB_WORKFLOW_REF"] = "950", "acme/pay/.github/workflows/previdence-publish.yml@refs/heads/main"
	g.asked = nil
	g.step(event.WorkflowRun, finished(head, forked), "mode=publish")
	if g.code != 0 || g.outputs["outcome"] != "published" || g.outputs["comment-url"] == "" || len(g.asked) > 0 {
		t.Fatalf("code %d, outputs %v, commands %v", g.code, g.outputs, g.commands)
	}
	if s := g.hub.State(); len(s.Comments) != 1 || len(s.CheckRuns) != 1 {
		t.Errorf("%d comments, %d check runs", len(s.Comments), len(s.CheckRuns))
	}
	g.step(event.WorkflowRun, finished(head, forked))
	if slices.ContainsFunc(g.writes(), func(w string) bool { return strings.Contains(w, "comments") }) {
		t.Errorf("the same evidence was written again: %v", g.writes())
	}

	g.hub.Change(func(s *actiontest.State) { s.Scopes = []string{}; s.Comments, s.CheckRuns = nil, nil })
	g.step(event.WorkflowRun, finished(head, forked))
	if g.code != 4 || g.outputs["outcome"] != "unpublished" || !strings.Contains(g.summary, "pull-requests: write") {
		t.Errorf("a token that may not write: code %d, outputs %v, summary %s", g.code, g.outputs, g.summary)
	}
	g.hub.Change(func(s *actiontest.State) { s.Scopes = nil })

	g.hub.Change(func(s *actiontest.State) { s.PullRequests[0].Head = next })
	g.step(event.WorkflowRun, finished(head, forked))
	if g.code != 0 || g.outputs["outcome"] != "superseded" || len(g.writes()) > 0 {
		t.Errorf("pushed meanwhile: code %d, outputs %v, wrote %v", g.code, g.outputs, g.writes())
	}
	g.step(event.WorkflowRun, finished(next, forked))
	if g.code != 3 || g.outputs["outcome"] != "unevaluated" || len(g.writes()) > 0 {
		t.Errorf("evidence about another head: code %d, outputs %v, wrote %v", g.code, g.outputs, g.writes())
	}
	g.hub.Change(func(s *actiontest.State) { s.Artifacts = nil })
	g.step(event.WorkflowRun, finished(next, forked))
	if g.code != 0 || g.outputs["outcome"] != "nothing" || len(g.writes()) > 0 {
		t.Errorf("no evidence: code %d, outputs %v, wrote %v", g.code, g.outputs, g.writes())
	}
}

func TestWhatIsReviewedOnOtherEvents(t *testing.T) {
	group := map[string]any{"action": "checks_requested", "repository": repository(), "merge_group": map[string]any{
		"head_sha": head, "head_ref": "refs/heads/gh-readonly-queue/main/pr-42-" + base, "base_sha": base, "base_ref": "refs/heads/main"}}
	pushed := func(before string) map[string]any {
		return map[string]any{"repository": repository(), "ref": "refs/heads/topic", "before": before, "after": head}
	}
	for _, c := range []struct {
		claim      string
		kind       event.Kind
		payload    map[string]any
		inputs     []string
		base, head report.Revision
	}{
		{"a merge group", event.MergeGroup, group, nil, report.Revision{Ref: "main", Commit: base}, report.Revision{Ref: "gh-readonly-queue/main/pr-42-" + base, Commit: head}},
		{"what was pushed", event.Push, pushed(base), nil, report.Revision{Ref: "topic", Commit: base}, report.Revision{Ref: "topic", Commit: head}},
		{"results for code scanning", event.Push, pushed(base), []string{"sarif=upload"}, report.Revision{Ref: "topic", Commit: base}, report.Revision{Ref: "topic", Commit: head}},
		{"a new branch", event.Push, pushed(strings.Repeat("0", 40)), nil, report.Revision{Ref: "main"}, report.Revision{Ref: "topic", Commit: head}},
		{"a branch by hand", event.WorkflowDispatch, map[string]any{"repository": repository(), "ref": "refs/heads/topic"}, nil, report.Revision{Ref: "main"}, report.Revision{Ref: "topic", Commit: next}},
		{"another base", event.PullRequest, pull("opened", head, forked), []string{"base=v1.2.3"}, report.Revision{Ref: "v1.2.3"}, report.Revision{Ref: "retry-refunds", Commit: head}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			g := newRig(t)
			g.report.Subject.PullRequest = 0
			g.step(c.kind, c.payload, c.inputs...)
			if len(g.asked) != 1 || g.asked[0].Base != c.base || g.asked[0].Head != c.head {
				t.Errorf("asked for %+v; want %+v to %+v", g.asked, c.base, c.head)
			}
			if c.kind != event.PullRequest && (g.asked[0].Number != 0 || g.outputs["evidence"] != "") {
				t.Errorf("number %d, evidence %q of no pull request", g.asked[0].Number, g.outputs["evidence"])
			}
			var want []string
			switch c.claim {
			case "a merge group": // a repository may require the check run
				want = []string{"POST /check-runs"}
			case "results for code scanning":
				want = []string{"POST /code-scanning/sarifs"}
			}
			if got := g.writes(); !slices.Equal(got, want) || g.outputs["outcome"] != "fail" {
				t.Errorf("wrote %q, outputs %v", got, g.outputs)
			}
		})
	}
}

func TestCleaningUp(t *testing.T) {
	review := func(state, association string) map[string]any {
		p := pull("submitted", head, own)
		p["review"] = map[string]any{"state": state, "commit_id": head, "author_association": association}
		return p
	}
	for _, c := range []struct {
		claim   string
		kind    event.Kind
		payload map[string]any
		inputs  []string
		want    []action.Closing
		outcome string
	}{
		{"an approval", event.PullRequestReview, review("approved", "MEMBER"), nil, []action.Closing{{Number: 42, Head: head, Approved: true}}, "cleaned"},
		{"an approval in cleanup mode", event.PullRequestReview, review("approved", "OWNER"), []string{"mode=cleanup"}, []action.Closing{{Number: 42, Head: head, Approved: true}}, "cleaned"},
		{"the end", event.PullRequest, pull("closed", head, own), nil, []action.Closing{{Number: 42, Head: head}}, "cleaned"},
		{"the approval of a stranger", event.PullRequestReview, review("approved", "NONE"), nil, nil, "nothing"},
		{"a comment", event.PullRequestReview, review("commented", "OWNER"), nil, nil, "nothing"},
		{"the end in analyze mode", event.PullRequest, pull("closed", head, own), []string{"mode=analyze"}, nil, "nothing"},
		{"a push in cleanup mode", event.PullRequest, pull("synchronize", head, own), []string{"mode=cleanup"}, nil, "nothing"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			g := newRig(t)
			g.step(c.kind, c.payload, c.inputs...)
			for i := range c.want {
				c.want[i].Dir = g.env["GITHUB_WORKSPACE"]
			}
			if g.code != 0 || !slices.Equal(g.closed, c.want) || g.outputs["outcome"] != c.outcome || len(g.asked) > 0 {
				t.Errorf("code %d, closed %+v, outputs %v", g.code, g.closed, g.outputs)
			}
			if len(c.want) > 0 && !strings.Contains(g.summary, "Removed the worktree") {
				t.Errorf("summary %s", g.summary)
			}
			if len(g.hub.Requests()) > 0 {
				t.Error("GitHub was asked")
			}
		})
	}
}

func TestWhatCannotBeDoneIsNeverAPass(t *testing.T) {
	for _, c := range []struct {
		claim   string
		kind    event.Kind
		payload map[string]any
		inputs  []string
		err     error
		code    int
		says    string
	}{
		{"a review that is refused", event.PullRequest, pull("opened", head, own), nil, errors.New("history is cut"), 3, "history is cut"},
		{"an input that means nothing", event.PullRequest, pull("opened", head, own), []string{"comment=sometimes"}, nil, 2, "comment is"},
		{"an event for nobody", "pull_request_target", pull("opened", head, own), nil, nil, 2, "pull_request_target"},
		{"a payload without a head", event.PullRequest, map[string]any{"repository": repository()}, nil, nil, 3, "pull_request is missing"},
		{"posting on a push", event.PullRequest, pull("opened", head, own), []string{"mode=publish"}, nil, 2, "mode is publish"},
		{"reviewing another run", event.WorkflowRun, finished(head, forked), []string{"mode=analyze"}, nil, 2, "mode is analyze"},
		{"coverage that is not there", event.PullRequest, pull("opened", head, own), []string{"coverage-files=cover.out"}, nil, 2, "cover.out"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			g := newRig(t)
			g.err = c.err
			g.step(c.kind, c.payload, c.inputs...)
			errs := g.annotations("error")
			if g.code != c.code || len(errs) != 1 || !strings.Contains(errs[0].Message, c.says) || !strings.Contains(errs[0].Message, "it") {
				t.Errorf("code %d, errors %v", g.code, errs)
			}
			if g.outputs["outcome"] != "unevaluated" || !strings.HasPrefix(g.summary, "### previdence: could not evaluate\n") {
				t.Errorf("outputs %v, summary %s", g.outputs, g.summary)
			}
			if len(g.hub.Writes()) > 0 {
				t.Errorf("wrote %v", g.writes())
			}
		})
	}
}

func TestCoverageIsHandedOverAndLinksLeadNowhere(t *testing.T) {
	g := newRig(t)
	if err := os.WriteFile(filepath.Join(g.env["GITHUB_WORKSPACE"], "cover.out"), []byte("mode: set\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if g.step(event.PullRequest, pull("opened", head, forked), "coverage-files=cover.out"); g.code == 2 || !slices.Equal(g.coverage, []string{"mode: set\n"}) {
		t.Errorf("code %d, the review got %q", g.code, g.coverage)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(g.env["GITHUB_WORKSPACE"], "link")); err != nil {
		t.Fatal(err)
	}
	if g.step(event.PullRequest, pull("opened", head, forked), "coverage-files=link"); g.code != 2 {
		t.Errorf("a link that leads out: code %d", g.code)
	}
}

// Whatever the names of a change hold, the runner finds the commands of this program
// and no other, and the outputs are as many as they are.
func TestNoNameBecomesACommandOrAnOutput(t *testing.T) {
	g := newRig(t)
	g.report = reporterstest.Hostile()
	payload := pull("opened", head, forked)
	payload["pull_request"].(map[string]any)["head"].(map[string]any)["ref"] = "x\n::error::owned\n##[set-output name=outcome]pass"
	g.step(event.PullRequest, payload)
	for _, c := range g.commands {
		if !slices.Contains([]string{"add-mask", "group", "stop-commands", "endgroup", "notice", "warning", "error"}, c.Name) || strings.HasPrefix(c.Message, "owned") {
			t.Errorf("command %+v", c)
		}
	}
	if n := len(g.annotations("notice")) + len(g.annotations("warning")) + len(g.annotations("error")); n == 0 || n > workflow.MaxAnnotations {
		t.Errorf("%d annotations", n)
	}
	if len(g.outputs) != 8 || g.outputs["outcome"] != string(g.report.Verdict.Outcome) {
		t.Errorf("outputs %q", g.outputs)
	}
	g.err = errors.New("branch \"x\n::error::owned\n##[add-mask]y\" is not here")
	g.step(event.PullRequest, payload)
	if len(g.commands) != 2 || g.commands[1].Name != "error" {
		t.Errorf("commands %+v", g.commands)
	}
}

// An input may ask for as much as every rendering for GitHub has, and no more.
func TestTheBudgetThatCanBeAskedForIsThatOfAComment(t *testing.T) {
	if workflow.MostBudget != markdown.DefaultBudget {
		t.Errorf("an input allows %d bytes, a comment has %d", workflow.MostBudget, markdown.DefaultBudget)
	}
}
