package review

import (
	"context"
	"path"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/diff"
	"github.com/previdence/previdence/review/filekind"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// fileChanges lists the changed entries: what each is for, how many lines
// differ, and whether its symbols can be compared.
func (r *reviewer) fileChanges(ctx context.Context) error {
	attributes, err := r.attributes(ctx)
	if err != nil {
		return err
	}
	sides, oids := r.sides()
	rows := make([]report.FileChange, len(r.Changes))
	var old []byte
	// Old and new follow each other, so one file is held at a time.
	err = r.Blobs.Blobs(ctx, oids, r.Limits.BlobBytes, func(i int, data []byte, err error) error {
		if err != nil {
			data = nil
		}
		s := sides[i]
		if s.old && s.paired {
			old = append(old[:0], data...)
			return nil
		}
		c := r.Changes[s.change]
		if s.old {
			rows[s.change] = r.fileRow(c, data, data, nil, attributes, err)
			return nil
		}
		if !s.paired {
			old = old[:0]
		}
		rows[s.change] = r.fileRow(c, data, old, data, attributes, err)
		return nil
	})
	if err != nil {
		return err
	}
	for i, c := range r.Changes {
		if rows[i].Path == "" {
			rows[i] = r.fileRow(c, nil, nil, nil, attributes, nil)
		}
	}
	r.out.Changes.Files = rows
	return nil
}

// A side is one version of one changed file.
type side struct {
	change int
	old    bool
	paired bool // both versions are read
}

// sides lists the blobs to read, the old version of a file before the new one.
// Submodules have none, and equal contents need no comparison.
func (r *reviewer) sides() (sides []side, oids []worktree.OID) {
	for i, c := range r.Changes {
		before := c.OldOID != "" && c.OldMode != worktree.ModeSubmodule
		after := c.OID != "" && c.Mode != worktree.ModeSubmodule
		both := before && after
		if before {
			sides, oids = append(sides, side{i, true, both}), append(oids, c.OldOID)
		}
		if after {
			sides, oids = append(sides, side{i, false, both}), append(oids, c.OID)
		}
	}
	return sides, oids
}

func (r *reviewer) attributes(ctx context.Context) (*filekind.Attributes, error) {
	var paths []string
	for i := range r.Base.Files {
		if p := r.Base.Files[i].Path; path.Base(p) == ".gitattributes" {
			paths = append(paths, p)
		}
	}
	contents, err := r.readFiles(ctx, r.Base, paths)
	if err != nil {
		return nil, err
	}
	var files []filekind.AttributesFile
	for _, p := range paths {
		if data, ok := contents[p]; ok {
			files = append(files, filekind.AttributesFile{Path: p, Data: data})
		}
	}
	return filekind.NewAttributes(files), nil
}

// fileRow describes one changed file. Shown is the version that decides what
// the file is for.
func (r *reviewer) fileRow(c worktree.Change, shown, old, now []byte, attributes *filekind.Attributes, readErr error) report.FileChange {
	mode := c.Mode
	g, at := r.Head, c.Path
	if c.Status == worktree.Removed {
		mode, g = c.OldMode, r.Base
	}
	row := report.FileChange{
		Path: c.Path, Status: string(c.Status),
		Kind: string(filekind.Of(c.Path, string(mode), shown, attributes)),
	}
	if c.OldPath != c.Path && c.Status != worktree.Added && c.Status != worktree.Removed {
		row.OldPath = c.OldPath
	}
	if row.Kind != string(filekind.Binary) && c.OldOID != c.OID {
		row.Additions, row.Deletions = diff.Totals(diff.Lines(old, now))
	}
	f, known := g.File(at)
	if known {
		row.Language = f.Language
		row.Analysed = f.State == graph.FileParsed || f.State == graph.FilePartial
		row.Reason = f.Reason
	}
	if c.Status == worktree.ModeChanged {
		row.Analysed, row.Reason = false, "only its mode changed: "+string(c.OldMode)+" → "+string(c.Mode)
	}
	if !row.Analysed && row.Reason == "" {
		row.Reason = whyNotAnalysed(known, readErr)
	}
	return row
}

func whyNotAnalysed(known bool, readErr error) string {
	switch {
	case !known:
		return "not part of the tree that was listed"
	case readErr != nil:
		return "content could not be read"
	}
	return "no symbols are read from files of this kind"
}
