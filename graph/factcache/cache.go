// Package factcache keeps the facts of blobs between runs, and beside them what
// linkers keep under digests of what decides it.
//
// Input is a key, the blob's object ID with the language and version it was
// read as; output is the facts that were kept under exactly this key, or
// nothing. All worktrees of a repository share one file, and several processes
// may use it at once. A cache can only save time: what is damaged, unknown or
// from another format is treated as absent, and a file that is no cache is
// replaced. It never reads a blob and never decides what a graph holds.
// Why by blob: docs/adr/0003-facts-by-blob.md; the rest: docs/adr/0023.
package factcache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/previdence/previdence/graph"
)

// ErrUnusable means that the file can be neither used nor replaced.
var ErrUnusable = errors.New("facts cache is not usable")

// DefaultLimit is how many bytes of facts are kept if nobody says otherwise.
const DefaultLimit = 512 << 20

// A Key says which facts are meant.
type Key struct {
	Blob     string // git object ID, hex
	Language string
	Version  uint32 // of the extractor
}

// An Entry is facts with their key.
type Entry struct {
	Key   Key
	Facts *graph.Facts
}

// A Cache is one file of facts. It is safe for concurrent use.
type Cache struct {
	db    *sql.DB
	path  string
	limit int64

	mu         sync.Mutex
	generation int64              // of this use of the file; 0 until something is kept
	grown      int64              // bytes that were kept since old ones were dropped last
	last       int64              // the newest generation when the file was opened
	used       map[int64]struct{} // rows that were read and are old enough to note it
	kept       bool               // something was kept
	damaged    bool               // SQLite found the file corrupt
}

const (
	// schemaVersion is the version of the tables and of the encoding.
	//
	//	1: the first
	schemaVersion = 1
	applicationID = 0x50524546 // "PREF"

	schema = `
CREATE TABLE facts (id INTEGER PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE uses (id INTEGER PRIMARY KEY, generation INTEGER NOT NULL, size INTEGER NOT NULL);`

	// noteAfter is how many generations old a use may be before it is noted
	// again. Noting each one would turn every read into a write.
	noteAfter = 4
	batch     = 400

	// busyWait is how long a lock is waited for, and busyPause how long until a
	// file that others are making is tried again.
	busyWait  = 5 * time.Second
	busyPause = 20 * time.Millisecond
)

// Open opens the cache at path, which it makes if need be. It keeps about
// limit bytes, [DefaultLimit] if that is 0.
func Open(ctx context.Context, path string, limit int64) (*Cache, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	c := &Cache{path: path, limit: limit, used: map[int64]struct{}{}}
	err := c.openOnceFree(ctx)
	if err != nil && replaceable(err) {
		if err = remove(path); err == nil {
			err = c.openOnceFree(ctx)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnusable, path, err)
	}
	return c, nil
}

// errForeign means that the file is a database, but not one of ours in this
// version.
var errForeign = errors.New("not a facts cache of this version")

func replaceable(err error) bool { return errors.Is(err, errForeign) || isCorrupt(err) }

func isCorrupt(err error) bool {
	code := codeOf(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB || code == sqlite3.SQLITE_FORMAT
}

func isBusy(err error) bool { return codeOf(err) == sqlite3.SQLITE_BUSY }

// codeOf is SQLite's own code in an error, without what refines it; 0 if it is
// another's.
func codeOf(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return sqlite3.SQLITE_OK
	}
	return e.Code() & 0xff
}

// remove deletes a cache file and what SQLite keeps beside it.
func remove(path string) error {
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// openOnceFree opens the file, and tries again while others are making it: when
// two switch a new file to the write-ahead log at once, SQLite refuses one of
// them without waiting.
func (c *Cache) openOnceFree(ctx context.Context) error {
	until := time.Now().Add(busyWait) // SQLite has waited as long for any other lock
	err := c.open(ctx)
	for isBusy(err) && time.Now().Before(until) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(busyPause):
		}
		err = c.open(ctx)
	}
	return err
}

func (c *Cache) open(ctx context.Context) error {
	if err := plainFile(c.path); err != nil {
		return err
	}
	uri, err := fileURI(c.path)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", uri)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(2)
	if err := c.prepare(ctx, db); err != nil {
		return errors.Join(err, db.Close())
	}
	c.db = db
	return nil
}

// plainFile makes the file, readable by its owner only, unless it is there.
func plainFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("not a plain file")
	}
	return nil
}

