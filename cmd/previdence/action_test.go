package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/action/actiontest"
	"github.com/previdence/previdence/action/envelope"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// A job runs the program as the step of a workflow, in what actions/checkout leaves
// of a pull request, against a GitHub with state.
type job struct {
	t          *testing.T
	hub        *actiontest.Hub
	server     *worktreetest.Repo // what GitHub keeps
	base, head string
	checkout   string
	dir        string
	env        map[string]string

	log     string
	outputs map[string]string
	summary string
}

// The IDs of the repositories.
const (
	ownID  = 1001
	forkID = 2002
)

func newJob(t *testing.T) *job {
	t.Helper()
	j := &job{t: t, server: worktreetest.New(t), dir: t.TempDir()}
	j.server.Commit(map[string]string{
		"go.mod": "module example.com/pay\n\ngo 1.22\n", "pay.go": "package pay\n\nfunc Pay() int { return fee() }\n\nfunc fee() int { return 1 }\n",
		"use/use.go": "package use\n\nimport \"example.com/pay\"\n\nfunc Use() int { return pay.Pay() }\n",
	})
	j.server.Checkout("remove-pay", "main")
	j.push(map[string]string{"pay.go": "package pay\n\nfunc Charge() int { return 2 }\n"})
	j.server.Checkout("main")
	j.base = string(j.server.Commit(map[string]string{"later.txt": "x\n"}))
	j.server.Checkout("trial", "main")
	j.server.Merge("remove-pay")
	j.server.Git("update-ref", "refs/pull/7/merge", "HEAD")
	j.server.Checkout("main")
	j.hub = actiontest.New(actiontest.State{
		PullRequests: []actiontest.PullRequest{{Number: 7, Head: j.head, HeadRepoID: ownID, Base: j.base, BaseRef: "main"}},
		MergeBases:   map[string]string{},
	})
	j.describe()
	j.env = map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": t.TempDir(), "TERM": "dumb",
		"GITHUB_REPOSITORY": "acme/pay", "GITHUB_SERVER_URL": "https://github.test", "GITHUB_API_URL": actiontest.Serve(t, j.hub),
		"GITHUB_RUN_ID": "900", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_WORKFLOW_REF": "acme/pay/.github/workflows/previdence.yml@refs/pull/7/merge",
		"RUNNER_TEMP": j.dir, "PREVIDENCE_TOKEN": "s3cret",
	}
	return j
}

// push makes another head of the pull request.
func (j *job) push(files map[string]string) {
	j.t.Helper()
	j.server.Checkout("remove-pay")
	j.head = string(j.server.Commit(files))
	j.server.Git("update-ref", "refs/pull/7/head", "HEAD")
	j.server.Checkout("main")
	if j.hub != nil {
		j.hub.Change(func(s *actiontest.State) { s.PullRequests[0].Head = j.head })
		j.describe()
	}
}

// describe tells the hub which commits have which merge base.
func (j *job) describe() {
	j.hub.Change(func(s *actiontest.State) {
		s.MergeBases[j.base+"..."+j.head] = j.server.Git("merge-base", j.base, j.head)
		s.MergeBases["main..."+j.base] = j.base
	})
}

// clone makes the checkout: the trial merge alone, as it is by default.
func (j *job) clone() {
	j.t.Helper()
	j.checkout = filepath.Join(j.t.TempDir(), "work")
	at := j.server.At(j.checkout)
	j.server.Git("init", "-q", j.checkout)
	at.Git("remote", "add", "origin", "file://"+j.server.Dir)
	at.Git("fetch", "-q", "--no-tags", "--depth=1", "origin", "+refs/pull/7/merge:refs/remotes/pull/7/merge")
	at.Git("checkout", "-q", "--detach", "refs/remotes/pull/7/merge")
	j.env["GITHUB_WORKSPACE"], j.env["GITHUB_SHA"] = j.checkout, at.Git("rev-parse", "HEAD")
}

