// Package owners reads CODEOWNERS files as GitHub does.
//
// Input is the bytes of such a file; output is who owns a path, with the line that
// decides, and the lines that GitHub skips because they mean nothing to it. The last
// matching line wins, and one without owners means that nobody owns the path.
// Whether a user or team exists is not known here. The package opens no file.
package owners

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Places are where the file may lie in a tree; the first that exists counts.
var Places = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}

// MaxBytes is the size, 3 MB, from which on GitHub loads no such file.
const MaxBytes = 3 << 20

// What a file may cost. A repository with more lines than these exists nowhere we
// know of, and every path is tried against every line.
const (
	maxRules  = 20_000
	maxErrors = 1000
	maxStars  = 4 // of ** in one pattern: each multiplies the ways in which a path can match
)

// errTooLarge means that GitHub does not load the file, so that nobody owns anything.
var errTooLarge = errors.New("a CODEOWNERS file of 3 MB or more is not loaded")

// A File is one CODEOWNERS file.
type File struct {
	Rules  []Rule  // in the order of the file
	Errors []Error // lines that are skipped, in the same order
}

// A Rule is one line: a pattern and who owns what it matches.
type Rule struct {
	Line    int // from 1
	Pattern string
	Owners  []string // as written; empty: nobody
	globs   []string // any of them matches
}

// An Error is a line that GitHub skips.
type Error struct {
	Line   int
	Reason string
}

// Parse reads a file.
func Parse(data []byte) (File, error) {
	if len(data) >= MaxBytes {
		return File{}, errTooLarge
	}
	var f File
	n := 0
	for line := range bytes.Lines(data) {
		n++
		rule, err := parseLine(string(line))
		switch {
		case err != nil && len(f.Errors) < maxErrors:
			f.Errors = append(f.Errors, Error{n, err.Error()})
		case err == nil && rule.Pattern != "":
			if len(f.Rules) == maxRules {
				return f, fmt.Errorf("%w: more than %d rules", errTooLarge, maxRules)
			}
			rule.Line = n
			f.Rules = append(f.Rules, rule)
		}
	}
	return f, nil
}

// Of returns the rule that decides who owns a path: the last that matches.
func (f File) Of(path string) (Rule, bool) {
	for i := len(f.Rules) - 1; i >= 0; i-- {
		if f.Rules[i].matches(path) {
			return f.Rules[i], true
		}
	}
	return Rule{}, false
}

func (r Rule) matches(path string) bool {
	for _, g := range r.globs {
		if doublestar.MatchUnvalidated(g, path) {
			return true
		}
	}
	return false
}

// parseLine reads one line. A blank one, or a comment, gives a rule without pattern.
func parseLine(line string) (r Rule, err error) {
	if !utf8.ValidString(line) {
		return r, errors.New("not UTF-8")
	}
	pattern, rest := cutPattern(strings.TrimSpace(line))
	if pattern == "" {
		return r, nil
	}
	for _, word := range strings.Fields(rest) {
		if strings.HasPrefix(word, "#") {
			break // a comment ends the line
		}
		if !isOwner(word) {
			return Rule{}, fmt.Errorf("%q is no @user, @organisation/team or mail address", word)
		}
		r.Owners = append(r.Owners, word)
	}
	r.Pattern = pattern
	r.globs, err = globs(pattern)
	return r, err
}

// cutPattern splits a line after its first word. A space after a backslash belongs
// to the word.
func cutPattern(line string) (pattern, rest string) {
	if strings.HasPrefix(line, "#") {
		return "", ""
	}
	escaped := false
	for i, c := range line {
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == ' ' || c == '\t':
			return line[:i], line[i:]
		}
	}
	return line, ""
}

var (
	user = regexp.MustCompile(`^@[A-Za-z0-9_-]+(/[A-Za-z0-9._-]+)?$`)
	mail = regexp.MustCompile(`^[^@\s]+@[A-Za-z0-9.-]+\.[A-Za-z]+$`)
)

func isOwner(word string) bool { return user.MatchString(word) || mail.MatchString(word) }

// IsMail reports whether an owner is a mail address.
func IsMail(owner string) bool { return mail.MatchString(owner) }

// globs writes a pattern in the signs of doublestar. It is one of gitignore, but
// that !, [ ] and \# do not work, that "docs/*" ends at the files right in the
// folder, and that a pattern for a folder stands for the files in it.
func globs(pattern string) ([]string, error) {
	switch {
	case strings.HasPrefix(pattern, "!"):
		return nil, errors.New("a pattern that begins with ! does not work in CODEOWNERS")
	case strings.HasPrefix(pattern, `\#`):
		return nil, errors.New(`a pattern that begins with \# does not work in CODEOWNERS`)
	case strings.ContainsAny(pattern, "[]"):
		return nil, errors.New("a range of signs in [ ] does not work in CODEOWNERS")
	case strings.HasSuffix(pattern, `\`):
		return nil, errors.New("the pattern ends with a backslash")
	case strings.Contains(pattern, "***"):
		return nil, errors.New("a pattern cannot have three asterisks in a row")
	case strings.Count(pattern, "**") > maxStars:
		return nil, fmt.Errorf("more than %d of ** in one pattern are not read", maxStars)
	}
	core := strings.Trim(pattern, "/")
	if core == "" {
		return nil, nil // "/" matches nothing
	}
	// Braces mean nothing here and something to doublestar.
	core = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(core)
	anchored := strings.HasPrefix(pattern, "/") || strings.Contains(core, "/")
	if !anchored {
		core = "**/" + core
	}
	inside := core + "/**/*"
	if strings.HasSuffix(core, "/**") || core == "**" {
		inside = core + "/*"
	}
	switch {
	case strings.HasSuffix(pattern, "/"):
		return []string{inside}, nil
	case anchored && (strings.HasSuffix(core, "/*") || core == "*"):
		return []string{core}, nil
	case inside == core+"/*":
		return []string{inside}, nil
	}
	return []string{core, inside}, nil
}
