package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/previdence/previdence/graph"
)

// synthetic makes a graph in canonical order whose size and content depend on
// its arguments only.
func synthetic(symbols, edges int) *graph.Graph {
	r := rand.New(rand.NewPCG(1, 2))
	g := &graph.Graph{}
	kinds := []graph.Kind{graph.KindFunction, graph.KindMethod, graph.KindField, graph.KindConstant, graph.KindStruct}
	verbs := []string{"Read", "writeAll", "HTTPServe", "parse_line", "open", "Résumé"}
	for i := range symbols {
		path := fmt.Sprintf("pkg%d/file_%d.go", i/400, i/40)
		name := fmt.Sprintf("%s%d", verbs[i%len(verbs)], i)
		container := ""
		if i%3 == 0 {
			container = "Client"
		}
		kind := kinds[i%len(kinds)]
		s := graph.Symbol{
			ID:   graph.NewSymbolID("go", path, container, name, kind, ""),
			Name: name, Container: container, Kind: kind, Language: "go", Path: path,
			Line: i%40*10 + 1, EndLine: i%40*10 + 8, Start: i % 40 * 300, End: i%40*300 + 250,
			Exported: i%2 == 0, Test: i%17 == 0, Generated: i%101 == 0,
			Signature: "func " + name + "(ctx context.Context, limit int) ([]byte, error)", Result: "([]byte, error)",
			Params: []graph.Param{{Name: "ctx", TypeText: "context.Context", Type: graph.None}, {Name: "limit", Kind: graph.ParamNamed, Optional: true, TypeText: "int", Type: graph.None}},
		}
		if s.Test {
			s.Framework = "go"
		}
		s.Digests.Body[0], s.Digests.Raw[15] = byte(i), 1
		g.Symbols = append(g.Symbols, s)
		if i%40 == 0 {
			g.Files = append(g.Files, graph.File{Path: path, Blob: fmt.Sprintf("%040x", i), Size: int64(i), Language: "go", State: graph.FileParsed})
		}
	}
	for range edges {
		from, to := r.IntN(symbols), r.IntN(symbols)
		if r.IntN(4) == 0 {
			to = r.IntN(1 + symbols/100) // a few symbols that many use
		}
		lines := []int32{int32(1 + r.IntN(4000))}
		if r.IntN(3) == 0 {
			lines = append(lines, lines[0]+3)
		}
		g.Edges = append(g.Edges, graph.Edge{From: int32(from), To: int32(to), Kind: graph.EdgeKind(1 + r.IntN(6)), Tier: graph.Tier(1 + r.IntN(7)), Lines: lines})
	}
	for range symbols / 10 {
		g.Unresolved = append(g.Unresolved, graph.Unresolved{From: int32(r.IntN(symbols)), Line: int32(1 + r.IntN(900)), Kind: graph.EdgeCall, Name: "gone", In: "pkg1", Broken: r.IntN(2) == 0, Reason: "no such name"})
	}
	g.Files = append(g.Files, graph.File{Path: "weird \xff?name", State: graph.FilePartial, Reason: "2 gaps", Gaps: []graph.Span{{Start: 3, End: 4}, {Start: 9, End: 12}}, Generated: true})
	g.Counts = []graph.Counts{{Language: "go", Compiler: 9, Unresolved: 2, External: 4}, {Language: "python", Name: 1}}
	g.Caveats = []graph.Caveat{{ID: "go.stand_in", Text: "Packages were not there.", Count: 2, Of: 9, Examples: []string{"a", "b\nc"}}}
	g.Sort()
	return g
}

func writeGraph(t testing.TB, g *graph.Graph) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.db")
	if err := Write(t.Context(), path, g, Stamp{Tree: "t1", Head: "h1", Generation: 7}); err != nil {
		t.Fatal(err)
	}
	return path
}

