package conformance

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// elicit asks the user for one property.
func elicit(question, property, kind string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Message: question, RequestedSchema: object(map[string]any{property: typed(kind)}, property)}
}

// sample asks the client's model.
func sample(question string, tokens int64) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: tokens, Messages: []*sdk.SamplingMessage{{Role: "user", Content: text("%s", question)}}}
}

// A round asks for input, and says what came back once all of it is there.
type round struct {
	ask  sdk.InputRequestMap
	tell func(sdk.InputResponseMap) string
}

// answered reports whether each question got an answer of its kind.
func (r round) answered(given sdk.InputResponseMap) bool {
	for name, question := range r.ask {
		ok := false
		switch question.(type) {
		case *sdk.ElicitParams:
			_, ok = given[name].(*sdk.ElicitResult)
		case *sdk.CreateMessageParams:
			ok = spoken(given[name]) != ""
		case *sdk.ListRootsParams:
			_, ok = given[name].(*sdk.ListRootsResult)
		}
		if !ok {
			return false
		}
	}
	return true
}

// spoken is the text of what a model answered; "" if it is none.
func spoken(r sdk.InputResponse) string {
	var parts []sdk.Content
	switch r := r.(type) {
	case *sdk.CreateMessageResult:
		parts = []sdk.Content{r.Content}
	case *sdk.CreateMessageWithToolsResult:
		parts = r.Content
	}
	for _, p := range parts {
		if t, ok := p.(*sdk.TextContent); ok {
			return t.Text
		}
	}
	return ""
}

// elicited is one property of what a user answered.
func elicited(given sdk.InputResponseMap, name, property string) any {
	if r, ok := given[name].(*sdk.ElicitResult); ok {
		return r.Content[property]
	}
	return nil
}

// addRound registers a tool that asks once, without state.
func addRound(s *sdk.Server, name string, r round) {
	add(s, name, "Asks before it answers", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if given := req.Params.InputResponses; r.answered(given) {
			return said(text("%s", r.tell(given))), nil
		}
		return &sdk.CallToolResult{InputRequests: r.ask}, nil
	})
}

// addRounds registers a tool that asks once for each round and lets the client
// carry where it is, sealed.
func addRounds(s *sdk.Server, name string, key []byte, rounds ...round) {
	add(s, name, "Asks before it answers", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		at := 0
		if state := req.Params.RequestState; state != "" {
			var ok bool
			if at, ok = unseal(key, name, state); !ok || at >= len(rounds) {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState was not made by this server"}
			}
			if rounds[at].answered(req.Params.InputResponses) {
				at++
			}
		}
		if at == len(rounds) {
			return said(text("%s", rounds[at-1].tell(req.Params.InputResponses))), nil
		}
		return &sdk.CallToolResult{InputRequests: rounds[at].ask, RequestState: seal(key, name, at)}, nil
	})
}

// seal writes the number of a round so that only the holder of the key can.
func seal(key []byte, tool string, at int) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s %d", tool, at)
	return fmt.Sprintf("%d.%s", at, hex.EncodeToString(mac.Sum(nil)))
}

func unseal(key []byte, tool, state string) (at int, ok bool) {
	number, _, _ := strings.Cut(state, ".")
	if _, err := fmt.Sscanf(number, "%d", &at); err != nil {
		return 0, false
	}
	return at, at >= 0 && hmac.Equal([]byte(state), []byte(seal(key, tool, at)))
}

func addInputTools(s *sdk.Server) {
	key := []byte(rand.Text())
	addRound(s, "test_input_required_result_elicitation", round{
		ask: sdk.InputRequestMap{"user_name": elicit("What is your name?", "name", "string")},
		tell: func(given sdk.InputResponseMap) string {
			return fmt.Sprintf("Hello, %v!", elicited(given, "user_name", "name"))
		}})
	addRound(s, "test_input_required_result_sampling", round{
		ask:  sdk.InputRequestMap{"capital_question": sample("What is the capital of France?", 100)},
		tell: func(given sdk.InputResponseMap) string { return spoken(given["capital_question"]) }})
	addRound(s, "test_input_required_result_list_roots", round{
		ask: sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}}, tell: func(given sdk.InputResponseMap) string { return "Roots: " + roots(given["client_roots"]) }})
	addRounds(s, "test_input_required_result_request_state", key, round{
		ask: sdk.InputRequestMap{"confirm": elicit("Please confirm", "ok", "boolean")}, tell: func(sdk.InputResponseMap) string { return "state-ok" }})
	addRounds(s, "test_input_required_result_tampered_state", key, round{
		ask: sdk.InputRequestMap{"confirm": elicit("Please confirm", "ok", "boolean")}, tell: func(sdk.InputResponseMap) string { return "state-ok" }})
	addRounds(s, "test_input_required_result_multiple_inputs", key, round{
		ask: sdk.InputRequestMap{"user_name": elicit("What is your name?", "name", "string"),
			"greeting": sample("Generate a greeting", 50), "client_roots": &sdk.ListRootsParams{}},
		tell: func(given sdk.InputResponseMap) string {
			return fmt.Sprintf("%s, %v: %s", spoken(given["greeting"]), elicited(given, "user_name", "name"), roots(given["client_roots"]))
		}})
	addRounds(s, "test_input_required_result_multi_round", key,
		round{ask: sdk.InputRequestMap{"step1": elicit("Step 1: What is your name?", "name", "string")}},
		round{ask: sdk.InputRequestMap{"step2": elicit("Step 2: What is your favorite color?", "color", "string")},
			tell: func(given sdk.InputResponseMap) string {
				return fmt.Sprintf("Color: %v", elicited(given, "step2", "color"))
			}})
	add(s, "test_input_required_result_capabilities", "Asks only what the client can answer", askDeclared)
	add(s, "test_missing_capability", "Needs sampling, whatever the client declares", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"question": sample("Anything", 10)}}, nil
	})
	addRound(s, "test_streaming_elicitation", round{
		ask: sdk.InputRequestMap{"value": elicit("Which value?", "value", "string")}, tell: func(sdk.InputResponseMap) string { return "thanks" }})
	addLegacyInputTools(s)
}

