package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/previdence/previdence/graph"
)

// temporary is the pattern of a file being built. A killed build leaves one
// behind; it is no graph, and the next build in that folder removes it.
const temporary = ".graph-*.building"

// Write keeps a graph in canonical order at path. It builds a new file in the
// same folder, which it makes if need be, reads it back, and renames it into place
// when every row is on disk. After an error or a cancelled context, what was at path
// before is still there. A digest in the stamp is believed; nobody can read a graph
// under one that is not its own.
func Write(ctx context.Context, path string, g *graph.Graph, stamp Stamp) error {
	if stamp.Digest == "" {
		stamp.Digest = Digest(g)
	}
	return write(ctx, path, g, stamp, nil)
}

// write takes further pragmas from tests, which use them to fill the disk.
func write(ctx context.Context, path string, g *graph.Graph, stamp Stamp, pragmas []string) error {
	return put(ctx, path, g, func(f *os.File) error {
		if err := fill(ctx, f.Name(), g, stamp, pragmas); err != nil {
			return err
		}
		return writeBody(ctx, f, g, stamp.Digest)
	})
}

// put has write fill a new file, reads it back and renames it to path. The rows of
// its database must be those of rest.
func put(ctx context.Context, path string, rest *graph.Graph, write func(f *os.File) error) error {
	err := replace(ctx, path, rest, write)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNotWritten, err)
}