func openGraph(t testing.TB, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	for name, g := range map[string]*graph.Graph{"many symbols": synthetic(1500, 6000), "no symbols": func() *graph.Graph {
		g := &graph.Graph{Files: []graph.File{{Path: "a", State: graph.FileBinary}}}
		g.Sort()
		return g
	}()} {
		t.Run(name, func(t *testing.T) {
			stamp := Stamp{RepositoryRoot: "/r ö", CommonDir: "/r/.git", Head: "h", Tree: "t", Engine: "e", Config: "c", Generation: 3, ToolVersion: "v1"}
			path := filepath.Join(t.TempDir(), "state", "graph.db")
			if err := Write(t.Context(), path, g, stamp); err != nil {
				t.Fatal(err)
			}
			db := openGraph(t, path)
			stamp.Digest = Digest(g)
			if db.Stamp() != stamp {
				t.Errorf("stamp is %+v, want %+v", db.Stamp(), stamp)
			}
			got, err := db.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for part, pair := range map[string][2]any{
				"symbols": {got.Symbols, g.Symbols}, "edges": {got.Edges, g.Edges}, "unresolved": {got.Unresolved, g.Unresolved},
				"files": {got.Files, g.Files}, "counts": {got.Counts, g.Counts}, "caveats": {got.Caveats, g.Caveats},
			} {
				if empty := reflect.ValueOf(pair[0]).Len()+reflect.ValueOf(pair[1]).Len() == 0; !empty && !reflect.DeepEqual(pair[0], pair[1]) {
					t.Errorf("%s differ", part)
				}
			}
			for i := range int32(len(g.Symbols)) {
				if !slices.Equal(got.In(i), g.In(i)) {
					t.Fatalf("edges arriving at %d differ", i)
				}
			}
		})
	}
}

func TestFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "graph.db")
	if err := Write(t.Context(), path, synthetic(10, 10), Stamp{}); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", p, info.Mode(), want)
		}
	}
}

func TestOptionsInThePathAreOnlyCharacters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a?mode=memory&b#c%20 d'é;")
	path := filepath.Join(dir, "graph.db")
	g := synthetic(50, 50)
	if err := Write(t.Context(), path, g, Stamp{}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("folder holds %v, %v; want the graph alone", entries, err)
	}
	if _, err := openGraph(t, path).Load(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestFailedWriteLeavesTheOldGraph(t *testing.T) {
	old, next := synthetic(40, 80), synthetic(20000, 20000)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, run := range map[string]func(path string) error{
		"disk full": func(path string) error {
			return write(t.Context(), path, next, Stamp{Digest: "d"}, []string{"max_page_count(6)"})
		},
		"disk full while indexing": func(path string) error {
			file := mustRead(t, writeGraph(t, next))
			pages := bytes.Index(file, []byte(bodyMagic)) / 8192
			return write(t.Context(), path, next, Stamp{Digest: "d"}, []string{fmt.Sprintf("max_page_count(%d)", pages-1)})
		},
		"more than a part can hold": func(path string) error {
			defer func(n int) { maxPart = n }(maxPart)
			maxPart = 1 << 20
			return Write(t.Context(), path, next, Stamp{})
		},
		"cancelled": func(path string) error { return Write(cancelled, path, next, Stamp{}) },
	} {
		t.Run(name, func(t *testing.T) {
			path := writeGraph(t, old)
			if err := run(path); err == nil || errors.Is(err, ErrNotWritten) == errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}
			entries, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(entries) != 1 {
				t.Errorf("folder holds %v, %v; want the old graph alone", entries, err)
			}
			if got := openGraph(t, path).Stamp().Digest; got != Digest(old) {
				t.Errorf("digest is %s, want that of the old graph", got)
			}
		})
	}
}

func TestReaderKeepsItsGraphWhileAnotherIsPublished(t *testing.T) {
	old := synthetic(200, 400)
	path := writeGraph(t, old)
	db := openGraph(t, path)
	if err := Write(t.Context(), path, synthetic(300, 10), Stamp{}); err != nil {
		t.Fatal(err)
	}
	g, err := db.Load(t.Context())
	if err != nil || len(g.Symbols) != 200 {
		t.Fatalf("reader sees another graph: %v", err)
	}
}

