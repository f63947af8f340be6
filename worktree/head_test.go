package worktree

import "testing"

func TestPackedRef(t *testing.T) {
	const oid = "0123456789012345678901234567890123456789"
	head := "# pack-refs with: peeled fully-peeled sorted \n"
	for claim, test := range map[string]struct {
		text string
		want OID
	}{
		"a line":                 {head + oid + " refs/heads/main\n", oid},
		"not one that ends so":   {oid + " refs/remotes/refs/heads/main\n", ""},
		"not its beginning":      {oid + " refs/heads/main2\n", ""},
		"a line that is cut off": {oid + " refs/heads/main", ""},
		"two lines are none":     {oid + " refs/heads/main\n" + oid + " refs/heads/main\n", ""},
		"nothing":                {"", ""},
	} {
		if got, ok := packedRef([]byte(test.text), "refs/heads/main"); got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %v", claim, got, ok)
		}
	}
}
