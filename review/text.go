package review

import (
	"context"
	"errors"
	"iter"
	"path"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/memory"
	"github.com/previdence/previdence/review/mention"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// keptMentions is how many places are kept for one name. A name with more says
// nothing about one symbol.
const keptMentions = 400

// searchText searches every file of head, once, for all names whose absence is
// about to be claimed. Nothing to claim means nothing to read.
func (r *reviewer) searchText(ctx context.Context, broken []breakage, reached *reach, gaps []gap) error {
	names := r.claimedNames(broken, reached, gaps)
	if len(names) == 0 {
		return nil
	}
	if len(names) > r.Limits.Names {
		r.caveat("review.names_not_searched", "breaks", "Not every claim was checked in the text of the tree: the limit was reached.",
			len(names)-r.Limits.Names, len(names))
		names = names[:r.Limits.Names]
	}
	return r.searchNames(ctx, names)
}

// searchNames searches every file of head for names.
func (r *reviewer) searchNames(ctx context.Context, names []string) error {
	r.text = &text{hits: map[string][]hit{}, totals: map[string]int{}, names: map[string]bool{}, known: map[string]map[place]bool{}}
	found, err := mention.Search(ctx, mention.Query{
		Names: names, Limit: keptMentions,
		Skip: func(name, path string, line int) bool { return r.knownPlaces(name)[place{path, line}] },
	}, r.eachText(ctx))
	if err != nil {
		return err
	}
	r.text.searched, r.text.skipped = found.Files, r.text.skipped+len(found.Binary)
	for name, f := range found.Found {
		r.text.names[name] = !slices.Contains(found.Unsearched, name)
		r.text.totals[name] = f.Total
		for _, h := range f.Hits {
			r.text.hits[name] = append(r.text.hits[name], hit{path: h.Path, line: h.Line, member: h.Member, comment: h.InComment})
		}
	}
	return nil
}

// claimedNames lists what must be searched, each once, what matters most first.
func (r *reviewer) claimedNames(broken []breakage, reached *reach, gaps []gap) []string {
	var names []string
	seen := map[string]bool{"": true}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, b := range broken {
		add(searchName(r.was(b.change)))
	}
	for _, c := range r.changes {
		if c.kind == report.Removed || c.kind == report.Renamed {
			add(searchName(&r.Base.Symbols[c.base])) // documents may still name it
		}
	}
	for i := range reached.seeds {
		if s := &reached.seeds[i]; s.row.Total == 0 && s.change.kind != report.Added {
			add(searchName(&r.Head.Symbols[s.change.head]))
		}
	}
	for _, g := range gaps {
		if g.measure.known() {
			continue
		}
		add(searchName(&r.Head.Symbols[g.symbol]))
	}
	return names
}

// errStopped ends a reading that nobody wants to go on with.
var errStopped = errors.New("stopped")

// eachText yields the files of head in order. What cannot be read as text is
// counted: a claim then says so.
func (r *reviewer) eachText(ctx context.Context) iter.Seq2[mention.File, error] {
	return func(yield func(mention.File, error) bool) {
		var paths []string
		var oids []worktree.OID
		for i := range r.Head.Files {
			f := &r.Head.Files[i]
			switch {
			case path.Dir(f.Path) == memory.Folder:
				// What was decided about a symbol does not use it, and has its own section.
			case f.Blob == "", // left out of the listing, as what lies too deep
				f.State == graph.FileSubmodule, f.State == graph.FileSymlink, f.State == graph.FileLFSPointer, f.State == graph.FileBinary:
				r.text.skipped++
			default:
				paths, oids = append(paths, f.Path), append(oids, worktree.OID(f.Blob))
			}
		}
		err := r.Blobs.Blobs(ctx, oids, r.Limits.BlobBytes, func(i int, data []byte, unread error) error {
			switch {
			case unread != nil:
				r.text.skipped++
			case !yield(mention.File{Path: paths[i], Data: data}, nil):
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(mention.File{}, err)
		}
	}
}
