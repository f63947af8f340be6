package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds one text inside a list, in bytes. Signatures of generated code
// reach hundreds of kilobytes.
const maxText = 400

// A whole is a text that is shown whole or not at all: half a command runs
// something else.
type whole string

// An encoder writes JSON without spaces, in the order of the fields. It is leaner
// than encoding/json: inside lists, what is empty, 0 or false is left out, long
// texts are cut, and every text is made visible.
type encoder struct{ b []byte }

// fields writes the fields of a struct that is the whole answer, each with a comma
// behind it. Nil pointers, empty fields that say omitempty and the field named skip
// are left out.
func (e *encoder) fields(v reflect.Value, skip string) {
	eachField(v, func(name string, f reflect.Value, optional bool) {
		if name == skip || optional && empty(f) || f.Kind() == reflect.Pointer && f.IsNil() {
			return
		}
		e.name(name)
		e.value(f, 0)
		e.b = append(e.b, ',')
	})
}

func (e *encoder) name(name string) {
	e.b = strconv.AppendQuote(e.b, name)
	e.b = append(e.b, ':')
}

// value writes v, which lies deep levels below the answer.
func (e *encoder) value(v reflect.Value, deep int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			e.b = append(e.b, "null"...)
			return
		}
		e.value(v.Elem(), deep)
	case reflect.Struct:
		e.object(v, deep)
	case reflect.Slice:
		e.b = append(e.b, '[')
		for i := range v.Len() {
			if i > 0 {
				e.b = append(e.b, ',')
			}
			e.value(v.Index(i), deep+1)
		}
		e.b = append(e.b, ']')
	case reflect.String:
		text := v.String()
		if deep > 0 && v.Type() != reflect.TypeFor[whole]() {
			text = cut(text, maxText)
		}
		e.text(text)
	case reflect.Bool:
		e.b = strconv.AppendBool(e.b, v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		e.b = strconv.AppendInt(e.b, v.Int(), 10)
	default:
		panic("mcp: no JSON for " + v.Type().String()) // the types are ours
	}
}

func (e *encoder) object(v reflect.Value, deep int) {
	e.b = append(e.b, '{')
	first := true
	eachField(v, func(name string, f reflect.Value, _ bool) {
		if deep > 0 && empty(f) || f.Kind() == reflect.Pointer && f.IsNil() {
			return
		}
		if !first {
			e.b = append(e.b, ',')
		}
		first = false
		e.name(name)
		e.value(f, deep+1)
	})
	e.b = append(e.b, '}')
}

func (e *encoder) text(s string) {
	text, err := json.Marshal(visible(s))
	if err != nil {
		panic(err) // a text
	}
	for _, escaped := range []struct{ long, short string }{{`\u003c`, "<"}, {`\u003e`, ">"}, {`\u0026`, "&"}} {
		text = []byte(strings.ReplaceAll(string(text), escaped.long, escaped.short))
	}
	e.b = append(e.b, text...)
}

func empty(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.IsZero()
}

// eachField calls fn for the fields that have a JSON name, those of embedded
// structs in their place.
func eachField(v reflect.Value, fn func(name string, f reflect.Value, optional bool)) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, flags, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch f := v.Field(i); {
		case field.Anonymous && name == "":
			if f.Kind() == reflect.Pointer {
				if f.IsNil() {
					continue
				}
				f = f.Elem()
			}
			eachField(f, fn)
		case name != "" && name != "-":
			fn(name, f, flags == "omitempty")
		}
	}
}

// visible spells out the characters that cannot be seen or that turn text around,
// and the bytes that are not UTF-8: a reader must not be told what nobody sees.
// Line ends and tabs stay.
func visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02X`, s[i])
		case hidden(r):
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// hidden is true for control and formatting characters, for those that only
// change how others look, and for what may be a byte that is not UTF-8.
func hidden(r rune) bool {
	if r == '\n' || r == '\t' || r >= ' ' && r < 0x7F {
		return false
	}
	return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector) ||
		slices.Contains([]rune{0x115F, 0x1160, 0x3164, 0xFFA0}, r) // letters without a shape
}

// cut shortens a text to about n bytes and says by how many.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s… (%d bytes more)", s[:n], len(s)-n)
}
