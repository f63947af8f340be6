package action

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/action/post"
	"github.com/previdence/previdence/action/workflow"
	"github.com/previdence/previdence/reporters"
	"github.com/previdence/previdence/reporters/annotate"
	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/review/report"
)

// The outcomes of a step beside those of a report.
const (
	outcomeUnevaluated = "unevaluated" // nothing can be said; never a pass
	outcomeUnpublished = "unpublished" // a report of another run could not be posted
	outcomeSuperseded  = "superseded"  // the pull request has moved on
	outcomePublished   = "published"   // a report of another run
	outcomeCleaned     = "cleaned"
	outcomeNothing     = "nothing" // the event calls for nothing
)

// reserve is room in the job summary for what is said after the report.
const reserve = 20 << 10

// show leaves a report in the log, in the job summary and in the outputs.
func (s *step) show(r *report.Report, made files, posted post.Result) error {
	var log, summary bytes.Buffer
	if err := reporters.Render(&log, r, reporters.Terminal, reporters.Options{Width: 120}); err != nil {
		return err
	}
	if err := reporters.Render(&summary, r, reporters.Markdown, reporters.Options{Budget: workflow.MaxSummary - reserve}); err != nil {
		return err
	}
	s.runner.Text("previdence: the report", log.String())
	s.sayNotes(&summary)
	if s.in.Annotations && posted.CheckURL == "" {
		s.annotate(r)
	}
	if err := s.runner.Summary(summary.String()); err != nil {
		return err
	}
	return s.runner.Output(
		workflow.Output{Name: "outcome", Value: string(r.Verdict.Outcome)},
		workflow.Output{Name: "report", Value: made.report},
		workflow.Output{Name: "evidence", Value: made.evidence},
		workflow.Output{Name: "comment-url", Value: posted.CommentURL},
		workflow.Output{Name: "breaks", Value: strconv.Itoa(len(r.Breaks))},
		workflow.Output{Name: "dependents", Value: strconv.Itoa(r.Impact.Total)},
		workflow.Output{Name: "gaps", Value: strconv.Itoa(r.Tests.Untested())},
		workflow.Output{Name: "sarif-file", Value: made.sarif},
	)
}

// levels are those of the log for those of an annotation.
var levels = map[annotate.Level]workflow.Level{
	annotate.Notice: workflow.Notice, annotate.Warning: workflow.Warning, annotate.Failure: workflow.Error,
}

// annotate shows the first claims of a report beside their lines.
func (s *step) annotate(r *report.Report) {
	for _, a := range annotate.List(r) {
		shown := s.runner.Annotate(workflow.Annotation{
			Level: levels[a.Level], Path: a.Path, StartLine: a.StartLine, EndLine: a.EndLine, Title: a.Title, Message: a.Message,
		})
		if !shown {
			return
		}
	}
}

// note keeps a sentence of this program, which may quote names, for the log and
// the summary.
func (s *step) note(sentence string) { s.notes = append(s.notes, sentence) }

// sayNotes says what was noted, in one annotation and in the summary, which also
// tells the errors that have annotations of their own.
func (s *step) sayNotes(summary *bytes.Buffer) {
	if len(s.notes) > 0 {
		s.runner.Annotate(workflow.Annotation{Level: workflow.Notice, Title: "previdence", Message: strings.Join(s.notes, "\n")})
	}
	for _, n := range slices.Concat(s.errors, s.notes) {
		fmt.Fprintf(summary, "\n> %s\n", escape.Text(n))
	}
}

// end is a step without a report of its own.
func (s *step) end(outcome, title string) error {
	var summary bytes.Buffer
	fmt.Fprintf(&summary, "### previdence: %s\n", title)
	s.sayNotes(&summary)
	if err := s.runner.Summary(summary.String()); err != nil {
		return err
	}
	return s.runner.Output(workflow.Output{Name: "outcome", Value: outcome})
}

// nothing ends a step whose event calls for nothing.
func (s *step) nothing(why string) int {
	s.note("Nothing to do: " + why + ".")
	if err := s.end(outcomeNothing, "nothing to do"); err != nil {
		return s.fail(err)
	}
	return exitOK
}

// fail says why nothing can be said. That is never a pass.
func (s *step) fail(err error) int {
	code := s.explain(err, "could not evaluate")
	if err := s.end(outcomeUnevaluated, "could not evaluate"); err != nil {
		s.explain(err, "could not evaluate")
	}
	return code
}

// explain shows an error and what to do about it, and returns its code.
func (s *step) explain(err error, title string) int {
	code, hint := s.Advice(err)
	lines := []string{err.Error()}
	if hint != "" {
		lines = append(lines, hint)
	}
	s.runner.Annotate(workflow.Annotation{Level: workflow.Error, Title: "previdence: " + title, Message: strings.Join(lines, "\n")})
	s.errors = append(s.errors, lines...)
	return code
}
