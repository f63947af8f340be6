package worktree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	// ErrOccupied means that a checkout cannot be made at its place because
	// something else is there.
	ErrOccupied = errors.New("place of the checkout is taken")
	// ErrCheckoutFailed means that a commit cannot be written to disk as it is.
	// It can still be reviewed from its objects.
	ErrCheckoutFailed = errors.New("cannot be checked out")
	// ErrNoCheckout means that a folder is no checkout of the store.
	ErrNoCheckout = errors.New("not a checkout of this store")
	// ErrCheckoutLost means that the commit of a checkout is not here any more, so
	// that nobody can tell whether the files are still its.
	ErrCheckoutLost = errors.New("commit of the checkout is gone")
	// ErrNoStateFolder means that neither XDG_STATE_HOME nor HOME says where
	// checkouts go, or that they cannot go where they are to.
	ErrNoStateFolder = errors.New("no folder for checkouts")
)

// maxCheckout is the number of bytes over which a tree is not written to disk.
const maxCheckout = 8 << 30

// A CheckoutState says what has become of a checkout.
type CheckoutState string

// The states of a checkout. All but the first are left by a process that was
// killed or by somebody who deleted the folder; [Store.Prune] ends them.
const (
	CheckoutReady    CheckoutState = "ready"
	CheckoutMaking   CheckoutState = "half_made"
	CheckoutRemoving CheckoutState = "half_removed"
	CheckoutVanished CheckoutState = "vanished" // the folder is gone or is another one
	// The repository dropped the commit, which it had lent. The next fetch of any
	// pull request brings it back.
	CheckoutLost CheckoutState = "lost"
)

// A Checkout is a pull request's head on disk: a git worktree of the store.
//
// Its files hold the bytes of their blobs, symlinks are plain files that name
// their target, and submodules are empty folders. A plain git runs nothing in
// it that the pull request names; inside a bare repository that the pull
// request carries as files it would, as everywhere.
type Checkout struct {
	Root   string // absolute
	Number int    // of the pull request
	Head   OID
	GitDir string // of the worktree, inside the store
	State  CheckoutState
	Made   time.Time
}

// A record is what the store remembers of a checkout. It is written before the
// first file of the checkout and goes after the last.
type record struct {
	State  CheckoutState `json:"state"`
	Number int           `json:"number"`
	Head   OID           `json:"head"`
	Root   string        `json:"root"`
	Device uint64        `json:"device"` // of the root, once it is ready
	Inode  uint64        `json:"inode"`
}

// Add checks a fetched commit out as the head of a pull request and returns
// where. An older head of the pull request goes, unless it is dirty; the same
// one is returned as it is. The checkout lies in parent, an empty parent means
// ${XDG_STATE_HOME:-~/.local/state}/previdence/<repository>, or a folder of the
// [State]. Every file is compared with its blob before the checkout counts as made.
// An older head goes only once it is reserved.
func (s *Store) Add(ctx context.Context, number int, head OID, parent string, reserve Reserve) (Checkout, error) {
	c, err := s.add(ctx, number, head, parent, reserve)
	if err != nil {
		return Checkout{}, fmt.Errorf("check out pull request %d: %w", number, err)
	}
	return c, nil
}

func (s *Store) add(ctx context.Context, number int, head OID, parent string, reserve Reserve) (Checkout, error) {
	if number < 1 {
		return Checkout{}, fmt.Errorf("%w: numbers start at 1", ErrNoPullRequest)
	}
	listing, err := s.writable(ctx, head)
	if err != nil {
		return Checkout{}, err
	}
	if parent, err = s.parent(parent); err != nil {
		return Checkout{}, err
	}
	using, err := s.repo.Hold(ctx)
	if err != nil {
		return Checkout{}, err
	}
	defer using.Close()
	held, err := s.lockPull(ctx, number)
	if err != nil {
		return Checkout{}, err
	}
	defer held.Close()
	want := record{State: CheckoutMaking, Number: number, Head: head, Root: filepath.Join(parent, pullName(number))}
	switch old, err := s.record(number); {
	case errors.Is(err, ErrNoCheckout):
	case err != nil:
		return Checkout{}, err
	case s.state(old) != CheckoutReady:
		if err := s.finish(old); err != nil {
			return Checkout{}, err
		}
	case old.Head == head && old.Root == want.Root:
		return s.checkout(old), nil
	case old.Root != want.Root:
		return Checkout{}, fmt.Errorf("%w: this pull request is checked out at %s", ErrOccupied, old.Root)
	default:
		if err := s.removeClean(ctx, old, reserve); err != nil {
			return Checkout{}, err
		}
	}
	return s.write(ctx, held.File, want, listing)
}

