package worktree

import (
	"strings"
	"testing"
)

func FuzzAHistoryIsReadWholeOrRefused(f *testing.F) {
	one := marker + "\x00" + strings.Repeat("a", 40) + "\x00" + strings.Repeat("b", 40) + "\x00Ada\x001767225600\x00One\n\nmore\x00\n:100644 100644 " +
		strings.Repeat("1", 40) + " " + strings.Repeat("2", 40) + " M\x00dir/a b.go\x00"
	f.Add(one)
	f.Add(one + one)
	f.Add(marker + "\x00")
	f.Add(":100644\x00x")
	f.Fuzz(func(t *testing.T, out string) {
		commits, err := parsePast([]byte(out))
		if err != nil {
			return
		}
		for _, c := range commits {
			if !strings.Contains(out, string(c.ID)) || len(c.Message) > 3*maxMessage {
				t.Errorf("%+v is not in %q", c, out)
			}
			for _, change := range c.Changes {
				if change.Path == "" || !strings.Contains(out, change.Path) {
					t.Errorf("%+v is not in %q", change, out)
				}
			}
		}
	})
}

func TestAHistoryIsRead(t *testing.T) {
	id, blob := strings.Repeat("a", 40), strings.Repeat("1", 40)
	commits, err := parsePast([]byte(marker + "\x00" + id + "\x00b c\x00Ada\x0012\x00One\n\x00\n:000000 100644 " + strings.Repeat("0", 40) + " " + blob + " A\x00:odd\nname\x00"))
	if err != nil || len(commits) != 1 {
		t.Fatal(commits, err)
	}
	c := commits[0]
	if string(c.ID) != id || !c.Merge || c.Author != "Ada" || c.Time != 12 || c.Message != "One\n" || len(c.Changes) != 1 ||
		c.Changes[0] != (PathChange{Path: ":odd\nname", New: OID(blob)}) {
		t.Errorf("%+v", c)
	}
	for _, bad := range []string{"x\x00", marker + "\x00a\x00", ":100644 100644 a b M\x00p\x00", marker + "\x00a\x00\x00Ada\x00late\x00m\x00"} {
		if _, err := parsePast([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
