package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestACopyIsTheGraphUnderAnotherStamp(t *testing.T) {
	g := synthetic(700, 3000)
	for name, stamp := range map[string]Stamp{
		"as long as before":   {Tree: "t1", Head: "h2", Generation: 8},
		"many pages longer":   {Tree: "t1", Head: "h2", RepositoryRoot: strings.Repeat("/long", 20_000)},
		"that claims another": {Tree: "t1", Digest: strings.Repeat("0", digestSize)},
	} {
		t.Run(name, func(t *testing.T) {
			from := openGraph(t, writeGraph(t, g))
			to := filepath.Join(t.TempDir(), "new", "graph.db")
			if err := from.Copy(t.Context(), to, stamp); err != nil {
				t.Fatal(err)
			}
			copied := openGraph(t, to)
			stamp.Digest = Digest(g)
			if copied.Stamp() != stamp {
				t.Errorf("stamp is %+v", copied.Stamp())
			}
			if err := copied.Prove(t.Context()); err != nil {
				t.Error(err)
			}
			loaded, err := copied.Load(t.Context())
			if err != nil || Digest(loaded) != Digest(g) {
				t.Errorf("another graph, %v", err)
			}
		})
	}
}

func TestADamagedGraphIsNotCopied(t *testing.T) {
	path := writeGraph(t, synthetic(700, 3000))
	data := mustRead(t, path)
	data[len(data)-20_000] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	to := writeGraph(t, synthetic(10, 10))
	before := mustRead(t, to)
	if err := openGraph(t, path).Copy(t.Context(), to, Stamp{Tree: "t1"}); err == nil {
		t.Fatal("a page that is not as it was written was copied")
	}
	if string(mustRead(t, to)) != string(before) {
		t.Error("what was there before is gone")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(to), ".graph-*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
