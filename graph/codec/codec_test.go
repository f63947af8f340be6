package codec

import (
	"math"
	"reflect"
	"runtime"
	"testing"
)

// A value has a field of everything that a coder codes.
type value struct {
	texts   []string
	numbers []int32
	signed  []int32
	whole   int
	digest  [4]byte
	small   uint8
	yes, no bool
}

func (v *value) show(c *Coder) {
	List(c, &v.texts, 1, func(s *string) { c.Text(s) })
	c.Numbers(&v.numbers)
	List(c, &v.signed, 1, c.Signed)
	c.Int(&v.whole)
	c.Raw(v.digest[:])
	Small(c, &v.small)
	c.Yes(&v.yes, &v.no)
}

func written(v value) []byte {
	c := NewWriter()
	v.show(c)
	return c.Bytes(7)
}

func TestValuesComeBackEqual(t *testing.T) {
	for name, want := range map[string]value{
		"nothing": {},
		"everything": {
			texts: []string{"", "a", "b", "a"}, numbers: []int32{-1, 0, 1, math.MaxInt32}, signed: []int32{0, -1, 1, math.MinInt32, math.MaxInt32},
			whole: 300, digest: [4]byte{1, 2, 3, 4}, small: 255, yes: true,
		},
	} {
		data := written(want)
		if data[0] != 7 {
			t.Errorf("%s: begins with %d, not with the caller's byte", name, data[0])
		}
		var got value
		c := NewReader(data[1:])
		if got.show(c); !c.Done() || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, done %v\nwant %+v", name, got, c.Done(), want)
		}
	}
}

func TestShowingAValueToAWriterLeavesItAsItIs(t *testing.T) {
	v := value{signed: []int32{-5, 5}, numbers: []int32{-1, 9}, whole: 3, yes: true}
	v.show(NewWriter())
	if want := (value{signed: []int32{-5, 5}, numbers: []int32{-1, 9}, whole: 3, yes: true}); !reflect.DeepEqual(v, want) {
		t.Errorf("got %+v, want %+v", v, want)
	}
}

func TestNothingShorterIsDone(t *testing.T) {
	data := written(value{texts: []string{"text"}, numbers: []int32{300}, signed: []int32{-300}})[1:]
	for n := range data {
		var v value
		c := NewReader(data[:n])
		if v.show(c); c.Done() || !c.Failed() {
			t.Errorf("%d of %d bytes are enough", n, len(data))
		}
	}
	c := NewReader(append(data, 0))
	var v value
	if v.show(c); c.Done() {
		t.Error("more than a value is done")
	}
}

// Short lists share their memory, so that a reader does not allocate for each.
func TestShortListsShareMemory(t *testing.T) {
	c := NewWriter()
	lists := make([][]int32, 400)
	for i := range lists {
		lists[i] = []int32{1, 2}
		c.Numbers(&lists[i])
	}
	data := c.Bytes(0)[1:]
	got := testing.AllocsPerRun(5, func() {
		r := NewReader(data)
		for i := range lists {
			r.Numbers(&lists[i])
		}
	})
	if got > 5 {
		t.Errorf("%v allocations for %d lists", got, len(lists))
	}
	lists[0] = append(lists[0], 9)
	if lists[1][0] != 1 {
		t.Error("a list grew into another")
	}
}

func FuzzReader(f *testing.F) {
	f.Add(written(value{})[1:])
	f.Add(written(value{texts: []string{"a", "b"}, numbers: []int32{1, 2}, signed: []int32{-1}, yes: true})[1:])
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var v value
		c := NewReader(data)
		v.show(c)
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > uint64(64*len(data)+1<<20) {
			t.Fatalf("%d bytes made %d", len(data), grown)
		}
		if !c.Done() {
			return
		}
		var again value
		r := NewReader(written(v)[1:])
		if again.show(r); !r.Done() || !reflect.DeepEqual(again, v) {
			t.Fatalf("got %+v, want %+v", again, v)
		}
	})
}
