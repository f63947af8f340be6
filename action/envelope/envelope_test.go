package envelope

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

func sample(r *report.Report) *Envelope {
	return &Envelope{Schema: Schema, RepositoryID: 1001, HeadRepositoryID: 2002, PullRequest: 42, Head: strings.Repeat("d", 40), Base: strings.Repeat("a", 40),
		Event: "pull_request", RunID: 900, RunAttempt: 1, Workflow: ".github/workflows/previdence.yml", Report: r}
}

func written(t testing.TB, e *Envelope) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := e.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, f := range reporterstest.Fixtures() {
		if f.Name == "huge" {
			continue // see TestAReportThatIsTooLargeIsCutAndSaysSo
		}
		t.Run(f.Name, func(t *testing.T) {
			raw := written(t, sample(f.Make()))
			e, err := Read(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			if e.Report.Provenance.Binding != nil || bytes.Contains(raw, []byte("/srv/pay")) {
				t.Error("it names a place on a machine")
			}
			if again := written(t, e); !bytes.Equal(again, raw) {
				t.Error("it changed on the way")
			}
			want, err := f.Make().Canonical()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := e.Report.Canonical(); err != nil || !bytes.Equal(got, want) {
				t.Errorf("the report changed on the way, %v", err)
			}
		})
	}
}

func TestTheReportOfTheWriterIsLeftAsItWas(t *testing.T) {
	r := reporterstest.Small()
	written(t, sample(r))
	if !reflect.DeepEqual(r, reporterstest.Small()) {
		t.Error("writing changed the report")
	}
}

func TestFormIsChecked(t *testing.T) {
	for _, c := range []struct {
		field  string
		change func(*Envelope)
	}{
		{"report", func(e *Envelope) { e.Report = nil }},
		{"repository_id", func(e *Envelope) { e.RepositoryID = 0 }},
		{"head_repository_id", func(e *Envelope) { e.HeadRepositoryID = -1 }},
		{"pull_request", func(e *Envelope) { e.PullRequest = -1 }},
		{"head", func(e *Envelope) { e.Head = "main" }},
		{"head", func(e *Envelope) { e.Head = strings.Repeat("D", 40) }},
		{"base", func(e *Envelope) { e.Base = strings.Repeat("a", 39) + "\n" }},
		{"event", func(e *Envelope) { e.Event = "pull request" }},
		{"run_id", func(e *Envelope) { e.RunID = 0 }},
		{"run_attempt", func(e *Envelope) { e.RunAttempt = 0 }},
		{"workflow", func(e *Envelope) { e.Workflow = "/etc/passwd" }},
		{"workflow", func(e *Envelope) { e.Workflow = ".github/workflows/" + strings.Repeat("x", 2000) }},
	} {
		e := sample(reporterstest.Empty())
		c.change(e)
		want := "bad " + c.field
		if err := e.Write(io.Discard); !errors.Is(err, ErrMalformed) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("writing %s: %v", c.field, err)
		}
		if e.Report == nil {
			continue
		}
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(bytes.NewReader(raw)); !errors.Is(err, ErrMalformed) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("reading %s: %v", c.field, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	good := string(written(t, sample(reporterstest.Small())))
	replace := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %q in an envelope", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	for _, c := range []struct {
		claim, in string
		want      error
	}{
		{"nothing", "", ErrMalformed},
		{"no JSON", "hello", ErrMalformed},
		{"another value", "[]", ErrMalformed},
		{"null", "null", ErrUnknownSchema},
		{"half of it", good[:len(good)/2], ErrMalformed},
		{"two of them", good + good, ErrMalformed},
		{"text after it", good + "x", ErrMalformed},
		{"an unknown field", replace(`"event"`, `"approved":true,"event"`), ErrMalformed},
		{"an unknown field of the report", replace(`"verdict"`, `"approved": true, "verdict"`), ErrMalformed},
		{"another version", replace(Schema, "previdence.action/v2"), ErrUnknownSchema},
		{"another version of the report", replace(report.Schema, "previdence.evidence/v2"), report.ErrUnknownSchema},
		{"a number that is a text", replace(`"run_id":900`, `"run_id":"900"`), ErrMalformed},
		{"a number beyond all numbers", replace(`"run_id":900`, `"run_id": 1e99`), ErrMalformed},
		{"nested beyond reason", strings.Repeat("[", 100_000), ErrMalformed},
		{"no report", replace(`"report":{`, `"report":null,"x":{`), report.ErrUnknownSchema},
		{"more than the limit", good + strings.Repeat(" ", Limit), ErrTooLarge},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if e, err := Read(strings.NewReader(c.in)); !errors.Is(err, c.want) {
				t.Errorf("got %v, %v", e != nil, err)
			}
		})
	}
}

// long is a report whose envelope has about n bytes.
func long(n int) *report.Report {
	r := reporterstest.Empty()
	r.Verdict.Reasons = []report.Reason{{Text: strings.Repeat("x", n)}}
	return r
}