func TestRefusesToPlayPlantedJournalsBack(t *testing.T) {
	g := synthetic(200, 400)
	path := writeGraph(t, g)
	// A database with changes that lie in its log only.
	other := writeGraph(t, g)
	db, err := sql.Open("sqlite", other+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "UPDATE stamp SET value='forged' WHERE name='head'; UPDATE counts SET unresolved=0"); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"-wal", "-journal"} {
		if err := os.WriteFile(path+suffix, mustRead(t, other+"-wal"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader := openGraph(t, path)
	if _, err := reader.Load(t.Context()); err != nil || reader.Stamp().Head != "h1" {
		t.Errorf("head is %q, %v", reader.Stamp().Head, err)
	}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// change runs SQL on a written graph, as somebody else could.
func change(t testing.TB, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}

// Whoever asks cannot write, however the question is put.
func TestRefusesToWriteToAGraph(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.db")
	if err := Write(t.Context(), path, synthetic(10, 10), Stamp{Tree: "t", Engine: "e"}); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"DELETE FROM files", "UPDATE stamp SET value = '1'", "INSERT INTO counts VALUES ('x',0,0,0,0,0,0,0)", "DROP TABLE unresolved",
		"CREATE TABLE planted (x)", "CREATE TRIGGER planted AFTER INSERT ON files BEGIN DELETE FROM stamp; END", "VACUUM",
	} {
		if _, err := db.sql.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s is done", statement)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	replace := func(data string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	statements := func(s string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) { change(t, path, s) }
	}
	tests := map[string]struct {
		change func(t *testing.T, path string)
		want   error
	}{
		"no file": {func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}, ErrNotReady},
		"an empty file":          {replace(""), ErrCorrupt},
		"text":                   {replace(string(make([]byte, 5000))), ErrCorrupt},
		"another database":       {statements("PRAGMA application_id=7"), ErrCorrupt},
		"a later version":        {statements("PRAGMA user_version=99"), ErrUnknownVersion},
		"a planted trigger":      {statements("CREATE TRIGGER t AFTER UPDATE ON stamp BEGIN DELETE FROM files; END"), ErrTampered},
		"a planted view":         {statements("CREATE VIEW v AS SELECT 1"), ErrTampered},
		"a missing index":        {statements("DROP INDEX files_path"), ErrTampered},
		"a renamed column":       {statements("ALTER TABLE files RENAME COLUMN reason TO why"), ErrTampered},
		"no stamp":               {statements("DELETE FROM stamp"), ErrNoStamp},
		"half a stamp":           {statements("DELETE FROM stamp WHERE name='tree'"), ErrNoStamp},
		"a stamp without digest": {statements("UPDATE stamp SET value='' WHERE name='digest'"), ErrNoStamp},
		"another digest":         {statements("UPDATE stamp SET value='00' WHERE name='digest'"), ErrTampered},
		"other totals":           {statements("UPDATE totals SET value=value+1 WHERE name='symbols'"), ErrTampered},
		"a lost total":           {statements("DELETE FROM totals WHERE name='parsed'"), ErrCorrupt},
		"no body": {func(t *testing.T, path string) {
			data := mustRead(t, path)
			replace(string(data[:bytes.Index(data, []byte(bodyMagic))]))(t, path)
		}, ErrCorrupt},
		"half a body": {func(t *testing.T, path string) {
			data := mustRead(t, path)
			replace(string(data[:len(data)-5000]))(t, path)
		}, ErrCorrupt},
		"the body of another graph": {func(t *testing.T, path string) {
			data, other := mustRead(t, path), mustRead(t, writeGraph(t, synthetic(30, 31)))
			magic := []byte(bodyMagic)
			replace(string(data[:bytes.Index(data, magic)])+string(other[bytes.Index(other, magic):]))(t, path)
		}, ErrTampered},
		"a symbolic link": {func(t *testing.T, path string) {
			if err := errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path)); err != nil {
				t.Fatal(err)
			}
		}, ErrTampered},
		"a second name": {func(t *testing.T, path string) {
			if err := os.Link(path, path+".too"); err != nil {
				t.Fatal(err)
			}
		}, ErrTampered},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := writeGraph(t, synthetic(30, 30))
			test.change(t, path)
			db, err := Open(t.Context(), path)
			if !errors.Is(err, test.want) {
				t.Errorf("error is %v, want %v", err, test.want)
			}
			if db != nil {
				t.Error("a database came with the error")
			}
		})
	}
}

