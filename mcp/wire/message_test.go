package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestLinesAreCutAtTheLimit(t *testing.T) {
	const limit = 100_000
	at := strings.Repeat("a", limit)
	text := "one\n" + at + "\n" + at + "a\ntwo\r\n\nlast"
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text))} {
		t.Run(name, func(t *testing.T) {
			lines := newLineReader(r, limit)
			for _, want := range []string{"one", at, "(long)", "two", "", "last"} {
				line, err := lines.next()
				if errors.Is(err, errLong) {
					line, err = []byte("(long)"), nil
				}
				if err != nil || string(line) != want {
					t.Fatalf("got %.20q, %v; want %.20q", line, err, want)
				}
			}
			if _, err := lines.next(); !errors.Is(err, io.EOF) {
				t.Errorf("got %v after the last", err)
			}
		})
	}
}

func TestLongLastLineIsLong(t *testing.T) {
	lines := newLineReader(strings.NewReader(strings.Repeat("a", 200_000)), 10)
	if _, err := lines.next(); !errors.Is(err, errLong) {
		t.Errorf("got %v", err)
	}
	if _, err := lines.next(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}

func TestFailedStreamIsNoEnd(t *testing.T) {
	broken := errors.New("broken")
	lines := newLineReader(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)), 10)
	if _, err := lines.next(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// What decode takes, the SDK takes, and means the same by it: otherwise what was
// judged is not what is served. Whatever it refuses gets a reply that is one line
// of JSON.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":"a"}}}`,
		`{"jsonrpc":"2.0","id":"a","result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`[]`, `null`, `{"jsonrpc":"2.0","id":1.5,"method":"x"}`, `{"jsonrpc":"2.0","ID":1,"method":"x"}`, "\xff", `{}`, `{"jsonrpc":"2.0","id":-0,"method":""}`,
		`{"jsonrpc":"2.0","id":1,"method":"x","id":2}`, `{"jsonrpc":"2.0","id":1,"method":"x","params":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, fault := decode(line)
		if fault != nil {
			reply := refuse(fault)
			if !json.Valid(reply) || bytes.ContainsAny(reply, "\n\r") {
				t.Errorf("the reply is %q", reply)
			}
			return
		}
		sdk, err := jsonrpc.DecodeMessage(line)
		if err != nil {
			// An error of a response may have any form; it is handed over decoded.
			if m.kind != response {
				t.Errorf("decode takes %q, the SDK says %v", line, err)
			}
			return
		}
		if r, ok := sdk.(*jsonrpc.Request); ok != (m.kind != response) || ok && (r.Method != m.method || r.IsCall() != (m.kind == request)) {
			t.Errorf("decode reads %q as kind %d, method %q; the SDK as %#v", line, m.kind, m.method, sdk)
		}
	})
}
