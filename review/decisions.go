package review

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/diff"
	"github.com/previdence/previdence/review/memory"
	"github.com/previdence/previdence/review/redact"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// What is read and shown of decisions.
const (
	maxDecisions    = 1000 // files
	maxDrifted      = 20   // lines shown of one cite
	maxDriftedBytes = 200  // of one such line
)

// reportDecisions lists what was decided earlier about code that this pull request
// changes. The files are those of the merge base: a change cannot bring its own
// excuses.
func (r *reviewer) reportDecisions(ctx context.Context) error {
	files, err := r.readDecisions(ctx)
	if err != nil {
		return err
	}
	r.decided = r.held(files)
	if !r.Sketched {
		r.lapsed()
	}
	r.out.Decisions = []report.Decision{}
	changed := r.changedIDs()
	for _, f := range r.decided {
		d := f.decision
		if !slices.ContainsFunc(d.Cites, func(c memory.Cite) bool { return r.touches(c, changed) }) {
			continue
		}
		row := r.holdAtHead(d, changed)
		row.Path, row.Blob = f.path, f.blob
		validity, reason := d.At(r.moment)
		row.Validity, row.Reason = report.Validity(validity), reason
		r.out.Decisions = append(r.out.Decisions, row)
	}
	slices.SortStableFunc(r.out.Decisions, func(a, b report.Decision) int { return decisionRank(a) - decisionRank(b) })
	return r.showDrift(ctx)
}

// held leaves out, in a sketch, what cites code that was not read: it would look as if
// it were gone.
func (r *reviewer) held(files []decisionFile) []decisionFile {
	if !r.Sketched {
		return files
	}
	unread := func(c memory.Cite) bool {
		_, before := codeOf(r.Base, c.Symbol)
		_, now := codeOf(r.Head, c.Symbol)
		return !before && !now
	}
	all := len(files)
	files = slices.DeleteFunc(files, func(f decisionFile) bool { return slices.ContainsFunc(f.decision.Cites, unread) })
	if left := all - len(files); left > 0 {
		r.caveat("decisions.not_held", "decisions", "The deadline came before earlier decisions were held against the code that they cite.", left, all)
	}
	return files
}

// decisionRank puts first what is in force, and of that what is what it was.
func decisionRank(d report.Decision) int {
	rank := slices.Index([]report.DecisionState{report.DecisionApplies, report.DecisionDrifted, report.SourceMissing}, d.State)
	if d.Validity != report.InForce {
		rank += 10
	}
	return rank
}

// A decisionFile is a file of the merge base that could be read.
type decisionFile struct {
	path, blob string
	decision   memory.Decision
}

// readDecisions reads the decisions of the merge base, by path. What is none is a
// caveat, since it may have said something.
func (r *reviewer) readDecisions(ctx context.Context) ([]decisionFile, error) {
	var files []decisionFile
	var oids []worktree.OID
	left := 0
	for i := range r.Base.Files {
		f := &r.Base.Files[i]
		switch {
		case path.Dir(f.Path) != memory.Folder || path.Ext(f.Path) != ".md" || f.Blob == "" || f.State == graph.FileSymlink || f.State == graph.FileSubmodule:
		case len(files) == maxDecisions:
			left++
		default:
			files, oids = append(files, decisionFile{path: f.Path, blob: f.Blob}), append(oids, worktree.OID(f.Blob))
		}
	}
	if left > 0 {
		r.caveat("decisions.left_out", "decisions", "More files of decisions lie in the merge base than are read.", left, left+len(files))
	}
	var read []decisionFile
	var unread []string
	err := r.Blobs.Blobs(ctx, oids, memory.MaxBytes, func(i int, data []byte, err error) error {
		if err == nil {
			files[i].decision, err = memory.Parse(files[i].path, data)
		}
		if err != nil {
			unread = append(unread, fmt.Sprintf("%s: %v", files[i].path, err))
			return nil
		}
		read = append(read, files[i])
		return nil
	})
	if len(unread) > 0 {
		r.caveat("decisions.unread", "decisions", "Files of decisions cannot be read, so what they say is not known.", len(unread), len(files), unread...)
	}
	return read, err
}

// changedIDs maps the IDs of all changed symbols, those of the merge base and of
// head, to the symbol of head; [graph.None] if it is gone.
func (r *reviewer) changedIDs() map[string]int32 {
	ids := map[string]int32{}
	for _, c := range r.changes {
		if c.base != graph.None {
			ids[string(r.Base.Symbols[c.base].ID)] = c.head
		}
		if c.head != graph.None {
			ids[string(r.Head.Symbols[c.head].ID)] = c.head
		}
	}
	return ids
}

// touches reports whether the pull request changes what a decision cites. What has
// no body of its own is its file.
func (r *reviewer) touches(c memory.Cite, changed map[string]int32) bool {
	if _, ok := changed[c.Symbol]; ok || c.Body != "" {
		return ok
	}
	i, ok := r.Base.Find(graph.SymbolID(c.Symbol))
	if !ok {
		return false
	}
	at := r.Base.Symbols[i].Path
	now, stays := r.files.head(at)
	return !stays || now != at || r.files.changed[now]
}

