package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrStoreInUse means that somebody reads, fetches or checks out pull requests, so
// that nothing is collected.
var ErrStoreInUse = errors.New("own store is in use")

// HasStore reports whether the repository's own store was made.
func (r *Repo) HasStore() bool {
	info, err := os.Lstat(filepath.Join(r.StateDir(), storeName, "HEAD"))
	return err == nil && info.Mode().IsRegular()
}

// Hold keeps the objects of pull requests that are in the repository's own store
// from being collected until it is closed. Where there is no store it does nothing.
func (r *Repo) Hold(ctx context.Context) (io.Closer, error) {
	if !r.HasStore() {
		return io.NopCloser(nil), nil
	}
	held, err := lockAs(ctx, filepath.Join(r.StateDir(), storeName, usedName), os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("hold the own store: %w", err)
	}
	return held, nil
}

// usedName is the lock that all who use objects of a store share, and that who
// collects them has alone.
const usedName = "locks/objects"

// touch notes that a pull request was asked for, so that others go before it.
func (s *Store) touch(number int) error {
	now := time.Now()
	return os.Chtimes(s.path(fmt.Sprintf("locks/pr-%d", number)), now, now)
}

// Pulls lists the pull requests of which the store has commits and no checkout,
// the one that was fetched least recently first.
func (s *Store) Pulls(ctx context.Context) ([]int, error) {
	pulls, err := s.pulls(ctx)
	if err != nil {
		return nil, fmt.Errorf("list pull requests: %w", err)
	}
	return pulls, nil
}

var pullRef = regexp.MustCompile(`^refs/review/pr/([1-9][0-9]{0,17})/(head|base|merge)$`)

func (s *Store) pulls(ctx context.Context) ([]int, error) {
	records, err := s.records(ctx)
	if err != nil {
		return nil, err
	}
	out, err := s.repo.git.run(ctx, s.repo.refs(), "for-each-ref", "--format=%(refname)", "refs/review/pr")
	if err != nil {
		return nil, err
	}
	fetched := map[int]time.Time{}
	for line := range strings.Lines(string(out)) {
		m := pullRef.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			continue
		}
		number, err := strconv.Atoi(m[1])
		if err != nil || slices.ContainsFunc(records, func(r record) bool { return r.Number == number }) {
			continue
		}
		fetched[number] = time.Time{}
		if info, err := os.Lstat(s.path(fmt.Sprintf("locks/pr-%d", number))); err == nil {
			fetched[number] = info.ModTime()
		}
	}
	var pulls []int
	for number := range fetched {
		pulls = append(pulls, number)
	}
	slices.SortFunc(pulls, func(a, b int) int { return cmp.Or(fetched[a].Compare(fetched[b]), cmp.Compare(a, b)) })
	return pulls, nil
}

// Forget drops what the store knows of pull requests, but for those with a
// checkout, and then every object that nothing in the store needs any more. It
// returns how many bytes the store lost. If somebody uses the store, nothing
// happens and the error is [ErrStoreInUse].
func (s *Store) Forget(ctx context.Context, numbers ...int) (bytes int64, err error) {
	held, err := os.OpenFile(s.path(usedName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	alone, err := tryLock(held)
	if err == nil && !alone {
		err = ErrStoreInUse
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock(held)) }()
	before := s.Size()
	err = s.forget(ctx, held, numbers)
	if err != nil {
		err = fmt.Errorf("collect the own store: %w", err)
	}
	return before - s.Size(), err
}

func (s *Store) forget(ctx context.Context, held *os.File, numbers []int) error {
	pulls, err := s.pulls(ctx) // once more: some may have a checkout by now
	if err != nil {
		return err
	}
	at := s.repo.refs()
	at.held = held                                             // so that a git that outlives us keeps others out
	at.config = append(at.config, "repack.writeBitmaps=false") // not all that is needed is ours
	for _, number := range numbers {
		if !slices.Contains(pulls, number) {
			continue
		}
		if err := s.dropRefs(ctx, at, number); err != nil {
			return err
		}
		if err := os.Remove(s.path(fmt.Sprintf("locks/pr-%d", number))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if !s.hasObjects() {
		return nil
	}
	// What is borrowed is neither copied nor deleted. Both write first and delete
	// after, so that a kill leaves too much and never too little.
	if _, err := s.repo.git.run(ctx, at, "repack", "-a", "-d", "-l", "-q"); err != nil {
		return err
	}
	_, err = s.repo.git.run(ctx, at, "prune", "--expire=now")
	return err
}

// dropRefs deletes the refs of a pull request.
func (s *Store) dropRefs(ctx context.Context, at place, number int) error {
	for _, name := range []string{"head", "base", "merge"} {
		if _, err := s.repo.git.run(ctx, at, "update-ref", "-d", pullRefs(number)+name); err != nil {
			return err
		}
	}
	return nil
}

// dropOthers deletes the refs of the pull requests that have no checkout and that
// nobody works with, but for one of which the caller has the lock. Their objects
// stay for those who read them.
func (s *Store) dropOthers(ctx context.Context, at place, mine int) error {
	pulls, err := s.pulls(ctx)
	if err != nil {
		return err
	}
	for _, number := range pulls {
		if number == mine {
			continue
		}
		held, err := os.OpenFile(s.path(fmt.Sprintf("locks/pr-%d", number)), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		alone, err := tryLock(held)
		if err == nil && alone {
			err = errors.Join(s.dropRefs(ctx, at, number), unlock(held))
		}
		if err := errors.Join(err, held.Close()); err != nil {
			return err
		}
	}
	return s.dropRefs(ctx, at, mine)
}

// lost lists the checkouts whose commit is not here any more.
func (s *Store) lost(ctx context.Context) ([]record, error) {
	records, err := s.records(ctx)
	if err != nil {
		return nil, err
	}
	var lost []record
	for _, r := range records {
		if _, err := s.repo.Resolve(ctx, string(r.Head)); errors.Is(err, ErrUnknownRevision) {
			lost = append(lost, r)
		} else if err != nil {
			return nil, err
		}
	}
	return lost, nil
}

// dropBroken deletes the refs of a pull request that lead to nothing.
func (s *Store) dropBroken(ctx context.Context, at place, number int) error {
	for _, name := range []string{"head", "base", "merge"} {
		ref := pullRefs(number) + name
		if _, err := s.repo.Resolve(ctx, ref); err == nil {
			continue
		}
		if _, err := s.repo.git.run(ctx, at, "update-ref", "-d", ref); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// hasObjects reports whether the store has objects of its own.
func (s *Store) hasObjects() bool {
	return sizeBelow(s.path("objects")) > sizeBelow(s.path("objects/info"))
}

// Size is how many bytes the store has on disk, without what belongs to its
// checkouts.
func (s *Store) Size() int64 {
	return sizeBelow(s.repo.gitDir) - sizeBelow(s.path("worktrees"))
}

// CheckoutSize counts the checkouts of the store and their bytes, without graphs.
func (s *Store) CheckoutSize(ctx context.Context) (count int, bytes int64, err error) {
	records, err := s.records(ctx)
	for _, r := range records {
		bytes += sizeBelow(r.Root) + sizeBelow(s.gitDir(r)) - sizeBelow(filepath.Join(s.gitDir(r), stateName))
	}
	return len(records), bytes, err
}
