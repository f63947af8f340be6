package event

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

var (
	// ErrUnsupported means that there is nothing to do for events of this kind.
	ErrUnsupported = errors.New("unsupported event")
	// ErrPayload means that a payload lacks what its event always has.
	ErrPayload = errors.New("event payload cannot be used")
)

// The payload, as far as it is looked at.
type payload struct {
	Action      string       `json:"action"`
	Number      int          `json:"number"`
	Repository  *repository  `json:"repository"`
	PullRequest *pullRequest `json:"pull_request"`
	Review      *review      `json:"review"`
	MergeGroup  *mergeGroup  `json:"merge_group"`
	WorkflowRun *finishedRun `json:"workflow_run"`
	Ref         string       `json:"ref"`
	Before      string       `json:"before"`
	After       string       `json:"after"`
	Deleted     bool         `json:"deleted"`
}

type repository struct {
	ID            int64  `json:"id"`
	FullName      string `json:"full_name"`
	DefaultBranch string `json:"default_branch"`
}

type pullRequest struct {
	Number int    `json:"number"`
	State  string `json:"state"`
	Base   end    `json:"base"`
	Head   end    `json:"head"`
}

type end struct {
	Ref  string      `json:"ref"`
	SHA  string      `json:"sha"`
	Repo *repository `json:"repo"` // null once a fork is deleted
}

type review struct {
	State       string `json:"state"`
	CommitID    string `json:"commit_id"`
	Association string `json:"author_association"`
}

type mergeGroup struct {
	HeadSHA string `json:"head_sha"`
	HeadRef string `json:"head_ref"`
	BaseSHA string `json:"base_sha"`
	BaseRef string `json:"base_ref"`
}

type finishedRun struct {
	ID             int64       `json:"id"`
	Attempt        int         `json:"run_attempt"`
	HeadSHA        string      `json:"head_sha"`
	HeadBranch     string      `json:"head_branch"`
	HeadRepository *repository `json:"head_repository"`
	Event          string      `json:"event"`
	Path           string      `json:"path"`
	Conclusion     string      `json:"conclusion"`
}

// Parse reads the payload of an event.
func Parse(kind Kind, data []byte) (*Event, error) {
	read, known := readers[kind]
	if !known {
		return nil, fmt.Errorf("%w: %q", ErrUnsupported, string(kind))
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrPayload, MaxBytes)
	}
	var p payload
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: more than one value", ErrPayload)
	}
	e := &Event{Kind: kind, Action: p.Action}
	err := p.repositoryOf(e)
	if err == nil {
		err = read(&p, e)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPayload, kind, err)
	}
	return e, nil
}

var readers = map[Kind]func(*payload, *Event) error{
	PullRequest:       (*payload).pull,
	PullRequestReview: (*payload).reviewed,
	MergeGroup:        (*payload).queued,
	WorkflowRun:       (*payload).finished,
	Push:              (*payload).pushed,
	WorkflowDispatch:  (*payload).dispatched,
}

// nameForm is how GitHub writes a repository.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}/\.?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}$`)

func (p *payload) repositoryOf(e *Event) error {
	switch {
	case p.Repository == nil:
		return errors.New("repository is missing")
	case p.Repository.ID < 1:
		return errors.New("repository.id is missing")
	case !nameForm.MatchString(p.Repository.FullName):
		return fmt.Errorf("repository.full_name is %q", p.Repository.FullName)
	}
	e.Repository = Repository{ID: p.Repository.ID, Name: p.Repository.FullName, DefaultBranch: p.Repository.DefaultBranch}
	return nil
}

func (p *payload) pull(e *Event) (err error) {
	if p.PullRequest == nil {
		return errors.New("pull_request is missing")
	}
	pr := p.PullRequest
	if e.Number = cmp.Or(p.Number, pr.Number); e.Number < 1 || p.Number != 0 && pr.Number != 0 && p.Number != pr.Number {
		return fmt.Errorf("number is %d, pull_request.number is %d", p.Number, pr.Number)
	}
	if pr.State != "open" && pr.State != "closed" {
		return fmt.Errorf("pull_request.state is %q", pr.State)
	}
	if e.Base, err = pr.Base.commit("pull_request.base", e.Repository); err != nil {
		return err
	}
	if e.Base.Fork {
		return fmt.Errorf("pull_request.base.repo is %d, the event is one of %d", e.Base.RepoID, e.Repository.ID)
	}
	e.Head, err = pr.Head.commit("pull_request.head", e.Repository)
	return err
}

