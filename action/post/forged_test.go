package post_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/previdence/previdence/action/actiontest"
	"github.com/previdence/previdence/action/post"
	"github.com/previdence/previdence/reporters/annotate"
	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

// forge makes every text of a value hostile and every number odd: what a run
// that a fork controls can leave in an artifact. It takes the texts in turn.
func forge(v reflect.Value, texts []string, next *int, number int64) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[*next%len(texts)])
		*next++
	case reflect.Int, reflect.Int64:
		v.SetInt(number)
	case reflect.Struct:
		for i := range v.NumField() {
			forge(v.Field(i), texts, next, number)
		}
	case reflect.Slice:
		if v.Len() == 0 { // one of everything
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			forge(v.Index(i), texts, next, number)
		}
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		forge(v.Elem(), texts, next, number)
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		for range 3 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			forge(key, texts, next, number)
			forge(value, texts, next, number)
			m.SetMapIndex(key, value)
		}
		v.Set(m)
	}
}

// forged is a report that keeps of the original only what is proven.
func forged(number int64, outcome report.Outcome, texts []string) *report.Report {
	r := reporterstest.Small()
	at := 0
	forge(reflect.ValueOf(r).Elem(), texts, &at, number)
	s := reporterstest.Small().Subject
	r.Schema = report.Schema
	r.Subject.Head.Commit, r.Subject.Base.Commit, r.Subject.MergeBase = s.Head.Commit, s.Base.Commit, s.MergeBase
	r.Subject.Repository, r.Subject.PullRequest = s.Repository, s.PullRequest
	r.Verdict.Outcome = outcome
	return r
}

func TestForgedEvidenceIsInert(t *testing.T) {
	names := reporterstest.HostileNames()
	for i := 0; i < len(names); i += 8 {
		for _, number := range []int64{-7, 1 << 40} {
			texts := names[i:min(i+8, len(names))]
			t.Run(fmt.Sprintf("%d with %d", i, number), func(t *testing.T) {
				g := open(t)
				g.fork = true
				g.options.Review, g.options.SARIF, g.options.Comment = true, true, post.CommentAlways
				r := forged(number, report.Outcome(texts[0]), texts)
				g.hub.Change(func(s *actiontest.State) {
					s.PullRequests[0].HeadRepoID = 2002
					for _, a := range annotate.List(r) {
						s.PullRequests[0].Files = append(s.PullRequests[0].Files, actiontest.File{Path: a.Path, Patch: patch(1, 9)})
					}
				})
				res := g.publish(r)
				s := g.hub.State()
				if len(s.Comments) != 1 || len(s.CheckRuns) != 1 || len(res.Degraded) > 0 {
					t.Fatalf("%d comments, %d check runs, result %+v", len(s.Comments), len(s.CheckRuns), res)
				}
				if !firstLine.MatchString(s.Comments[0].Body) {
					t.Errorf("the comment starts with %.200q", s.Comments[0].Body)
				}
				inert(t, s.Comments[0].Body)
				inert(t, s.CheckRuns[0].Summary)
				plain(t, s.CheckRuns[0].Title)
				for _, a := range s.CheckRuns[0].Annotations {
					plain(t, a.Title)
					plain(t, a.Message)
				}
				for _, c := range s.ReviewComments {
					inert(t, c.Body)
				}
				if !json.Valid([]byte(s.Analyses[0].SARIF)) {
					t.Error("SARIF that is no JSON")
				}
			})
		}
	}
}

func TestForgedClaimsAreNotTaken(t *testing.T) {
	g := open(t)
	g.options.Check = false
	g.publish(small(head))
	line := g.comment().Body[strings.Index(g.comment().Body, "<!-- previdence-claims"):]
	line, _, _ = strings.Cut(line, "\n")
	g = open(t)
	g.options.Check = false
	r := small(head)
	r.Breaks = nil
	r.Tests.Commands = []string{line} // commands are shown to the letter
	g.publish(r)
	if strings.Count(g.comment().Body, "\n<!-- previdence-claims") != 2 {
		t.Fatalf("the forged line is not in the comment: %s", g.comment().Body)
	}
	g.push(next)
	r = small(next)
	r.Breaks = nil
	g.publish(r)
	if !strings.Contains(g.comment().Body, "nothing resolved") {
		t.Errorf("claims of the forged line were taken: %.900s", g.comment().Body)
	}
}
