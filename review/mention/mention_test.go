package mention

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"unicode/utf8"
)

func list(files ...File) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	}
}

func mustSearch(t *testing.T, q Query, files ...File) Result {
	t.Helper()
	r, err := Search(t.Context(), q, list(files...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func describe(f Found) string {
	var parts []string
	for _, h := range f.Hits {
		s := fmt.Sprintf("%s:%d", h.Path, h.Line)
		if h.InComment {
			s += "c"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

func TestWords(t *testing.T) {
	tests := []struct {
		claim, name, path, text, want string
	}{
		{"a word is found", "Send", "a.go", "x\nc.Send(1)\n", "a.go:2"},
		{"a part of a word is not", "Send", "a.go", "Sender reSend Send2 _Send Send_ SendŁ éSend\n", ""},
		{"the case counts", "Send", "a.go", "send SEND\n", ""},
		{"two on one line are one mention", "Send", "a.go", "Send Send\nSend\n", "a.go:1 a.go:2"},
		{"the last line needs no newline", "Send", "a.go", "\n\nSend", "a.go:3"},
		{"carriage returns do not hide it", "Send", "a.go", "Send\r\nSend\r\n", "a.go:1 a.go:2"},
		{"between typographic quotes", "Send", "a.html", "“Send” – Send…\n", "a.html:1"},
		{"between bytes that are no text", "Send", "a.go", "\xff\xfeSend\xff\n", "a.go:1"},
		{"behind an escape in a string", "Send", "a.go", `"\nSend"` + "\n", "a.go:1"},
		{"letters of other scripts", "größe", "a.py", "größe = 1\nübergröße = größer\n", "a.py:1"},
		{"a dollar sign is a letter in JavaScript", "store", "a.js", "$store.x\nstore.x\n", "a.js:2"},
		{"and can be asked for", "$store", "a.js", "$store.x\nstore.x\n", "a.js:1"},
		{"elsewhere it stands beside the name", "store", "a.sh", "echo $store ${store} $store$x\n$storex\n", "a.sh:1"},
		{"in a template literal", "store", "a.ts", "`a ${store} b`\n", "a.ts:1"},
		{"a name of several words", "foo-bar", "a.yml", "foo-bar: 1\nfoo-barb: 2\nxfoo-bar: 3\nfoo bar\n", "a.yml:1"},
		{"a private name", "#secret", "a.js", "this.#secret\nthis.secret\n", "a.js:1"},
		{"a longer name than the filter tells apart", strings.Repeat("n", 80), "a.go", strings.Repeat("n", 80) + "\n" + strings.Repeat("n", 81) + "\n", "a.go:1"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			r := mustSearch(t, Query{Names: []string{tt.name}, Limit: 10}, File{tt.path, []byte(tt.text)})
			if got := describe(r.Found[tt.name]); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestComments(t *testing.T) {
	tests := []struct {
		claim, path, text, want string
	}{
		{"line comments", "a.go", "N() // N\n// N\nN()\n", "a.go:1 a.go:2c a.go:3"},
		{"block comments", "a.ts", "/* N\n N */ N\nN\n", "a.ts:1c a.ts:2c a.ts:3"},
		{"a mark in a string starts none", "a.go", "\"http://x\" + N\n`//` + N\n", "a.go:1 a.go:2"},
		{"an open string ends with its line", "a.go", "'\nN // N\n", "a.go:2"},
		{"hash comments", "a.py", "# N\nN # x\n", "a.py:1c a.py:2"},
		{"a hash inside a word starts none", "a.sh", "x#N\n", "a.sh:1"},
		{"documentation strings", "a.py", "def f():\n\t\"\"\"Call N.\n\n\tN\n\t\"\"\"\n\tN()\n", "a.py:2c a.py:4c a.py:6"},
		{"dashes", "a.sql", "-- N\nSELECT N\n", "a.sql:1c a.sql:2"},
		{"markup", "a.html", "<!-- N\n--><p>N</p>\n", "a.html:1c a.html:2"},
		{"prose is no code", "a.md", "Use N.\n```go\nN()\n```\nN\n", "a.md:1c a.md:3 a.md:5c"},
		{"unknown files hold code", "a.xyz", "# N\n", "a.xyz:1"},
		{"a block that never ends", "a.c", "/* N", "a.c:1c"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			r := mustSearch(t, Query{Names: []string{"N"}, Limit: 10}, File{tt.path, []byte(tt.text)})
			if got := describe(r.Found["N"]); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSearchSaysWhatItDidNotSee(t *testing.T) {
	r := mustSearch(t, Query{Names: []string{"N", "gone", "+", "N"}, Limit: 2},
		File{"b.go", []byte("N\nN\n")}, File{"a.bin", []byte("N\x00")}, File{"a.go", []byte("N\nN\n")})
	if got, want := describe(r.Found["N"]), "b.go:1 b.go:2"; got != want {
		t.Errorf("got %q, want %q: the order of the files, cut at the limit", got, want)
	}
	if got := r.Found["N"].Total; got != 4 {
		t.Errorf("total %d, want 4", got)
	}
	if f, ok := r.Found["gone"]; !ok || f.Total != 0 {
		t.Errorf("a name without mention needs an entry, got %v %v", f, ok)
	}
	if _, ok := r.Found["+"]; ok || fmt.Sprint(r.Unsearched) != "[+]" {
		t.Errorf("unsearched %v", r.Unsearched)
	}
	if fmt.Sprint(r.Binary) != "[a.bin]" || r.Files != 2 || r.Bytes != 8 {
		t.Errorf("binary %v, %d files, %d bytes", r.Binary, r.Files, r.Bytes)
	}
}

func TestKnownMentionsTakeNoPlace(t *testing.T) {
	skip := func(name, path string, line int) bool { return name == "N" && path == "a.go" && line < 3 }
	r := mustSearch(t, Query{Names: []string{"N"}, Limit: 1, Skip: skip}, File{"a.go", []byte("N N\nN\nN\nN\n")})
	if got := describe(r.Found["N"]); got != "a.go:3" || r.Found["N"].Total != 2 {
		t.Errorf("got %q of %d, want a.go:3 of 2", got, r.Found["N"].Total)
	}
}

func TestPartOfASearchIsNoResult(t *testing.T) {
	broken := errors.New("unreadable")
	files := func(yield func(File, error) bool) {
		if yield(File{"a", []byte("N")}, nil) {
			yield(File{Path: "b"}, broken)
		}
	}
	if r, err := Search(t.Context(), Query{Names: []string{"N"}, Limit: 1}, files); !errors.Is(err, broken) || r.Found != nil {
		t.Errorf("got %v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ctx, Query{Names: []string{"N"}}, list(File{Path: "a"})); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// plainLines is the search without any haste: every place where the name
// stands, checked rune by rune for words that run into it.
func plainLines(text []byte, name string) (lines []int) {
	for n, line := range bytes.Split(text, []byte("\n")) {
		for i := 0; i+len(name) <= len(line); i++ {
			if string(line[i:i+len(name)]) != name {
				continue
			}
			before, _ := utf8.DecodeLastRune(line[:i])
			after, _ := utf8.DecodeRune(line[i+len(name):])
			if !inWord(before) && !inWord(after) {
				lines = append(lines, n+1)
				break
			}
		}
	}
	return lines
}

func inWord(r rune) bool {
	return r < utf8.RuneSelf && asciiWord[byte(r)] || r >= utf8.RuneSelf && isWord(r)
}

func FuzzSearch(f *testing.F) {
	f.Add("Send", []byte("c.Send(x)\n// Send\n“Send”"))
	f.Add("é", []byte("é e\u0301\n\xffé"))
	f.Add("a-b", []byte("a-b\na-bc"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if !utf8.ValidString(name) || strings.ContainsAny(name, "\n\x00") || isBinary(text) {
			return
		}
		for _, path := range []string{"a.js", "a.py", "a.md"} {
			r := mustSearch(t, Query{Names: []string{name}, Limit: 1 << 20}, File{path, text})
			found, ok := r.Found[name]
			if !ok {
				return
			}
			got := map[int]bool{}
			for i, h := range found.Hits {
				if i > 0 && h.Line <= found.Hits[i-1].Line {
					t.Fatalf("line %d after %d", h.Line, found.Hits[i-1].Line)
				}
				got[h.Line] = true
			}
			for _, line := range plainLines(text, name) {
				if !got[line] {
					t.Fatalf("%q in %q: line %d is missing from %v", name, text, line, found.Hits)
				}
			}
			if len(found.Hits) != found.Total {
				t.Fatalf("%d hits of %d", len(found.Hits), found.Total)
			}
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	var text []byte
	for i := range 20_000 {
		text = fmt.Appendf(text, "// Get%d returns the entry of the table, or nil.\nfunc (t *Table) Get%d(ctx context.Context, key string) (*Entry, error) {\n"+
			"\tif err := t.load(ctx, key); err != nil {\n\t\treturn nil, fmt.Errorf(\"load %%q: %%w\", key, err)\n\t}\n\treturn t.entries[key], nil\n}\n\n", i, i)
	}
	file := File{"table.go", text}
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprintf("Name%d", i))
	}
	names = append(names, "Entry", "Errorf", "Get19999")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Search(b.Context(), Query{Names: names, Limit: 50}, list(file)); err != nil {
			b.Fatal(err)
		}
	}
}

func TestMembers(t *testing.T) {
	tests := []struct {
		claim, text string
		want        bool
	}{
		{"behind a dot", "handler: app.send\n", true},
		{"behind a colon", "run = \"app.mail:send\"\n", true},
		{"a file of a path", "main: src/send.py\n", true},
		{"once is enough", "send: app.send\n", true},
		{"a value", "name: send\n", false},
		{"a part of an address", "url: https://example.com/send/it\n", false},
		{"a word at the start", "send\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			f := mustSearch(t, Query{Names: []string{"send"}, Limit: 5}, File{Path: "a.yml", Data: []byte(tt.text)}).Found["send"]
			if len(f.Hits) != 1 || f.Hits[0].Member != tt.want {
				t.Errorf("%q: %+v, want one hit with member %t", tt.text, f.Hits, tt.want)
			}
		})
	}
}
