package event

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// edited is a payload with the value at a path of keys replaced; nil deletes it.
func edited(t testing.TB, name, path string, value any) []byte {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal(load(t, name), &document); err != nil {
		t.Fatal(err)
	}
	at := document
	keys := strings.Split(path, ".")
	for _, key := range keys[:len(keys)-1] {
		at = at[key].(map[string]any)
	}
	last := keys[len(keys)-1]
	if at[last] = value; value == nil {
		delete(at, last)
	}
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const (
	changesSHA = "ec26c3e57ca3a959ca5aad62de7213c562f8c821"
	masterSHA  = "f95f852bd8fca8fcc58a9a2d6c842781e32a215e"
)

func TestParseReadsWhatGitHubSends(t *testing.T) {
	hello := Repository{ID: 186853002, Name: "Codertocat/Hello-World", DefaultBranch: "master"}
	own := func(ref, sha string) Commit {
		return Commit{Ref: ref, SHA: sha, RepoID: hello.ID, RepoName: hello.Name}
	}
	octo := Repository{ID: 17273051, Name: "octo-org/octo-repo", DefaultBranch: "main"}
	for _, c := range []struct {
		file string
		kind Kind
		want Event
	}{
		{"pull_request.synchronize", PullRequest, Event{
			Action: "synchronize", Number: 2, Repository: hello, Base: own("master", masterSHA), Head: own("changes", changesSHA)}},
		{"pull_request.closed", PullRequest, Event{
			Action: "closed", Number: 2, Repository: hello, Base: own("master", masterSHA), Head: own("changes", changesSHA)}},
		{"pull_request_review.submitted", PullRequestReview, Event{
			Action: "submitted", Number: 2, Repository: hello, Base: own("master", masterSHA), Head: own("changes", changesSHA),
			Review: Review{State: "commented", CommitID: changesSHA, Association: "OWNER"}}},
		{"merge_group.checks_requested", MergeGroup, Event{
			Action: "checks_requested", Number: 104, Repository: octo,
			Base: Commit{Ref: "refs/heads/main", SHA: "380387fbc80638b734a49e1be1c4dfec1c01b33c", RepoID: octo.ID, RepoName: octo.Name},
			Head: Commit{Ref: "refs/heads/gh-readonly-queue/main/pr-104-929f8209d40f77f4abc622a499c93a83babdbe64",
				SHA: "2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d", RepoID: octo.ID, RepoName: octo.Name}}},
		{"workflow_run.completed", WorkflowRun, Event{
			Action: "completed", Repository: Repository{ID: 300029405, Name: "octo-org/octo-repo", DefaultBranch: "master"},
			Head: Commit{Ref: "master", SHA: "3484a3fb816e0859fd6e1cea078d76385ff50625", RepoID: 300029405},
			WorkflowRun: FinishedRun{ID: 289782451, Attempt: 1, HeadSHA: "3484a3fb816e0859fd6e1cea078d76385ff50625", HeadRepoID: 300029405,
				HeadBranch: "master", Event: "repository_dispatch", Path: ".github/workflows/test.yml", Conclusion: "success"}}},
		{"push", Push, Event{
			Repository: hello, Base: own("refs/tags/simple-tag", "6113728f27ae82c7b1a177c8d03f9e96e0adf246"), Head: own("refs/tags/simple-tag", "")}},
		{"workflow_dispatch", WorkflowDispatch, Event{
			Repository: octo, Head: Commit{Ref: "refs/heads/master", RepoID: octo.ID, RepoName: octo.Name}}},
	} {
		t.Run(c.file, func(t *testing.T) {
			got, err := Parse(c.kind, load(t, c.file))
			if err != nil {
				t.Fatal(err)
			}
			c.want.Kind = c.kind
			// Examples do not agree on the ID of octo-repo, nor does it matter.
			if c.kind == WorkflowDispatch {
				c.want.Repository, c.want.Head.RepoID, c.want.Head.RepoName = got.Repository, got.Repository.ID, got.Repository.Name
			}
			if *got != c.want {
				t.Errorf("got\n%+v\nwant\n%+v", *got, c.want)
			}
		})
	}
}

func TestParseTellsForks(t *testing.T) {
	fork := map[string]any{"id": 4711, "full_name": "mallory/Hello-World"}
	for _, c := range []struct {
		claim string
		repo  any
		want  Commit
	}{
		{"a fork has another repository", fork, Commit{Ref: "changes", SHA: changesSHA, RepoID: 4711, RepoName: "mallory/Hello-World", Fork: true}},
		{"a deleted fork is a fork", nil, Commit{Ref: "changes", SHA: changesSHA, Fork: true}},
		{"a fork with the name of the base is a fork", map[string]any{"id": 4711, "full_name": "Codertocat/Hello-World"},
			Commit{Ref: "changes", SHA: changesSHA, RepoID: 4711, RepoName: "Codertocat/Hello-World", Fork: true}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			e, err := Parse(PullRequest, edited(t, "pull_request.synchronize", "pull_request.head.repo", c.repo))
			if err != nil {
				t.Fatal(err)
			}
			if e.Head != c.want {
				t.Errorf("got %+v, want %+v", e.Head, c.want)
			}
		})
	}
}