func TestTheLimitIsExact(t *testing.T) {
	rest := len(written(t, sample(long(0))))
	exact := written(t, sample(long(Limit-rest)))
	if len(exact) != Limit {
		t.Fatalf("%d bytes", len(exact))
	}
	if _, err := Read(bytes.NewReader(exact)); err != nil {
		t.Errorf("exactly the limit: %v", err)
	}
	var out bytes.Buffer
	if err := sample(long(Limit - rest + 1)).Write(&out); !errors.Is(err, ErrTooLarge) || out.Len() > 0 {
		t.Errorf("one byte more: %v, %d bytes written", err, out.Len())
	}
}

// huge is a report that is far above the limit in each of its lists.
func huge() *report.Report {
	r := reporterstest.Huge()
	for i := range 500 {
		c := report.Contract{Kind: "environment_variable", Name: fmt.Sprintf("PORT_%d", i), Change: report.Added, Path: "main.go", Line: i + 1, Effect: report.Compatible}
		if i < 120 {
			c.Change, c.Effect = report.Removed, report.Breaking
		}
		r.Contracts = append(r.Contracts, c)
	}
	files := strings.Split(strings.Repeat("services/area/handler.go ", 199)+"main.go", " ")
	r.Groups = report.Groups{Total: 70, Rest: files, Bridges: []report.Bridge{}}
	for range 50 {
		r.Groups.List = append(r.Groups.List, report.Group{Files: files, Total: 300, Symbols: []string{}})
	}
	packages := make([]report.Required, 500)
	r.Dependencies.Manifests = []report.Manifest{{Path: "package.json", Changes: []string{}, Packages: packages, Total: 900}}
	return r
}

func TestAReportThatIsTooLargeIsCutAndSaysSo(t *testing.T) {
	r := huge()
	e, err := Read(bytes.NewReader(written(t, sample(r))))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r, huge()) {
		t.Error("writing changed the report")
	}
	got := e.Report
	if len(got.Breaks) != len(r.Breaks) || len(got.Changes.Symbols) != len(r.Changes.Symbols) {
		t.Error("what must not be cut was cut")
	}
	if len(got.Tests.Gaps) == 0 || len(got.Tests.Gaps) >= len(r.Tests.Gaps) || got.Tests.Untested() != len(r.Tests.Gaps) {
		t.Errorf("%d gaps listed of %d, and %d counted", len(got.Tests.Gaps), len(r.Tests.Gaps), got.Tests.Untested())
	}
	for i, s := range got.Impact.Symbols {
		if whole := r.Impact.Symbols[i]; s.Total != whole.Total || len(s.Dependents)+s.Omitted != len(whole.Dependents)+whole.Omitted {
			t.Fatalf("%s: %d dependents and %d omitted of %d and %d", s.Name, len(s.Dependents), s.Omitted, len(whole.Dependents), whole.Omitted)
		}
	}
	if n := len(got.Contracts); n < 120 || n >= 500 || got.Contracts[119].Effect != report.Breaking || got.ContractsTotal() != 500 {
		t.Errorf("%d contracts listed and %d counted, of 500 with 120 that break", n, got.ContractsTotal())
	}
	if g := got.Groups; len(g.List) != 50 || g.Total != 70 || len(g.List[7].Files) >= 200 || g.List[7].Total != 300 || len(g.Rest) >= 200 {
		t.Errorf("of a group %d files are listed and %d counted", len(g.List[7].Files), g.List[7].Total)
	}
	if m := got.Dependencies.Manifests[0]; len(m.Packages) >= 500 || m.Total != 900 {
		t.Errorf("%d packages listed and %d counted", len(m.Packages), m.Total)
	}
	if was, is := outline.Title(r), outline.Title(got); was != is {
		t.Errorf("the title was %q, is %q", was, is)
	}
	last := got.Caveats[len(got.Caveats)-1]
	if last.ID != "action.cut" || last.Count == 0 || last.Count >= last.Of || len(got.Caveats) != len(r.Caveats)+1 {
		t.Errorf("the last caveat is %+v", last)
	}

	// Changes alone can be too many: then nothing is written, rather than half.
	for range 2 {
		r.Changes.Symbols = append(r.Changes.Symbols, r.Changes.Symbols...)
	}
	if err := sample(r).Write(io.Discard); !errors.Is(err, ErrTooLarge) {
		t.Errorf("40,000 changed symbols: %v", err)
	}
}

// An entry is one file of an archive.
type entry struct {
	name, content string
	method        uint16
	change        func(*zip.FileHeader)
}

