package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A DB answers questions from one stored graph. It is safe for concurrent use.
// It keeps reading the graph that was there when it was opened, even after
// another one took its place.
type DB struct {
	sql    *sql.DB
	body   *body
	stamp  Stamp
	totals Totals
}

// Open opens the graph at path for reading. See the errors of this package for
// what it refuses.
func Open(ctx context.Context, path string) (*DB, error) {
	b, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("graph %s: %w", path, err)
	}
	db, err := open(ctx, path, b)
	if err != nil {
		return nil, fmt.Errorf("graph %s: %w", path, errors.Join(corrupt(err), b.close()))
	}
	return db, nil
}

// openFile refuses, before SQLite sees it, whatever is not a plain database of
// ours in a version that we know, and opens the body after it.
func openFile(path string) (*body, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotReady
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || links(info) != 1 {
		return nil, fmt.Errorf("not a plain file with one name: %w", ErrTampered)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	first, err := head(f)
	if err != nil || string(first[:16]) != "SQLite format 3\x00" {
		return nil, fmt.Errorf("not a database: %w", ErrCorrupt)
	}
	if id := binary.BigEndian.Uint32(first[68:]); id != applicationID {
		return nil, fmt.Errorf("a database of application %#x: %w", id, ErrCorrupt)
	}
	if v := binary.BigEndian.Uint32(first[60:]); v != SchemaVersion {
		return nil, fmt.Errorf("version %d, not %d: %w", v, SchemaVersion, ErrUnknownVersion)
	}
	opened, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return openBody(f, first, opened.Size())
}

func open(ctx context.Context, path string, b *body) (*DB, error) {
	// A finished graph never changes, so SQLite needs no locks and must not
	// look for a journal, which somebody could have put beside it.
	uri, err := databaseURI(path, url.Values{
		"mode": {"ro"}, "immutable": {"1"}, "_defensive": {"1"},
		"_pragma": {"query_only(1)", "trusted_schema(0)", "cell_size_check(1)", "mmap_size(0)", "cache_size(-16384)"},
	})
	if err != nil {
		return nil, err
	}
	handle, err := sql.Open("sqlite", uri)
	if err != nil {
		return nil, err
	}
	handle.SetMaxIdleConns(8)
	db := &DB{sql: handle, body: b}
	if err := db.check(ctx); err != nil {
		return nil, errors.Join(err, handle.Close())
	}
	return db, nil
}

// Close ends reading. The stamp stays readable.
func (d *DB) Close() error { return errors.Join(d.sql.Close(), d.body.close()) }

// Stamp says what the graph was built from.
func (d *DB) Stamp() Stamp { return d.stamp }

func (d *DB) check(ctx context.Context) error {
	want, err := expectedObjects()
	if err != nil {
		return err
	}
	got, err := objects(ctx, d.sql)
	if err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("unexpected schema: %w", ErrTampered)
	}
	if d.stamp, err = readStamp(ctx, d.sql); err != nil {
		return err
	}
	if err := d.readTotals(ctx); err != nil {
		return err
	}
	if d.stamp.Digest != strings.TrimRight(d.body.digest, "\x00") {
		return fmt.Errorf("the body is that of another graph: %w", ErrTampered)
	}
	if d.totals.Symbols != d.body.symbols || d.totals.Edges != d.body.edges {
		return fmt.Errorf("%d symbols and %d edges of %d and %d: %w", d.body.symbols, d.body.edges, d.totals.Symbols, d.totals.Edges, ErrTampered)
	}
	return nil
}

// expectedObjects lists the schema objects of an empty graph. SQLite itself
// says what they are, so the list cannot differ from the tables above.
var expectedObjects = sync.OnceValues(func() ([]string, error) {
	db, err := sql.Open("sqlite", "file::memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(tables + indexes); err != nil { //nolint:noctx // constant statements on an empty database in memory
		return nil, err
	}
	return objects(context.Background(), db)
})

func objects(ctx context.Context, db *sql.DB) ([]string, error) {
	rows, err := db.QueryContext(ctx, "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || ifnull(sql, '') FROM sqlite_schema ORDER BY type, name")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var object string
		if err := rows.Scan(&object); err != nil {
			return nil, err
		}
		out = append(out, object)
	}
	return out, rows.Err()
}

func readStamp(ctx context.Context, db *sql.DB) (Stamp, error) {
	rows, err := db.QueryContext(ctx, "SELECT name, value FROM stamp")
	if err != nil {
		return Stamp{}, err
	}
	defer rows.Close()
	found := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return Stamp{}, err
		}
		found[name] = value
	}
	if err := rows.Err(); err != nil {
		return Stamp{}, err
	}
	var s Stamp
	for _, v := range stampValues(&s) {
		value, ok := found[v.name]
		if !ok {
			return Stamp{}, fmt.Errorf("%s is not given: %w", v.name, ErrNoStamp)
		}
		*v.value = value
	}
	s.Generation, err = strconv.ParseInt(found["generation"], 10, 64)
	if err != nil || s.Digest == "" {
		return Stamp{}, ErrNoStamp
	}
	return s, nil
}