func (p *payload) reviewed(e *Event) error {
	if err := p.pull(e); err != nil {
		return err
	}
	if p.Review == nil || p.Review.State == "" {
		return errors.New("review.state is missing")
	}
	e.Review = Review{State: strings.ToLower(p.Review.State), CommitID: p.Review.CommitID, Association: p.Review.Association}
	return nil
}

// queueRef names, in the ref of a merge group, the pull request on top.
var queueRef = regexp.MustCompile(`^refs/heads/gh-readonly-queue/.*/pr-([1-9][0-9]{0,8})-[0-9a-f]+$`)

func (p *payload) queued(e *Event) error {
	g := p.MergeGroup
	if g == nil {
		return errors.New("merge_group is missing")
	}
	if m := queueRef.FindStringSubmatch(g.HeadRef); m != nil {
		e.Number, _ = strconv.Atoi(m[1]) // nine digits at most
	}
	e.Base, e.Head = e.own(g.BaseRef, g.BaseSHA), e.own(g.HeadRef, g.HeadSHA)
	return errors.Join(checkID("merge_group.base_sha", g.BaseSHA), checkID("merge_group.head_sha", g.HeadSHA))
}

func (p *payload) finished(e *Event) error {
	r := p.WorkflowRun
	switch {
	case r == nil:
		return errors.New("workflow_run is missing")
	case r.ID < 1:
		return errors.New("workflow_run.id is missing")
	case r.Event == "":
		return errors.New("workflow_run.event is missing")
	}
	e.WorkflowRun = FinishedRun{
		ID: r.ID, Attempt: r.Attempt, HeadSHA: r.HeadSHA, HeadBranch: r.HeadBranch, Event: r.Event, Path: r.Path, Conclusion: r.Conclusion,
	}
	if r.HeadRepository != nil {
		e.WorkflowRun.HeadRepoID = r.HeadRepository.ID
	}
	e.Head = Commit{
		Ref: r.HeadBranch, SHA: r.HeadSHA, RepoID: e.WorkflowRun.HeadRepoID, Fork: e.WorkflowRun.HeadRepoID != e.Repository.ID,
	}
	return checkID("workflow_run.head_sha", r.HeadSHA)
}

// noCommit is what GitHub writes where a branch did not exist.
var noCommit = regexp.MustCompile(`^0+$`)

func (p *payload) pushed(e *Event) error {
	if err := errors.Join(checkID("before", p.Before), checkID("after", p.After)); err != nil {
		return err
	}
	e.Base, e.Head = e.own(p.Ref, p.Before), e.own(p.Ref, p.After)
	if noCommit.MatchString(p.Before) {
		e.Base.SHA = ""
	}
	if p.Deleted || noCommit.MatchString(p.After) {
		e.Head.SHA = ""
	}
	return nil
}

func (p *payload) dispatched(e *Event) error {
	if p.Ref == "" {
		return errors.New("ref is missing")
	}
	e.Head = e.own(p.Ref, "")
	return nil
}

// own is a commit of the event's own repository.
func (e *Event) own(ref, sha string) Commit {
	return Commit{Ref: ref, SHA: sha, RepoID: e.Repository.ID, RepoName: e.Repository.Name}
}

func (d end) commit(name string, in Repository) (Commit, error) {
	c := Commit{Ref: d.Ref, SHA: d.SHA, Fork: true}
	if d.Repo != nil {
		if d.Repo.ID < 1 || !nameForm.MatchString(d.Repo.FullName) {
			return c, fmt.Errorf("%s.repo is %d %q", name, d.Repo.ID, d.Repo.FullName)
		}
		c.RepoID, c.RepoName, c.Fork = d.Repo.ID, d.Repo.FullName, d.Repo.ID != in.ID
	}
	if d.Ref == "" {
		return c, fmt.Errorf("%s.ref is missing", name)
	}
	return c, checkID(name+".sha", d.SHA)
}

var objectID = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

func checkID(name, id string) error {
	if !objectID.MatchString(id) {
		return fmt.Errorf("%s is %q, want a full object ID", name, id)
	}
	return nil
}