// writable lists the files of a commit if all of them can be written.
func (s *Store) writable(ctx context.Context, head OID) (Listing, error) {
	listing, err := s.repo.List(ctx, head)
	if err != nil {
		return Listing{}, err
	}
	if n := len(listing.Skipped); n > 0 {
		return Listing{}, fmt.Errorf("%w: %d entries such as %q: %s", ErrCheckoutFailed, n, listing.Skipped[0].Path, listing.Skipped[0].Reason)
	}
	size := int64(0)
	for _, e := range listing.Entries {
		if e.Size < 0 {
			return Listing{}, fmt.Errorf("%w: %q: %w", ErrCheckoutFailed, e.Path, ErrObjectMissing)
		}
		// Each is bounded, so that the sum cannot overflow.
		if size += min(e.Size, maxCheckout+1); size > maxCheckout {
			return Listing{}, fmt.Errorf("%w: %w: more than %d bytes", ErrCheckoutFailed, ErrTooLarge, int64(maxCheckout))
		}
	}
	return listing, nil
}

// write makes the checkout that r describes. Whatever goes wrong, no part of it
// stays.
func (s *Store) write(ctx context.Context, held *os.File, r record, listing Listing) (Checkout, error) {
	if _, err := os.Lstat(r.Root); !errors.Is(err, fs.ErrNotExist) {
		return Checkout{}, fmt.Errorf("%w: %s", ErrOccupied, r.Root)
	}
	if _, err := os.Lstat(s.gitDir(r)); !errors.Is(err, fs.ErrNotExist) {
		return Checkout{}, fmt.Errorf("%w: %s", ErrOccupied, s.gitDir(r))
	}
	if err := s.keep(r); err != nil {
		return Checkout{}, err
	}
	err := s.populate(ctx, held, &r, listing)
	if err != nil {
		return Checkout{}, errors.Join(err, s.finish(r))
	}
	return s.checkout(r), nil
}

// populate lets git write the files, while it holds the lock as we do, and
// compares them.
func (s *Store) populate(ctx context.Context, held *os.File, r *record, listing Listing) error {
	at := s.repo.refs()
	at.held = held
	_, err := s.repo.git.run(ctx, at, "worktree", "add", "--quiet", "--detach", "--", r.Root, string(r.Head))
	if errors.Is(err, ErrGitFailed) {
		return fmt.Errorf("%w: %w", ErrCheckoutFailed, err)
	}
	if err != nil {
		return err
	}
	differences, err := s.inspect(ctx, *r, listing)
	if err != nil {
		return err
	}
	if len(differences) > 0 {
		// A tampered object, or a file system that cannot hold such names.
		return fmt.Errorf("%w: what was written differs from the commit: %s", ErrCheckoutFailed, summary(differences))
	}
	info, err := os.Lstat(r.Root)
	if err != nil {
		return err
	}
	r.State = CheckoutReady
	r.Device, r.Inode = identity(info)
	return s.keep(*r)
}

// Checkouts lists the checkouts of the store by number, also those that
// [Store.Prune] would end.
func (s *Store) Checkouts(ctx context.Context) ([]Checkout, error) {
	records, err := s.records(ctx)
	if err != nil {
		return nil, fmt.Errorf("list checkouts: %w", err)
	}
	checkouts := make([]Checkout, len(records))
	for i, r := range records {
		checkouts[i] = s.checkout(r)
	}
	lost, err := s.lost(ctx)
	if err != nil {
		return nil, fmt.Errorf("list checkouts: %w", err)
	}
	for _, r := range lost {
		for i, c := range checkouts {
			if c.Number == r.Number && c.State == CheckoutReady {
				checkouts[i].State = CheckoutLost
			}
		}
	}
	return checkouts, nil
}

func (s *Store) checkout(r record) Checkout {
	c := Checkout{Root: r.Root, Number: r.Number, Head: r.Head, GitDir: s.gitDir(r), State: s.state(r)}
	if info, err := os.Lstat(s.recordPath(r.Number)); err == nil {
		c.Made = info.ModTime()
	}
	return c
}