// holdAtHead compares what a decision cites with the code of head. A symbol that
// this pull request renames or moves is still the one that was cited.
func (r *reviewer) holdAtHead(d memory.Decision, changed map[string]int32) report.Decision {
	now := map[string]string{}
	for _, c := range d.Cites {
		if h, ok := changed[c.Symbol]; ok && h != graph.None {
			now[c.Symbol] = string(r.Head.Symbols[h].ID)
		}
	}
	held := memory.Hold(d, func(id string) (memory.Code, bool) {
		if other, ok := now[id]; ok {
			id = other
		}
		return codeOf(r.Head, id)
	})
	before := memory.Hold(d, func(id string) (memory.Code, bool) { return codeOf(r.Base, id) })
	row := report.Decision{
		ID: d.ID, Kind: string(d.Kind), Title: d.Title, State: report.DecisionState(held.State),
		SupersededBy: d.SupersededBy, Cites: []report.DecisionCite{}, At: r.At,
	}
	for i, c := range held.Cites {
		cite := report.DecisionCite{
			Symbol: c.Symbol, State: report.DecisionState(c.State), Changed: r.touches(c.Cite, changed), Body: c.Body, Blob: c.Blob,
			NowBody: c.Now.Body, NowBlob: c.Now.Blob, Path: c.Now.Path, Line: c.Now.Line, Lines: []report.DriftedLine{},
		}
		if id := now[c.Symbol]; id != c.Symbol {
			cite.Now = id
		}
		switch {
		case c.State == memory.Applies:
		case before.Cites[i].State == memory.Applies:
			cite.Drifted = "here"
		default:
			cite.Drifted = "earlier"
		}
		row.Cites = append(row.Cites, cite)
	}
	return row
}

// codeOf is what a symbol is in a graph.
func codeOf(g *graph.Graph, id string) (memory.Code, bool) {
	i, ok := g.Find(graph.SymbolID(id))
	if !ok {
		return memory.Code{}, false
	}
	s := &g.Symbols[i]
	c := memory.Code{Blob: blobAt(g, s.Path), Path: s.Path, Line: s.Line}
	if s.Digests.Body != (graph.Digest{}) {
		c.Body = hex.EncodeToString(s.Digests.Body[:])
	}
	return c, true
}

// showDrift reads the files that drifted cites are about, as they were and as they
// are, and keeps the lines that differ within the symbol.
func (r *reviewer) showDrift(ctx context.Context) error {
	var cites []*report.DecisionCite
	var oids []worktree.OID
	for i := range r.out.Decisions {
		for j := range r.out.Decisions[i].Cites {
			c := &r.out.Decisions[i].Cites[j]
			if c.State == report.DecisionDrifted && c.Blob != "" && c.NowBlob != "" {
				cites, oids = append(cites, c), append(oids, worktree.OID(c.Blob), worktree.OID(c.NowBlob))
			}
		}
	}
	secrets, absent := 0, 0
	var then []byte
	var missing error
	err := r.Blobs.Blobs(ctx, oids, r.Limits.BlobBytes, func(i int, data []byte, unread error) error {
		if i%2 == 0 {
			then, missing = bytes.Clone(data), unread
			return nil
		}
		if missing != nil || unread != nil {
			absent++
			return nil //nolint:nilerr // what is absent is counted and said
		}
		secrets += r.driftOf(cites[i/2], then, data)
		return nil
	})
	if absent > 0 {
		r.caveat("decisions.source_absent", "decisions", "Files as they were when it was decided are not here, so what has changed in them is not shown.", absent, len(cites))
	}
	if secrets > 0 {
		r.caveat("decisions.redacted", "decisions", "What has a well-known shape of a secret is written over; other secrets would not be noticed.", secrets, 0)
	}
	return err
}

// driftOf keeps the lines of a cited symbol that differ, and returns in how
// many lines it wrote over a secret.
func (r *reviewer) driftOf(c *report.DecisionCite, then, now []byte) (secrets int) {
	id := c.Symbol
	if c.Now != "" {
		id = c.Now
	}
	i, ok := r.Head.Find(graph.SymbolID(id))
	if !ok {
		return 0
	}
	s := &r.Head.Symbols[i]
	was, is := strings.Split(string(then), "\n"), strings.Split(string(now), "\n")
	shownThen, _ := redact.Secrets(string(then))
	shownNow, _ := redact.Secrets(string(now))
	safeWas, safeIs := strings.Split(shownThen, "\n"), strings.Split(shownNow, "\n")
	add := func(lines, safe []string, start, count int, added bool) {
		for n := start; n < start+count && n <= len(lines); n++ {
			if added && (n < s.Line || n > s.EndLine) {
				continue
			}
			if len(c.Lines) == maxDrifted {
				c.Omitted++
				continue
			}
			text := safe[n-1]
			if text != lines[n-1] {
				secrets++
			}
			text = strings.ToValidUTF8(text[:min(len(text), maxDriftedBytes)], "")
			c.Lines = append(c.Lines, report.DriftedLine{Added: added, Line: n, Text: text})
		}
	}
	for _, h := range diff.Lines(then, now) {
		if end := h.NewStart + max(h.NewLines, 1) - 1; end < s.Line || h.NewStart > s.EndLine {
			continue
		}
		add(was, safeWas, h.OldStart, h.OldLines, false)
		add(is, safeIs, h.NewStart, h.NewLines, true)
	}
	return secrets
}

// decisionsSection is partial if files of decisions were not read: each may be about
// what this pull request changes.
func (r *reviewer) decisionsSection() report.Section {
	s := report.Section{Name: "decisions", State: report.Complete}
	for _, c := range r.caveats {
		switch c.ID {
		case "decisions.unread", "decisions.left_out":
			s.State, s.Reason = report.Partial, fmt.Sprintf("%d of %s not read", c.Count, plural(c.Of, "file"))
		case "decisions.not_held":
			s.State, s.Reason = report.Partial, fmt.Sprintf("%d of %s not held against the code", c.Count, plural(c.Of, "decision"))
		}
	}
	return s
}
