package query

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/review/memory"
	"github.com/previdence/previdence/review/redact"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// Where a decision comes from.
const (
	fromRepository = "repository" // a file of the base commit
	fromLocal      = "local"      // recorded on this machine
)

// mostDecisions bounds how many files of decisions are read.
const mostDecisions = 1000

// Decisions finds what was decided about symbols earlier, or about anything if none
// is named. The files of the repository are those of the merge base with the default
// branch: a change must not bring its own excuses.
func (r *Reading) Decisions(ctx context.Context, symbols []string) (answer.Decisions, error) {
	base, err := r.base(ctx)
	if err != nil {
		return answer.Decisions{}, err
	}
	return r.decisions(ctx, base, symbols)
}

// DecisionsAsOf finds what was decided by the time of the commit that is read: in its
// own files, and on this machine about code that it has.
func (r *Reading) DecisionsAsOf(ctx context.Context, symbols []string) (answer.Decisions, error) {
	return r.decisions(ctx, r.Commit, symbols)
}

func (r *Reading) decisions(ctx context.Context, base worktree.OID, symbols []string) (answer.Decisions, error) {
	a := answer.Decisions{Header: r.header, Decisions: []answer.Decision{}, Unread: []answer.Unread{}}
	wanted := map[string]bool{}
	for _, s := range symbols {
		id, err := r.cited(ctx, s)
		if err != nil {
			return a, err
		}
		wanted[id] = true
	}
	moment, err := r.moment(ctx)
	if err != nil {
		return a, err
	}
	a.Base = string(base)
	var held []memory.Held
	origin, read := map[string]string{}, map[string]int{}
	add := func(from, file string, data []byte) {
		read[from]++
		d, err := memory.Parse(file, data)
		if err != nil {
			a.Unread = append(a.Unread, answer.Unread{Path: file, Reason: err.Error()})
			return
		}
		if _, known := origin[d.ID]; known || len(wanted) > 0 && !slices.ContainsFunc(d.Cites, func(c memory.Cite) bool { return wanted[c.Symbol] }) {
			return // what is committed wins over what is only here
		}
		if before, err := r.decidedBefore(d, moment); from == fromLocal && (err != nil || !before) {
			return
		}
		origin[d.ID] = from
		held = append(held, memory.Hold(d, func(s string) (memory.Code, bool) { return r.code(ctx, s) }))
	}
	if err := r.committed(ctx, base, func(file string, data []byte) { add(fromRepository, file, data) }); err != nil {
		return a, err
	}
	if err := local(r.Repo, func(file string, data []byte) { add(fromLocal, file, data) }); err != nil {
		return a, err
	}
	memory.Sort(held)
	for _, h := range held {
		a.Decisions = append(a.Decisions, describeDecision(h, origin[h.ID], moment))
	}
	if len(held) == 0 {
		a.Check = checkDecisions(read, len(symbols), len(a.Unread))
	}
	return a, ctx.Err()
}

// checkDecisions says what was looked through for decisions that are not there.
func checkDecisions(read map[string]int, symbols, unread int) *answer.Check {
	c := &answer.Check{Checked: report.Confirmed, Mentions: []answer.Mention{}}
	c.CheckedText = fmt.Sprintf("%d files of decisions at the merge base and %d on this machine were read.", read[fromRepository], read[fromLocal])
	if symbols > 0 {
		c.CheckedText += " None cites what was asked for."
	}
	if unread > 0 {
		c.Checked = report.NotConfirmed
		c.CheckedText += fmt.Sprintf(" %d of them cannot be read.", unread)
	}
	return c
}

func describeDecision(h memory.Held, from string, at memory.Moment) answer.Decision {
	validity, why := h.At(at)
	d := answer.Decision{
		ID: h.ID, Kind: string(h.Kind), Title: h.Title, Text: h.Text, Origin: from, State: string(h.State), Validity: string(validity), Reason: why,
		ValidFrom: h.ValidFrom, ValidUntil: h.ValidUntil, SupersededBy: h.SupersededBy, DecidedAt: h.DecidedAt,
	}
	for _, c := range h.Cites {
		d.Cites = append(d.Cites, answer.Cite{Symbol: c.Symbol, Body: c.Body, Blob: c.Blob, State: string(c.State), Now: c.Now.Body, Path: c.Now.Path, Line: c.Now.Line})
	}
	return d
}

// cited is the ID that a text means. What is gone may still be cited.
func (r *Reading) cited(ctx context.Context, text string) (string, error) {
	s, err := r.Symbol(ctx, text)
	if errors.Is(err, store.ErrNoSymbol) && strings.Contains(text, "#") {
		return text, nil
	}
	return string(s.ID), err
}

// code is what a symbol is now.
func (r *Reading) code(ctx context.Context, id string) (memory.Code, bool) {
	s, err := r.DB.Symbol(ctx, graph.SymbolID(id))
	if err != nil {
		return memory.Code{}, false
	}
	c := memory.Code{Path: s.Path, Line: s.Line}
	if s.Digests.Body != (graph.Digest{}) {
		c.Body = hex.EncodeToString(s.Digests.Body[:])
	}
	if f, err := r.DB.File(ctx, s.Path); err == nil && f != nil {
		c.Blob = f.Blob
	}
	return c, true
}

