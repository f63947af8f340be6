package report

import (
	"bytes"
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	bare, err := (&Report{Breaks: []Break{{Check: Check{}}}}).Canonical()
	if err != nil {
		t.Fatal(err)
	}
	made, err := (&Report{
		Sections:   []Section{},
		Breaks:     []Break{{References: []Reference{}, Check: Check{Mentions: []Mention{}}}},
		Provenance: Provenance{Grammars: map[string]string{}, Binding: &Binding{Head: "x"}},
	}).Canonical()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("a list never made and an empty one have the same bytes", func(t *testing.T) {
		if !bytes.Equal(bare, made) {
			t.Errorf("%s\n%s", bare, made)
		}
	})
	t.Run("no list is null", func(t *testing.T) {
		if got := string(bare); strings.Contains(got, "null") {
			t.Errorf("null in %s", got)
		}
	})
	t.Run("the binding stays local", func(t *testing.T) {
		if strings.Contains(string(made), "binding") {
			t.Errorf("binding in %s", made)
		}
	})
	t.Run("encoding changes nothing in the report", func(t *testing.T) {
		r := &Report{Provenance: Provenance{Binding: &Binding{Head: "x"}}}
		if _, err := r.Canonical(); err != nil || r.Sections != nil || r.Provenance.Binding == nil {
			t.Errorf("report changed: %+v, %v", r, err)
		}
	})
	t.Run("what was written is read back", func(t *testing.T) {
		if _, err := Read(bytes.NewReader(made)); err == nil {
			t.Error("a report without a schema was read")
		}
		b, _ := (&Report{Schema: Schema}).Local()
		if r, err := Read(bytes.NewReader(b)); err != nil || r.Schema != Schema {
			t.Errorf("got %v, %v", r, err)
		}
	})
}
