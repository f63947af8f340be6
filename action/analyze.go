package action

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/previdence/previdence/action/envelope"
	"github.com/previdence/previdence/action/event"
	"github.com/previdence/previdence/action/post"
	"github.com/previdence/previdence/action/workflow"
	"github.com/previdence/previdence/reporters"
	"github.com/previdence/previdence/review/report"
)

// The names of the files that a step leaves.
const (
	reportFile = "report.json" // canonical; "previdence verify" takes it
	sarifFile  = "previdence.sarif"
	htmlFile   = "previdence.html"
)

// analyze reviews the change of the event, and publishes the report if this run
// may.
func (s *step) analyze(ctx context.Context) int {
	request := s.request()
	coverage, done, err := s.openCoverage()
	defer done()
	if err != nil {
		return s.fail(err)
	}
	request.Coverage = coverage
	r, err := s.Review(ctx, request)
	if err != nil {
		return s.fail(err)
	}
	made, err := s.write(r)
	if err != nil {
		return s.fail(err)
	}
	var posted post.Result
	var failed error
	if s.publishes() {
		posted, failed = s.publish(ctx, post.Publication{Envelope: made.envelope, Facts: s.ownFacts()})
	}
	if failed != nil {
		s.explain(failed, "not published")
	}
	if err := s.show(r, made, posted); err != nil {
		return s.fail(err)
	}
	switch {
	case r.Verdict.Outcome == report.Fail:
		return exitPolicy
	case failed != nil:
		return exitPublish
	}
	return exitOK
}

// request is the change that the event is about. The head is what somebody
// pushed, not GITHUB_SHA, which of a pull request is a merge that nobody wrote.
func (s *step) request() Request {
	e := s.event
	r := Request{
		Dir: s.checkout(), Number: s.pull(), FailOn: s.in.FailOn, NoConfig: s.in.NoConfig, Repository: s.run.Repository, ServerURL: s.run.ServerURL, Token: s.in.Token,
		Base: report.Revision{Ref: shortRef(e.Base.Ref), Commit: e.Base.SHA},
		Head: report.Revision{Ref: shortRef(e.Head.Ref), Commit: cmp.Or(e.Head.SHA, s.run.SHA)},
	}
	if r.Base.Commit == "" {
		r.Base.Ref = e.Repository.DefaultBranch
	}
	if s.in.Base != "" {
		r.Base = report.Revision{Ref: s.in.Base}
	}
	return r
}

// checkout is the folder of the checkout.
func (s *step) checkout() string { return filepath.Join(s.run.Workspace, s.in.Path) }

// shortRef is a branch without the prefix that only some payloads write.
func shortRef(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// pull is the number of the pull request that the event is about. That a merge
// group names is only the last of several.
func (s *step) pull() int {
	if s.event.Kind == event.PullRequest {
		return s.event.Number
	}
	return 0
}

// publishes reports whether this run publishes what it found, and notes why it
// does not where somebody may expect it to.
func (s *step) publishes() bool {
	upload := s.in.SARIF == workflow.SARIFUpload
	pull := s.event.Kind == event.PullRequest
	wanted := upload || s.checks() || pull && (s.in.Comment != string(post.CommentNever) || s.in.Review)
	switch {
	case s.in.Mode == workflow.Analyze, s.event.Kind == event.WorkflowDispatch, !wanted:
		return false
	case s.event.Head.Fork:
		s.note("The pull request comes from a fork, so this run may only read: nothing was posted. " +
			"The workflow for forks posts: previdence init github --forks.")
		return false
	case s.in.Token == "":
		s.note("No token was given, so nothing was posted.")
		return false
	}
	return true
}

// checks reports whether a check run is to be made: also of a merge group, since
// one that a repository requires would be waited for there. After a push nobody
// waits.
func (s *step) checks() bool {
	return s.in.Check && s.event.Kind != event.Push
}

// openCoverage opens the files that hold measured coverage. The code under review
// wrote them, so a link does not lead out of the workspace.
func (s *step) openCoverage() (files []Coverage, done func(), err error) {
	var open []io.Closer
	done = func() {
		for _, c := range open {
			defer c.Close() // read only: there is nothing to lose
		}
	}
	if len(s.in.CoverageFiles) == 0 {
		return nil, done, nil
	}
	root, err := os.OpenRoot(s.run.Workspace)
	if err != nil {
		return nil, done, err
	}
	open = append(open, root)
	for _, file := range s.in.CoverageFiles {
		info, err := root.Stat(filepath.FromSlash(file))
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			return nil, done, fmt.Errorf("%w: coverage-files: %q is no file of the workspace", workflow.ErrInput, file)
		}
		if err != nil {
			return nil, done, fmt.Errorf("%w: coverage-files: %w", workflow.ErrInput, err)
		}
		f, err := root.Open(filepath.FromSlash(file))
		if err != nil {
			return nil, done, fmt.Errorf("%w: coverage-files: %w", workflow.ErrInput, err)
		}
		open = append(open, f)
		files = append(files, Coverage{Name: fmt.Sprintf("coverage-files: %q", file), Text: f})
	}
	return files, done, nil
}