func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: e.method}
		if e.change != nil {
			e.change(h)
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = io.WriteString(w, e.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAnArtifactIsRead(t *testing.T) {
	raw := string(written(t, sample(reporterstest.Small())))
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		e, err := ReadZip(archive(t, entry{name: FileName, content: raw, method: method}))
		if err != nil || e.PullRequest != 42 || len(e.Report.Breaks) != 1 {
			t.Errorf("method %d: %v", method, err)
		}
	}
}

func TestArtifactsThatLieAreRefused(t *testing.T) {
	raw := string(written(t, sample(reporterstest.Small())))
	one := func(name string) []byte {
		return archive(t, entry{name: name, content: raw, method: zip.Deflate})
	}
	huge := strings.Repeat(" ", 4*Limit)
	for _, c := range []struct {
		claim string
		in    []byte
		want  error
	}{
		{"no archive", []byte(raw), ErrMalformed},
		{"an empty archive", archive(t), ErrMalformed},
		{"a cut archive", one(FileName)[:200], ErrMalformed},
		{"another name", one("evidence.json"), ErrMalformed},
		{"a name that leads up", one("../" + FileName), ErrMalformed},
		{"a name that leads to the root", one("/" + FileName), ErrMalformed},
		{"a name with a backslash", one(`..\` + FileName), ErrMalformed},
		{"a name in a folder", one("x/" + FileName), ErrMalformed},
		{"a name with a zero byte", one(FileName + "\x00"), ErrMalformed},
		{"a second entry", archive(t, entry{name: FileName, content: raw}, entry{name: "../x", content: "x"}), ErrMalformed},
		{"the same entry twice", archive(t, entry{name: FileName, content: raw}, entry{name: FileName, content: raw}), ErrMalformed},
		{"a symlink", archive(t, entry{name: FileName, content: "/etc/passwd", change: func(h *zip.FileHeader) { h.SetMode(0o777 | 1<<27) }}), ErrMalformed},
		{"a bomb", archive(t, entry{name: FileName, content: huge, method: zip.Deflate}), ErrTooLarge},
		{"a bomb within the size but beyond the ratio", archive(t, entry{name: FileName, content: huge[:Limit-1], method: zip.Deflate}), ErrTooLarge},
		{"a large archive", archive(t, entry{name: FileName, content: huge, method: zip.Store}), ErrTooLarge},
		{"a bomb that says it is small", lying(t, huge), ErrMalformed},
		{"an unknown method", archiveOf(t, 99, raw), ErrMalformed},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if e, err := ReadZip(c.in); !errors.Is(err, c.want) {
				t.Errorf("got %v, %v", e != nil, err)
			}
		})
	}
}

// lying is an archive whose entry unpacks to more than it says.
func lying(t *testing.T, content string) []byte {
	b := archive(t, entry{name: FileName, content: content, method: zip.Deflate})
	size := []byte{byte(len(content)), byte(len(content) >> 8), byte(len(content) >> 16), byte(len(content) >> 24)}
	at := bytes.LastIndex(b, size) // in the directory at the end
	copy(b[at:], []byte{100, 0, 0, 0})
	return b
}

// archiveOf is an archive that names a method which nobody knows.
func archiveOf(t *testing.T, method uint16, content string) []byte {
	b := archive(t, entry{name: FileName, content: content, method: zip.Store})
	at := bytes.LastIndex(b, []byte("PK\x01\x02"))
	b[at+10] = byte(method)
	return b
}

// FuzzRead checks that whatever is accepted is well formed, within the limit, and
// means the same when it is written and read again.
func FuzzRead(f *testing.F) {
	f.Add(written(f, sample(reporterstest.Empty())))
	f.Add(written(f, sample(reporterstest.Small())))
	f.Add([]byte(`{"schema":"previdence.action/v1","report":{"schema":"previdence.evidence/v1"}}`))
	f.Add([]byte(fmt.Sprintf(`{"schema":%q}`, Schema)))
	f.Fuzz(func(t *testing.T, in []byte) {
		e, err := Read(bytes.NewReader(in))
		if err != nil {
			return
		}
		if err := e.wellFormed(); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := e.Write(&b); errors.Is(err, ErrTooLarge) {
			return // indented it is longer
		} else if err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written(t, again), written(t, e)) {
			t.Error("it changed on the way")
		}
	})
}

// FuzzReadZip checks that no archive is accepted that another reader sees
// another file in.
func FuzzReadZip(f *testing.F) {
	raw := string(written(f, sample(reporterstest.Empty())))
	f.Add(archive(f, entry{name: FileName, content: raw, method: zip.Deflate}))
	f.Add(archive(f, entry{name: FileName, content: raw}))
	f.Add(archive(f, entry{name: "../x", content: raw}, entry{name: FileName}))
	f.Fuzz(func(t *testing.T, in []byte) {
		e, err := ReadZip(in)
		if err != nil {
			return
		}
		z, err := zip.NewReader(bytes.NewReader(in), int64(len(in)))
		if err != nil || len(z.File) != 1 || z.File[0].Name != FileName {
			t.Fatalf("accepted an archive of %v, %v", z, err)
		}
		if err := e.wellFormed(); err != nil {
			t.Error(err)
		}
	})
}