// state is that of the record, unless the folder is no longer the one that was
// made.
func (s *Store) state(r record) CheckoutState {
	if r.State != CheckoutReady {
		return r.State
	}
	info, err := os.Lstat(r.Root)
	if err != nil || !info.IsDir() || !linked(r.Root, s.gitDir(r)) {
		return CheckoutVanished
	}
	if device, inode := identity(info); device != r.Device || inode != r.Inode {
		return CheckoutVanished
	}
	return CheckoutReady
}

func pullName(number int) string { return "pr-" + strconv.Itoa(number) }

// gitDir is where git keeps the worktree. It takes the name from the folder's.
func (s *Store) gitDir(r record) string { return s.path("worktrees/" + pullName(r.Number)) }

func (s *Store) recordPath(number int) string {
	return s.path("checkouts/" + pullName(number) + ".json")
}

// keep writes the record.
func (s *Store) keep(r record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return settle(s.recordPath(r.Number), string(text)+"\n")
}

// record reads the record of one pull request.
func (s *Store) record(number int) (record, error) {
	text, err := os.ReadFile(s.recordPath(number))
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, fmt.Errorf("%w: pull request %d", ErrNoCheckout, number)
	}
	if err != nil {
		return record{}, err
	}
	r, err := parseRecord(text)
	if err != nil || r.Number != number || !s.repo.valid(r.Head) {
		return record{}, fmt.Errorf("%w: the record of pull request %d cannot be read", ErrStoreUnusable, number)
	}
	return r, nil
}

// parseRecord reads a record. Its root is used to delete folders, so it has to
// be what Add writes there.
func parseRecord(text []byte) (record, error) {
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return record{}, err
	}
	switch {
	case r.Number < 1:
		return record{}, fmt.Errorf("pull request %d", r.Number)
	case !filepath.IsAbs(r.Root) || filepath.Clean(r.Root) != r.Root || filepath.Base(r.Root) != pullName(r.Number):
		return record{}, fmt.Errorf("root %q", r.Root)
	case r.State != CheckoutReady && r.State != CheckoutMaking && r.State != CheckoutRemoving:
		return record{}, fmt.Errorf("state %q", r.State)
	}
	return r, nil
}

var recordName = regexp.MustCompile(`^pr-([1-9][0-9]{0,17})\.json$`)

// records reads all records, by number.
func (s *Store) records(ctx context.Context) ([]record, error) {
	entries, err := os.ReadDir(s.path("checkouts"))
	if err != nil {
		return nil, err
	}
	var records []record
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		m := recordName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		number, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		r, err := s.record(number)
		if errors.Is(err, ErrNoCheckout) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b record) int { return cmp.Compare(a.Number, b.Number) })
	return records, nil
}

// parent makes the folder for checkouts and returns its real path.
func (s *Store) parent(dir string) (string, error) {
	switch {
	case dir != "":
	case s.repo.state.dir != "":
		dir = filepath.Join(s.repo.StateDir(), "checkouts")
	default:
		state, err := stateHome()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(state, stateName, s.name)
	}
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("%w: %q is not an absolute path", ErrNoStateFolder, dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoStateFolder, err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoStateFolder, err)
	}
	for _, tree := range []string{s.root, s.origin} {
		if tree != "" && within(tree, real) {
			return "", fmt.Errorf("%w: %s lies inside the repository", ErrNoStateFolder, real)
		}
	}
	return real, nil
}

// stateHome is where programs of this user keep what they can make again.
func stateHome() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	if home := os.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state"), nil
	}
	return "", ErrNoStateFolder
}

// folderName tells repositories apart: what people call it, and a digest of
// where it is, since two clones have the same name.
func (r *Repo) folderName(ctx context.Context, origin string) string {
	name := r.Name(ctx)
	if name == "" {
		name = strings.TrimSuffix(strings.TrimSuffix(origin, string(filepath.Separator)+".git"), ".git")
	}
	name = filepath.Base(name)
	if !nameSegment.MatchString(name) {
		name = "repository"
	}
	sum := sha256.Sum256([]byte(origin))
	return name + "-" + hex.EncodeToString(sum[:4])
}
