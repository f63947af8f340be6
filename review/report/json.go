package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// ErrUnknownSchema means that a report was written to another version of the
// contract than this program knows.
var ErrUnknownSchema = errors.New("unknown report schema")

// Canonical returns the report's canonical bytes: indented JSON with fields in
// the order of the types, ending in a newline, without the local binding. Bytes
// that are not UTF-8 are written as \xXX, and characters that cannot be seen by
// their number.
func (r *Report) Canonical() ([]byte, error) {
	c := *r
	c.Provenance.Binding = nil
	return JSON(c)
}

// Local returns the bytes of the report as a local file keeps it, with the
// binding to a place on this machine.
func (r *Report) Local() ([]byte, error) { return JSON(*r) }

// JSON returns any answer in the form of [Report.Canonical]: no list is null, and
// every text can be told apart and looked at.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(whole(reflect.ValueOf(v)).Interface()); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return inert(b.Bytes()), nil
}

// Read decodes one report. It refuses unknown fields, trailing data and a
// schema other than [Schema].
func Read(in io.Reader) (*Report, error) {
	d := json.NewDecoder(in)
	d.DisallowUnknownFields()
	r := &Report{}
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("decode report: %w", err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("%w: %q", ErrUnknownSchema, r.Schema)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("decode report: data after the report")
	}
	return r, nil
}

// Section returns the named section's state, or a section that is unavailable
// if the report does not have it.
func (r *Report) Section(name string) Section {
	for _, s := range r.Sections {
		if s.Name == name {
			return s
		}
	}
	return Section{Name: name, State: Unavailable, Reason: "not part of this report"}
}