func TestLoadNoticesChangedRows(t *testing.T) {
	for name, statements := range map[string]string{
		"a file's state":     "UPDATE files SET state='parsed' WHERE state='partial'",
		"a lost file":        "DELETE FROM files WHERE id=0",
		"a count":            "UPDATE counts SET unresolved=0",
		"a lost caveat":      "DELETE FROM caveats",
		"unresolved emptied": "DELETE FROM unresolved",
		"an unknown state":   "UPDATE files SET state='fine' WHERE id=0",
	} {
		t.Run(name, func(t *testing.T) {
			path := writeGraph(t, synthetic(30, 90))
			change(t, path, statements)
			db := openGraph(t, path)
			if g, err := db.Load(t.Context()); g != nil || !errors.Is(err, ErrTampered) && !errors.Is(err, ErrCorrupt) {
				t.Errorf("load gives %v, %v", g, err)
			}
		})
	}
}

// forge changes a part of a body and, if it is to look right, its checksums.
func forge(t testing.TB, path string, right bool, p part, change func(part []byte)) {
	t.Helper()
	db := openGraph(t, path)
	at := db.body.at[p]
	data := mustRead(t, path)
	body := data[bytes.Index(data, []byte(bodyMagic)):]
	change(body[at.start : at.start+at.size])
	if right {
		pages := len(db.body.sums) / 4
		sums := body[(pages+1)*bodyPage:]
		for i := range pages {
			binary.LittleEndian.PutUint32(sums[4*i:], crc32.Checksum(body[(i+1)*bodyPage:(i+2)*bodyPage], castagnoli))
		}
		head := body[:headSize]
		binary.LittleEndian.PutUint32(head[headSize-8:], crc32.Checksum(sums, castagnoli))
		binary.LittleEndian.PutUint32(head[headSize-4:], crc32.Checksum(head[:headSize-4], castagnoli))
	}
	// A new file: the old one is mapped.
	if err := errors.Join(os.Remove(path), os.WriteFile(path, data, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// Whatever is changed in a body is noticed by whoever reads that, and by Prove.
func TestChangedBodiesAreNoticed(t *testing.T) {
	flip := func(i int) func([]byte) { return func(b []byte) { b[(i+len(b))%len(b)] ^= 1 } }
	swap := func(n int) func([]byte) { // the first two entries
		return func(b []byte) {
			first := slices.Clone(b[:n])
			copy(b, b[n:2*n])
			copy(b[n:], first)
		}
	}
	for name, test := range map[string]struct {
		part   part
		change func([]byte)
		loads  bool // Load does not read it
	}{
		"a symbol":                  {partSymbols, flip(9), false},
		"where a symbol begins":     {partSymbolAt, flip(8), false},
		"where the last one ends":   {partSymbolAt, flip(-4), false},
		"an edge's other end":       {partLeaving, flip(1), false},
		"an edge's kind":            {partLeaving, flip(0), false},
		"edges in another order":    {partLeaving, swap(8), false},
		"whose edges":               {partLeavingAt, flip(4), false},
		"the last edges":            {partLeavingAt, flip(-4), false},
		"a line":                    {partLines, flip(0), false},
		"traits":                    {partTraits, flip(3), true},
		"a text":                    {partTexts, flip(3), true},
		"where a text begins":       {partTextAt, flip(4), true},
		"a name":                    {partNames, flip(0), true},
		"a name's symbol":           {partNames, flip(4), true},
		"names in another order":    {partNames, swap(8), true},
		"who arrives":               {partArriving, flip(1), true},
		"a site":                    {partArriving, flip(4), true},
		"where it arrives":          {partArrivingAt, flip(4), true},
		"where the last one does":   {partArrivingAt, flip(-4), true},
		"arrivals in another order": {partArriving, swap(8), true},
	} {
		for _, right := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, checksums right %v", name, right), func(t *testing.T) {
				path := writeGraph(t, synthetic(300, 900))
				forge(t, path, right, test.part, test.change)
				db := openGraph(t, path)
				noticed := func(err error) bool { return errors.Is(err, ErrTampered) || errors.Is(err, ErrCorrupt) }
				if err := db.Prove(t.Context()); !noticed(err) {
					t.Errorf("prove gives %v", err)
				}
				if _, err := db.Load(t.Context()); !test.loads && !noticed(err) || test.loads && right && err != nil {
					t.Errorf("load gives %v", err)
				}
			})
		}
	}
}

