package query

import (
	"context"

	"github.com/previdence/previdence/graph"
)

// A Document is a file of the tree that is written for people.
type Document struct {
	Path string
	Size int64
}

// Documents lists the documents that the graph has read, by path.
func (r *Reading) Documents(ctx context.Context) ([]Document, error) {
	var out []Document
	seen, err := r.DB.Coverage(ctx)
	for _, f := range seen.Files {
		if graph.IsDocument(f.Language) && (f.State == graph.FileParsed || f.State == graph.FilePartial) {
			out = append(out, Document{f.Path, f.Size})
		}
	}
	return out, err
}
