package manifest

import (
	"regexp"
	"strconv"
	"strings"
)

// A Change is what became of one package.
type Change struct {
	Name string
	Part string // "dev", "replace"; "" for the main part
	Kind string // added, dropped, bumped, lowered, pinned, loosened, changed
	From string // what was asked for, "" if nothing or any version
	To   string
}

// Packages is [Diff], one by one: the packages that a file asks for in another
// way, by name; of a lockfile those that moved.
func Packages(p string, old, new []byte) (changes []Change, ok bool, err error) {
	read, _ := formatOf(p)
	if read == nil {
		return nil, false, nil
	}
	before, err := load(read, old)
	if err != nil {
		return nil, true, err
	}
	after, err := load(read, new)
	if err != nil {
		return nil, true, err
	}
	for _, k := range union(before, after) {
		from, was := before.asked(k)
		to, is := after.asked(k)
		if was && is && from == to {
			continue
		}
		changes = append(changes, Change{Name: k.name, Part: k.part, Kind: kindOf(from, to, was, is), From: from, To: to})
	}
	return changes, true, nil
}

func kindOf(from, to string, was, is bool) string {
	switch {
	case !was:
		return "added"
	case !is:
		return "dropped"
	case !exact(from) && exact(to):
		return "pinned"
	case exact(from) && !exact(to):
		return "loosened"
	}
	switch order(from, to) {
	case -1:
		return "bumped"
	case 1:
		return "lowered"
	}
	return "changed"
}

var (
	versionText = regexp.MustCompile(`\d+(?:\.\d+)*`)
	commit      = regexp.MustCompile(`^[0-9a-f]{40}$| at [0-9a-f]{12}$`)
	exactText   = regexp.MustCompile(`^(?:==|=)?\s*v?\d+\.\d+[\w.+-]*(?: // indirect)?$`)
)

// exact reports whether a text asks for one version only.
func exact(s string) bool { return commit.MatchString(s) || exactText.MatchString(s) }

// order compares the first versions of two texts; 0 if one has none or they are
// the same.
func order(a, b string) int {
	if commit.MatchString(a) && !strings.Contains(a, " ") || commit.MatchString(b) && !strings.Contains(b, " ") {
		return 0
	}
	x, y := numbers(a), numbers(b)
	if x == nil || y == nil {
		return 0
	}
	for i := range max(len(x), len(y)) {
		m, n := 0, 0
		if i < len(x) {
			m = x[i]
		}
		if i < len(y) {
			n = y[i]
		}
		if m != n {
			if m < n {
				return -1
			}
			return 1
		}
	}
	return 0
}

func numbers(s string) []int {
	var out []int
	for part := range strings.SplitSeq(versionText.FindString(s), ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}
