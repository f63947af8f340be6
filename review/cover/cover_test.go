package cover

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata")

// The files of go, coverage.py and c8 were written by those tools; those of
// JaCoCo and llvm-cov by hand, after the definitions of their formats.
func TestFilesOfToolsAreRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".want") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Read(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			got := []byte(dump(p))
			if *update {
				if err := os.WriteFile(file+".want", got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file + ".want")
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	if len(files) < 14 {
		t.Errorf("%d files of tools and what to read in them, want 14 or more", len(files))
	}
}

// dump writes a profile for people.
func dump(p *Profile) string {
	var b strings.Builder
	fmt.Fprintf(&b, "format %s\n", p.Format)
	for _, f := range p.Files {
		fmt.Fprintf(&b, "file %s\n", f.Name)
		for _, l := range f.Lines {
			word := "missed"
			if l.Ran {
				word = "ran"
			}
			fmt.Fprintf(&b, "  %d %s", l.Number, word)
			for _, t := range l.Tests {
				fmt.Fprintf(&b, " %s", p.Tests[t])
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestWhatIsNotWholeIsRefused(t *testing.T) {
	for _, c := range []struct {
		claim, text string
		err         error
	}{
		{"nothing", "", ErrFormat},
		{"prose", "Coverage is 80 %.\n", ErrFormat},
		{"a profile of no file", "mode: set\n", ErrFormat},
		{"a block without a count", "mode: set\na.go:1.1,2.2 1\n", ErrFormat},
		{"a block that ends before it starts", "mode: set\na.go:3.1,2.2 1 1\n", ErrFormat},
		{"a count below zero", "mode: set\na.go:1.1,2.2 1 -1\n", ErrFormat},
		{"a line far beyond any file", "mode: set\na.go:1.1,9999999.2 1 1\n", ErrFormat},
		{"a tracefile that ends within a record", "TN:\nSF:a.js\nDA:1,1\n", ErrFormat},
		{"a DA of no file", "TN:\nDA:1,1\nSF:a.js\nend_of_record\n", ErrFormat},
		{"a line zero", "SF:a.js\nDA:0,1\nend_of_record\n", ErrFormat},
		{"an endless line", "SF:" + strings.Repeat("a", 1<<17), ErrFormat},
		{"XML that is cut", `<coverage line-rate="1"><class filename="a.py"><line number="1" hits="1"/>`, ErrFormat},
		{"XML within XML without end", `<coverage line-rate="1">` + strings.Repeat("<a>", 100), ErrFormat},
		{"a line without hits", `<coverage line-rate="1"><class filename="a.py"><line number="1"/></class></coverage>`, ErrFormat},
		{"Clover, which has the same root", `<coverage generated="1"><project><file name="a.php"><line num="1" count="1"/></file></project></coverage>`, ErrFormat},
		{"an entity that the document makes", `<!DOCTYPE r [<!ENTITY a "b">]><coverage line-rate="1"><source>&a;</source></coverage>`, ErrFormat},
		{"JSON of something else", `{"name": "x"}`, ErrFormat},
		{"JSON with another shape", `{"files": []}`, ErrFormat},
		{"JSON that is cut", `{"files": {"a.py": {"executed_lines": [1`, ErrFormat},
		{"segments out of order", `{"data":[{"files":[{"filename":"a.c","segments":[[5,1,1,true,true],[4,1,1,true,true]]}]}],"type":"llvm.coverage.json.export"}`, ErrFormat},
		{"a segment of three", `{"data":[{"files":[{"filename":"a.c","segments":[[5,1,1]]}]}],"type":"llvm.coverage.json.export"}`, ErrFormat},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if p, err := Read(strings.NewReader(c.text)); !errors.Is(err, c.err) || p != nil {
				t.Errorf("got %v, %v, want %v", p, err, c.err)
			}
		})
	}
}

func TestTracefilesNameTheTestsOfTheirRecords(t *testing.T) {
	const named = "TN:adds\nSF:a.js\nDA:1,1\nDA:2,0\nend_of_record\nSF:b.js\nDA:1,1\nend_of_record\n"
	p, err := Read(strings.NewReader(named + "TN:takes\nSF:a.js\nDA:1,1\nDA:2,4\nend_of_record\nTN:\nSF:b.js\nDA:1,1\nend_of_record\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []File{
		{Name: "a.js", Lines: []Line{{1, true, []int32{0, 1}}, {2, true, []int32{1}}}},
		{Name: "b.js", Lines: []Line{{1, true, []int32{0}}}, Untold: true},
	}
	if !slices.Equal(p.Tests, []string{"adds", "takes"}) || !reflect.DeepEqual(p.Files, want) {
		t.Errorf("got %v %v\nwant %v", p.Tests, p.Files, want)
	}
}

func TestExactlyTheCapIsRead(t *testing.T) {
	const text = "mode: set\na.go:1.1,6.2 1 1\nb.go:1.1,4.2 1 1\n"
	if _, err := read(strings.NewReader(text), 10); err != nil {
		t.Error(err)
	}
	if _, err := read(strings.NewReader(text), 9); !errors.Is(err, ErrTooLarge) {
		t.Errorf("one line more: %v", err)
	}
}

func TestOneLineMeasuredTwiceRanIfItRanOnce(t *testing.T) {
	text := "mode: set\n" + strings.Repeat("m/a.go:1.1,3.2 1 0\nm/a.go:2.1,2.9 1 1\n", 5_000)
	p, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []Line{{Number: 1}, {Number: 2, Ran: true}, {Number: 3}}
	if !reflect.DeepEqual(p.Files[0].Lines, want) || len(p.Files[0].marks) != 2 {
		t.Errorf("got %v", p.Files[0])
	}
}

func TestLocate(t *testing.T) {
	for _, c := range []struct {
		claim   string
		tree    []string
		modules map[string]string
		format  string
		names   []string
		want    map[int]string
	}{
		{"a path of the tree", []string{"a/b.js"}, nil, LCOV, []string{"a/b.js", "a/c.js"}, map[int]string{0: "a/b.js"}},
		{"folders of the machine before it", []string{"a/b.js", "c.js"}, nil, LCOV, []string{"/home/ci/repo/a/b.js", "/home/ci/repo/c.js"}, map[int]string{0: "a/b.js", 1: "c.js"}},
		{"a dependency with a name of ours", []string{"a/b.js", "c.js", "index.js"}, nil, LCOV,
			[]string{"/home/ci/repo/a/b.js", "/home/ci/repo/c.js", "/usr/lib/node_modules/x/index.js"}, map[int]string{0: "a/b.js", 1: "c.js"}},
		{"backslashes", []string{"a/b.cs"}, nil, Cobertura, []string{`D:\a\repo\a\b.cs`}, map[int]string{0: "a/b.cs"}},
		{"the end of a path", []string{"core/src/main/java/org/x/A.java"}, nil, JaCoCo, []string{"org/x/A.java"}, map[int]string{0: "core/src/main/java/org/x/A.java"}},
		{"the end of two paths", []string{"a/src/x.js", "b/src/x.js"}, nil, LCOV, []string{"src/x.js"}, map[int]string{}},
		{"the end of two paths, beside one that tells", []string{"a/src/x.js", "b/src/x.js", "b/src/y.js"}, nil, LCOV, []string{"src/x.js", "src/y.js"}, map[int]string{0: "b/src/x.js", 1: "b/src/y.js"}},
		{"a part of a name is no end", []string{"a/box.js"}, nil, LCOV, []string{"x.js"}, map[int]string{}},
		{"a Go module", []string{"money/money.go"}, map[string]string{"example.com/pay": "."}, Go, []string{"example.com/pay/money/money.go"}, map[int]string{0: "money/money.go"}},
		{"the innermost Go module", []string{"tools/gen/main.go", "gen/main.go"}, map[string]string{"example.com/pay": ".", "example.com/pay/tools": "tools"}, Go,
			[]string{"example.com/pay/tools/gen/main.go"}, map[int]string{0: "tools/gen/main.go"}},
		{"a Go module of somebody else", []string{"money/money.go"}, map[string]string{"example.com/pay": "."}, Go, []string{"example.com/other/money/money.go"}, map[int]string{}},
		{"a way out of the tree", []string{"passwd"}, nil, LCOV, []string{"../../etc/hosts", "a/../../x"}, map[int]string{}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			p := &Profile{Format: c.format}
			for _, n := range c.names {
				p.Files = append(p.Files, File{Name: n})
			}
			if got := NewTree(c.tree, c.modules).Locate(p); !maps.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestFits(t *testing.T) {
	const code = "package m\n\nfunc F() int {\n\treturn 1\n}\n"
	profile := "mode: set\nm/a.go:3.14,5.2 1 1\n"
	statements := "SF:a.js\nDA:1,1\nDA:3,1\nend_of_record\n"
	every := "SF:a.js\nDA:1,1\nDA:2,1\nDA:3,1\nDA:4,1\nDA:5,1\nend_of_record\n"
	for _, c := range []struct {
		claim, profile, data string
		want                 bool
	}{
		{"the content that was measured", profile, code, true},
		{"a line more above", profile, "// Package m.\n" + code, false},
		{"lines less", profile, "package m\n\nfunc F() int {\n", false},
		{"nothing", profile, "", false},
		{"statements", statements, "a()\n\nb()\n", true},
		{"a statement where a blank line is", statements, "a()\nb()\n\n", false},
		{"every line", every, "a\n\nb\n\nc\n", true},
		{"every line of a shorter file", every, "a\n\nb\n\nc\nd\ne\n", false},
	} {
		t.Run(c.claim, func(t *testing.T) {
			p, err := Read(strings.NewReader(c.profile))
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Files[0].Fits([]byte(c.data)); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// Whatever the bytes are: no panic, no line outside the caps, one order, and the
// same again.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(bytes.NewReader(data))
		if err != nil {
			if p != nil || !errors.Is(err, ErrFormat) && !errors.Is(err, ErrTooLarge) {
				t.Fatalf("got %v, %v", p, err)
			}
			return
		}
		for _, file := range p.Files {
			last := int32(0)
			for _, l := range file.Lines {
				if l.Number <= last || l.Number > maxLine {
					t.Fatalf("%s: line %d after %d", file.Name, l.Number, last)
				}
				last = l.Number
				for _, test := range l.Tests {
					if int(test) >= len(p.Tests) {
						t.Fatalf("test %d of %d", test, len(p.Tests))
					}
				}
			}
			file.Fits(data)
		}
		again, err := Read(bytes.NewReader(data))
		if err != nil || dump(again) != dump(p) {
			t.Fatalf("read twice, it differs: %v", err)
		}
	})
}
