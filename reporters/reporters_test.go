package reporters

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/reporters/reporterstest"
)

func TestRender(t *testing.T) {
	r := reporterstest.Small()
	for _, c := range []struct {
		claim, format, starts string
		opts                  Options
	}{
		{"the terminal starts with the verdict", Terminal, "FAIL  acme/pay", Options{}},
		{"colour is written only if asked for", Terminal, "\x1b[", Options{Color: true}},
		{"Markdown starts with what may break", Markdown, "### previdence: policy failed: 2 broken references", Options{}},
		{"JSON starts with the schema", JSON, "{\n  \"schema\": \"previdence.evidence/v1\",\n", Options{}},
		{"HTML starts as a document", HTML, "<!doctype html>\n", Options{}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			var b bytes.Buffer
			if err := Render(&b, r, c.format, c.opts); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(b.String(), c.starts) {
				t.Errorf("got %.200q, want it to start with %q", b.String(), c.starts)
			}
		})
	}
}

func TestRenderRefuses(t *testing.T) {
	for _, c := range []struct {
		claim, format string
		opts          Options
		want          error
	}{
		{"a format that does not exist", "yaml", Options{}, ErrUnknownFormat},
		{"the empty format", "", Options{}, ErrUnknownFormat},
		{"a budget for JSON", JSON, Options{Budget: 1000}, ErrNoBudget},
		{"a comment without room for the caveats", Markdown, Options{Budget: 100}, outline.ErrBudget},
		{"a page without room for the caveats", HTML, Options{Budget: 100}, outline.ErrBudget},
		{"a screen without room for the caveats", Terminal, Options{Budget: 100}, outline.ErrBudget},
	} {
		t.Run(c.claim, func(t *testing.T) {
			var b bytes.Buffer
			if err := Render(&b, reporterstest.Small(), c.format, c.opts); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if b.Len() > 0 {
				t.Errorf("wrote %d bytes", b.Len())
			}
		})
	}
}

func TestLocalBindingIsWrittenOnlyIfAskedFor(t *testing.T) {
	r := reporterstest.Small()
	for _, local := range []bool{false, true} {
		var b bytes.Buffer
		if err := Render(&b, r, JSON, Options{Local: local}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), r.Provenance.Binding.RepositoryRoot); got != local {
			t.Errorf("local %v: binding written is %v", local, got)
		}
	}
}
