package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxDepth bounds how deep a message nests. Calls of tools need less than ten
// levels; the SDK gives up a stream above a thousand.
const maxDepth = 512

// A kind tells the three sorts of messages apart.
type kind uint8

const (
	request      kind = iota + 1 // wants an answer
	notification                 // wants none
	response                     // answers a request of ours
)

// A message is one JSON-RPC message of a client, read and not yet judged.
type message struct {
	kind   kind
	id     json.RawMessage // as the client wrote it; nil for a notification
	method string          // "" for a response
	params json.RawMessage // an object, or nil
	meta   map[string]json.RawMessage
	raw    []byte // the whole message
}

// A fault is why a message goes no further, and the error that answers it.
type fault struct {
	id      json.RawMessage // of the message; nil if it has none that can be read
	code    int64
	message string
	data    any
}

func (f *fault) Error() string { return f.message }

// wire returns the error as JSON-RPC has it.
func (f *fault) wire() *jsonrpc.Error {
	e := &jsonrpc.Error{Code: f.code, Message: f.message}
	if f.data != nil {
		// What faults carry is made of strings and maps, which always encode.
		e.Data, _ = json.Marshal(f.data)
	}
	return e
}

// at returns the fault as the answer to m.
func (f *fault) at(m message) *fault {
	f.id = m.id
	return f
}

// Codes that the SDK has no name for.
const (
	codeResourceNotFound   = -32002 // up to 2025-11-25; later ones must not use it
	codeHeaderMismatch     = -32020
	codeMissingCapability  = -32021
	codeUnsupportedVersion = -32022
)

func malformed(format string, args ...any) *fault {
	return &fault{code: jsonrpc.CodeParseError, message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *fault {
	return &fault{code: jsonrpc.CodeInvalidRequest, message: fmt.Sprintf(format, args...)}
}

func badParams(format string, args ...any) *fault {
	return &fault{code: jsonrpc.CodeInvalidParams, message: fmt.Sprintf(format, args...)}
}

func noMethod(format string, args ...any) *fault {
	return &fault{code: jsonrpc.CodeMethodNotFound, message: fmt.Sprintf(format, args...)}
}

func crowded(limit int) *fault {
	return &fault{code: jsonrpc.CodeInternalError, message: fmt.Sprintf("%d calls are in flight: wait for one", limit)}
}

// wellFormed reports what keeps text from being one JSON value.
func wellFormed(text []byte) *fault {
	if !utf8.Valid(text) {
		return malformed("the message is not UTF-8")
	}
	if deeperThan(text, maxDepth) {
		return malformed("the message nests deeper than %d levels", maxDepth)
	}
	if !json.Valid(text) {
		return malformed("the message is not one JSON value")
	}
	return nil
}

// deeperThan reports whether objects and arrays nest above limit levels. It
// looks at brackets only, so text that is no JSON may count too.
func deeperThan(text []byte, limit int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// decode reads one message. Names are compared as they are written: a member
// "ID" is no id.
func decode(text []byte) (message, *fault) {
	if f := wellFormed(text); f != nil {
		return message{}, f
	}
	var members map[string]json.RawMessage
	if first(text) != '{' || json.Unmarshal(text, &members) != nil {
		return message{}, invalid("a message is a JSON object")
	}
	m := message{raw: text}
	if raw, ok := members["id"]; ok {
		if !validID(raw) {
			return message{}, invalid("an id is a string or an integer")
		}
		m.id = raw
	}
	if string(members["jsonrpc"]) != `"2.0"` {
		return message{}, invalid(`the member "jsonrpc" must be "2.0"`).at(m)
	}
	method, ok := members["method"]
	if !ok {
		_, result := members["result"]
		_, failed := members["error"]
		if m.id == nil || result == failed {
			return message{}, invalid("the message is no request, no notification and no response").at(m)
		}
		m.kind = response
		return m, nil
	}
	if first(method) != '"' || json.Unmarshal(method, &m.method) != nil {
		return message{}, invalid("a method is a string").at(m)
	}
	m.kind = notification
	if m.id != nil {
		m.kind = request
	}
	return m, m.readParams(members["params"])
}

// readParams takes params and what stands under _meta in it. JSON-RPC allows
// arrays for params, MCP does not.
func (m *message) readParams(raw json.RawMessage) *fault {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var params map[string]json.RawMessage
	if first(raw) != '{' || json.Unmarshal(raw, &params) != nil {
		return badParams("params must be an object").at(*m)
	}
	m.params = raw
	meta, ok := params["_meta"]
	if !ok || string(meta) == "null" {
		return nil
	}
	if first(meta) != '{' || json.Unmarshal(meta, &m.meta) != nil {
		return badParams("_meta must be an object").at(*m)
	}
	return nil
}

// first is the first byte that is no space; 0 if there is none.
func first(text []byte) byte {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 {
		return 0
	}
	return text[0]
}

// validID reports whether raw is what MCP takes for an id: a string or an
// integer, written without fraction and exponent.
func validID(raw json.RawMessage) bool {
	if first(raw) == '"' {
		return true
	}
	digits := bytes.TrimPrefix(raw, []byte("-"))
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(digits) > 0
}

// keyOf makes two spellings of one id or progress token equal, and a string
// different from the number that it spells. It returns "" for other values.
func keyOf(raw json.RawMessage) string {
	if validID(raw) && first(raw) != '"' {
		return string(raw)
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

// An envelope is a message of ours. Members that are empty are not written,
// except the id of a response.
type envelope struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *jsonrpc.Error  `json:"error,omitempty"`
}

// encode writes an envelope on one line, without its end.
func encode(e envelope) ([]byte, error) {
	e.Version = "2.0"
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// answer writes the response to the request that id names. What the server
// returned may be no JSON-RPC error, or one with the code 0: that is ours to
// answer for.
func answer(id, result json.RawMessage, failure error) ([]byte, error) {
	e := envelope{ID: id, Result: result}
	if failure != nil {
		e.Result = nil
		e.Error = wireError(failure)
	}
	return encode(e)
}

// refuse writes the answer to a message that goes no further.
func refuse(f *fault) []byte {
	id := f.id
	if id == nil {
		id = json.RawMessage("null") // JSON-RPC 2.0, 5: the id could not be read
	}
	line, err := answer(id, nil, f.wire())
	if err != nil { // an id was checked and a fault holds text
		line = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`)
	}
	return line
}

// wireError returns err as JSON-RPC has it, with the words of what wraps it.
func wireError(err error) *jsonrpc.Error {
	e := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		e.Data = wire.Data
		if wire.Code != 0 {
			e.Code = wire.Code
		}
	}
	return e
}
