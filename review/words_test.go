package review

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"parseURLPath": "parse url path", "URL": "url", "Test_createRun": "test create run", "": "",
		"v2Client": "v2 client", "__init__": "init", "straßeÖffnen": "straße öffnen",
	} {
		if got := strings.Join(words(name), " "); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// FuzzWords checks that splitting loses no letter and no digit.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"parseURLPath", "__init__", "a.b c", "ǅaÉb", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		var kept []rune
		for _, r := range name {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				kept = append(kept, r)
			}
		}
		got := words(name)
		if joined := strings.Join(got, ""); joined != strings.ToLower(string(kept)) {
			t.Errorf("%q became %q", name, joined)
		}
		if slices.Contains(got, "") {
			t.Errorf("%q has an empty word: %q", name, got)
		}
	})
}
