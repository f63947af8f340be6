package json

import (
	"bytes"
	"testing"

	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

func TestConformance(t *testing.T) {
	reporterstest.Run(t, reporterstest.Reporter{Data: true, Render: func(r *report.Report, _ int) ([]byte, error) {
		var b bytes.Buffer
		err := Render(&b, r, false)
		return b.Bytes(), err
	}})
}

func TestRender(t *testing.T) {
	r := reporterstest.Small()
	var canonical, local bytes.Buffer
	if err := Render(&canonical, r, false); err != nil {
		t.Fatal(err)
	}
	if err := Render(&local, r, true); err != nil {
		t.Fatal(err)
	}
	place := []byte(r.Provenance.Binding.RepositoryRoot)
	if bytes.Contains(canonical.Bytes(), place) {
		t.Error("the canonical form names a place on this machine")
	}
	if !bytes.Contains(local.Bytes(), place) {
		t.Error("the local form does not name the place")
	}
	got, err := report.Read(&canonical)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := got.Canonical(); len(again) == 0 || !bytes.Contains(local.Bytes(), []byte(got.Breaks[0].Name)) {
		t.Errorf("read back: %s", again)
	}
}
