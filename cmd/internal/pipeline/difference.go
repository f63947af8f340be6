package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Difference is the first place, in the order of the document, where two JSON
// documents differ.
type Difference struct {
	Pointer string // RFC 6901; "" is the whole document
	A, B    string // the values there as JSON; "" where there is none
}

// difference finds the first difference of two JSON documents. The order of
// keys does not count.
func difference(a, b []byte) (Difference, bool, error) {
	x, err := decodeOrdered(a)
	if err != nil {
		return Difference{}, false, err
	}
	y, err := decodeOrdered(b)
	if err != nil {
		return Difference{}, false, err
	}
	d, found := x.differs(y, "")
	return d, found, nil
}

// A value is a JSON value that knows the order of its keys.
type value struct {
	kind   json.Delim // '{' or '['; 0 for a scalar
	text   string     // of a scalar, as JSON
	keys   []string   // of an object
	values []*value   // of an object, by key; of an array
}

func decodeOrdered(data []byte) (*value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return decodeValue(d)
}

func decodeValue(d *json.Decoder) (*value, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, composed := t.(json.Delim)
	if !composed {
		text, err := json.Marshal(t)
		return &value{text: string(text)}, err
	}
	v := &value{kind: open}
	for d.More() {
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			text, ok := key.(string)
			if !ok {
				return nil, errors.New("a key is no text")
			}
			v.keys = append(v.keys, text)
		}
		element, err := decodeValue(d)
		if err != nil {
			return nil, err
		}
		v.values = append(v.values, element)
	}
	_, err = d.Token() // the end of it
	return v, err
}

// differs compares two values at a place.
func (v *value) differs(w *value, at string) (Difference, bool) {
	switch {
	case v == nil && w == nil:
		return Difference{}, false
	case v == nil || w == nil || v.kind != w.kind || v.text != w.text:
		return Difference{Pointer: at, A: v.String(), B: w.String()}, true
	case v.kind == '{':
		return v.keysDiffer(w, at)
	}
	for i := range max(len(v.values), len(w.values)) {
		var x, y *value
		if i < len(v.values) {
			x = v.values[i]
		}
		if i < len(w.values) {
			y = w.values[i]
		}
		if d, found := x.differs(y, at+"/"+strconv.Itoa(i)); found {
			return d, true
		}
	}
	return Difference{}, false
}

// keysDiffer compares two objects: first what v has, then what only w has.
func (v *value) keysDiffer(w *value, at string) (Difference, bool) {
	mine, theirs := v.byKey(), w.byKey()
	for _, key := range append(append([]string(nil), v.keys...), w.keys...) {
		if d, found := mine[key].differs(theirs[key], at+"/"+escapePointer.Replace(key)); found {
			return d, true
		}
	}
	return Difference{}, false
}

func (v *value) byKey() map[string]*value {
	m := make(map[string]*value, len(v.keys))
	for i, key := range v.keys {
		m[key] = v.values[i]
	}
	return m
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// String is a scalar as JSON, and of anything larger how large it is.
func (v *value) String() string {
	switch {
	case v == nil:
		return ""
	case v.kind == '{':
		return fmt.Sprintf("{…%d keys}", len(v.keys))
	case v.kind == '[':
		return fmt.Sprintf("[…%d elements]", len(v.values))
	}
	return v.text
}
