package post

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/previdence/previdence/reporters"
	"github.com/previdence/previdence/reporters/annotate"
	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/delta"
	"github.com/previdence/previdence/review/report"
)

// FuzzForged checks that no report that can be decoded makes a part of the
// publication panic, leave its budget or start with another line. A fork decides
// what its report holds.
func FuzzForged(f *testing.F) {
	for _, r := range []*report.Report{reporterstest.Empty(), reporterstest.Small(), reporterstest.Named("x", "<b>")} {
		raw, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := &report.Report{}
		if json.Unmarshal(raw, r) != nil {
			return
		}
		j := &job{facts: Facts{Head: strings.Repeat("d", 40), Repository: "acme/pay", HeadRepositoryID: 2}, report: r,
			options: Options{Budget: 60_000, Key: "default", Annotations: true, ServerURL: "https://github.test"}}
		earlier := delta.Of(reporterstest.Small())
		r.Delta = delta.Compare(earlier, r)
		b, err := j.compose(r, &earlier)
		if err != nil {
			t.Fatal(err)
		}
		text := b.as(seq{900, 1})
		if m, ok := markerOf(text); !ok || len(text) > 60_000 || !utf8.ValidString(text) || !b.says(text, m) {
			t.Errorf("a comment of %d bytes: %.300q", len(text), text)
		}
		want := j.checkRun()
		if len(want.update.Summary) > 60_000 || want.update.Title == "" || len(want.annotations) > mostAnnotations {
			t.Errorf("a summary of %d bytes, %d annotations", len(want.update.Summary), len(want.annotations))
		}
		for _, a := range annotate.List(r) {
			if a.StartLine < 1 || a.EndLine < a.StartLine || a.Path == "" || len(a.Fingerprint) != 32 {
				t.Errorf("annotation %+v", a)
			}
		}
		var sarif bytes.Buffer
		if err := reporters.Render(&sarif, r, reporters.SARIF, reporters.Options{}); err != nil || !json.Valid(sarif.Bytes()) {
			t.Errorf("SARIF: %v", err)
		}
	})
}
