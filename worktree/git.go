package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
)

var (
	// ErrGitMissing means that no git program was found in PATH.
	ErrGitMissing = errors.New("git not found")
	// ErrGitTooOld means that the git found lacks protections needed here.
	ErrGitTooOld = errors.New("git is too old")
	// ErrGitFailed means that git gave up for a reason without a name of its
	// own. The message holds what git said.
	ErrGitFailed = errors.New("git failed")
)

// minGit is the first version that knows safe.bareRepository; cat-file
// --batch-command, used for all objects, is two versions older.
var minGit = [2]int{2, 38}

const (
	maxStderr = 8 << 10   // bytes of a failing git's message that are kept
	maxOutput = 256 << 20 // bytes of output taken from one git
	// killGrace is also how long the output of a git that has ended may stay open:
	// another git that is being started holds it until it runs, which on a busy
	// machine takes seconds.
	killGrace = 20 * time.Second
)

// A git is the program every command goes through.
type git struct {
	path    string // absolute
	version string // as git reports it, "2.39.5"
}

// findGit looks git up once, so that a later change of PATH or of the working
// directory cannot put another program in its place.
func findGit(ctx context.Context) (git, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return git{}, fmt.Errorf("%w: %w", ErrGitMissing, err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return git{}, fmt.Errorf("%w: %w", ErrGitMissing, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return git{}, fmt.Errorf("%w: %w", ErrGitMissing, err)
	}
	if last := lastGit.Load(); last != nil && last.is(path, info) {
		return last.git, nil
	}
	g, err := git{path: path}.asked(ctx)
	if err == nil {
		lastGit.Store(&foundGit{g, info})
	}
	return g, err
}

// A foundGit is a program that has said its version.
type foundGit struct {
	git  git
	info fs.FileInfo
}

// lastGit is the program that was found last: it need not be asked again while it is
// the same file.
var lastGit atomic.Pointer[foundGit]

func (f *foundGit) is(path string, info fs.FileInfo) bool {
	return f.git.path == path && os.SameFile(f.info, info) && f.info.ModTime().Equal(info.ModTime()) && f.info.Size() == info.Size()
}

// asked asks for the version and checks it.
func (g git) asked(ctx context.Context) (git, error) {
	out, err := g.run(ctx, place{dir: os.TempDir()}, "version")
	if err != nil {
		return git{}, err
	}
	version, ok := parseVersion(string(out))
	if !ok {
		return git{}, fmt.Errorf("%w: cannot read its version from %q", ErrGitTooOld, clean(string(out)))
	}
	if version.major < minGit[0] || version.major == minGit[0] && version.minor < minGit[1] {
		return git{}, fmt.Errorf("%w: %s is version %s, %d.%d is needed", ErrGitTooOld, g.path, version.text, minGit[0], minGit[1])
	}
	g.version = version.text
	return g, nil
}

type version struct {
	text         string
	major, minor int
}

var versionLine = regexp.MustCompile(`^git version (([0-9]{1,4})\.([0-9]{1,4})(?:\.[0-9A-Za-z]+)*)`)

// parseVersion reads the answer of git version. What distributors append
// ("(Apple Git-154)") is dropped.
func parseVersion(line string) (version, bool) {
	m := versionLine.FindStringSubmatch(line)
	if m == nil {
		return version{}, false
	}
	major, err := strconv.Atoi(m[2])
	if err != nil {
		return version{}, false
	}
	minor, err := strconv.Atoi(m[3])
	if err != nil {
		return version{}, false
	}
	return version{text: m[1], major: major, minor: minor}, true
}

// A place is where a git command runs and what it is told about the
// repository.
type place struct {
	dir    string
	env    []string // added to environment
	config []string // "key=value", added to overrides
	held   *os.File // a lock that git and what it starts hold, too; may be nil
}

// environment is all that git inherits: nothing of ours, so no GIT_*, HOME,
// editor, pager or agent socket.
var environment = []string{
	"LC_ALL=C", // messages are told apart by their English text
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_CONFIG_GLOBAL=" + os.DevNull,
	"GIT_ATTR_NOSYSTEM=1",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_NO_REPLACE_OBJECTS=1",
	"GIT_GRAFT_FILE=" + os.DevNull,
	// Both stop a partial clone from fetching what it lacks. Not every git
	// from minGit on knows the first; the second, an empty list, refuses every
	// transport.
	"GIT_NO_LAZY_FETCH=1",
	"GIT_ALLOW_PROTOCOL=",
	"GIT_PAGER=cat",
}

// overrides win over every configuration file. They travel by environment and
// not by -c because there a key cannot be mistaken for its value.
var overrides = []string{
	"core.fsmonitor=false",
	"core.hooksPath=" + os.DevNull,
	"core.commitGraph=false", // a forged one lies about history
	"core.symlinks=false",
	"core.attributesFile=" + os.DevNull,
	// Larger blobs are written piece by piece as they are fetched and checked out;
	// git's own limit is 512 MiB, and each of several at once would take as much.
	// Not less than maxCompared, since a larger one is compared as if it was binary.
	"core.bigFileThreshold=16m",
	"core.warnAmbiguousRefs=true", // short names are made unambiguous
	"advice.graftFileDeprecated=false",
	"protocol.allow=never",
	"protocol.ext.allow=never",
	"safe.bareRepository=explicit", // none embedded in a tree is picked up
}

func (p place) environ() []string {
	env := append([]string(nil), environment...)
	config := append(append([]string(nil), overrides...), p.config...)
	for i, pair := range config {
		key, value, _ := strings.Cut(pair, "=")
		env = append(env,
			fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key),
			fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, value))
	}
	env = append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(config)))
	return append(env, p.env...)
}