// run executes the program on an event and returns its exit code.
func (j *job) run(kind string, payload map[string]any, inputs ...string) int {
	j.t.Helper()
	data, err := json.Marshal(payload)
	if err != nil {
		j.t.Fatal(err)
	}
	file := func(name string) string { return filepath.Join(j.dir, name) }
	for name, text := range map[string]string{"event.json": string(data), "output": "", "summary": ""} {
		if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
			j.t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(j.t.Context(), "previdence", "action")
	for key, value := range j.env {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	cmd.Env = append(cmd.Env, "GITHUB_EVENT_NAME="+kind, "GITHUB_EVENT_PATH="+file("event.json"), "GITHUB_OUTPUT="+file("output"), "GITHUB_STEP_SUMMARY="+file("summary"))
	cmd.Env = append(cmd.Env, inputs...)
	j.hub.Set(j.hub.State()) // forgets what came in
	log, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		j.t.Fatal(err)
	}
	j.log, j.outputs, j.summary = string(log), actiontest.ReadOutputs(j.t, j.read("output")), j.read("summary")
	return cmd.ProcessState.ExitCode()
}

func (j *job) read(name string) string {
	j.t.Helper()
	data, err := os.ReadFile(filepath.Join(j.dir, name))
	if err != nil {
		j.t.Fatal(err)
	}
	return strings.TrimSuffix(string(data), "\n")
}

// comments lists what was written to the conversation by the last run.
func (j *job) comments() (written []string) {
	for _, w := range j.hub.Writes() {
		if strings.Contains(w.Path, "comments") {
			written = append(written, w.Method)
		}
	}
	return written
}

func (j *job) pull(action string, repo int64) map[string]any {
	own := map[string]any{"id": ownID, "full_name": "acme/pay", "default_branch": "main"}
	state := "open"
	if action == "closed" {
		state = "closed"
	}
	return map[string]any{"action": action, "number": 7, "repository": own, "pull_request": map[string]any{
		"number": 7, "state": state, "base": map[string]any{"ref": "main", "sha": j.base, "repo": own},
		"head": map[string]any{"ref": "remove-pay", "sha": j.head, "repo": map[string]any{"id": repo, "full_name": "someone/pay"}},
	}}
}

// One workflow with a token that may write: the first run posts, one that finds the
// same does not, the next push edits, and the end deletes nothing.
func TestActionInOneWorkflow(t *testing.T) {
	j := newJob(t)
	j.clone()
	if code := j.run("pull_request", j.pull("opened", ownID), "PREVIDENCE_FAIL_ON=breaks"); code != 1 || j.outputs["outcome"] != "fail" || j.outputs["breaks"] != "1" {
		t.Fatalf("code %d, outputs %v\n%s", code, j.outputs, j.log)
	}
	s := j.hub.State()
	if len(s.Comments) != 1 || len(s.CheckRuns) != 1 || s.CheckRuns[0].Head != j.head || s.CheckRuns[0].Conclusion != "failure" {
		t.Fatalf("%d comments, check runs %+v", len(s.Comments), s.CheckRuns)
	}
	if body := s.Comments[0].Body; !strings.HasPrefix(body, "<!-- previdence v=1 ") || !strings.Contains(body, "Pay") || !strings.Contains(body, "use/use.go") {
		t.Errorf("comment:\n%s", body)
	}
	if !strings.Contains(j.summary, "use/use.go") || j.outputs["comment-url"] == "" {
		t.Errorf("outputs %v, summary:\n%s", j.outputs, j.summary)
	}
	cmd := exec.CommandContext(t.Context(), "previdence", "verify", "--repo", j.checkout, j.outputs["report"])
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the report of the step is not what its checkout gives: %v: %s", err, out)
	}

	j.env["GITHUB_RUN_ID"] = "901"
	if code := j.run("pull_request", j.pull("labeled", ownID), "PREVIDENCE_FAIL_ON=breaks"); code != 1 || len(j.comments()) > 0 {
		t.Errorf("unchanged: code %d, wrote %v\n%s", code, j.comments(), j.log)
	}

	before := j.head
	j.push(map[string]string{"pay.go": "package pay\n\nfunc Pay() int { return 2 }\n"})
	j.env["GITHUB_RUN_ID"] = "902"
	if code := j.run("pull_request", j.pull("synchronize", ownID), "PREVIDENCE_FAIL_ON=breaks"); code != 0 || !slices.Equal(j.comments(), []string{"PATCH"}) {
		t.Errorf("mended: code %d, wrote %v\n%s", code, j.comments(), j.log)
	}
	mended := j.hub.State().Comments
	if len(mended) != 1 || !strings.Contains(mended[0].Body, "head="+j.head) || j.head == before {
		t.Errorf("comments %+v", mended)
	}

	if code := j.run("pull_request", j.pull("closed", ownID)); code != 0 || j.outputs["outcome"] != "cleaned" || len(j.hub.Writes()) > 0 {
		t.Errorf("closed: code %d, outputs %v, wrote %v\n%s", code, j.outputs, j.hub.Writes(), j.log)
	}
}