func roots(r sdk.InputResponse) string {
	var uris []string
	if list, ok := r.(*sdk.ListRootsResult); ok {
		for _, root := range list.Roots {
			uris = append(uris, root.URI)
		}
	}
	return strings.Join(uris, " ")
}

func askDeclared(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	ask := sdk.InputRequestMap{}
	if has := req.ClientCapabilities(); has != nil {
		if has.Sampling != nil {
			ask["greeting"] = sample("Generate a greeting", 50)
		}
		if has.Elicitation != nil {
			ask["user_name"] = elicit("What is your name?", "name", "string")
		}
	}
	if len(ask) == 0 {
		return said(text("nothing to ask")), nil
	}
	return &sdk.CallToolResult{InputRequests: ask}, nil
}

// addLegacyInputTools registers what earlier revisions test. They ask by requests
// of their own, which the SDK makes of the same results.
func addLegacyInputTools(s *sdk.Server) {
	withArgument := func(name, argument string, ask func(string) sdk.InputRequest, tell func(sdk.InputResponse) string) {
		s.AddTool(&sdk.Tool{Name: name, Description: "Asks before it answers", InputSchema: object(map[string]any{argument: typed("string")}, argument)},
			func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				if given, ok := req.Params.InputResponses["input"]; ok {
					return said(text("%s", tell(given))), nil
				}
				var arguments map[string]string
				if err := json.Unmarshal(req.Params.Arguments, &arguments); err != nil {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "arguments are strings"}
				}
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"input": ask(arguments[argument])}}, nil
			})
	}
	withArgument("test_sampling", "prompt", func(prompt string) sdk.InputRequest { return sample(prompt, 100) },
		func(r sdk.InputResponse) string { return "LLM response: " + spoken(r) })
	user := object(map[string]any{"username": map[string]any{"type": "string", "description": "User's response"},
		"email": map[string]any{"type": "string", "description": "User's email address"}}, "username", "email")
	withArgument("test_elicitation", "message", func(question string) sdk.InputRequest {
		return &sdk.ElicitParams{Message: question, RequestedSchema: user}
	}, func(r sdk.InputResponse) string { return "User response: " + outcome(r) })
	form := func(name string, schema map[string]any) {
		addRound(s, name, round{ask: sdk.InputRequestMap{"form": &sdk.ElicitParams{Message: "Fill in the form", RequestedSchema: schema}},
			tell: func(given sdk.InputResponseMap) string { return "Elicitation completed: " + outcome(given["form"]) }})
	}
	form("test_elicitation_sep1034_defaults", object(map[string]any{
		"name":  map[string]any{"type": "string", "default": "John Doe"},
		"age":   map[string]any{"type": "integer", "default": 30},
		"score": map[string]any{"type": "number", "default": 95.5},
		"status": map[string]any{"type": "string", "default": "active",
			"enum": []string{"active", "inactive", "pending"}},
		"verified": map[string]any{"type": "boolean", "default": true}}))
	form("test_elicitation_sep1330_enums", object(enums()))
}

// outcome writes what a user did.
func outcome(r sdk.InputResponse) string {
	e, ok := r.(*sdk.ElicitResult)
	if !ok {
		return "none"
	}
	var content []string
	for _, name := range slices.Sorted(maps.Keys(e.Content)) {
		content = append(content, fmt.Sprintf("%s: %v", name, e.Content[name]))
	}
	return fmt.Sprintf("action=%s, content={%s}", e.Action, strings.Join(content, ", "))
}

// enums are the five ways to offer a choice.
func enums() map[string]any {
	options := []string{"option1", "option2", "option3"}
	titled := func(titles ...string) []any {
		var all []any
		for i, title := range titles {
			all = append(all, map[string]any{"const": fmt.Sprintf("value%d", i+1), "title": title})
		}
		return all
	}
	return map[string]any{
		"untitledSingle": map[string]any{"type": "string", "enum": options},
		"titledSingle":   map[string]any{"type": "string", "oneOf": titled("First Option", "Second Option", "Third Option")},
		"legacyEnum": map[string]any{"type": "string", "enum": []string{"opt1", "opt2", "opt3"},
			"enumNames": []string{"Option One", "Option Two", "Option Three"}},
		"untitledMulti": map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": options}},
		"titledMulti":   map[string]any{"type": "array", "items": map[string]any{"anyOf": titled("First Choice", "Second Choice", "Third Choice")}},
	}
}