func fileURI(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	options := url.Values{
		"_txlock": {"immediate"}, "_defensive": {"1"},
		// The write-ahead log lets one process read while another writes. Losing
		// the last facts in a power cut is no harm, so nothing waits for the disk.
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", busyWait.Milliseconds()), "journal_mode(WAL)", "synchronous(NORMAL)", "trusted_schema(0)", "cell_size_check(1)"},
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(abs), RawQuery: options.Encode()}
	return u.String(), nil
}

// prepare makes the tables of a new file and refuses a foreign one.
func (c *Cache) prepare(ctx context.Context, db *sql.DB) error {
	return transact(ctx, db, func(tx *sql.Tx) error {
		var version, application, objects int
		var names sql.NullString
		err := errors.Join(
			tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version),
			tx.QueryRowContext(ctx, "PRAGMA application_id").Scan(&application),
			tx.QueryRowContext(ctx, "SELECT count(*), group_concat(type || ' ' || name) FROM (SELECT type, name FROM sqlite_schema ORDER BY name)").Scan(&objects, &names))
		if err != nil {
			return err
		}
		if version == 0 && application == 0 && objects == 0 {
			_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d; %s", applicationID, schemaVersion, schema))
			return err
		}
		if version != schemaVersion || application != applicationID || names.String != "table facts,table uses" {
			return errForeign
		}
		return tx.QueryRowContext(ctx, "SELECT ifnull(max(generation), 0) FROM uses").Scan(&c.last)
	})
}

func transact(ctx context.Context, db *sql.DB, fn func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// row is the number under which a key's facts lie: 63 bits of a digest. Two
// keys with one number are told apart by the checksum of the value.
func (k Key) row() int64 {
	sum := k.digest()
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1)
}

func (k Key) digest() [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", k.Blob, k.Language, k.Version))
}

// seal puts a checksum over key and facts before the facts.
func seal(k Key, facts []byte) []byte {
	sum := checksum(k, facts)
	return append(sum[:], facts...)
}

const sealSize = 16

func checksum(k Key, facts []byte) (out [sealSize]byte) {
	h := sha256.New()
	key := k.digest()
	h.Write(key[:])
	h.Write(facts)
	copy(out[:], h.Sum(nil))
	return out
}

// unseal returns the content of a sealed value, or nil if it is not what was
// kept under this key.
func unseal(k Key, value []byte) []byte {
	if len(value) < sealSize || [sealSize]byte(value[:sealSize]) != checksum(k, value[sealSize:]) {
		return nil
	}
	return value[sealSize:]
}

// factsOf reads facts; nil if they are not what the key says.
func factsOf(k Key, data []byte) *graph.Facts {
	f, err := Decode(data)
	if err != nil || f.Language != k.Language || f.Version != k.Version {
		return nil
	}
	return f
}

// Get returns the facts that are kept under some of the keys.
func (c *Cache) Get(ctx context.Context, keys []Key) (map[Key]*graph.Facts, error) {
	found := make(map[Key]*graph.Facts, len(keys))
	err := c.each(ctx, keys, func(k Key, data []byte) bool {
		f := factsOf(k, data)
		if f != nil {
			found[k] = f
		}
		return f != nil
	})
	return found, err
}

