package worktree

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

var (
	// ErrObjectMissing means that an object is not in the repository, as in a
	// partial clone.
	ErrObjectMissing = errors.New("object is missing")
	// ErrObjectCorrupt means that the content of an object is unreadable, is
	// of another type or does not have the hash that names it.
	ErrObjectCorrupt = errors.New("object is corrupt")
	// ErrTooLarge means that an object was not read because of its size.
	ErrTooLarge = errors.New("object is too large")
)

// Blobs reads blobs and calls fn once for each, in the order given: fn gets
// the index into oids and either the content or the reason why there is none,
// an [ErrTooLarge] for a blob of more than limit bytes (which is not read), an
// [ErrObjectMissing] or an [ErrObjectCorrupt]. The data is valid until fn
// returns. An error of fn ends the reading and is returned.
func (r *Repo) Blobs(ctx context.Context, oids []OID, limit int64, fn func(i int, data []byte, err error) error) error {
	s := r.newSession(ctx)
	defer s.close()
	return s.allBlobs(oids, limit, fn)
}

func (s *session) allBlobs(oids []OID, limit int64, fn func(i int, data []byte, err error) error) error {
	for start := 0; start < len(oids); start += round {
		end := min(start+round, len(oids))
		err := s.blobs(oids[start:end], limit, func(i int, data []byte, err error) error {
			return fn(start+i, data, err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *session) blobs(oids []OID, limit int64, fn func(i int, data []byte, err error) error) error {
	heads, err := s.heads(oids)
	if err != nil {
		return err
	}
	var index []int // of those that are read
	var wanted []OID
	var described []head
	for i, h := range heads {
		if heads[i].err = unreadable(oids[i], h, limit); heads[i].err == nil {
			index, wanted, described = append(index, i), append(wanted, oids[i]), append(described, h)
		}
	}
	next := 0
	skipTo := func(end int) error {
		for ; next < end; next++ {
			if err := fn(next, nil, heads[next].err); err != nil {
				return err
			}
		}
		return nil
	}
	err = s.contents(wanted, described, func(k int, data []byte, err error) error {
		if err := skipTo(index[k]); err != nil {
			return err
		}
		next++
		return fn(index[k], data, err)
	})
	if err != nil {
		return err
	}
	return skipTo(len(oids))
}

// unreadable says why the content of a blob is not asked for, if so.
func unreadable(oid OID, h head, limit int64) error {
	switch {
	case h.err != nil:
		return fmt.Errorf("%w: %s", h.err, oid)
	case h.kind != "blob":
		return fmt.Errorf("%w: %s is not a blob but a %s", ErrObjectCorrupt, oid, h.kind)
	case h.size > limit:
		return fmt.Errorf("%w: %s has %d bytes, %d are allowed", ErrTooLarge, oid, h.size, limit)
	}
	return nil
}

// Blob returns the content of one blob of at most limit bytes.
func (r *Repo) Blob(ctx context.Context, oid OID, limit int64) ([]byte, error) {
	var content []byte
	err := r.Blobs(ctx, []OID{oid}, limit, func(_ int, data []byte, err error) error {
		content = bytes.Clone(data)
		return err
	})
	if err != nil {
		return nil, err
	}
	return content, nil
}

// valid reports whether oid is a full object ID of this repository. Nothing
// else may be put into a request, which is a line of text.
func (r *Repo) valid(oid OID) bool {
	digits := 40
	if r.format == formatSHA256 {
		digits = 64
	}
	if len(oid) != digits {
		return false
	}
	for i := range len(oid) {
		if c := oid[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// hash returns the ID that an object with this content has. The SHA-1 in use
// detects the known collision attacks and then gives another hash, as git's
// own does.
func (r *Repo) hash(kind string, data []byte) OID {
	h := r.newHash(kind, int64(len(data)))
	h.Write(data)
	return OID(hex.EncodeToString(h.Sum(nil)))
}

// absent tells a missing object from a loose one that is there but so damaged
// that git calls it missing.
func (r *Repo) absent(oid OID) error {
	if _, err := os.Lstat(filepath.Join(r.objects(), string(oid[:2]), string(oid[2:]))); err == nil {
		return ErrObjectCorrupt
	}
	return ErrObjectMissing
}
