package query

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
)

// ErrNoFile means that the tree has no such file, or none with such lines.
var ErrNoFile = errors.New("no such file or lines in the tree")

// maxSource bounds the file that a text is cut out of.
const maxSource = 16 << 20

// Source reads a definition from the blob that the graph was built from.
func (r *Reading) Source(ctx context.Context, symbol string) (answer.Source, error) {
	s, err := r.Symbol(ctx, symbol)
	if err != nil {
		return answer.Source{}, err
	}
	described := describe(s)
	a, f, data, err := r.file(ctx, s.Path)
	if err != nil {
		return a, fmt.Errorf("source of %s: %w", s.ID, err)
	}
	if s.Start < 0 || s.Start > s.End || s.End > len(data) {
		return a, fmt.Errorf("%s lies outside its file: %w", s.ID, store.ErrTampered)
	}
	a.Symbol = &described
	cut(&a, f, data, s.Start, s.End)
	return a, nil
}

// Lines reads some lines of a file of the tree; an end of 0 is the last line. Lines
// after the last are left out.
func (r *Reading) Lines(ctx context.Context, path string, start, end int) (answer.Source, error) {
	a, f, data, err := r.file(ctx, path)
	if err != nil {
		return a, err
	}
	if start = max(start, 1); start > max(a.Lines, 1) || end != 0 && end < start {
		return a, fmt.Errorf("%s, lines %d to %d of %d: %w", path, start, end, a.Lines, ErrNoFile)
	}
	if end == 0 {
		end = a.Lines
	}
	from := offset(data, start)
	cut(&a, f, data, from, from+offset(data[from:], end-start+2))
	return a, nil
}

// file reads a whole file of the tree. Its bytes are compared with its object ID.
func (r *Reading) file(ctx context.Context, path string) (answer.Source, *graph.File, []byte, error) {
	a := answer.Source{Header: r.header, Path: path, Gaps: []answer.Range{}}
	f, err := r.DB.File(ctx, path)
	if err == nil && (f == nil || f.State == graph.FileSubmodule) {
		err = ErrNoFile
	}
	if err != nil {
		return a, nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	a.Blob, a.State, a.Reason = f.Blob, f.State.String(), f.Reason
	data, err := r.Repo.Blob(ctx, worktree.OID(f.Blob), maxSource)
	if err != nil {
		return a, nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if a.Lines = bytes.Count(data, []byte("\n")); len(data) > 0 && data[len(data)-1] != '\n' {
		a.Lines++
	}
	return a, f, data, nil
}

// cut puts a part of a file into an answer, with the lines of it that the graph
// did not understand.
func cut(a *answer.Source, f *graph.File, data []byte, start, end int) {
	a.Line = 1 + bytes.Count(data[:start], []byte("\n"))
	a.Text = strings.ToValidUTF8(string(data[start:end]), "\uFFFD")
	last := a.Line + bytes.Count(data[start:max(end-1, start)], []byte("\n"))
	for _, g := range f.Gaps {
		if g.Start <= last && g.End >= a.Line {
			a.Gaps = append(a.Gaps, answer.Range{Start: max(g.Start, a.Line), End: min(g.End, last)})
		}
	}
}

// offset is where the line with this number begins, the end of data if it has
// fewer.
func offset(data []byte, line int) int {
	at := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return len(data)
		}
		at += i + 1
	}
	return at
}
