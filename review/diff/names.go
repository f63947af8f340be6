package diff

import (
	"strings"
)

const devNull = "/dev/null"

// A names is one reading of the line "diff --git old new".
type names struct {
	old, new string // as written, unquoted
	path     string // without the prefix, if both name the same path
}

// headerNames returns the readings of the two names that a file's first line
// holds, the likeliest first. Names with spaces are not quoted there, so the
// place to cut is known only because both sides name the same path; a rename
// has its names in lines of their own.
func headerNames(rest string) []names {
	var out []names
	middle := len(rest) / 2
	if n, ok := readNames(rest, middle); ok {
		out = append(out, n)
	}
	if len(rest) > maxNames {
		return out
	}
	for i := range len(rest) {
		if i == middle {
			continue
		}
		if n, ok := readNames(rest, i); ok {
			out = append(out, n)
		}
	}
	return out
}

// maxNames bounds the bytes of two names that are cut at every space. Longer
// ones are cut in the middle alone, where git's own prefixes put the cut.
const maxNames = 8192

// readNames cuts the line at a space.
func readNames(rest string, at int) (names, bool) {
	if at >= len(rest) || rest[at] != ' ' {
		return names{}, false
	}
	old, okOld := bareName(rest[:at])
	new, okNew := bareName(rest[at+1:])
	if !okOld || !okNew {
		return names{}, false
	}
	path, ok := commonPath(old, new)
	return names{old: old, new: new, path: path}, ok
}

// commonPath takes the prefixes off. Equal names have none: git's own prefixes
// always differ. Otherwise a prefix is what stands before the first slash.
func commonPath(old, new string) (string, bool) {
	if old == new {
		return old, true
	}
	_, a, okA := strings.Cut(old, "/")
	_, b, okB := strings.Cut(new, "/")
	return a, okA && okB && a == b && a != ""
}

// settle decides the paths when the whole header is known. It returns what is
// wrong if the names do not fit each other.
func (h *header) settle() (wrong string) {
	f := &h.file
	if h.oldSide != "" && h.oldSide != binarySide && len(f.Hunks) == 0 {
		return "no hunk after the names"
	}
	if f.Status == Renamed || f.Status == Copied {
		f.OldPath, f.NewPath = h.from, h.to
		if h.from == "" || h.to == "" || !h.fits(h.from, h.to) {
			return "names of a rename or copy do not fit"
		}
		return ""
	}
	if h.from != "" {
		return "rename or copy without a new name"
	}
	if f.Status == Modified && len(f.Hunks) == 0 && !f.Binary && f.OldMode == f.NewMode {
		return "file without a change"
	}
	if f.Status == Modified && (f.OldMode == "") != (f.NewMode == "") {
		return "one mode of two"
	}
	for _, n := range h.names {
		if h.oldSide == "" || h.oldSide == binarySide || h.matches(n) {
			f.OldPath, f.NewPath = n.path, n.path
			return ""
		}
	}
	return "names do not fit"
}

// matches reports whether the --- and +++ lines say the same as the first line.
func (h *header) matches(n names) bool {
	old, new := n.old, n.new
	switch h.file.Status {
	case Added:
		old = devNull
	case Removed:
		new = devNull
	}
	return h.oldSide == old && h.newSide == new
}

// fits reports whether the --- and +++ lines of a rename, if there are any,
// name its paths, with or without a prefix.
func (h *header) fits(from, to string) bool {
	if h.oldSide == "" || h.oldSide == binarySide {
		return true
	}
	return isPrefixed(h.oldSide, from) && isPrefixed(h.newSide, to)
}

func isPrefixed(side, path string) bool {
	if side == path {
		return true
	}
	_, bare, ok := strings.Cut(side, "/")
	return ok && bare == path
}

// sideName reads the name of a --- or +++ line, where git marks the end of a
// name with spaces by a tab.
func sideName(s string) (string, bool) {
	if !strings.HasPrefix(s, `"`) {
		s = strings.TrimSuffix(s, "\t")
	}
	return bareName(s)
}

// bareName reads a name that is quoted if it holds bytes that need it.
func bareName(s string) (string, bool) {
	if strings.HasPrefix(s, `"`) {
		return unquote(s)
	}
	return s, s != "" && !strings.ContainsAny(s, "\x00\t\"\\")
}

var escapes = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\', '"': '"'}

// unquote reads a name in double quotes with C escapes and octal bytes.
func unquote(s string) (string, bool) {
	if len(s) < 3 || s[len(s)-1] != '"' {
		return "", false
	}
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return "", false
		case s[i] != '\\':
			b.WriteByte(s[i])
		case i+1 < len(s) && escapes[s[i+1]] != 0:
			b.WriteByte(escapes[s[i+1]])
			i++
		case i+3 < len(s) && isOctal(s[i+1:i+4]):
			b.WriteByte((s[i+1]-'0')<<6 | (s[i+2]-'0')<<3 | (s[i+3] - '0'))
			i += 3
		default:
			return "", false
		}
	}
	name := b.String()
	return name, !strings.ContainsRune(name, 0)
}

func isOctal(s string) bool {
	return s[0] <= '3' && strings.Trim(s, "01234567") == ""
}