// each calls fn with what is kept under some of the keys; the bytes are valid
// until it returns. It answers whether they were of use.
func (c *Cache) each(ctx context.Context, keys []Key, fn func(Key, []byte) bool) error {
	rows := make(map[int64]Key, len(keys))
	for _, k := range keys {
		rows[k.row()] = k
	}
	numbers := make([]int64, 0, len(rows))
	for n := range rows {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for part := range slices.Chunk(numbers, batch) {
		if err := c.read(ctx, part, rows, fn); err != nil {
			return c.noteDamage(fmt.Errorf("read facts: %w", err))
		}
	}
	return nil
}

func (c *Cache) read(ctx context.Context, numbers []int64, keys map[int64]Key, fn func(Key, []byte) bool) error {
	rows, err := c.db.QueryContext(ctx, "SELECT f.id, f.value, ifnull(u.generation, 0) FROM facts f LEFT JOIN uses u ON u.id = f.id WHERE f.id IN (?"+
		strings.Repeat(",?", len(numbers)-1)+")", arguments(numbers)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, generation int64
		var value sql.RawBytes
		if err := rows.Scan(&id, &value, &generation); err != nil {
			return err
		}
		data := unseal(keys[id], value)
		if data == nil || !fn(keys[id], data) {
			continue
		}
		if generation+noteAfter <= c.last {
			c.mu.Lock()
			c.used[id] = struct{}{}
			c.mu.Unlock()
		}
	}
	return rows.Err()
}

func arguments(numbers []int64) []any {
	out := make([]any, len(numbers))
	for i, n := range numbers {
		out[i] = n
	}
	return out
}

// noteDamage remembers that the file must go if err says so.
func (c *Cache) noteDamage(err error) error {
	if isCorrupt(err) {
		c.mu.Lock()
		c.damaged = true
		c.mu.Unlock()
	}
	return err
}

// Put keeps facts, replacing what was kept under the same keys.
func (c *Cache) Put(ctx context.Context, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	rows := make([]row, len(entries))
	for i, e := range entries {
		rows[i] = row{e.Key.row(), seal(e.Key, Encode(e.Facts))}
	}
	return c.put(ctx, rows)
}

// A row is a sealed value and its number.
type row struct {
	id    int64
	value []byte
}

func (c *Cache) put(ctx context.Context, rows []row) error {
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.id, b.id) })
	err := transact(ctx, c.db, func(tx *sql.Tx) error {
		generation, err := c.current(ctx, tx)
		if err != nil {
			return err
		}
		facts, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO facts(id, value) VALUES (?, ?)")
		if err != nil {
			return err
		}
		defer facts.Close()
		uses, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO uses(id, generation, size) VALUES (?, ?, ?)")
		if err != nil {
			return err
		}
		defer uses.Close()
		for _, r := range rows {
			if _, err := facts.ExecContext(ctx, r.id, r.value); err != nil {
				return err
			}
			if _, err := uses.ExecContext(ctx, r.id, generation, len(r.value)); err != nil {
				return err
			}
		}
		return c.bound(ctx, tx, rows)
	})
	if err != nil {
		return c.noteDamage(fmt.Errorf("keep facts: %w", err))
	}
	c.mu.Lock()
	c.kept = true
	c.mu.Unlock()
	return nil
}

// bound drops old rows once enough new ones came, so that a file that stays open does
// not grow without end. [Cache.Close] does the rest.
func (c *Cache) bound(ctx context.Context, tx *sql.Tx, fresh []row) error {
	c.mu.Lock()
	for _, r := range fresh {
		c.grown += int64(len(r.value))
	}
	due := c.grown > c.limit/10
	if due {
		c.grown = 0
	}
	c.mu.Unlock()
	if !due {
		return nil
	}
	return c.evict(ctx, tx)
}

// current is the generation of this use of the file: one more than all others.
func (c *Cache) current(ctx context.Context, tx *sql.Tx) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation == 0 {
		var newest int64
		if err := tx.QueryRowContext(ctx, "SELECT ifnull(max(generation), 0) FROM uses").Scan(&newest); err != nil {
			return 0, err
		}
		c.generation = newest + 1
	}
	return c.generation, nil
}

// Close notes what was used, drops what was not used for longest if the cache
// is over its limit, and closes the file. A damaged file is removed.
func (c *Cache) Close(ctx context.Context) error {
	c.mu.Lock()
	damaged, tidy := c.damaged, c.kept || len(c.used) > 0
	c.mu.Unlock()
	if damaged {
		return errors.Join(c.db.Close(), remove(c.path))
	}
	var err error
	if tidy {
		if err = c.tidy(ctx); err != nil {
			err = c.noteDamage(fmt.Errorf("tidy facts: %w", err))
		}
	}
	return errors.Join(err, c.db.Close())
}

func (c *Cache) tidy(ctx context.Context) error {
	return transact(ctx, c.db, func(tx *sql.Tx) error {
		generation, err := c.current(ctx, tx)
		if err != nil {
			return err
		}
		note, err := tx.PrepareContext(ctx, "UPDATE uses SET generation=? WHERE id=?")
		if err != nil {
			return err
		}
		defer note.Close()
		for id := range c.used {
			if _, err := note.ExecContext(ctx, generation, id); err != nil {
				return err
			}
		}
		return c.evict(ctx, tx)
	})
}

// evict drops whole rows, oldest generation first, until nine tenths of the
// limit are left. Their pages are used again by what comes next.
func (c *Cache) evict(ctx context.Context, tx *sql.Tx) error {
	var total int64
	if err := tx.QueryRowContext(ctx, "SELECT ifnull(sum(size), 0) FROM uses").Scan(&total); err != nil {
		return err
	}
	if total <= c.limit {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
CREATE TEMP TABLE old AS SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY generation, id) AS upto FROM uses) WHERE upto <= ?;
DELETE FROM facts WHERE id IN (SELECT id FROM old);
DELETE FROM uses WHERE id IN (SELECT id FROM old);
DROP TABLE old;`, total-c.limit/10*9)
	return err
}
