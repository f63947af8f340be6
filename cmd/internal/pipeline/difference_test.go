package pipeline

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

func TestDifference(t *testing.T) {
	tests := map[string]struct {
		a, b string
		want Difference
	}{
		"equal documents":                     {`{"a":[1,{"b":null}]}`, `{"a": [1, {"b": null}]}`, Difference{}},
		"the order of keys does not count":    {`{"a":1,"b":2}`, `{"b":2,"a":1}`, Difference{}},
		"the first in the order of the first": {`{"z":1,"a":2}`, `{"a":3,"z":4}`, Difference{"/z", "1", "4"}},
		"a scalar deep down":                  {`{"a":[0,{"b":"x"}]}`, `{"a":[0,{"b":"y"}]}`, Difference{"/a/1/b", `"x"`, `"y"`}},
		"a number is not a text":              {`[1]`, `["1"]`, Difference{"/0", "1", `"1"`}},
		"large numbers keep every digit":      {`[9007199254740993]`, `[9007199254740992]`, Difference{"/0", "9007199254740993", "9007199254740992"}},
		"a longer list":                       {`[1,2]`, `[1]`, Difference{"/1", "2", ""}},
		"a shorter list":                      {`[]`, `[[1]]`, Difference{"/0", "", "[…1 elements]"}},
		"a key only in the first":             {`{"a":1}`, `{}`, Difference{"/a", "1", ""}},
		"a key only in the second":            {`{}`, `{"a":{"b":1}}`, Difference{"/a", "", "{…1 keys}"}},
		"signs of a pointer are escaped":      {`{"a/b~c":1}`, `{"a/b~c":2}`, Difference{"/a~1b~0c", "1", "2"}},
		"the whole document":                  {`1`, `null`, Difference{"", "1", "null"}},
		"an empty list is not nothing":        {`{"a":[]}`, `{"a":null}`, Difference{"/a", "[…0 elements]", "null"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, found, err := difference([]byte(tt.a), []byte(tt.b))
			if err != nil || got != tt.want || found != (tt.want != Difference{}) {
				t.Errorf("got %+v, %t, %v; want %+v", got, found, err, tt.want)
			}
		})
	}
	if _, _, err := difference([]byte(`{"a":`), []byte(`{}`)); err == nil {
		t.Error("half a document was compared")
	}
}

// Against encoding/json: documents differ exactly if their values do.
func FuzzDifference(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,2]}`, `[null,true,"x"]`, `{"a":{"b":[]}}`, `1e3`, `"\u0000"`} {
		f.Add([]byte(s), []byte(s))
		f.Add([]byte(s), []byte(`{"a":1}`))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		x, okA := decodeAny(a)
		y, okB := decodeAny(b)
		if !okA || !okB {
			return
		}
		d, found, err := difference(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if found == reflect.DeepEqual(x, y) {
			t.Fatalf("%s and %s: %+v, %t", a, b, d, found)
		}
		if _, again, _ := difference(b, a); again != found {
			t.Fatalf("%s and %s differ one way only", a, b)
		}
	})
}

// decodeAny decodes one document in which no object has a key twice.
func decodeAny(data []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if !json.Valid(data) || d.Decode(&v) != nil {
		return nil, false
	}
	tree, err := decodeOrdered(data)
	return v, err == nil && tree.distinct()
}

func (v *value) distinct() bool {
	if len(v.byKey()) != len(v.keys) {
		return false
	}
	for _, w := range v.values {
		if !w.distinct() {
			return false
		}
	}
	return true
}