// What a step made of a report.
type files struct {
	report, evidence, sarif string // paths; sarif is "" if it was not asked for
	envelope                *envelope.Envelope
}

// write leaves the report, in its envelope and alone, in a folder that the runner
// empties after the job.
func (s *step) write(r *report.Report) (made files, err error) {
	dir, err := os.MkdirTemp(s.run.TempDir, "previdence-")
	if err != nil {
		return made, fmt.Errorf("%w: %w", workflow.ErrNotWritten, err)
	}
	canonical, err := r.Canonical()
	if err != nil {
		return made, err
	}
	if made.report, err = writeFile(dir, reportFile, canonical); err != nil {
		return made, err
	}
	if s.event.Head.RepoID != 0 && s.event.Head.SHA != "" {
		made.envelope = s.envelope(r)
	}
	if s.event.Kind == event.PullRequest && made.envelope != nil {
		if made.evidence, err = s.pack(dir, made.envelope); err != nil {
			return made, err
		}
	}
	if s.in.SARIF != workflow.SARIFNever {
		if made.sarif, err = render(dir, sarifFile, r, reporters.SARIF); err != nil {
			return made, err
		}
	}
	if s.in.HTML {
		_, err = render(dir, htmlFile, r, reporters.HTML)
	}
	return made, err
}

// pack writes an envelope for another workflow, "" if it would be too large.
func (s *step) pack(dir string, e *envelope.Envelope) (string, error) {
	var b bytes.Buffer
	err := e.Write(&b)
	if errors.Is(err, envelope.ErrTooLarge) {
		s.note("Another workflow cannot post this report: " + err.Error() + ".")
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return writeFile(dir, envelope.FileName, b.Bytes())
}

func render(dir, name string, r *report.Report, format string) (string, error) {
	var b bytes.Buffer
	if err := reporters.Render(&b, r, format, reporters.Options{}); err != nil {
		return "", err
	}
	return writeFile(dir, name, b.Bytes())
}

func writeFile(dir, name string, data []byte) (string, error) {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return "", fmt.Errorf("%w: %w", workflow.ErrNotWritten, err)
	}
	return path, nil
}

// envelope says of a report which run made it from what.
func (s *step) envelope(r *report.Report) *envelope.Envelope {
	return &envelope.Envelope{
		RepositoryID: s.event.Repository.ID, HeadRepositoryID: s.event.Head.RepoID, PullRequest: s.pull(),
		Head: s.event.Head.SHA, Base: r.Subject.Base.Commit, Event: string(s.event.Kind),
		RunID: s.run.RunID, RunAttempt: s.run.Attempt, Workflow: s.run.Workflow, Report: r,
	}
}

// ownFacts are what this run knows of itself.
func (s *step) ownFacts() post.Facts {
	e := s.event
	return post.Facts{
		RepositoryID: e.Repository.ID, Repository: e.Repository.Name, HeadRepositoryID: e.Head.RepoID, Head: e.Head.SHA, Ref: e.Head.Ref, PullRequest: s.pull(),
		Event: string(e.Kind), RunID: s.run.RunID, RunAttempt: s.run.Attempt, Workflow: s.run.Workflow, Privileged: true,
	}
}
