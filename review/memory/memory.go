// Package memory reads and writes what reviewers decided about code earlier.
//
// Input is the files of decisions of one commit, and what the code that they cite
// is now; output is decisions, each with a state that says whether the cited code
// is still what it was. Nothing is promoted, merged or aged: a decision applies
// while the digests that it cites are those of the code. A file that cannot be read
// is reported, never skipped in silence. The package opens no file.
//
// A decision is Markdown with front matter, so that it is written, reviewed and
// merged like code:
//
//	---
//	id: retry-without-backoff
//	kind: accepted_risk
//	title: Send retries without backoff
//	cites:
//	  - symbol: go:pay/client.go#Client.Send/method
//	    body: 0f3a…
//	    blob: 8e1c…
//	---
//	The gateway sheds load itself.
package memory

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// Folder is where the decisions of a repository lie in a tree.
const Folder = ".previdence/decisions"

// What a decision may hold.
const (
	MaxBytes = 32 << 10
	maxCites = 64
	maxTitle = 200
)

// ErrInvalid means that a file or a request says nothing that could be a decision.
var ErrInvalid = errors.New("not a decision")

// A Kind says what was decided.
type Kind string

// The kinds.
const (
	AcceptedRisk Kind = "accepted_risk" // it is known and lived with
	Dismissed    Kind = "dismissed"     // it was looked at and is none
	DeadEnd      Kind = "dead_end"      // it was tried and does not work
	Plain        Kind = "decision"      // anything else
)

// Kinds lists the kinds.
var Kinds = []Kind{AcceptedRisk, Dismissed, DeadEnd, Plain}

// A State says what a decision is worth today.
type State string

// The states, the weakest last.
const (
	Applies       State = "applies"        // the cited code is what it was
	Drifted       State = "drifted"        // it has changed since
	SourceMissing State = "source_missing" // it is gone
)

// A Decision is one file.
type Decision struct {
	ID           string `yaml:"id"`
	Kind         Kind   `yaml:"kind"`
	Title        string `yaml:"title"`
	ValidFrom    string `yaml:"valid_from,omitempty"`    // commit or day from which on it is in force; "" means always
	ValidUntil   string `yaml:"valid_until,omitempty"`   // commit from which on it is not in force any more, or the last day on which it is
	SupersededBy string `yaml:"superseded_by,omitempty"` // ID of a later decision
	DecidedAt    string `yaml:"decided_at,omitempty"`    // commit whose code it cites
	Report       string `yaml:"report,omitempty"`        // SHA-256 of the report that it answers, in hex
	Cites        []Cite `yaml:"cites"`
	Text         string `yaml:"-"` // what follows the front matter
}

// A Cite names code and what it was when the decision was made.
type Cite struct {
	Symbol string `yaml:"symbol"` // ID
	Body   string `yaml:"body"`   // digest of its body; "" for what has none
	Blob   string `yaml:"blob"`   // object ID of its file
}

