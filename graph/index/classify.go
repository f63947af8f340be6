package index

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/worktree"
)

// classify makes a unit of every entry of the tree and decides what can be
// decided without content. A unit that is left without a state must be read.
func (r *run) classify(l worktree.Listing) {
	r.skipped = l.Skipped
	r.units = make([]unit, 0, len(l.Entries)+len(l.Skipped))
	for _, e := range l.Entries {
		r.units = append(r.units, r.unit(e))
	}
	taken := map[string]bool{}
	for _, e := range l.Entries {
		taken[e.Path] = true
	}
	for _, s := range l.Skipped {
		if !taken[s.Path] {
			taken[s.Path] = true
			r.units = append(r.units, unit{file: graph.File{Path: s.Path, State: graph.FileFailed, Reason: s.Reason}})
		}
	}
	slices.SortFunc(r.units, func(a, b unit) int { return cmp.Compare(a.file.Path, b.file.Path) })
	r.tree = newSources(r.objects, r.units)
}

func (r *run) unit(e worktree.Entry) unit {
	u := unit{file: graph.File{Path: e.Path, Blob: string(e.OID), Size: max(e.Size, 0)}}
	f := &u.file
	switch {
	case e.Mode == worktree.ModeSymlink:
		f.State, f.Reason = graph.FileSymlink, "symbolic link, not followed"
	case e.Mode == worktree.ModeSubmodule:
		f.State, f.Reason = graph.FileSubmodule, "another repository"
	case e.Size < 0:
		f.Language = languageOf(e.Path)
		f.State, f.Reason = graph.FileFailed, "object is missing"
	default:
		u.plain = true
		f.Language = languageOf(e.Path)
		r.decide(f)
	}
	return u
}

// decide sets the state of a plain file if name and size suffice for it.
func (r *run) decide(f *graph.File) {
	switch {
	case r.ignored(f.Path):
		f.State, f.Reason = graph.FileIgnored, "excluded by configuration"
	case f.Size < lfsMax:
		// May be a pointer to content elsewhere, whatever its name says.
	case f.Language == "" && isBinaryName(f.Path):
		f.State, f.Reason = graph.FileBinary, "binary format by its name"
	case f.Language != "" && r.extractors[f.Language] == nil:
		f.State, f.Reason = graph.FileUnsupported, "no extractor for "+f.Language
	case f.Size > MaxFile:
		f.State, f.Reason = graph.FileOversized, fmt.Sprintf("larger than %d MiB", MaxFile>>20)
	}
}

func (r *run) ignored(path string) bool {
	for _, p := range r.options.Ignore {
		if doublestar.MatchUnvalidated(p, path) {
			return true
		}
	}
	return false
}

// lfsMax is the size below which a Git LFS pointer stays.
const lfsMax = 1024

// inspect sets the state of a file from its content; none means that it is to
// be extracted.
func (r *run) inspect(f *graph.File, data []byte) {
	if isLFSPointer(data) {
		f.State, f.Reason = graph.FileLFSPointer, "content lies in Git LFS"
		return
	}
	if f.Language == "" {
		f.Language = languageOfShebang(data)
	}
	if f.Language == "typescript" && isXML(data) {
		f.Language = "xml" // Qt keeps translations in .ts files
	}
	switch {
	case bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0:
		f.State, f.Reason = graph.FileBinary, "holds a NUL byte"
	case f.Language == "" && isBinaryName(f.Path):
		f.State, f.Reason = graph.FileBinary, "binary format by its name"
	case f.Language == "":
		f.State, f.Reason = graph.FileUnsupported, "kind of file not known"
	case r.extractors[f.Language] == nil:
		f.State, f.Reason = graph.FileUnsupported, "no extractor for "+f.Language
	}
}

func isLFSPointer(data []byte) bool {
	return len(data) < lfsMax && bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/"))
}

func isXML(data []byte) bool {
	s := bytes.TrimLeft(bytes.TrimPrefix(data[:min(len(data), 512)], []byte("\xef\xbb\xbf")), " \t\r\n")
	return bytes.HasPrefix(s, []byte("<?xml")) || bytes.HasPrefix(s, []byte("<!DOCTYPE"))
}

// fail sets the state of a file that could not be read. Only errors of objects
// are put into words: the text of others may differ from run to run.
func fail(f *graph.File, err error) {
	f.State, f.Reason = graph.FileFailed, "could not be read"
	switch {
	case errors.Is(err, worktree.ErrTooLarge):
		f.State, f.Reason = graph.FileOversized, fmt.Sprintf("larger than %d MiB", MaxFile>>20)
	case errors.Is(err, worktree.ErrObjectMissing):
		f.Reason = "object is missing"
	case errors.Is(err, worktree.ErrObjectCorrupt):
		f.Reason = "object is corrupt"
	}
}

// parsed sets the state of a file from its facts.
func parsed(f *graph.File, facts *graph.Facts) {
	f.State, f.Generated = graph.FileParsed, facts.Generated
	if len(facts.Gaps) == 0 {
		return
	}
	f.State, f.Gaps = graph.FilePartial, slices.Clone(facts.Gaps)
	lines := 0
	for _, g := range facts.Gaps {
		lines += g.End - g.Start + 1
	}
	f.Reason = fmt.Sprintf("%d lines not understood", lines)
}
