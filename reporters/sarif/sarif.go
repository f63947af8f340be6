// Package sarif renders a report as SARIF 2.1.0 for code scanning.
//
// Input is a report; output is one log with one run, as GitHub takes it: a result
// for each claim that stands on a line of head, a notification for each thing
// that was not seen. Results carry a fingerprint without line or commit, so that
// an alert stays one alert over the pushes to a pull request. Paths are relative
// to the root of the repository and percent-encoded; texts are plain. Claims
// without a line of head, such as a function that went with its file, are not in
// it, and neither is the blast radius: the report has both.
package sarif

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/previdence/previdence/reporters/annotate"
	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/report"
	"golang.org/x/mod/semver"
)

// mostResults is how many results GitHub keeps of one run. It takes more and
// drops what it ranks lowest; here the loudest stay.
const mostResults = 5000

// longestText is how many bytes a text of the log has at most.
const longestText = 1000

// Render writes r as SARIF.
func Render(w io.Writer, r *report.Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(logOf(r, mostResults))
}

func logOf(r *report.Report, most int) log {
	list := annotate.List(r)
	notes := notifications(r)
	if total := len(list); total > most {
		list = list[:most]
		notes = append(notes, notification{Level: "warning", Descriptor: descriptor("cut"),
			Message: message{fmt.Sprintf("%s of %s are listed, the loudest first; the report has all.", outline.Number(most), outline.Count(total, "result"))}})
	}
	version, semantic := versions(r)
	one := run{
		Tool: tool{driver{
			Name: "previdence", FullName: "previdence: evidence about a pull request", Version: version, Semantic: semantic,
			InformationURI: "https://github.com/previdence/previdence", Rules: rules, Notifications: kinds}},
		Invocations: []invocation{{ExecutionSuccessful: !r.Cut(), Notifications: notes}},
		Bases:       map[string]base{root: {Description: message{"The root of the repository at the head of the pull request."}}},
		ColumnKind:  "utf16CodeUnits",
		Automation:  automation{ID: "previdence/"},
		Results:     []result{},
		Properties:  propertiesOf(r),
	}
	for _, a := range list {
		one.Results = append(one.Results, resultOf(a))
	}
	return log{Schema: schema, Version: "2.1.0", Runs: []run{one}}
}

// versions say what made the report: as semver.org writes it, without the v of
// Go's, if it is such a version. Neither is prose, in which a commit would be
// broken so that nothing links it.
func versions(r *report.Report) (version, semantic string) {
	version = escape.Shorten(escape.Visible(r.Provenance.Tool.Version), 100)
	if version == "devel" {
		return "0.0.0-devel", "0.0.0-devel"
	}
	v := "v" + strings.TrimPrefix(version, "v")
	if c := semver.Canonical(v); c == "" || c+semver.Build(v) != v {
		return version, ""
	}
	return v[1:], v[1:]
}

var levels = map[annotate.Level]string{annotate.Notice: "note", annotate.Warning: "warning", annotate.Failure: "error"}

func resultOf(a annotate.Annotation) result {
	return result{
		RuleID:    a.Rule,
		RuleIndex: slices.IndexFunc(rules, func(r rule) bool { return r.ID == a.Rule }),
		Level:     levels[a.Level],
		Message:   message{text(strings.TrimSpace(a.Title + ". " + a.Message))},
		Locations: []location{{physical{
			Artifact: artifact{URI: escape.URI(a.Path), BaseID: root},
			Region:   region{StartLine: a.StartLine, EndLine: a.EndLine}}}},
		// GitHub tells alerts apart by the first; the second says what it is.
		Fingerprints: map[string]string{"primaryLocationLineHash": a.Fingerprint, "previdenceClaim/v1": a.Fingerprint},
	}
}

// notifications say what was not seen: each section that is not complete, then
// each caveat. None is left out.
func notifications(r *report.Report) []notification {
	out := []notification{}
	for _, s := range r.Sections {
		if s.State == report.Complete {
			continue
		}
		said := fmt.Sprintf("Section %s is %s", s.Name, s.State)
		if s.Reason != "" {
			said += ": " + s.Reason
		}
		out = append(out, notification{Level: "note", Descriptor: descriptor("section"), Message: message{text(said + ".")}})
	}
	for _, c := range r.Caveats {
		said := strings.TrimSuffix(c.Text, ".")
		if c.Of > 0 {
			said += fmt.Sprintf(" (%s of %s)", outline.Number(c.Count), outline.Number(c.Of))
		} else if c.Count > 0 {
			said += fmt.Sprintf(" (%s)", outline.Number(c.Count))
		}
		if n := min(3, len(c.Examples)); n > 0 {
			var names []string
			for _, e := range c.Examples[:n] {
				names = append(names, escape.Quoted(escape.Shorten(escape.Visible(e), 100)))
			}
			said += ", for example " + strings.Join(names, ", ")
		}
		out = append(out, notification{Level: "note", Descriptor: descriptor("caveat"), Message: message{text(c.Section + ": " + said + ".")}})
	}
	return out
}

// propertiesOf says which report the log was made from.
func propertiesOf(r *report.Report) properties {
	s := r.Subject
	return properties{
		Schema: r.Schema, Outcome: string(r.Verdict.Outcome), Repository: text(s.Repository), PullRequest: s.PullRequest,
		MergeBase: s.MergeBase, Head: s.Head.Commit, Inputs: r.Provenance.InputsDigest,
	}
}

// text is prose of at most longestText bytes.
func text(s string) string {
	s = escape.Visible(s)
	for width := longestText; len(s) > longestText; width = width * 3 / 4 {
		s = escape.Shorten(s, width)
	}
	return escape.SARIF(s)
}