// What did not reach the disk as it was written is noticed before it is published.
func TestVerifyNoticesWhatIsNotAsItWasWritten(t *testing.T) {
	g := synthetic(300, 900)
	for name, spoil := range map[string]func(path string){
		"nothing":     func(string) {},
		"a lost file": func(path string) { change(t, path, "DELETE FROM files WHERE id=0") },
	} {
		t.Run(name, func(t *testing.T) {
			path := writeGraph(t, g)
			spoil(path)
			if err := verify(t.Context(), path, g); (err != nil) != (name != "nothing") {
				t.Errorf("verify gives %v", err)
			}
		})
	}
	for p := range parts {
		path := writeGraph(t, g)
		forge(t, path, false, p, func(part []byte) { part[len(part)-1] ^= 1 })
		if err := verify(t.Context(), path, g); !errors.Is(err, ErrCorrupt) {
			t.Errorf("verify gives %v for a changed part %d", err, p)
		}
	}
}

// Load does not read what follows from the rows of the digest; questions do.
func TestProveNoticesWhatLoadDoesNotRead(t *testing.T) {
	for name, statement := range map[string]string{
		"nothing":               "PRAGMA user_version",
		"a total":               "UPDATE totals SET value=value-1 WHERE name='parsed'",
		"a row that Load reads": "UPDATE counts SET unresolved=0",
	} {
		t.Run(name, func(t *testing.T) {
			path := writeGraph(t, synthetic(30, 90))
			change(t, path, statement)
			err := openGraph(t, path).Prove(t.Context())
			if noticed := errors.Is(err, ErrTampered) || errors.Is(err, ErrCorrupt); noticed == (name == "nothing") {
				t.Errorf("prove gives %v", err)
			}
		})
	}
}

func TestQuestionsNoticeChangedBodies(t *testing.T) {
	g := synthetic(300, 900)
	spoil := func(b []byte) {
		for i := range b {
			b[i] ^= 0xff
		}
	}
	of := slices.IndexFunc(g.Edges, func(e graph.Edge) bool { return e.Kind == graph.EdgeCall })
	id := g.Symbols[g.Edges[of].From].ID
	for p, ask := range map[part]func(*DB) error{
		partSymbols:    func(db *DB) error { _, err := db.Symbol(t.Context(), id); return err },
		partSymbolAt:   func(db *DB) error { _, err := db.Symbol(t.Context(), id); return err },
		partTexts:      func(db *DB) error { _, _, err := db.Search(t.Context(), "parse line", 5); return err },
		partTextAt:     func(db *DB) error { _, _, err := db.Search(t.Context(), "parse line", 5); return err },
		partNames:      func(db *DB) error { _, err := db.Lookup(t.Context(), g.Symbols[3].Name); return err },
		partLeaving:    func(db *DB) error { _, err := db.Callees(t.Context(), id); return err },
		partLeavingAt:  func(db *DB) error { _, err := db.Callees(t.Context(), id); return err },
		partLines:      func(db *DB) error { _, err := db.Callees(t.Context(), id); return err },
		partArriving:   func(db *DB) error { _, err := db.Callers(t.Context(), g.Symbols[g.Edges[of].To].ID); return err },
		partArrivingAt: func(db *DB) error { _, err := db.Callers(t.Context(), g.Symbols[g.Edges[of].To].ID); return err },
	} {
		path := writeGraph(t, g)
		forge(t, path, false, p, spoil)
		if err := ask(openGraph(t, path)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("part %d: %v", p, err)
		}
	}
}

