// Package json writes a report as its own JSON.
//
// Input is a report; output is its canonical bytes, the same on every machine,
// or the local form that also names the place on this one. It leaves nothing
// out and adds nothing.
package json

import (
	"io"

	"github.com/previdence/previdence/review/report"
)

// Render writes r in its canonical form, or with the local binding if local.
func Render(w io.Writer, r *report.Report, local bool) error {
	encode := r.Canonical
	if local {
		encode = r.Local
	}
	b, err := encode()
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}