// command prepares a git that reads nothing from our stdin and is killed with
// everything it started when ctx ends.
func (g git) command(ctx context.Context, at place, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.path, args...)
	cmd.Dir = at.dir
	cmd.Env = at.environ()
	cmd.WaitDelay = killGrace
	ownGroup(cmd)
	if at.held != nil {
		inherit(cmd, at.held)
	}
	return cmd
}

// run returns what git writes to stdout.
func (g git) run(ctx context.Context, at place, args ...string) ([]byte, error) {
	cmd := g.command(ctx, at, args...)
	stdout := &bounded{max: maxOutput, strict: true}
	stderr := &bounded{max: maxStderr}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Run(); err != nil {
		return nil, g.failure(ctx, err, stderr.kept.String(), args)
	}
	return stdout.kept.Bytes(), nil
}

// failure turns the end of a command into an error that says what git said.
func (g git) failure(ctx context.Context, err error, stderr string, args []string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f := &failure{command: args[0], err: err, stderr: stderr, code: -1}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		f.code = exit.ExitCode()
	}
	return f
}

// A failure is a git that ended with an error. It is an [ErrGitFailed].
type failure struct {
	command string
	code    int // -1 if it did not end by itself
	stderr  string
	err     error
}

func (f *failure) Error() string {
	said := clean(complaint(f.stderr))
	if said == "" {
		said = f.err.Error()
	}
	return fmt.Sprintf("git %s: %s", f.command, said)
}

func (f *failure) Unwrap() []error { return []error{ErrGitFailed, f.err} }

// complaint drops the advice that git mixes into what went wrong.
func complaint(stderr string) string {
	var kept strings.Builder
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "hint:") {
			kept.WriteString(strings.TrimPrefix(line, "fatal: "))
		}
	}
	return kept.String()
}

// said reports whether err is a failure in which git used the given words.
func said(err error, words string) bool {
	var f *failure
	return errors.As(err, &f) && strings.Contains(f.stderr, words)
}

// exited reports whether err is a git that ended with the given code.
func exited(err error, code int) bool {
	var f *failure
	return errors.As(err, &f) && f.code == code
}

// clean makes one printable line of what git wrote: names in it come from the
// repository and may hold escape sequences.
func clean(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, s)
}

var errTooMuchOutput = errors.New("too much output")

// bounded keeps the first max bytes. What is over is dropped, or an error if
// strict. The buffer is a field because its ReadFrom knows no bound.
type bounded struct {
	kept   bytes.Buffer
	max    int
	strict bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.max - b.kept.Len()
	if len(p) <= room {
		return b.kept.Write(p)
	}
	if b.strict {
		return 0, errTooMuchOutput
	}
	b.kept.Write(p[:room])
	return len(p), nil
}
