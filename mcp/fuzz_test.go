package mcp

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph/answer"
)

// Nobody but the server makes a cursor that it reads.
func FuzzCursor(f *testing.F) {
	s := newSigner()
	made := s.write(cursorFor("tool", "args", answer.Header{RepositoryRoot: "/w", Generation: 3}))
	f.Add(made)
	f.Add("")
	f.Add("AQ")
	f.Add(made[:len(made)-1] + "A")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := s.read(text); err == nil && text != made {
			t.Errorf("%q is read", text)
		}
	})
}

// Whatever a text holds, the JSON of it is valid, and what a client decodes has
// nothing that cannot be seen.
func FuzzEncode(f *testing.F) {
	f.Add("a\u202eb\x1b[2J\xff\n\t\"\\<&>")
	f.Add("\U000e0041\u3164\ufe0f")
	f.Fuzz(func(t *testing.T, text string) {
		e := &encoder{b: []byte{'{'}}
		e.fields(reflect.ValueOf(answer.Source{Text: text, Gaps: []answer.Range{}}), "")
		e.b[len(e.b)-1] = '}'
		var got map[string]any
		if err := json.Unmarshal(e.b, &got); err != nil {
			t.Fatalf("%v: %s", err, e.b)
		}
		if s := got["text"].(string); strings.ContainsFunc(s, hidden) || !strings.ContainsFunc(text, hidden) && s != text {
			t.Errorf("%q becomes %q", text, s)
		}
	})
}
