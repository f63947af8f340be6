package worktree

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// round is the number of objects asked for at once. git keeps a round in
// memory before it answers the first of them.
const round = 4096

// maxDeaths is the number of damaged objects that git may die of in one
// session.
const maxDeaths = 64

// A session reads objects through one long-running git, which is started when
// first needed and again if a damaged object made it give up.
//
// Each round writes all its requests and only then reads: in buffer mode git
// answers nothing before the flush, so neither side can wait for the other and
// no goroutine is needed.
type session struct {
	ctx  context.Context // of the call that the session serves now
	repo *Repo
	lent bool // by a [Reader]: git outlives the call
	proc *process
	data []byte // the object being handed out; used again for the next
	// deaths counts gits that gave up, so that a store full of damage does
	// not start one per object.
	deaths int
}

// A process is one running git cat-file.
type process struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	kept   func() bool // ends the watch over the call's context; see [Reader]
	store  store
	in     *bufio.Writer
	pipe   io.Closer
	out    *bufio.Reader
	stderr *bounded
}

// A head is what is known of an object before its content is read.
type head struct {
	kind string // blob, tree, commit or tag
	size int64
	err  error // ErrObjectMissing or ErrObjectCorrupt; then the rest is empty
}

// errEnded means that git closed its output before it had answered.
var errEnded = errors.New("git ended early")

func (r *Repo) newSession(ctx context.Context) *session {
	return &session{ctx: ctx, repo: r}
}

// start makes sure that a git is running.
func (s *session) start() error {
	if s.proc != nil {
		return nil
	}
	if err := s.ctx.Err(); err != nil {
		return context.Cause(s.ctx)
	}
	st, err := s.repo.newStore()
	if err != nil {
		return err
	}
	parent := s.ctx
	if s.lent {
		parent = context.WithoutCancel(s.ctx)
	}
	ctx, cancel := context.WithCancel(parent)
	cmd := s.repo.git.command(ctx, st.place, "cat-file", "--batch-command", "--buffer")
	p := &process{cmd: cmd, cancel: cancel, store: st, stderr: &bounded{max: maxStderr}}
	cmd.Stderr = p.stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		var out io.ReadCloser
		if out, err = cmd.StdoutPipe(); err == nil {
			p.pipe, p.in, p.out = in, bufio.NewWriterSize(in, 64<<10), bufio.NewReaderSize(out, 64<<10)
			err = cmd.Start()
		}
	}
	if err != nil {
		cancel()
		st.remove()
		return fmt.Errorf("%w: start git cat-file: %w", ErrGitFailed, err)
	}
	p.kept = func() bool { return true }
	if s.lent {
		p.kept = context.AfterFunc(s.ctx, cancel)
	}
	s.proc = p
	return nil
}

// stop ends the running git. It is killed: nothing that it could still say is
// wanted.
func (s *session) stop() (stderr string) {
	p := s.proc
	if p == nil {
		return ""
	}
	s.proc = nil
	p.kept()
	_ = p.pipe.Close()
	p.cancel()
	_ = p.cmd.Wait() // killed
	p.store.remove()
	return p.stderr.kept.String()
}

func (s *session) close() { s.stop() }

// ask sends one command per object and flushes.
func (s *session) ask(command string, oids []OID) error {
	if err := s.start(); err != nil {
		return err
	}
	for _, oid := range oids {
		if !s.repo.valid(oid) {
			return fmt.Errorf("%w: %q is no object ID", ErrObjectMissing, oid)
		}
		for _, part := range []string{command, " ", string(oid), "\n"} {
			if _, err := s.proc.in.WriteString(part); err != nil {
				return errEnded
			}
		}
	}
	if _, err := s.proc.in.WriteString("flush\n"); err != nil {
		return errEnded
	}
	if err := s.proc.in.Flush(); err != nil {
		return errEnded
	}
	return nil
}

// readHead reads the first line of an answer.
func (s *session) readHead(oid OID) (head, error) {
	line, err := s.proc.out.ReadSlice('\n')
	if err != nil {
		return head{}, errEnded
	}
	h, ok := parseHead(string(line), oid)
	if !ok {
		return head{}, fmt.Errorf("%w: cat-file said %q", ErrGitFailed, clean(string(line)))
	}
	if errors.Is(h.err, ErrObjectMissing) {
		h.err = s.repo.absent(oid)
	}
	return h, nil
}