// Two workflows: that of the fork only reads, and the other posts what it left.
func TestActionInTwoWorkflows(t *testing.T) {
	j := newJob(t)
	j.clone()
	j.hub.Change(func(s *actiontest.State) { s.PullRequests[0].HeadRepoID, s.Scopes = forkID, []string{} })
	if code := j.run("pull_request", j.pull("opened", forkID), "PREVIDENCE_MODE=analyze"); code != 0 || len(j.hub.Requests()) > 0 || j.outputs["evidence"] == "" {
		t.Fatalf("code %d, %d requests, outputs %v\n%s", code, len(j.hub.Requests()), j.outputs, j.log)
	}
	commands, _ := actiontest.ReadLog(t, j.log)
	if !slices.ContainsFunc(commands, func(c actiontest.Command) bool {
		return c.Name == "warning" && c.Properties["file"] == "use/use.go" && c.Properties["line"] == "5"
	}) {
		t.Errorf("no annotation beside the reference that broke:\n%s", j.log)
	}

	j.hub.Change(func(s *actiontest.State) {
		s.Scopes = nil
		s.Artifacts = []actiontest.Artifact{{ID: 3, RunID: 900, Name: envelope.ArtifactName, Zip: zipped(t, j.outputs["evidence"])}}
	})
	finished := map[string]any{"action": "completed", "repository": map[string]any{"id": ownID, "full_name": "acme/pay"}, "workflow_run": map[string]any{
		"id": 900, "run_attempt": 1, "head_sha": j.head, "head_branch": "remove-pay", "head_repository": map[string]any{"id": forkID, "full_name": "someone/pay"},
		"event": "pull_request", "path": ".github/workflows/previdence.yml", "conclusion": "success",
	}}
	j.env["GITHUB_WORKSPACE"], j.env["GITHUB_RUN_ID"] = t.TempDir(), "950" // nothing is checked out
	j.env["GITHUB_WORKFLOW_REF"] = "acme/pay/.github/workflows/previdence-publish.yml@refs/heads/main"
	if code := j.run("workflow_run", finished, "PREVIDENCE_MODE=publish"); code != 0 || j.outputs["outcome"] != "published" || !slices.Equal(j.comments(), []string{"POST"}) {
		t.Fatalf("code %d, outputs %v, wrote %v\n%s", code, j.outputs, j.comments(), j.log)
	}
	if body := j.hub.State().Comments[0].Body; !strings.Contains(body, "use/use.go") || !strings.Contains(body, "fork") {
		t.Errorf("comment:\n%s", body)
	}
	if code := j.run("workflow_run", finished, "PREVIDENCE_MODE=publish"); code != 0 || len(j.comments()) > 0 {
		t.Errorf("again: code %d, wrote %v\n%s", code, j.comments(), j.log)
	}
}

