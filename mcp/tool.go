package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/previdence/previdence/graph/answer"
)

// common are the arguments that almost every tool has.
type common struct {
	RepoRoot   string `json:"repo_root" jsonschema:"absolute path of the worktree's top folder, without symlinks"`
	ExpectHead string `json:"expect_head,omitempty" jsonschema:"full commit ID; refuse unless HEAD is this commit"`
	MaxBytes   int    `json:"max_bytes,omitempty" jsonschema:"size of the result in bytes, 2048 to 40000; 8192 if absent"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"next_cursor of the result before, with the same other arguments"`
}

func (c *common) shared() *common { return c }

// bound is the argument of tools whose answer an agent may hold against files.
type bound struct {
	Bound bool `json:"bound,omitempty" jsonschema:"refuse unless every file on disk is that of HEAD; for those who read the files too"`
}

// A call is one call of a tool.
type call struct {
	server *server
	told   Progress
}

// A tool is one thing that agents can ask.
type tool struct {
	sdk  *sdk.Tool
	call func(ctx context.Context, s *server, told Progress, arguments json.RawMessage) ([]byte, error)
}

// Effects are what a tool does to the world.
type effects struct{ writes, destroys, repeats bool }

var reads = effects{repeats: true}

// define makes a tool of a function from arguments to a reply. Out is the shape of
// its results without the fields of [Page]; it serves the schema only. Arguments
// that the tool does not have are named in the result: some clients add their own,
// and a misspelt one must not pass for one that was heard. A strict tool refuses
// them.
func define[In, Out any](name, title, description string, does effects, strict bool, run func(context.Context, *call, *In) (reply, error)) tool {
	no := false
	known := schemaOf[In]()
	t := tool{sdk: &sdk.Tool{
		Name: name, Title: title, Description: description, InputSchema: known, OutputSchema: outputOf[Out](),
		Annotations: &sdk.ToolAnnotations{Title: title, ReadOnlyHint: !does.writes, DestructiveHint: &does.destroys, IdempotentHint: does.repeats, OpenWorldHint: &no},
	}}
	if strict {
		known.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	t.call = func(ctx context.Context, s *server, told Progress, arguments json.RawMessage) ([]byte, error) {
		in := new(In)
		ignored, err := decode(arguments, in, known)
		if err != nil {
			return nil, err
		}
		if strict && len(ignored) > 0 {
			return nil, refuse("bad_arguments", "leave it out", "%s takes exactly %s, not %s", name, strings.Join(known.PropertyOrder, " and "), ignored[0])
		}
		shared := &common{}
		if c, ok := any(in).(interface{ shared() *common }); ok {
			shared = c.shared()
		}
		p, err := s.pageOf(name, in, shared, ignored)
		if err != nil {
			return nil, err
		}
		r, err := run(ctx, &call{s, told}, in)
		if many := (*Ambiguous)(nil); errors.As(err, &many) {
			r, err = unclear{many.Candidates, many.hint(does.writes)}.reply(), nil
		}
		if err != nil {
			return nil, err
		}
		return p.render(r)
	}
	return t
}

// one says what values an argument, or the entries of one, may have.
func (t tool) one(argument string, values ...string) tool {
	s := t.sdk.InputSchema.(*jsonschema.Schema).Properties[argument]
	if s.Items != nil {
		s = s.Items
	}
	s.Enum = items(values)
	return t
}

// A pager knows which page of a reply is asked for.
type pager struct {
	signer  *signer
	tool    string
	args    any // without what does not change the list
	given   *cursor
	limit   int
	ignored []string
}

func (s *server) pageOf(tool string, in any, c *common, ignored []string) (*pager, error) {
	p := &pager{signer: s.signer, tool: tool, limit: c.MaxBytes, ignored: ignored}
	switch {
	case p.limit == 0:
		p.limit = defaultBytes
	case p.limit < leastBytes || p.limit > mostBytes:
		return nil, refuse("bad_arguments", fmt.Sprintf("give %d to %d", leastBytes, mostBytes), "max_bytes is %d", p.limit)
	}
	if !absent(c.Cursor) {
		given, err := s.signer.read(c.Cursor)
		if err != nil {
			return nil, err
		}
		p.given = &given
	}
	c.Cursor, c.MaxBytes = "", 0
	// A copy: the tool is free to change its own.
	text, err := json.Marshal(in)
	p.args = json.RawMessage(text)
	return p, err
}

func (p *pager) render(r reply) ([]byte, error) {
	at := cursorFor(p.tool, p.args, r.about)
	from := 0
	if p.given != nil {
		var err error
		if from, err = at.follow(*p.given, r.about); err != nil {
			return nil, err
		}
	}
	return r.render(from, p.limit, p.ignored, func(position int) string {
		next := at
		next.position = int64(position)
		return p.signer.write(next)
	})
}

// longArgument bounds one argument, in bytes of JSON: 128 long paths fit.
const longArgument = 64 << 10

// decode reads arguments and lists those that the tool does not have.
func decode(arguments json.RawMessage, in any, known *jsonschema.Schema) (ignored []string, err error) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &given); err != nil || given == nil {
		return nil, refuse("bad_arguments", "give a JSON object", "the arguments are no object")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch {
		case known.Properties[name] == nil:
			ignored = append(ignored, cut(name, 40))
			delete(given, name)
		case len(given[name]) > longArgument:
			return nil, refuse("bad_arguments", "ask in parts, by ids from find_symbol", "%s has %d bytes; at most %d are taken", name, len(given[name]), longArgument)
		case string(given[name]) == "null": // absent, to most clients
			delete(given, name)
		}
	}
	for _, name := range known.Required {
		if given[name] == nil {
			return nil, refuse("bad_arguments", "give "+name+": "+known.Properties[name].Description, "%s is missing", name)
		}
	}
	text, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	var mistyped *json.UnmarshalTypeError
	if err := json.Unmarshal(text, in); errors.As(err, &mistyped) {
		field := strings.TrimPrefix(strings.TrimPrefix(mistyped.Field, "common."), "bound.") // arguments are flat
		return nil, refuse("bad_arguments", "see the schema of the tool", "%s is a JSON %s, want %s", field, mistyped.Value, jsonName(mistyped.Type))
	} else if err != nil {
		return nil, refuse("bad_arguments", "see the schema of the tool", "%v", err)
	}
	return ignored[:min(len(ignored), 5)], nil
}

