package factcache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrInUse means that another process reads or writes the cache.
var ErrInUse = errors.New("facts cache is in use")

// shrinkTries is how often more is dropped because the file is still too large:
// how much space rows take besides their values is known only afterwards.
const shrinkTries = 8

// Shrink drops what was not used for longest until the file at path has at most
// limit bytes, or is empty, and gives the space back. A cache that is not there
// stays so.
func Shrink(ctx context.Context, path string, limit int64) (err error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	c, err := Open(ctx, path, limit)
	if err != nil {
		return busy(err)
	}
	defer func() { err = busy(errors.Join(err, c.Close(ctx))) }()
	c.db.SetMaxOpenConns(1)
	for range shrinkTries {
		if err := transact(ctx, c.db, func(tx *sql.Tx) error { return c.evict(ctx, tx) }); err != nil {
			return err
		}
		if _, err := c.db.ExecContext(ctx, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE);"); err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil || info.Size() <= limit {
			return err
		}
		c.limit = int64(float64(c.limit) * float64(limit) / float64(info.Size()))
	}
	return nil
}

// busy names the error of a lock that another process holds.
func busy(err error) error {
	if isBusy(err) {
		return fmt.Errorf("%w: %w", ErrInUse, err)
	}
	return err
}
