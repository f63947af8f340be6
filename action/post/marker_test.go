package post

import (
	"strings"
	"testing"
)

// FuzzMarker checks that what is read as a marker is what a marker writes, at the
// very start and alone on its line.
func FuzzMarker(f *testing.F) {
	m := marker{key: "default", head: strings.Repeat("d", 40), seq: seq{900, 1}, sum: strings.Repeat("0", 64)}
	for _, s := range []string{m.String() + "\ntext", m.String() + "\r\n", m.String(), " " + m.String() + "\n", m.String() + " \n",
		strings.Replace(m.String(), "900", "0900", 1) + "\n", strings.Replace(m.String(), "v=1", "v=2", 1) + "\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got, ok := markerOf(body)
		if !ok {
			return
		}
		first, _, _ := strings.Cut(body, "\n")
		if len(got.String()) > len(first) || !strings.HasPrefix(first, "<!-- previdence v=1 key="+got.key+" head="+got.head+" seq=") {
			t.Errorf("%q was read as %s", first, got)
		}
		if again, ok := markerOf(got.String() + "\n"); !ok || again != got {
			t.Errorf("%s is read as %s", got, again)
		}
	})
}

func TestMarkers(t *testing.T) {
	m := marker{key: "default", head: strings.Repeat("d", 40), seq: seq{900, 1}, sum: strings.Repeat("0", 64)}
	for _, c := range []struct {
		claim, body string
		ok          bool
	}{
		{"a marker", m.String() + "\n### x", true},
		{"with a line end that a browser wrote", m.String() + "\r\n### x", true},
		{"behind a space", " " + m.String() + "\n", false},
		{"behind a byte order mark", "\ufeff" + m.String() + "\n", false},
		{"behind a line", "\n" + m.String() + "\n", false},
		{"without a line after it", m.String(), false},
		{"with more on its line", m.String() + " x\n", false},
		{"of another version", strings.Replace(m.String(), "v=1", "v=2", 1) + "\n", false},
		{"with a number that is too long", strings.Replace(m.String(), "900", strings.Repeat("9", 19), 1) + "\n", false},
		{"with a short commit", strings.Replace(m.String(), strings.Repeat("d", 40), "ddddddd", 1) + "\n", false},
		{"in capitals", strings.ToUpper(m.String()) + "\n", false},
	} {
		if got, ok := markerOf(c.body); ok != c.ok || ok && got != m {
			t.Errorf("%s: %v %v", c.claim, got, ok)
		}
	}
}

func TestRunsAreOrderedByNumber(t *testing.T) {
	for _, c := range []struct {
		a, b seq
		want int
	}{
		{seq{9, 1}, seq{10, 1}, -1}, {seq{10, 2}, seq{10, 10}, -1}, {seq{10, 2}, seq{10, 2}, 0}, {seq{11, 1}, seq{10, 9}, 1},
	} {
		if got := c.a.compare(c.b); got != c.want {
			t.Errorf("%v and %v: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestWhoseCommentsAreOurs(t *testing.T) {
	for _, c := range []struct {
		login, author, kind string
		want                bool
	}{
		{"github-actions[bot]", "github-actions[bot]", "Bot", true},
		{"github-actions[bot]", "GitHub-Actions[bot]", "Bot", true},
		{"github-actions[bot]", "github-actions[bot]", "User", false},
		{"github-actions[bot]", "github-actions", "Bot", false},
		{"github-actions[bot]", "github-actions", "User", false},
		{"octocat", "octocat", "User", true}, // a personal token
		{"octocat", "octocat", "Bot", false},
		{"", "", "User", false},
	} {
		if got := ours(c.login, c.author, c.kind); got != c.want {
			t.Errorf("%q by %q (%s): %v", c.login, c.author, c.kind, got)
		}
	}
}

// FuzzSpans counts the lines of head in each hunk by themselves: a span that is
// too long would put a comment where GitHub refuses it.
func FuzzSpans(f *testing.F) {
	for _, p := range []string{"@@ -1,2 +1,3 @@\n a\n+b\n c", "@@ -1 +1 @@ func f() {\n-a\n+b\n\\ No newline at end of file", "@@ -1,2 +0,0 @@\n-a\n-b",
		"@@ -50,0 +51,1 @@\n+@@ -1,1 +1,1 @@", "@@ -0,0 +2 @@\n+x\n@@ -9 +11,2 @@\n+y\n z", "@@ -1,2 +1,3 @@\n\n+b\n "} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, patch string) {
		list := spans(patch)
		var counted []span
		at := -1
		for _, l := range strings.Split(strings.TrimSuffix(patch, "\n"), "\n") {
			switch {
			case strings.HasPrefix(l, "@@ "):
				counted, at = append(counted, span{}), len(counted)
			case at < 0 || strings.HasPrefix(l, "-") || strings.HasPrefix(l, `\`):
			default:
				counted[at].last++
			}
		}
		i := 0
		for _, c := range counted {
			if c.last == 0 {
				continue
			}
			if list == nil {
				return // refused
			}
			if i >= len(list) || list[i].last-list[i].first+1 != c.last || i > 0 && list[i].first <= list[i-1].last {
				t.Fatalf("%q: spans %v, counted %v", patch, list, counted)
			}
			i++
		}
		if i != len(list) {
			t.Errorf("%q: spans %v, counted %v", patch, list, counted)
		}
	})
}
