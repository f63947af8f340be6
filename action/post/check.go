package post

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/previdence/previdence/action/github"
	"github.com/previdence/previdence/reporters/annotate"
	"github.com/previdence/previdence/reporters/markdown"
	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/report"
)

// mostAnnotations is how many annotations a check run gets: five writes. The
// rest is counted in its summary.
const mostAnnotations = 5 * github.MostAnnotations

// check makes the check run of the head say what the report says.
//
// Annotations cannot be taken back: a write adds to those that are there. So a
// check run that says the same is left alone, or finished if an earlier attempt
// was cut off; one without annotations is changed; and beside one with others a
// new one is made, which takes its place on the pull request.
func (j *job) check(ctx context.Context) error {
	want := j.checkRun()
	const rounds = 3 // the answer to a write may be lost; then what is there decides
	var err error
	for range rounds {
		var all, mine []github.CheckRun
		if all, err = j.client.CheckRuns(ctx, j.facts.Head, want.update.Name); err != nil {
			return err
		}
		for _, c := range all {
			if id, ok := externalIDOf(c.ExternalID); ok && id.key == j.options.Key {
				mine = append(mine, c)
			}
		}
		if err = j.settle(ctx, want, newest(mine)); !errors.Is(err, github.ErrServer) {
			return err
		}
	}
	return err
}

func newest(runs []github.CheckRun) (newest github.CheckRun) {
	for _, c := range runs {
		if c.ID > newest.ID {
			newest = c
		}
	}
	return newest
}

// A wanted check run is all that it shall say.
type wanted struct {
	id          externalID
	update      github.CheckUpdate // without annotations
	annotations []github.CheckAnnotation
}

// settle does what is missing between a check run, if it is there, and what is
// wanted.
func (j *job) settle(ctx context.Context, want wanted, have github.CheckRun) error {
	id, _ := externalIDOf(have.ExternalID)
	j.result.CheckURL = have.URL
	from := 0
	switch {
	case have.ID == 0:
	case id.sum == want.id.sum && have.Completed:
		return nil
	case want.id.seq.compare(id.seq) < 0:
		return nil // a later run has spoken
	case id.sum == want.id.sum && have.Annotations <= len(want.annotations):
		from = have.Annotations
	case have.Annotations > 0:
		have = github.CheckRun{}
	}
	j.same = false
	for first := true; first || from < len(want.annotations); first = false {
		to := min(from+github.MostAnnotations, len(want.annotations))
		u := want.update
		u.Annotations = want.annotations[from:to]
		if to < len(want.annotations) {
			u.Conclusion = ""
		}
		err := j.writeCheck(ctx, &have, u)
		if errors.Is(err, github.ErrRefused) && from < to { // one of them, and GitHub does not say which
			j.note(fmt.Sprintf("%s not published: %v", outline.Count(to-from, "annotation"), err))
			u.Annotations = nil
			err = j.writeCheck(ctx, &have, u)
		}
		if err != nil {
			return err
		}
		j.result.CheckURL = have.URL
		from = to
	}
	return nil
}

// writeCheck changes a check run, or makes it if it is not there.
func (j *job) writeCheck(ctx context.Context, have *github.CheckRun, u github.CheckUpdate) (err error) {
	if have.ID == 0 {
		*have, err = j.client.CreateCheckRun(ctx, j.facts.Head, u)
		return err
	}
	_, err = j.client.UpdateCheckRun(ctx, have.ID, u)
	return err
}

// checkRun is what the check run shall say.
func (j *job) checkRun() wanted {
	w := wanted{update: github.CheckUpdate{Name: "previdence", Conclusion: j.conclusion(), Title: outline.Title(j.report)}}
	if j.options.Key != "default" {
		w.update.Name += " (" + j.options.Key + ")"
	}
	left := 0
	if j.options.Annotations {
		list := annotate.List(j.report)
		left = max(0, len(list)-mostAnnotations)
		for _, a := range list[:len(list)-left] {
			w.annotations = append(w.annotations, github.CheckAnnotation{Path: a.Path, StartLine: a.StartLine, EndLine: a.EndLine,
				Level: string(a.Level), Title: a.Title, Message: a.Message})
		}
	}
	w.update.Summary = j.summary(len(w.annotations), left)
	w.id = externalID{key: j.options.Key, seq: j.seq(), sum: sum(fmt.Sprintf("%q %q %q %#v", w.update.Conclusion, w.update.Title, w.update.Summary, w.annotations))}
	w.update.ExternalID = w.id.String()
	if j.options.ServerURL != "" && repositoryForm.MatchString(j.facts.Repository) {
		w.update.DetailsURL = fmt.Sprintf("%s/%s/actions/runs/%d", j.options.ServerURL, j.facts.Repository, j.facts.RunID)
	}
	return w
}

func (j *job) summary(shown, left int) string {
	end := j.trust()
	if left > 0 {
		end += fmt.Sprintf("\n%s of %s shown beside lines.\n", outline.Number(shown), outline.Count(shown+left, "annotation"))
	}
	text, err := rendered(j.report, markdown.DefaultBudget-len(end))
	if err != nil {
		return end // there is no other error than that of the budget
	}
	_, text, _ = strings.Cut(text, "\n") // the title of the check run says it
	return strings.TrimLeft(text, "\n") + end
}

// conclusion is the verdict in the words of a check run. It is failure only if
// the policy of the repository says so, and success only if there is a policy
// and the head was pushed by somebody who may write here: a green tick for what
// nobody demanded, or for what a fork says about itself, would promise what was
// not checked. Everything else is neutral.
func (j *job) conclusion() string {
	r := j.report
	switch {
	case r.Verdict.Outcome == report.Fail:
		return "failure"
	case r.Verdict.Outcome == report.Pass && len(r.Provenance.Config.FailOn) > 0 && !j.facts.fork():
		return "success"
	}
	return "neutral"
}