var (
	commitPattern = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	digestPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,79}$`)

// Parse reads a file. Its ID must be its name: two files cannot be one decision.
func Parse(file string, data []byte) (Decision, error) {
	var d Decision
	if len(data) > MaxBytes {
		return d, fmt.Errorf("%w: more than %d bytes", ErrInvalid, MaxBytes)
	}
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	front, found := bytes.CutPrefix(data, []byte("---\n"))
	front, text, closed := bytes.Cut(front, []byte("\n---\n"))
	if !found || !closed {
		return d, fmt.Errorf("%w: no front matter between two lines of ---", ErrInvalid)
	}
	in := yaml.NewDecoder(bytes.NewReader(front))
	in.KnownFields(true)
	if err := in.Decode(&d); err != nil {
		return d, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	d.Text = strings.TrimSpace(string(text))
	if want := strings.TrimSuffix(path.Base(file), ".md"); d.ID != want {
		return d, fmt.Errorf("%w: its id is %q, its name says %q", ErrInvalid, d.ID, want)
	}
	return d, d.check()
}

func (d Decision) check() error {
	switch {
	case !idPattern.MatchString(d.ID):
		return fmt.Errorf("%w: the id %q has other signs than a-z, 0-9 and -", ErrInvalid, d.ID)
	case !slices.Contains(Kinds, d.Kind):
		return fmt.Errorf("%w: there is no kind %q", ErrInvalid, d.Kind)
	case d.Title == "" || len(d.Title) > maxTitle || strings.Contains(d.Title, "\n"):
		return fmt.Errorf("%w: a title has one line of at most %d bytes", ErrInvalid, maxTitle)
	case len(d.Cites) == 0 || len(d.Cites) > maxCites:
		return fmt.Errorf("%w: it cites %d symbols, want 1 to %d", ErrInvalid, len(d.Cites), maxCites)
	}
	switch {
	case d.ValidFrom != "" && !IsMoment(d.ValidFrom):
		return fmt.Errorf("%w: valid_from is %q, want a full commit ID or a day like 2026-01-31", ErrInvalid, d.ValidFrom)
	case d.ValidUntil != "" && !IsMoment(d.ValidUntil):
		return fmt.Errorf("%w: valid_until is %q, want a full commit ID or a day like 2026-01-31", ErrInvalid, d.ValidUntil)
	case d.SupersededBy != "" && !idPattern.MatchString(d.SupersededBy) || d.SupersededBy == d.ID:
		return fmt.Errorf("%w: superseded_by is %q, want the id of another decision", ErrInvalid, d.SupersededBy)
	case d.DecidedAt != "" && !commitPattern.MatchString(d.DecidedAt):
		return fmt.Errorf("%w: decided_at is %q, want a full commit ID", ErrInvalid, d.DecidedAt)
	case d.Report != "" && !digestPattern.MatchString(d.Report):
		return fmt.Errorf("%w: report is %q, want a SHA-256 in hex", ErrInvalid, d.Report)
	}
	for _, c := range d.Cites {
		if c.Symbol == "" {
			return fmt.Errorf("%w: a cite names no symbol", ErrInvalid)
		}
	}
	return nil
}

// Format writes a decision as [Parse] reads it.
func Format(d Decision) ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	front, err := yaml.Marshal(d)
	if err != nil {
		return nil, err
	}
	text := fmt.Appendf(nil, "---\n%s---\n", front)
	if d.Text != "" {
		text = fmt.Appendf(text, "%s\n", strings.TrimSpace(d.Text))
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrInvalid, MaxBytes)
	}
	return text, nil
}

// IsID reports whether a text could be the ID of a decision.
func IsID(s string) bool { return idPattern.MatchString(s) }

// IsMoment reports whether a text says when: a full commit ID, or a day.
func IsMoment(s string) bool { return commitPattern.MatchString(s) || isDay(s) }

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// A Validity says whether a decision is in force at a commit.
type Validity string

// The validities.
const (
	InForce    Validity = "in_force"
	NotYet     Validity = "not_yet"    // what it is valid from has not come
	Expired    Validity = "expired"    // what it is valid until has come
	Superseded Validity = "superseded" // a later decision stands in its place
	Unknown    Validity = "unknown"    // a commit that it names cannot be placed
)

// A Moment is the commit at which a decision is looked at. There is no clock: the
// same commit gives the same answer whenever it is asked for.
type Moment struct {
	Day string                            // of the commit, as 2006-01-02
	Has func(commit string) (bool, error) // whether the commit is another one or comes after it
}

// At says whether a decision is in force, and why not.
func (d Decision) At(m Moment) (Validity, string) {
	if d.SupersededBy != "" {
		return Superseded, "superseded by " + d.SupersededBy
	}
	for _, end := range []struct {
		mark   string
		come   func(day string) bool
		sought bool // what must be true to be in force
		state  Validity
		text   string
	}{
		{d.ValidFrom, func(day string) bool { return m.Day >= day }, true, NotYet, "valid from "},
		{d.ValidUntil, func(day string) bool { return m.Day > day }, false, Expired, "valid until "},
	} {
		var come bool
		var err error
		switch {
		case end.mark == "":
			continue
		case isDay(end.mark):
			come = end.come(end.mark)
		default:
			come, err = m.Has(end.mark)
		}
		if err != nil {
			return Unknown, fmt.Sprintf("%s%s, which cannot be placed in the history that is here", end.text, end.mark)
		}
		if come != end.sought {
			return end.state, end.text + end.mark
		}
	}
	return InForce, ""
}

// Code is what a symbol is now.
type Code struct {
	Body string // digest of its body
	Blob string // object ID of its file
	Path string
	Line int
}

// A Held decision is one that was held against the code as it is now.
type Held struct {
	Decision
	State State // the weakest of its cites
	Cites []HeldCite
}

// A HeldCite is a cite with what became of it.
type HeldCite struct {
	Cite
	State State
	Now   Code // zero if it is gone
}

// Hold compares what a decision cites with the code as it is now.
func Hold(d Decision, now func(symbol string) (Code, bool)) Held {
	h := Held{Decision: d, State: Applies}
	for _, c := range d.Cites {
		held := HeldCite{Cite: c, State: SourceMissing}
		if code, ok := now(c.Symbol); ok {
			held.Now, held.State = code, Drifted
			// A body that is the same is the same wherever it stands. What has none
			// is its file.
			if c.Body != "" && c.Body == code.Body || c.Body == "" && c.Blob == code.Blob {
				held.State = Applies
			}
		}
		h.Cites = append(h.Cites, held)
		if rank(held.State) > rank(h.State) {
			h.State = held.State
		}
	}
	return h
}

func rank(s State) int { return slices.Index([]State{Applies, Drifted, SourceMissing}, s) }

// Sort puts what applies first, then goes by ID.
func Sort(held []Held) {
	slices.SortStableFunc(held, func(a, b Held) int {
		return cmp.Or(cmp.Compare(rank(a.State), rank(b.State)), cmp.Compare(a.ID, b.ID))
	})
}

// NewID makes an ID of a title: its letters and digits, and a mark that tells
// decisions with equal titles apart.
func NewID(title, mark string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == 50 {
			break
		}
	}
	return strings.Trim(strings.Trim(b.String(), "-")+"-"+mark, "-")
}