// base is the commit whose decisions are in force: where HEAD left the default
// branch, or HEAD itself if there is none to leave.
func (r *Reading) base(ctx context.Context) (worktree.OID, error) {
	name, err := r.Repo.DefaultBase(ctx)
	if errors.Is(err, worktree.ErrNoDefaultBase) {
		return r.Commit, nil
	}
	if err != nil {
		return "", err
	}
	into, err := r.Repo.Resolve(ctx, name)
	if err != nil {
		return "", err
	}
	bases, err := r.Repo.MergeBases(ctx, into, r.Commit)
	if err != nil {
		return "", err
	}
	return bases[0], nil
}

// committed reads the decisions that a commit has, by path.
func (r *Reading) committed(ctx context.Context, commit worktree.OID, each func(file string, data []byte)) error {
	tree, err := r.Repo.TreeOf(ctx, commit)
	if err != nil {
		return err
	}
	listing, err := r.Repo.List(ctx, tree)
	if err != nil {
		return err
	}
	var files []string
	var oids []worktree.OID
	for _, e := range listing.Entries {
		if path.Dir(e.Path) == memory.Folder && path.Ext(e.Path) == ".md" && e.Mode != worktree.ModeSymlink && len(files) < mostDecisions {
			files, oids = append(files, e.Path), append(oids, e.OID)
		}
	}
	if len(files) == 0 {
		return nil
	}
	return r.Repo.Blobs(ctx, oids, memory.MaxBytes+1, func(i int, data []byte, err error) error {
		if errors.Is(err, worktree.ErrTooLarge) {
			data, err = make([]byte, memory.MaxBytes+1), nil // refused with its reason
		}
		if err == nil {
			each(files[i], data)
		}
		return err
	})
}

// local reads the decisions of this machine, by name.
func local(repo *worktree.Repo, each func(file string, data []byte)) error {
	entries, err := os.ReadDir(provenance.DecisionsFolder(repo))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, e := range entries {
		if i == mostDecisions {
			return fmt.Errorf("more than %d decisions in %s", mostDecisions, provenance.DecisionsFolder(repo))
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(e.Name()) != ".md" || info.Size() > memory.MaxBytes {
			continue // not one that Record has written
		}
		data, err := os.ReadFile(filepath.Join(provenance.DecisionsFolder(repo), e.Name()))
		if err != nil {
			return err
		}
		each(e.Name(), data)
	}
	return nil
}

// moment is the commit that is read.
func (r *Reading) moment(ctx context.Context) (memory.Moment, error) {
	past := r.Repo.Past(nil)
	day, err := past.Day(ctx, r.Commit)
	return memory.Moment{Day: day, Has: func(commit string) (bool, error) { return past.Has(ctx, r.Commit, worktree.OID(commit)) }}, err
}

// decidedBefore reports whether a decision is about code that the commit has. One
// that does not say so counts.
func (r *Reading) decidedBefore(d memory.Decision, at memory.Moment) (bool, error) {
	if d.DecidedAt == "" || d.DecidedAt == string(r.Commit) {
		return true, nil
	}
	return at.Has(d.DecidedAt)
}

// Decide completes a decision whose cites are names or IDs: it cites the code of the
// commit that is read, has an ID, and no text that looks like a secret; it returns
// how many such were written over.
func (r *Reading) Decide(ctx context.Context, d memory.Decision) (memory.Decision, int, error) {
	secrets := 0
	for _, text := range []*string{&d.Title, &d.Text} {
		shown, n := redact.Secrets(strings.TrimSpace(*text))
		*text, secrets = shown, secrets+n
	}
	mark := ""
	for i, c := range d.Cites {
		found, err := r.Symbol(ctx, c.Symbol)
		if err != nil {
			return d, 0, err
		}
		now, _ := r.code(ctx, string(found.ID))
		d.Cites[i] = memory.Cite{Symbol: string(found.ID), Body: now.Body, Blob: now.Blob}
		mark += string(found.ID) + now.Body + now.Blob
	}
	d.DecidedAt = string(r.Commit)
	if d.ID == "" { // the same decision about the same code is the same file
		d.ID = memory.NewID(d.Title, hexOf(string(d.Kind), d.Title, d.Text, mark))
	}
	return d, secrets, r.Recheck(ctx) // it would cite other code than the reader has seen
}

// Record keeps a decision on this machine, about the code as it is now, and
// returns it as it was read back.
func (r *Reading) Record(ctx context.Context, kind, title, text string, symbols []string) (answer.Decisions, error) {
	d := memory.Decision{Kind: memory.Kind(kind), Title: title, Text: text}
	for _, s := range symbols {
		d.Cites = append(d.Cites, memory.Cite{Symbol: s})
	}
	d, _, err := r.Decide(ctx, d)
	if err != nil {
		return answer.Decisions{}, err
	}
	if _, err := KeepDecision(r.Repo, d); err != nil {
		return answer.Decisions{}, err
	}
	a, err := r.Decisions(ctx, nil)
	a.Decisions = slices.DeleteFunc(a.Decisions, func(other answer.Decision) bool { return other.ID != d.ID })
	return a, err
}

// KeepDecision keeps a decision on this machine and returns its file.
func KeepDecision(repo *worktree.Repo, d memory.Decision) (file string, err error) {
	data, err := memory.Format(d)
	if err != nil {
		return "", err
	}
	file = filepath.Join(provenance.DecisionsFolder(repo), d.ID+".md")
	return file, keep(file, data)
}
