package store

import (
	"context"
	"fmt"
	"os"

	"github.com/previdence/previdence/graph"
)

// Copy keeps the graph at another path under another stamp, except that the digest
// stays. It is written, read back and put in place as by [Write]. Whether it is as it
// was written is not looked at further than that: see [DB.Prove].
func (d *DB) Copy(ctx context.Context, path string, stamp Stamp) error {
	stamp.Digest = d.stamp.Digest
	rest := &graph.Graph{}
	if err := d.loadRows(ctx, rest); err != nil {
		return fmt.Errorf("copy graph: %w", corrupt(err))
	}
	database, body := d.body.apart()
	return put(ctx, path, rest, func(f *os.File) error {
		if _, err := f.Write(database); err != nil {
			return err
		}
		if err := edit(ctx, f.Name(), nil, func(w *writer) { w.restamp(stamp) }); err != nil { //nolint:contextcheck // the writer has it
			return err
		}
		info, err := f.Stat()
		if err == nil { // the database may have grown
			_, err = f.WriteAt(body, info.Size())
		}
		return err
	})
}
