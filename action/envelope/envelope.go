// Package envelope carries a report from the run that made it to the run that
// publishes it.
//
// Input of [Envelope.Write] is a report and what its run says about itself;
// output is one JSON file, which is uploaded as an artifact. [Read] and
// [ReadZip] take it back. The run that wrote it may be one of a fork, so
// everything that comes back is a claim: what is read is bounded, well formed
// and of a known version, and nothing more. Whether it is true is for
// [github.com/previdence/previdence/action/post] to find out.
//
// The package opens no network and no file, and never returns part of an
// envelope.
package envelope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/previdence/previdence/review/report"
)

// Schema names the version of the envelope. One line for each version:
//
//	v1: the first
const Schema = "previdence.action/v1"

// FileName is the name of the one file of the artifact.
const FileName = "previdence-evidence.json"

// ArtifactName is the name of the artifact that the analysing run uploads.
const ArtifactName = "previdence-evidence"

// Limit is the most bytes that an envelope may have.
const Limit = 5_000_000

// An Envelope is a report and the run that claims to have made it.
type Envelope struct {
	Schema           string         `json:"schema"`
	RepositoryID     int64          `json:"repository_id"`      // of the base: where the run ran
	HeadRepositoryID int64          `json:"head_repository_id"` // differs from RepositoryID for a fork
	PullRequest      int            `json:"pull_request"`       // 0: none, as for a merge group
	Head             string         `json:"head"`               // full object ID of the commit that was reviewed
	Base             string         `json:"base"`               // full object ID
	Event            string         `json:"event"`              // GITHUB_EVENT_NAME of the run
	RunID            int64          `json:"run_id"`
	RunAttempt       int            `json:"run_attempt"` // from 1
	Workflow         string         `json:"workflow"`    // path of its file: ".github/workflows/previdence.yml"
	Report           *report.Report `json:"report"`
}

var (
	// ErrTooLarge means that an envelope, or what it is packed in, is above a
	// stated limit. Nothing of it is used: a cut report would lie.
	ErrTooLarge = errors.New("evidence too large")

	// ErrMalformed means that a file is no envelope as this program writes it.
	ErrMalformed = errors.New("malformed evidence")

	// ErrUnknownSchema means that another version of previdence wrote it.
	ErrUnknownSchema = errors.New("unknown evidence schema")
)

// Write writes e as one JSON file of at most [Limit] bytes, or nothing. It sets
// the schema, and leaves the report's binding to a place on this machine out. A
// report that does not fit is cut to the first of a few bounds that it fits, and
// says so in a caveat.
func (e *Envelope) Write(w io.Writer) error {
	c := *e
	c.Schema = Schema
	if err := c.wellFormed(); err != nil {
		return err
	}
	r := *e.Report
	r.Provenance.Binding = nil
	c.Report = &r
	out, err := c.encode()
	for i := 0; errors.Is(err, ErrTooLarge) && i < len(bounds); i++ {
		c.Report = bounds[i].within(&r)
		out, err = c.encode()
	}
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

func (e *Envelope) encode() ([]byte, error) {
	text, err := report.JSON(*e)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	if out.Len() > Limit {
		return nil, fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, out.Len(), Limit)
	}
	return out.Bytes(), nil
}

// Read decodes one envelope of at most [Limit] bytes. It refuses unknown
// fields, a second value, and another version.
func Read(in io.Reader) (*Envelope, error) {
	raw, err := io.ReadAll(io.LimitReader(in, Limit+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if len(raw) > Limit {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, Limit)
	}
	if err := known(raw); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	e := &Envelope{}
	if err := d.Decode(e); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: data after the end", ErrMalformed)
	}
	return e, e.wellFormed()
}

// known looks at the schema alone, so that another version is refused by its
// name and not by the first field that it has more.
func known(raw []byte) error {
	var head struct {
		Schema string `json:"schema"`
		Report struct {
			Schema string `json:"schema"`
		} `json:"report"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if head.Schema != Schema {
		return fmt.Errorf("%w: %.80q", ErrUnknownSchema, head.Schema)
	}
	if head.Report.Schema != report.Schema {
		return fmt.Errorf("%w: %.80q", report.ErrUnknownSchema, head.Report.Schema)
	}
	return nil
}
