package ecmascript_test

import (
	"context"
	"slices"
	"testing"
)

// The grammar does not know these; the language does.
func TestWrittenOtherwiseForTheParser(t *testing.T) {
	tests := []struct {
		name, language, src string
		want                []string
		gaps                int
	}{
		{"a signature with type parameters below one that ends in a type", "typescript",
			"interface Get {\n  <K extends A>(key: K): B[K]\n  // second\n  <K extends C>(\n    key: K,\n    then: () => void,\n  ): C[K]\n}\nexport class After { m() {} }",
			[]string{"Get/interface", "After/class", "After.m/method"}, 0},
		{"in an object type, behind a block comment", "tsx",
			"type Use = {\n\t<T>(initial: T): [T, Set<T>]\n\t/* without */\n\t<T = undefined>(): T\n}\nconst after = () => <p>x</p>",
			[]string{"Use/type", "after/function"}, 0},
		{"export type *", "typescript", "export type * from './a'\nexport type * as b from './b'\nexport function f() {}",
			[]string{"*/reexport~./a", "b/reexport", "f/function"}, 0},
		{"variance", "typescript", "interface A<in out T, /** b */ out U> {}\nclass B<\n  in T,\n> { m() {} }",
			[]string{"A/interface", "B/class", "B.m/method"}, 0},
		{"a property whose name is an operator", "typescript", "interface A {\n  x?: B\n  in?: string\n  y: C\n}\nfunction f() {}",
			[]string{"A/interface", "A.x/field", "A.in/field", "A.y/field", "f/function"}, 0},
		{"what nobody knows stays a gap", "typescript", "export type * from\ninterface I {\n  a: B\n  <<(x)\n}\nfunction f() {}", nil, 2},
		{"elements of a page are no signatures", "tsx", "const a = <p>\n  x)\n  <b>(y)</b>\n</p>\nconst c = @\n", nil, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := extract(t, tt.language, tt.src)
			if got := ids(f); tt.want != nil && !slices.Equal(got, tt.want) {
				t.Errorf("symbols = %q, want %q", got, tt.want)
			}
			if len(f.Gaps) != tt.gaps {
				t.Errorf("gaps = %v, want %d", f.Gaps, tt.gaps)
			}
		})
	}
}

// What is written otherwise for the parser shows nowhere: the facts are those of
// the source as it stands.
func TestSourceAsItStands(t *testing.T) {
	f := extract(t, "typescript", "export type * from './types'\nexport interface Get {\n  (a: A): A\n  <T>(b: T): T\n}\n")
	if len(f.Imports) != 1 || !f.Imports[0].TypeOnly || f.Imports[0].Module != "./types" {
		t.Errorf("imports = %+v, want one of types only", f.Imports)
	}
	if got := find(t, f, "*").Signature; got != "export type * from './types'" {
		t.Errorf("signature = %q", got)
	}
	if got := find(t, f, "Get").EndLine; got != 5 {
		t.Errorf("last line = %d, want 5", got)
	}
}

func FuzzWrittenOtherwise(f *testing.F) {
	f.Add("interface A {\n  (x): y\n  <T>(x): y\n}\nexport type * from 'x'")
	f.Add("type A = {\n/*\n  <T>(")
	f.Add("//\n  <T>(\n*/  <T>(")
	f.Fuzz(func(t *testing.T, src string) {
		r, err := extractor.Extract(context.Background(), "typescript", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Facts.Symbols {
			if s := &r.Facts.Symbols[i]; s.Start > s.End || int(s.End) > len(src) {
				t.Fatalf("symbol %q at %d to %d of %d bytes", s.Name, s.Start, s.End, len(src))
			}
		}
	})
}
