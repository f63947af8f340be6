package review

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/owners"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// maxOwned is how many paths are listed with their owners.
const maxOwned = 500

// reportOwners says who owns what this pull request changes, and what it does not
// change but can reach.
func (r *reviewer) reportOwners(ctx context.Context) error {
	r.out.Owners = []report.Owned{}
	file, err := r.ownersOfBase(ctx)
	if err == nil && r.ownersFile != "" && r.ownersLost == "" {
		r.owned(file, r.ownersFile, blobAt(r.Base, r.ownersFile))
	}
	return err
}

// ownersOfBase reads the owners file of the merge base, the first of the places in
// which GitHub looks, once. Without one, or where it cannot be read, nobody owns anything.
func (r *reviewer) ownersOfBase(ctx context.Context) (owners.File, error) {
	if r.owners != nil {
		return *r.owners, nil
	}
	r.owners = &owners.File{}
	for _, place := range owners.Places {
		f, ok := r.Base.File(place)
		if !ok {
			continue
		}
		r.ownersFile = place
		if f.State == graph.FileSymlink || f.State == graph.FileSubmodule {
			r.ownersLost = "it is no file"
			break
		}
		err := r.Blobs.Blobs(ctx, []worktree.OID{worktree.OID(f.Blob)}, owners.MaxBytes-1, func(_ int, data []byte, err error) error {
			if err == nil {
				*r.owners, err = owners.Parse(data)
			}
			if err != nil {
				*r.owners, r.ownersLost = owners.File{}, err.Error()
			}
			return nil
		})
		return *r.owners, err
	}
	return *r.owners, nil
}

// owned lists the paths with their owners.
func (r *reviewer) owned(file owners.File, place, blob string) {
	if n := len(file.Errors); n > 0 {
		var examples []string
		for _, e := range file.Errors {
			examples = append(examples, fmt.Sprintf("%s:%d: %s", place, e.Line, e.Reason))
		}
		r.caveat("owners.invalid_lines", "owners", "Lines of the owners file mean nothing to GitHub, which skips them.", n, n+len(file.Rules), examples...)
	}
	changed, impacted := r.ownedPaths()
	add := func(paths []string, why string) {
		for _, p := range paths[:max(0, min(len(paths), maxOwned-len(r.out.Owners)))] {
			row := report.Owned{Path: p, Why: why, Blob: blob, Owners: []string{}}
			if rule, ok := file.Of(p); ok {
				row.Rule = place + ":" + strconv.Itoa(rule.Line)
				row.Owners = readable(rule.Owners)
			}
			r.out.Owners = append(r.out.Owners, row)
		}
	}
	add(changed, "changed")
	add(impacted, "impacted")
	if all := len(changed) + len(impacted); all > len(r.out.Owners) {
		r.caveat("owners.cut", "owners", "Not all changed and reached files are listed with their owners.", all-len(r.out.Owners), all)
	}
}

// ownedPaths are the changed paths, and those of the listed dependents outside tests
// that are not changed; each sorted.
func (r *reviewer) ownedPaths() (changed, impacted []string) {
	ours := map[string]bool{}
	for _, f := range r.out.Changes.Files {
		ours[f.Path] = true
	}
	reached := map[string]bool{}
	omitted, total := 0, 0
	for _, s := range r.out.Impact.Symbols {
		omitted, total = omitted+s.Omitted, total+s.Total
		for _, d := range s.Dependents {
			if !d.Test && !ours[d.Path] {
				reached[d.Path] = true
			}
		}
	}
	if omitted > 0 {
		r.caveat("owners.dependents_cut", "owners", "Owners are looked up for the files of listed dependents only.", omitted, total)
	}
	return slices.Sorted(maps.Keys(ours)), slices.Sorted(maps.Keys(reached))
}

// readable hides where mail goes: a report may be public, and the part before the @
// tells who is meant.
func readable(list []string) []string {
	out := make([]string, len(list))
	for i, o := range list {
		if owners.IsMail(o) {
			name, _, _ := strings.Cut(o, "@")
			o = name + "@…"
		}
		out[i] = o
	}
	return out
}

// ownersSection is complete where no file says who owns anything: that was looked for.
func (r *reviewer) ownersSection() report.Section {
	s := report.Section{Name: "owners", State: report.Complete}
	switch {
	case r.ownersLost != "":
		s.State, s.Reason = report.Unavailable, fmt.Sprintf("%s cannot be read: %s", r.ownersFile, r.ownersLost)
	default:
		for _, c := range r.caveats {
			if c.ID == "owners.cut" {
				s.State, s.Reason = report.Partial, fmt.Sprintf("%d of %s not listed", c.Count, plural(c.Of, "path"))
			}
		}
	}
	return s
}
