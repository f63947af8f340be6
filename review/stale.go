package review

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/filekind"
	"github.com/previdence/previdence/review/prose"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// maxRead is how many documents of one tree are read as text.
const maxRead = 5000

// staleNames finds documents of head that name files, folders, flags and variables of
// the environment that this pull request removes or renames.
func (r *reviewer) staleNames(ctx context.Context, rows map[docKey]*report.Document) error {
	gone := r.goneFiles()
	settings, err := r.goneSettings(ctx)
	if err != nil || len(gone)+len(settings) == 0 {
		return err
	}
	there := placesOf(r.Head)
	return r.eachDocument(ctx, r.Head, func(f *graph.File, data []byte) {
		if graph.IsHistory(f.Path) {
			return // it speaks of the past
		}
		for w := range prose.Words(data) {
			n, stale := settings[w.Text]
			switch {
			case stale && declares(data, w.Text):
				continue // of a program that the document shows
			case !stale:
				n, stale = goneAt(w.Paths(f.Path), gone, there)
				stale = stale && (n.Kind == "file" || strings.Contains(w.Text, "/")) // a folder's bare name is any word
			}
			if stale {
				addName(r.mentionAt(rows, r.headingAt(f.Path, w.Line), w.Line, "mentions_removed"), n)
			}
		}
	})
}

// goneAt is the one of some paths that is gone, unless another of them is there.
func goneAt(paths []string, gone map[string]report.Named, there map[string]bool) (report.Named, bool) {
	if slices.ContainsFunc(paths, func(p string) bool { return there[p] }) {
		return report.Named{}, false
	}
	for _, p := range paths {
		if n, ok := gone[p]; ok {
			return n, true
		}
	}
	return report.Named{}, false
}

// goneFiles are the files that head has not any more, by path, and the folders that
// went with them. A folder has moved if all that was in it went to one place.
func (r *reviewer) goneFiles() map[string]report.Named {
	gone := map[string]report.Named{}
	there := placesOf(r.Head)
	for _, c := range r.Changes {
		old, now := c.Path, ""
		switch c.Status {
		case worktree.Removed:
		case worktree.Renamed:
			old, now = c.OldPath, c.Path
		default:
			continue
		}
		if there[old] {
			continue // another file took its name
		}
		gone[old] = report.Named{Kind: "file", Name: old, Now: now}
		for dir := path.Dir(old); dir != "." && !there[dir]; dir = path.Dir(dir) {
			to, fits := strings.CutSuffix(now, old[len(dir):])
			if was, known := gone[dir]; !fits || known && was.Now != to {
				to = ""
			}
			gone[dir] = report.Named{Kind: "folder", Name: dir, Now: to}
		}
	}
	return gone
}

// placesOf are the files and folders of a tree.
func placesOf(g *graph.Graph) map[string]bool {
	all := map[string]bool{}
	for i := range g.Files {
		for p := g.Files[i].Path; p != "." && !all[p]; p = path.Dir(p) {
			all[p] = true
		}
	}
	return all
}

// goneSettings are the flags and variables of the environment that are removed or
// have another name, by the one that went. One whose name still stands in the code of
// head may be another command's, and is left out.
func (r *reviewer) goneSettings(ctx context.Context) (map[string]report.Named, error) {
	gone := map[string]report.Named{}
	for _, c := range r.out.Contracts {
		if c.Kind != "cli_flag" && c.Kind != "environment_variable" {
			continue
		}
		switch {
		case c.Change == report.Removed:
			gone[c.Name] = report.Named{Kind: c.Kind, Name: c.Name}
		case c.Change == report.Renamed && c.Old != "":
			gone[c.Old] = report.Named{Kind: c.Kind, Name: c.Old, Now: c.Name}
		}
	}
	for name := range gone {
		if len(strings.TrimLeft(name, "-")) < 2 {
			delete(gone, name) // a single letter is everybody's
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	return gone, r.stillOffered(ctx, gone)
}

// stillOffered takes out what head's code still has between quotes.
func (r *reviewer) stillOffered(ctx context.Context, gone map[string]report.Named) error {
	var oids []worktree.OID
	for i := range r.Head.Files {
		f := &r.Head.Files[i]
		if kind := filekind.Of(f.Path, string(worktree.ModeFile), nil, nil); f.Blob != "" && kind == filekind.Source && (f.State == graph.FileParsed || f.State == graph.FilePartial) {
			oids = append(oids, worktree.OID(f.Blob))
		}
	}
	all := len(gone)
	err := r.Blobs.Blobs(ctx, oids, r.Limits.BlobBytes, func(_ int, data []byte, unread error) error {
		for name := range gone {
			if unread == nil && quotes(data, name) {
				delete(gone, name)
			}
		}
		return nil
	})
	if left := all - len(gone); left > 0 {
		r.caveat("documents.still_offered", "documents", "Names of removed flags or variables still stand in other code, so documents that mention them were not held to be stale.", left, all)
	}
	return err
}

// declares reports whether a document has a flag's name without dashes between quotes,
// as the code of an example that declares it.
func declares(data []byte, flag string) bool {
	bare, ok := strings.CutPrefix(flag, "--")
	return ok && (bytes.Contains(data, []byte(`"`+bare+`"`)) || bytes.Contains(data, []byte("'"+bare+"'")))
}

// quotes reports whether code has a name, or a flag's without dashes, at the start of
// a quoted text.
func quotes(data []byte, name string) bool {
	for _, n := range []string{name, strings.TrimLeft(name, "-")} {
		for rest := data; ; {
			i := bytes.Index(rest, []byte(n))
			if i < 0 {
				break
			}
			end := i + len(n)
			if i > 0 && strings.IndexByte("\"'`", rest[i-1]) >= 0 && end < len(rest) && strings.IndexByte("\"'` =,", rest[end]) >= 0 {
				return true
			}
			rest = rest[end:]
		}
	}
	return false
}

// legible reports whether a file is text that the graph has read, or in a sketch would
// have read.
func (r *reviewer) legible(f *graph.File) bool {
	return f.State == graph.FileParsed || f.State == graph.FilePartial || r.Sketched && f.State == 0
}

// eachDocument reads the documents of a tree by path, those that somebody else wrote
// or a program made left out.
func (r *reviewer) eachDocument(ctx context.Context, g *graph.Graph, fn func(f *graph.File, data []byte)) error {
	var files []*graph.File
	var oids []worktree.OID
	left, lost := 0, 0
	for i := range g.Files {
		f := &g.Files[i]
		switch {
		case !graph.IsDocument(f.Language) || f.Blob == "" || f.Generated || !r.legible(f):
		case len(files) == maxRead:
			left++
		default:
			files, oids = append(files, f), append(oids, worktree.OID(f.Blob))
		}
	}
	err := r.Blobs.Blobs(ctx, oids, prose.MaxBytes, func(i int, data []byte, unread error) error {
		if unread != nil {
			lost++
			return nil //nolint:nilerr // what cannot be read is counted and said
		}
		fn(files[i], data)
		return nil
	})
	if left+lost > 0 {
		r.caveat("documents.unread", "documents", "Documents were not searched for paths and flags, nor asked what they govern: they are too many or too large.", left+lost, left+len(files))
	}
	return err
}