// jsonName is what a type is called in JSON.
func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		return "array"
	}
	return t.String()
}

// handle is the handler of a tool for the SDK. Whatever happens in a call, the
// next one is answered.
func (s *server) handle(t tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (result *sdk.CallToolResult, err error) {
		defer func() {
			if p := recover(); p != nil {
				result, err = s.failed(t.sdk.Name, panicked(p)), nil
			}
		}()
		text, err := t.call(ctx, s, progressOf(ctx, req), req.Params.Arguments)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err() // the client has gone or does not want it any more
			}
			return s.failed(t.sdk.Name, err), nil
		}
		// Clients pass on either half, so both say the same.
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text)}, nil
	}
}

// longError bounds what is told of an error, in bytes.
const longError = 2000

// failed tells a client in one line why there is no answer.
func (s *server) failed(tool string, err error) *sdk.CallToolResult {
	text := visible(strings.Join(strings.Fields(err.Error()), " "))
	if known := (*Refusal)(nil); !errors.As(err, &known) {
		text = "failed: " + text
	}
	r := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: cut(text, longError)}}}
	r.IsError = true
	if p := (*panicError)(nil); errors.As(err, &p) {
		s.log("panic in %s: %v\n%s", tool, p.value, p.stack)
	}
	return r
}

// A panicError is a mistake of ours that one call met.
type panicError struct {
	value any
	stack []byte
}

func panicked(value any) error { return &panicError{value, debug.Stack()} }

func (p *panicError) Error() string {
	return "a mistake in previdence ended this call; others are not affected"
}

// progressPeriod keeps progress from drowning a client.
const progressPeriod = 200 * time.Millisecond

// progressOf tells a client how far a call has come, if it wants to know. What is
// told only ever increases.
func progressOf(ctx context.Context, req *sdk.CallToolRequest) Progress {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func(string, int, int) {}
	}
	var mu sync.Mutex
	var last time.Time
	var phase string
	n := 0
	return func(now string, done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if now == phase && time.Since(last) < progressPeriod || ctx.Err() != nil {
			return
		}
		n, last, phase = n+1, time.Now(), now
		message := fmt.Sprintf("%s %d", now, done)
		if total > 0 {
			message = fmt.Sprintf("%s %d of %d", now, done, total)
		}
		// A client that cannot be told still gets its answer.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Message: message, Progress: float64(n)})
	}
}

// schemaOf is the schema of arguments.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // the types are ours
	}
	s.AdditionalProperties = nil
	plain(s)
	return s
}

// outputOf is the schema of results: the fields of an answer, then those of a page.
// Only what every result has is required, since lists are lean and a name may mean
// several symbols.
func outputOf[T any]() *jsonschema.Schema {
	s, page := schemaOf[T](), schemaOf[Page]()
	for _, other := range []*jsonschema.Schema{page, schemaOf[unclear]()} {
		for _, name := range other.PropertyOrder {
			if s.Properties[name] == nil {
				s.PropertyOrder = append(s.PropertyOrder, name)
			}
			s.Properties[name] = other.Properties[name]
		}
	}
	loosen(s)
	eachField(reflect.ValueOf(answer.Header{}), func(name string, _ reflect.Value, _ bool) { s.Required = append(s.Required, name) })
	s.Required = append(s.Required, page.Required...)
	return s
}

// plain makes a schema what all clients can read: no type is a list of types.
func plain(s *jsonschema.Schema) {
	if len(s.Types) > 0 {
		s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
		s.Type, s.Types = s.Types[0], nil
	}
	for _, p := range s.Properties {
		plain(p)
	}
	if s.Items != nil {
		plain(s.Items)
	}
}

// loosen drops what lean results do not keep.
func loosen(s *jsonschema.Schema) {
	s.Required, s.AdditionalProperties = nil, nil
	for _, p := range s.Properties {
		loosen(p)
	}
	if s.Items != nil {
		loosen(s.Items)
	}
}