func zipped(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(filepath.Base(path))
	if err == nil {
		_, err = w.Write(data)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An approval deletes the graphs that the machine keeps for the pull request, and
// its end the worktree, if somebody had made them there.
func TestActionCleansUpOnAMachineThatStays(t *testing.T) {
	j := newJob(t)
	j.clone()
	j.env["GITHUB_WORKSPACE"], j.env["PREVIDENCE_PATH"] = filepath.Split(j.checkout) // as with: path: does
	previdence := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "previdence", args...)
		cmd.Dir, cmd.Env = j.checkout, append(os.Environ(), "HOME="+j.env["HOME"])
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	parent := t.TempDir()
	previdence("review", "7", "--worktree-root", parent)
	graphs := func() []string {
		found, err := filepath.Glob(filepath.Join(j.checkout, ".git", "previdence", "store.git", "worktrees", "*", "previdence", "graph.db"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if len(graphs()) != 1 {
		t.Fatalf("graphs %v", graphs())
	}

	// What the workflow itself reviews it keeps by tree: one graph for each of the two.
	kept := func() []string {
		found, err := filepath.Glob(filepath.Join(j.checkout, ".git", "previdence", "graphs", "*.db"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if code := j.run("pull_request", j.pull("opened", ownID)); code != 0 || len(kept()) != 2 {
		t.Fatalf("code %d, kept %v\n%s", code, kept(), j.log)
	}
	headTree := j.server.Git("rev-parse", j.head+"^{tree}")

	approval := j.pull("submitted", ownID)
	approval["review"] = map[string]any{"state": "approved", "commit_id": j.base, "author_association": "MEMBER"}
	if code := j.run("pull_request_review", approval); code != 0 || j.outputs["outcome"] != "nothing" {
		t.Errorf("an approval of another commit: code %d, outputs %v\n%s", code, j.outputs, j.log)
	}
	if len(graphs()) != 1 {
		t.Error("the graph is gone")
	}
	approval["review"].(map[string]any)["commit_id"] = j.head
	if code := j.run("pull_request_review", approval); code != 0 || j.outputs["outcome"] != "cleaned" || !strings.Contains(j.summary, "Deleted the graph") {
		t.Errorf("an approval: code %d, outputs %v\n%s", code, j.outputs, j.log)
	}
	if left := graphs(); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	if left := kept(); len(left) != 1 || strings.Contains(left[0], headTree) || !strings.Contains(j.summary, "Deleted 1 kept graph of ") {
		t.Errorf("kept after the approval: %v, want that of the merge base\n%s", left, j.summary)
	}
	if code := j.run("pull_request", j.pull("closed", ownID)); code != 0 || !strings.Contains(j.summary, "Removed the worktree") {
		t.Errorf("the end: code %d, summary %s\n%s", code, j.summary, j.log)
	}
	if left, err := filepath.Glob(filepath.Join(parent, "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// What the log of a job shows of a refusal is one command of ours, whatever names it
// quotes.
func TestActionSaysWhyItCannotReview(t *testing.T) {
	j := newJob(t)
	j.clone()
	payload := j.pull("opened", ownID)
	payload["pull_request"].(map[string]any)["base"].(map[string]any)["sha"] = strings.Repeat("ab", 20)
	if code := j.run("pull_request", payload); code != 3 || j.outputs["outcome"] != "unevaluated" || !strings.Contains(j.log, "fetch-depth: 0") {
		t.Errorf("code %d, outputs %v\n%s", code, j.outputs, j.log)
	}
	if code := j.run("pull_request", j.pull("opened", ownID), "PREVIDENCE_BASE=no\n::error::owned ##[add-mask]x"); code == 0 || code == 1 {
		t.Errorf("a base that is not there: code %d\n%s", code, j.log)
	}
	commands, shown := actiontest.ReadLog(t, j.log)
	if len(commands) != 2 || commands[1].Name != "error" || len(shown) > 0 {
		t.Errorf("commands %v, shown %q", commands, shown)
	}
	if code := j.run("pull_request_target", j.pull("opened", ownID)); code != 2 || !strings.Contains(j.log, "init github --forks") {
		t.Errorf("pull_request_target: code %d\n%s", code, j.log)
	}
	if r := (report.Report{}); j.outputs["report"] != "" || len(j.hub.Requests()) > 0 {
		t.Errorf("a report %v was made, or GitHub asked: %v", r.Schema, j.outputs)
	}
}
