package pipeline

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// ErrBadRequest means that a text names nothing that could be reviewed.
var ErrBadRequest = errors.New("not something to review")

// A Request names what to review: a pull request of a remote, the commit of
// another worktree, or two revisions. The zero value is HEAD against the
// remote's default branch.
type Request struct {
	Base string // revision; "": the branch that the pull request goes into, else the remote's default branch
	Head string // revision; "": HEAD; not with Pull or Worktree

	Pull     int    // number of a pull request; 0: none
	Host     string // that the remote must have, in lower case; "": any
	Name     string // "owner/name" that the remote must have
	Worktree string // path of another worktree of the repository, whose HEAD is the head
}

var (
	pullNumber = regexp.MustCompile(`^#?([1-9][0-9]{0,8})$`)
	pullPath   = regexp.MustCompile(`^/([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)/pulls?/([1-9][0-9]{0,8})(?:/.*)?$`)
)

// ParseRequest reads what somebody typed:
//
//	12, #12                        a pull request of the remote
//	https://host/owner/name/pull/12    the same, if the remote is that repository
//	BASE...HEAD                    two revisions, either may be empty
//	/path, ./path, ../path         the commit of another worktree
//	anything else                  a revision against the default branch
//
// A branch whose name is a number is written refs/heads/12.
func ParseRequest(text string) (Request, error) {
	if m := pullNumber.FindStringSubmatch(text); m != nil {
		number, err := strconv.Atoi(m[1])
		return Request{Pull: number}, err
	}
	base, head, isRange := strings.Cut(text, "...")
	switch {
	case strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://"):
		return parsePullURL(text)
	case isPath(text):
		return Request{Worktree: text}, nil
	case isRange && strings.Contains(head, ".."):
		return Request{}, fmt.Errorf("%w: %q is more than one BASE...HEAD", ErrBadRequest, text)
	case isRange:
		return Request{Base: base, Head: head}, nil
	case text == "":
		return Request{}, fmt.Errorf("%w: it is empty", ErrBadRequest)
	case strings.Contains(text, ".."):
		return Request{}, fmt.Errorf("%w: %q has two dots, want BASE...HEAD", ErrBadRequest, text)
	case strings.Contains(text, "://"):
		return Request{}, fmt.Errorf("%w: %q is no web address of a pull request", ErrBadRequest, text)
	}
	return Request{Head: text}, nil
}

// parsePullURL reads the web address of a pull request, or of one of its pages.
func parsePullURL(text string) (Request, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Request{}, fmt.Errorf("%w: the address cannot be read", ErrBadRequest)
	}
	m := pullPath.FindStringSubmatch(u.EscapedPath())
	if m == nil || u.Host == "" || u.User != nil {
		return Request{}, fmt.Errorf("%w: want an address like https://host/owner/name/pull/12", ErrBadRequest)
	}
	number, err := strconv.Atoi(m[2])
	return Request{Pull: number, Host: strings.ToLower(u.Host), Name: m[1]}, err
}

// isPath reports whether a text can only be meant as a path: no revision looks
// like this.
func isPath(text string) bool {
	if text == "." || text == ".." || filepath.IsAbs(text) {
		return true
	}
	slashed := filepath.ToSlash(text)
	return strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../")
}
