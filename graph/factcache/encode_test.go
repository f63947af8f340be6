package factcache

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
)

// filled returns facts in which every field of every type is set, so that a
// field that the encoding forgets is noticed.
func filled(r *rand.Rand, items int) *graph.Facts {
	f := &graph.Facts{}
	fill(r, reflect.ValueOf(f).Elem(), items)
	for i := range f.Symbols {
		f.Symbols[i].Parent = int32(i) - 1
	}
	for i := range f.Scopes {
		f.Scopes[i].Parent = int32(i) - 1
	}
	f.Language, f.Version = "go", 7
	return f
}

func fill(r *rand.Rand, v reflect.Value, items int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i), items)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), items, items))
		for i := range items {
			fill(r, v.Index(i), items)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), items)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for i := range items {
			v.SetMapIndex(reflect.ValueOf(fmt.Sprint("key", i)), reflect.ValueOf(fmt.Sprint("value", r.IntN(9))))
		}
	case reflect.String:
		v.SetString(strings.Repeat("é\x00", r.IntN(3)) + fmt.Sprint(r.IntN(50)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(uint64(1 + r.IntN(200)))
	case reflect.Int32, reflect.Int:
		v.SetInt(int64(r.IntN(items+1) - 1)) // an index, None included
	default:
		panic("a kind of field that this test does not know: " + v.Type().String())
	}
}

func TestFactsComeBackEqual(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tests := map[string]*graph.Facts{
		"nothing":     {},
		"one of each": filled(r, 1),
		"many":        filled(r, 40),
		"large numbers": {Lines: 1<<31 - 1, Version: 1<<32 - 1,
			Symbols: []graph.SymbolFact{{Parent: graph.None, End: 1<<31 - 1, Flags: 1<<16 - 1}}},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			data := Encode(want)
			got, err := Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
			if string(Encode(got)) != string(data) {
				t.Error("the same facts give other bytes")
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	whole := Encode(filled(rand.New(rand.NewPCG(5, 6)), 3))
	symbols := func(s ...graph.SymbolFact) []byte { return Encode(&graph.Facts{Symbols: s}) }
	for name, data := range map[string][]byte{
		"nothing":             nil,
		"another format":      append([]byte{99}, whole[1:]...),
		"more than facts":     append(whole[:len(whole):len(whole)], 0),
		"a huge table":        {format, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"a parent beyond":     symbols(graph.SymbolFact{Parent: 5}),
		"a circle of parents": symbols(graph.SymbolFact{Parent: 1}, graph.SymbolFact{Parent: 0}),
		"a type beyond":       symbols(graph.SymbolFact{Params: []graph.Param{{Type: 9}}}),
		"a binding beyond":    Encode(&graph.Facts{Bindings: []graph.Binding{{Scope: 2}}}),
		"a reference below":   Encode(&graph.Facts{Refs: []graph.Ref{{From: -2}}}),
		"a require beyond":    Encode(&graph.Facts{Symbols: make([]graph.SymbolFact, 9), Exprs: []graph.Expr{{Kind: graph.ExprRequire, Symbol: 3}}}),
		"a circle of scopes":  Encode(&graph.Facts{Scopes: []graph.Scope{{Parent: 2}, {Parent: 0}, {Parent: 1}}}),
	} {
		if f, err := Decode(data); !errors.Is(err, ErrFormat) || f != nil {
			t.Errorf("%s: got %v, %v", name, f, err)
		}
	}
	for n := range whole {
		if _, err := Decode(whole[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are taken for facts", n, len(whole))
		}
	}
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{0, 1, 4} {
		f.Add(Encode(filled(r, n)))
	}
	f.Add([]byte{format, 1, 200})
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		facts, err := Decode(data)
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > uint64(64*len(data)+1<<20) {
			t.Fatalf("%d bytes made %d", len(data), grown)
		}
		if err != nil {
			return
		}
		again, err := Decode(Encode(facts))
		if err != nil || !reflect.DeepEqual(again, facts) {
			t.Fatalf("facts change when written again: %v", err)
		}
		ids := facts.IDs("p") // must end
		if len(ids) != len(facts.Symbols) {
			t.Fatal("symbols without an ID")
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	f := filled(rand.New(rand.NewPCG(1, 1)), 50)
	b.ReportAllocs()
	for b.Loop() {
		Encode(f)
	}
}

func BenchmarkDecode(b *testing.B) {
	data := Encode(filled(rand.New(rand.NewPCG(1, 1)), 50))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}