// A file that is cut short while it is mapped has pages that are gone.
func TestAFileThatIsCutShortIsAnError(t *testing.T) {
	g := synthetic(3000, 9000)
	path := writeGraph(t, g)
	db := openGraph(t, path)
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Symbol(t.Context(), g.Symbols[2000].ID); !errors.Is(err, ErrTampered) {
		t.Errorf("a question gives %v", err)
	}
	if err := db.Prove(t.Context()); err == nil {
		t.Error("prove finds nothing")
	}
}

func TestDigestSeesEveryField(t *testing.T) {
	changes := map[string]func(g *graph.Graph){
		"symbol ID":      func(g *graph.Graph) { g.Symbols[0].ID += "x" },
		"symbol line":    func(g *graph.Graph) { g.Symbols[0].Line++ },
		"test":           func(g *graph.Graph) { g.Symbols[0].Test = !g.Symbols[0].Test },
		"parameter":      func(g *graph.Graph) { g.Symbols[0].Params[0].Optional = true },
		"digest":         func(g *graph.Graph) { g.Symbols[0].Digests.Doc[3] = 1 },
		"edge line":      func(g *graph.Graph) { g.Edges[0].Lines[0]++ },
		"edge tier":      func(g *graph.Graph) { g.Edges[0].Tier = g.Edges[0].Tier%7 + 1 },
		"unresolved":     func(g *graph.Graph) { g.Unresolved[0].Broken = !g.Unresolved[0].Broken },
		"file reason":    func(g *graph.Graph) { g.Files[0].Reason = "x" },
		"gap":            func(g *graph.Graph) { g.Files[len(g.Files)-1].Gaps[0].End++ },
		"count":          func(g *graph.Graph) { g.Counts[0].External++ },
		"caveat":         func(g *graph.Graph) { g.Caveats[0].Of++ },
		"caveat example": func(g *graph.Graph) { g.Caveats[0].Examples[1] = "" },
		"moved border":   func(g *graph.Graph) { g.Symbols[0].Name, g.Symbols[0].Container = "ab", "c" },
	}
	seen := map[string]string{Digest(synthetic(30, 60)): "nothing"}
	for name, change := range changes {
		g := synthetic(30, 60)
		change(g)
		d := Digest(g)
		if other, ok := seen[d]; ok {
			t.Errorf("changing %s gives the digest of changing %s", name, other)
		}
		seen[d] = name
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string][]string{
		"camelCase":          {"camel", "case"},
		"HTTPServer":         {"http", "server"},
		"parse_line":         {"parse", "line"},
		"ID":                 {"id"},
		"utf8Valid":          {"utf8", "valid"},
		"V2Client":           {"v2", "client"},
		"__init__":           {"init"},
		"$el":                {"el"},
		"Größe":              {"größe"},
		"returns a 404 page": {"returns", "a", "404", "page"},
		"":                   nil,
		"--":                 nil,
	} {
		if got := words(name); !slices.Equal(got, want) {
			t.Errorf("words(%q) = %q, want %q", name, got, want)
		}
	}
}
