package worktree

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	// ErrNoRemote means that the repository has no remote of that name.
	ErrNoRemote = errors.New("no such remote")
	// ErrBadURL means that a URL is none that is fetched from: http, https,
	// ssh, file or the absolute path of a repository.
	ErrBadURL = errors.New("not a URL to fetch from")
)

// maxURL is the length over which a URL is refused, in bytes.
const maxURL = 4096

// RemoteURL returns the URL of a remote as the repository's configuration
// writes it. No url.<base>.insteadOf is applied: it could lead to another host
// or to a program. A relative path is taken from the repository's root. In a
// worktree of a [Store] the remotes are those of its repository.
func RemoteURL(ctx context.Context, r *Repo, name string) (string, error) {
	if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\x00\n") {
		return "", fmt.Errorf("%w: %q", ErrNoRemote, name)
	}
	out, err := r.git.run(ctx, r.remotes(), "config", "-z", "--get-all", "remote."+name+".url")
	if exited(err, 1) {
		return "", fmt.Errorf("%w: %q", ErrNoRemote, name)
	}
	if err != nil {
		return "", fmt.Errorf("URL of the remote %q: %w", name, err)
	}
	first, _, _ := strings.Cut(string(out), "\x00") // the others are for pushing
	text := first
	if relativePath(text) {
		text = filepath.Join(r.top(), text)
	}
	if _, err := parseURL(text); err != nil {
		return "", fmt.Errorf("remote %q: %w", name, err)
	}
	return text, nil
}

// top is the folder that relative paths in the configuration start from.
func (r *Repo) top() string {
	if origin := r.origin(); origin != r.commonDir || r.root == "" {
		return strings.TrimSuffix(origin, string(filepath.Separator)+".git")
	}
	return r.root
}

// relativePath reports whether git would read a URL as a path that is not
// absolute.
func relativePath(text string) bool {
	return text != "" && !strings.HasPrefix(text, "-") && !filepath.IsAbs(text) && !strings.Contains(text, ":")
}

// A source is a URL that may be fetched from.
type source struct {
	text     string // as git gets it
	protocol string // the only one that git may use
}

// scpURL is git's short form of an ssh URL. Only here is a colon no sign of a
// helper program: "ext::" has a second one.
var scpURL = regexp.MustCompile(`^(?:[A-Za-z0-9_][A-Za-z0-9_.+-]*@)?[A-Za-z0-9][A-Za-z0-9.-]+:[^:\-][^:]*$`)

// parseURL accepts the URLs that name a repository and nothing else.
func parseURL(text string) (source, error) {
	refuse := func(why string) (source, error) {
		return source{}, fmt.Errorf("%w: %s: %q", ErrBadURL, why, redacted(text))
	}
	switch {
	case text == "":
		return refuse("it is empty")
	case len(text) > maxURL:
		return source{}, fmt.Errorf("%w: it has %d bytes, %d are allowed", ErrBadURL, len(text), maxURL)
	case strings.HasPrefix(text, "-"):
		return refuse("it starts with a dash")
	case strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return refuse("it holds a control character")
	case filepath.IsAbs(text):
		return source{text: text, protocol: "file"}, nil
	}
	scheme, _, ok := strings.Cut(text, "://")
	if !ok {
		if scpURL.MatchString(text) {
			return source{text: text, protocol: "ssh"}, nil
		}
		return refuse("want http, https, ssh, file or an absolute path")
	}
	u, err := url.Parse(text)
	if err != nil {
		return refuse("it cannot be read")
	}
	switch scheme {
	case "http", "https", "ssh":
		if u.Hostname() == "" || strings.HasPrefix(u.Host, "-") || strings.HasPrefix(u.User.Username(), "-") {
			return refuse("it names no host")
		}
		if strings.Trim(u.Path, "/") == "" || strings.HasPrefix(u.Path, "/-") {
			return refuse("it names no repository")
		}
	case "file":
		if u.Host != "" || !strings.HasPrefix(u.Path, "/") {
			return refuse("it names no absolute path")
		}
	default:
		return refuse("want http, https, ssh, file or an absolute path")
	}
	return source{text: text, protocol: scheme}, nil
}

// redacted is a URL for people: without what may be a password or a token.
func redacted(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	host, path, slash := strings.Cut(rest, "/")
	if at := strings.LastIndex(host, "@"); at >= 0 {
		host = host[at+1:]
	}
	if slash {
		host += "/" + path
	}
	return scheme + "://" + host
}
