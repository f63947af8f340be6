package worktree

import (
	"fmt"
	"testing"
)

// What is read and written again is what was read.
func FuzzAnIndexListingIsReadWholeOrRefused(f *testing.F) {
	oid := "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
	for _, s := range []string{
		"", "H 100644 " + oid + " 0\ta\x00", "s 120000 " + oid + " 3\ta\tb\nc\x00m 160000 " + oid + " 1\t\xff\x00",
		"H 100644 " + oid + " 0\ta", "H 100644 " + oid + " 4\ta\x00", "? 100644 " + oid + " 0\ta\x00",
		"H 100644 e69d 0\ta\x00", "H 100644 " + oid + " 0\t\x00", "H  100644 " + oid + " 0\ta\x00",
	} {
		f.Add(s)
	}
	r := &Repo{format: formatSHA1}
	f.Fuzz(func(t *testing.T, s string) {
		entries, err := r.parseIndex([]byte(s))
		if err != nil {
			return
		}
		var again string
		for i, e := range entries {
			tag := map[bool]string{true: "S", false: "H"}[e.SkipWorktree]
			if e.AssumeUnchanged {
				tag = map[bool]string{true: "s", false: "h"}[e.SkipWorktree]
			}
			// M and H differ in nothing that the stage does not say.
			line := fmt.Sprintf("%s %s %s %d\t%s\x00", tag, e.Mode, e.OID, e.Stage, e.Path)
			at := len(again)
			again += line
			if i < len(entries) && len(s) >= at+len(line) && (s[at] == 'M' || s[at] == 'm') {
				again = again[:at] + s[at:at+1] + again[at+1:]
			}
		}
		if again != s {
			t.Fatalf("%q was read as %q", s, again)
		}
	})
}
