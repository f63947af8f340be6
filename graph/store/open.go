package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
)

// A DB answers questions from one stored graph. It is safe for concurrent use.
// It keeps reading the graph that was there when it was opened, even after
// another one took its place.
type DB struct {
	sql     *sql.DB
	stamp   Stamp
	symbols int   // how many there are
	size    int64 // of the file, in bytes
	lookups statements
}

// Open opens the graph at path for reading. See the errors of this package for
// what it refuses.
func Open(ctx context.Context, path string) (*DB, error) {
	size, err := checkFile(path)
	if err != nil {
		return nil, fmt.Errorf("graph %s: %w", path, err)
	}
	db, err := open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("graph %s: %w", path, corrupt(err))
	}
	db.size = size
	return db, nil
}

// checkFile refuses, before SQLite sees it, whatever is not a plain database of
// ours in a version that we know. It returns the size of the file.
func checkFile(path string) (int64, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, ErrNotReady
	}
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() || links(info) != 1 {
		return 0, fmt.Errorf("not a plain file with one name: %w", ErrTampered)
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	head := make([]byte, 100)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:16]) != "SQLite format 3\x00" {
		return 0, fmt.Errorf("not a database: %w", ErrCorrupt)
	}
	if id := binary.BigEndian.Uint32(head[68:]); id != applicationID {
		return 0, fmt.Errorf("a database of application %#x: %w", id, ErrCorrupt)
	}
	if v := binary.BigEndian.Uint32(head[60:]); v != SchemaVersion {
		return 0, fmt.Errorf("version %d, not %d: %w", v, SchemaVersion, ErrUnknownVersion)
	}
	return info.Size(), nil
}

func open(ctx context.Context, path string) (*DB, error) {
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
	db := &DB{sql: handle}
	if err := db.check(ctx); err != nil {
		return nil, errors.Join(err, handle.Close())
	}
	return db, nil
}

// Close ends reading. The stamp stays readable.
func (d *DB) Close() error { return errors.Join(d.lookups.close(), d.sql.Close()) }

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
	last := sql.NullInt64{}
	if err := d.sql.QueryRowContext(ctx, "SELECT max(id) FROM symbols").Scan(&last); err != nil {
		return err
	}
	if last.Valid {
		d.symbols = int(last.Int64) + 1
	}
	if d.symbols < 0 || d.symbols > 1<<31-1 {
		return fmt.Errorf("%d symbols: %w", d.symbols, ErrCorrupt)
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