func TestParseRefusesWhatItCannotUse(t *testing.T) {
	for _, c := range []struct {
		claim, file, path, says string
		value                   any
	}{
		{"no repository", "pull_request.opened", "repository", "repository is missing", nil},
		{"a repository without ID", "pull_request.opened", "repository.id", "repository.id", nil},
		{"a repository whose name is a path", "pull_request.opened", "repository.full_name", "full_name", "../x"},
		{"a name with a line end", "pull_request.opened", "repository.full_name", "full_name", "a/b\n"},
		{"no pull request", "pull_request.opened", "pull_request", "pull_request is missing", nil},
		{"a short head", "pull_request.opened", "pull_request.head.sha", "head.sha", "ec26c3e"},
		{"a head that is an option", "pull_request.opened", "pull_request.head.sha", "head.sha", "--upload-pack=x"},
		{"an ID in upper case", "pull_request.opened", "pull_request.head.sha", "head.sha", strings.ToUpper(changesSHA)},
		{"an ID with a line end", "pull_request.opened", "pull_request.head.sha", "head.sha", changesSHA + "\n"},
		{"no base", "pull_request.opened", "pull_request.base", "base.ref", map[string]any{"repo": map[string]any{"id": 186853002, "full_name": "a/b"}}},
		{"a base in another repository", "pull_request.opened", "pull_request.base.repo.id", "base.repo", 9},
		{"two numbers", "pull_request.opened", "number", "number", 3},
		{"a negative number", "pull_request.opened", "number", "number", -2},
		{"a number that is a text", "pull_request.opened", "number", "number", "2"},
		{"no state", "pull_request.opened", "pull_request.state", "state", nil},
		{"a review without state", "pull_request_review.submitted", "review.state", "review.state", nil},
		{"a merge group without head", "merge_group.checks_requested", "merge_group.head_sha", "merge_group.head_sha", nil},
		{"a run without ID", "workflow_run.completed", "workflow_run.id", "workflow_run.id", nil},
		{"a run without event", "workflow_run.completed", "workflow_run.event", "workflow_run.event", nil},
		{"a run without head", "workflow_run.completed", "workflow_run.head_sha", "workflow_run.head_sha", nil},
		{"a push without commits", "push", "after", "after", nil},
		{"a dispatch without ref", "workflow_dispatch", "ref", "ref is missing", nil},
	} {
		t.Run(c.claim, func(t *testing.T) {
			kind, _, _ := strings.Cut(c.file, ".")
			e, err := Parse(Kind(kind), edited(t, c.file, c.path, c.value))
			if !errors.Is(err, ErrPayload) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %+v, %v; want an error that says %q", e, err, c.says)
			}
		})
	}
	for claim, data := range map[string]string{
		"nothing": "", "no JSON": "{", "a list": "[]", "two values": `{"a":1}{}`, "null": "null", "a number": "7",
	} {
		if e, err := Parse(PullRequest, []byte(data)); !errors.Is(err, ErrPayload) {
			t.Errorf("%s: got %+v, %v", claim, e, err)
		}
	}
	if _, err := Parse(PullRequest, append(load(t, "pull_request.opened"), make([]byte, MaxBytes)...)); !errors.Is(err, ErrPayload) {
		t.Errorf("a payload above the limit: %v", err)
	}
	for _, kind := range []Kind{"", "pull_request_target", "issues", "Pull_request"} {
		if _, err := Parse(kind, load(t, "pull_request.opened")); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%q: %v", kind, err)
		}
	}
}

func TestABranchThatDidNotExistHasNoCommit(t *testing.T) {
	none := strings.Repeat("0", 40)
	e, err := Parse(Push, edited(t, "push", "before", none))
	if err != nil || e.Base.SHA != "" {
		t.Errorf("got %+v, %v", e, err)
	}
}

func TestOnlyMembersApproveOnlyTheHead(t *testing.T) {
	review := func(state, association, commit string) []byte {
		return edited(t, "pull_request_review.submitted", "review", map[string]any{"state": state, "author_association": association, "commit_id": commit})
	}
	for _, c := range []struct {
		claim string
		data  []byte
		want  bool
	}{
		{"a member approves the head", review("approved", "MEMBER", changesSHA), true},
		{"GitHub writes states in upper case elsewhere", review("APPROVED", "OWNER", changesSHA), true},
		{"a stranger approves", review("approved", "NONE", changesSHA), false},
		{"a contributor cannot write", review("approved", "CONTRIBUTOR", changesSHA), false},
		{"an older head was approved", review("approved", "MEMBER", masterSHA), false},
		{"a comment is no approval", review("commented", "OWNER", changesSHA), false},
	} {
		t.Run(c.claim, func(t *testing.T) {
			e, err := Parse(PullRequestReview, c.data)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Approves(); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	e, err := Parse(PullRequest, load(t, "pull_request.opened"))
	if err != nil || e.Approves() {
		t.Errorf("a pull request approves itself: %+v, %v", e, err)
	}
}

// What Parse accepts names full IDs and one repository, whatever the payload is;
// encoding/json is asked whether it is JSON at all.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal(err, files)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		kind, _, _ := strings.Cut(name, ".")
		f.Add(kind, load(f, name))
	}
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		e, err := Parse(Kind(kind), data)
		if err != nil {
			if e != nil || !errors.Is(err, ErrPayload) && !errors.Is(err, ErrUnsupported) {
				t.Fatalf("%+v with %v", e, err)
			}
			return
		}
		if !json.Valid(data) {
			t.Error("not JSON, and accepted")
		}
		for _, c := range []Commit{e.Base, e.Head} {
			if c.SHA != "" && len(c.SHA) != 40 && len(c.SHA) != 64 {
				t.Errorf("accepted the ID %q", c.SHA)
			}
		}
		if e.Repository.ID < 1 || strings.Count(e.Repository.Name, "/") != 1 || e.Number < 0 {
			t.Errorf("accepted %+v", e)
		}
		if e.Kind == PullRequest && (e.Number == 0 || e.Head.SHA == "" || e.Base.SHA == "" || !e.Head.Fork && e.Head.RepoID != e.Repository.ID) {
			t.Errorf("accepted %+v", e)
		}
	})
}