func replace(ctx context.Context, path string, rest *graph.Graph, write func(f *os.File) error) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	_, _ = Reap(dir) // what cannot be removed now harms nobody
	f, err := create(dir)
	if err != nil {
		return err
	}
	defer func() {
		_ = f.Close() // an error came first, or it is closed already
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := verify(ctx, f.Name(), rest); err != nil {
		return fmt.Errorf("verify graph: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := publish(f, path); err != nil {
		return err
	}
	return syncFolder(dir)
}

// verify reads back what was written: every page of the body against the checksum
// that it had in memory, and every row beside it. The digest is left to who reads the
// graph, because whoever does so the first time proves it (docs/adr/0017).
func verify(ctx context.Context, path string, rest *graph.Graph) (err error) {
	db, err := Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	got := &graph.Graph{}
	if err := db.loadRows(ctx, got); err != nil {
		return corrupt(err)
	}
	if newDigester().end(got) != newDigester().end(rest) {
		return fmt.Errorf("rows of the database: %w", ErrTampered)
	}
	return guarded(func() error {
		for p := range parts {
			if _, err := db.body.all(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// syncFolder makes the rename itself durable.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// fill writes the tables of a file that nobody else knows yet. So it needs no
// journal and no waiting for the disk until all is done.
func fill(ctx context.Context, path string, g *graph.Graph, stamp Stamp, pragmas []string) error {
	return edit(ctx, path, pragmas, func(w *writer) {
		w.run(fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", applicationID, SchemaVersion))
		w.run(tables)
		w.run("BEGIN")
		w.stamp(stamp)
		w.totals(g)
		w.files(g.Files)
		w.unresolved(g.Unresolved)
		w.coverage(g)
		w.run("COMMIT")
		w.run(indexes)
	})
}

// edit has fn write to such a file.
func edit(ctx context.Context, path string, pragmas []string, fn func(w *writer)) error {
	options := url.Values{"_pragma": append([]string{
		"page_size(8192)", "journal_mode(OFF)", "synchronous(OFF)", "locking_mode(EXCLUSIVE)",
		"temp_store(MEMORY)", "cache_size(-65536)",
	}, pragmas...)}
	uri, err := databaseURI(path, options)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", uri)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	w := writer{ctx: ctx, db: db}
	fn(&w)
	return errors.Join(w.err, db.Close())
}

// A writer runs statements until the first error.
type writer struct {
	ctx context.Context
	db  *sql.DB
	err error
}

func (w *writer) run(statements string) {
	if w.err != nil {
		return
	}
	if w.err = w.ctx.Err(); w.err == nil {
		_, w.err = w.db.ExecContext(w.ctx, statements)
	}
}

// A bulk inserts many rows with one statement: most of the cost of a row lies
// in starting and ending a statement.
type bulk struct {
	w       *writer
	table   string
	columns int
	full    *sql.Stmt // inserts bulkRows rows
	values  []any
}

const bulkRows = 64

// bulk starts inserting into a table, named with its columns.
func (w *writer) bulk(table string, columns int) *bulk {
	b := &bulk{w: w, table: table, columns: columns, values: make([]any, 0, bulkRows*columns)}
	if w.err == nil {
		b.full, w.err = w.db.PrepareContext(w.ctx, b.statement(bulkRows))
	}
	return b
}

func (b *bulk) statement(rows int) string {
	row := "(?" + strings.Repeat(",?", b.columns-1) + ")"
	return "INSERT INTO " + b.table + " VALUES " + row + strings.Repeat(","+row, rows-1)
}

// add takes one row. Its values must stay unchanged until the bulk ends.
func (b *bulk) add(values ...any) {
	b.values = append(b.values, values...)
	if len(b.values) < bulkRows*b.columns {
		return
	}
	if b.w.err == nil {
		b.w.err = b.w.ctx.Err()
	}
	if b.w.err == nil {
		// The driver starts a goroutine per statement to watch a context that
		// can end; the check above comes often enough.
		_, b.w.err = b.full.ExecContext(context.WithoutCancel(b.w.ctx), b.values...)
	}
	b.values = b.values[:0]
}

// end inserts what is left.
func (b *bulk) end() {
	if b.full != nil {
		b.w.err = errors.Join(b.w.err, b.full.Close())
	}
	if b.w.err == nil && len(b.values) > 0 {
		_, b.w.err = b.w.db.ExecContext(b.w.ctx, b.statement(len(b.values)/b.columns), b.values...)
	}
}

// stampValues lists the fields of a stamp under the names of their rows.
func stampValues(s *Stamp) []stampValue {
	return []stampValue{
		{"repository_root", &s.RepositoryRoot}, {"root_id", &s.RootID}, {"common_dir", &s.CommonDir}, {"head", &s.Head}, {"tree", &s.Tree},
		{"engine", &s.Engine}, {"config", &s.Config}, {"outside", &s.Outside},
		{"digest", &s.Digest}, {"tool_version", &s.ToolVersion},
	}
}

type stampValue struct {
	name  string
	value *string
}

func (w *writer) stamp(s Stamp) {
	b := w.bulk("stamp(name, value)", 2)
	for _, v := range stampValues(&s) {
		b.add(v.name, *v.value)
	}
	b.add("generation", strconv.FormatInt(s.Generation, 10))
	b.end()
}

// restamp puts another stamp in place.
func (w *writer) restamp(s Stamp) {
	w.run("BEGIN")
	w.run("DELETE FROM stamp")
	w.stamp(s)
	w.run("COMMIT")
}

func (w *writer) totals(g *graph.Graph) {
	b := w.bulk("totals(name, value)", 2)
	totals := TotalsOf(g)
	for _, t := range totalValues(&totals) {
		b.add(t.name, *t.value)
	}
	b.end()
}

// rows calls row for 0 to n-1, until the first error.
func (w *writer) rows(n int, row func(i int)) {
	for i := 0; i < n && w.err == nil; i++ {
		row(i)
	}
}

func (w *writer) files(files []graph.File) {
	b := w.bulk("files(id, path, blob, size, language, state, reason, gaps, generated)", 9)
	w.rows(len(files), func(i int) {
		f := &files[i]
		gaps := appendSpans(make([]byte, 0, 4*len(f.Gaps)), f.Gaps)
		b.add(i, f.Path, f.Blob, f.Size, f.Language, f.State.String(), f.Reason, gaps, f.Generated)
	})
	b.end()
}

func (w *writer) unresolved(rows []graph.Unresolved) {
	b := w.bulk("unresolved(id, items)", 2)
	for len(rows) > 0 && w.err == nil {
		from, items, n := rows[0].From, []byte(nil), 0
		for n < len(rows) && rows[n].From == from {
			items = appendUnresolved(items, &rows[n])
			n++
		}
		b.add(from, seal(items, from, unresolvedMark))
		rows = rows[n:]
	}
	b.end()
}

func (w *writer) coverage(g *graph.Graph) {
	b := w.bulk("counts(language, compiler, exact, dispatch, import, name, unresolved, external)", 8)
	for _, c := range g.Counts {
		b.add(c.Language, c.Compiler, c.Exact, c.Dispatch, c.Import, c.Name, c.Unresolved, c.External)
	}
	b.end()
	b = w.bulk("caveats(id, caveat, text, count, of, examples)", 6)
	for i, c := range g.Caveats {
		b.add(i, c.ID, c.Text, c.Count, c.Of, appendTexts([]byte{}, c.Examples))
	}
	b.end()
}