// parseHead reads "<oid> <kind> <size>\n" or "<oid> missing\n".
func parseHead(line string, oid OID) (head, bool) {
	line, ok := strings.CutSuffix(line, "\n")
	if !ok {
		return head{}, false
	}
	rest, ok := strings.CutPrefix(line, string(oid)+" ")
	if !ok {
		return head{}, false
	}
	if rest == "missing" {
		return head{err: ErrObjectMissing}, true
	}
	kind, digits, ok := strings.Cut(rest, " ")
	if !ok {
		return head{}, false
	}
	switch kind {
	case "blob", "tree", "commit", "tag":
	default:
		return head{}, false
	}
	size, err := strconv.ParseUint(digits, 10, 62)
	if err != nil || strconv.FormatUint(size, 10) != digits {
		return head{}, false
	}
	return head{kind: kind, size: int64(size)}, true
}

// heads returns kind and size of each object.
func (s *session) heads(oids []OID) ([]head, error) {
	heads := make([]head, len(oids))
	err := s.rounds("info", oids, func(i int) error {
		var err error
		heads[i], err = s.readHead(oids[i])
		return err
	}, func(i int, err error) error {
		heads[i] = head{err: err}
		return nil
	})
	return heads, err
}

// contents hands out the objects in order, as [session.heads] described them;
// all must be present. The data is valid until fn returns. For an object that
// turns out to be damaged, fn gets [ErrObjectCorrupt] and no data.
func (s *session) contents(oids []OID, heads []head, fn func(i int, data []byte, err error) error) error {
	return s.rounds("contents", oids, func(i int) error {
		data, err := s.readObject(oids[i], heads[i])
		if errors.Is(err, errEnded) {
			return err
		}
		return fn(i, data, err)
	}, func(i int, err error) error { return fn(i, nil, err) })
}

// readObject reads one answer with its content and hashes it. Whatever it
// returns but errEnded, the next answer can be read.
func (s *session) readObject(oid OID, want head) ([]byte, error) {
	got, err := s.readHead(oid)
	if err != nil {
		return nil, err
	}
	if got.err != nil {
		return nil, got.err
	}
	if got != want {
		// It was described a moment ago, so somebody changes the repository.
		if _, err := io.CopyN(io.Discard, s.proc.out, got.size+1); err != nil {
			return nil, errEnded
		}
		return nil, fmt.Errorf("%w: %s changed while it was read", ErrObjectCorrupt, oid)
	}
	n := int(want.size) + 1
	if cap(s.data) < n {
		s.data = make([]byte, max(n, 2*cap(s.data)))
	}
	if _, err := io.ReadFull(s.proc.out, s.data[:n]); err != nil {
		return nil, errEnded
	}
	data := s.data[:want.size]
	if s.repo.hash(want.kind, data) != oid {
		return nil, fmt.Errorf("%w: the content of %s has another hash", ErrObjectCorrupt, oid)
	}
	return data, nil
}

// rounds sends a command for every object and has read take each answer. If
// git gives up because of one object, broken is told and the rest is asked
// from another git.
func (s *session) rounds(command string, oids []OID, read func(i int) error, broken func(i int, err error) error) error {
	for done := 0; done < len(oids); {
		end := min(done+round, len(oids))
		err := s.ask(command, oids[done:end])
		for err == nil && done < end {
			if err = read(done); err != nil {
				break
			}
			done++
			// The pipe may hold what a killed git had written.
			if s.ctx.Err() != nil {
				err = context.Cause(s.ctx)
			}
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, errEnded) {
			return err
		}
		if err := s.blame(oids[done]); !errors.Is(err, ErrObjectCorrupt) {
			return err
		} else if err := broken(done, err); err != nil {
			return err
		}
		done++
	}
	return nil
}

// blame says why git ended while it was to answer for oid. Only if its last
// words name the object is that damaged; git may have been killed.
func (s *session) blame(oid OID) error {
	stderr := s.stop()
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	s.deaths++
	if strings.Contains(stderr, string(oid)) && s.deaths <= maxDeaths {
		return fmt.Errorf("%w: git says %s", ErrObjectCorrupt, clean(stderr))
	}
	return fmt.Errorf("%w: git cat-file ended early: %s", ErrGitFailed, clean(stderr))
}
