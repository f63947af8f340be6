package conformance

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/yosida95/uritemplate/v3"
)

// NewServer returns the server with the fixtures. Some of its tools write to log.
func NewServer(version string, log io.Writer) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "previdence-conformance", Version: version}, &sdk.ServerOptions{
		CompletionHandler:  complete,
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
	})
	addTools(s)
	addInputTools(s)
	addOwnTools(s, log)
	addResources(s)
	addPrompts(s)
	return s
}

func complete(_ context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	values := []string{} // not null: the schema wants a list
	for _, city := range []string{"paris", "park", "party"} {
		if strings.HasPrefix(city, req.Params.Argument.Value) {
			values = append(values, city)
		}
	}
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}

// A red pixel and a hundredth of a second of silence.
var (
	pixel = decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")
	sound = decoded("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=")
)

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err) // a constant
	}
	return data
}

// said is a result with the given parts.
func said(parts ...sdk.Content) *sdk.CallToolResult { return &sdk.CallToolResult{Content: parts} }

func text(format string, args ...any) sdk.Content {
	return &sdk.TextContent{Text: fmt.Sprintf(format, args...)}
}

func object(properties map[string]any, required ...string) map[string]any {
	schema := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

func typed(name string) map[string]any { return map[string]any{"type": name} }

// add registers a tool without arguments.
func add(s *sdk.Server, name, description string, h sdk.ToolHandler) {
	s.AddTool(&sdk.Tool{Name: name, Description: description, InputSchema: object(map[string]any{})}, h)
}

// addFixed registers a tool that always says the same.
func addFixed(s *sdk.Server, name, description string, parts ...sdk.Content) {
	add(s, name, description, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return said(parts...), nil })
}

func addTools(s *sdk.Server) {
	addFixed(s, "test_simple_text", "Returns text", text("This is a simple text response for testing."))
	addFixed(s, "test_image_content", "Returns an image", &sdk.ImageContent{Data: pixel, MIMEType: "image/png"})
	addFixed(s, "test_audio_content", "Returns audio", &sdk.AudioContent{Data: sound, MIMEType: "audio/wav"})
	addFixed(s, "test_embedded_resource", "Returns an embedded resource", embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))
	addFixed(s, "test_multiple_content_types", "Returns text, an image and a resource",
		text("Multiple content types test:"), &sdk.ImageContent{Data: pixel, MIMEType: "image/png"},
		embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))
	add(s, "test_error_handling", "Always fails", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r := said(text("This tool intentionally returns an error for testing"))
		r.IsError = true
		return r, nil
	})
	add(s, "test_tool_with_progress", "Reports progress", reportProgress)
	add(s, "test_tool_with_logging", "Logs three times", logThrice)
	add(s, "test_logging_tool", "Logs three times", logThrice)
	addToggle(s, "test_trigger_tool_change", func() { addFixed(s, "test_dynamic_tool", "Comes and goes", text("here")) },
		func() { s.RemoveTools("test_dynamic_tool") })
	addToggle(s, "test_trigger_prompt_change", func() { addPrompt(s, "test_dynamic_prompt", nil, message(text("here"))) },
		func() { s.RemovePrompts("test_dynamic_prompt") })
	s.AddTool(&sdk.Tool{Name: "test_custom_header", Description: "Has a parameter that HTTP repeats as a header",
		InputSchema: object(map[string]any{"region": map[string]any{"type": "string", "x-mcp-header": "Region"}}, "region")},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return said(text("ok")), nil })
	s.AddTool(&sdk.Tool{Name: "json_schema_2020_12_tool", Description: "Has an elaborate schema", InputSchema: elaborate()},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return said(text("ok")), nil })
}

func embedded(uri, media, content string) sdk.Content {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: media, Text: content}}
}

// pause is how long the suite wants a tool to take between two notifications.
const pause = 50 * time.Millisecond

func rest(ctx context.Context) error {
	select {
	case <-time.After(pause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func reportProgress(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		if token != nil {
			if err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
				return nil, err
			}
		}
		if err := rest(ctx); err != nil {
			return nil, err
		}
	}
	return said(text("done")), nil
}

func logThrice(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: line}); err != nil {
			return nil, err
		}
		if err := rest(ctx); err != nil {
			return nil, err
		}
	}
	return said(text("logged")), nil
}

// addToggle registers a tool that changes a list and changes it back.
func addToggle(s *sdk.Server, name string, on, off func()) {
	there := make(chan bool, 1)
	there <- false
	add(s, name, "Changes a list", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		is := <-there
		if is {
			off()
		} else {
			on()
		}
		there <- !is
		return said(text("changed")), nil
	})
}

// elaborate is the schema that the suite looks for, word by word.
func elaborate() map[string]any {
	needs := func(property string) map[string]any { return map[string]any{"required": []string{property}} }
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"type":    "object",
		"$defs": map[string]any{"address": map[string]any{"$anchor": "addressDef", "type": "object",
			"properties": map[string]any{"street": typed("string"), "city": typed("string")}}},
		"properties": map[string]any{
			"name": typed("string"), "address": map[string]any{"$ref": "#/$defs/address"},
			"contactMethod": map[string]any{"type": "string", "enum": []string{"phone", "email"}},
			"phone":         typed("string"), "email": typed("string")},
		"allOf": []any{map[string]any{"anyOf": []any{needs("phone"), needs("email")}}},
		"if": map[string]any{"properties": map[string]any{"contactMethod": map[string]any{"const": "phone"}},
			"required": []string{"contactMethod"}},
		"then": needs("phone"), "else": needs("email"),
		"additionalProperties": false,
	}
}

func addResources(s *sdk.Server) {
	fixed := func(c *sdk.ResourceContents) sdk.ResourceHandler {
		return func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
		}
	}
	s.AddResource(&sdk.Resource{URI: "test://static-text", Name: "static-text", Description: "Text that does not change", MIMEType: "text/plain"},
		fixed(&sdk.ResourceContents{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."}))
	s.AddResource(&sdk.Resource{URI: "test://static-binary", Name: "static-binary", Description: "An image that does not change", MIMEType: "image/png"},
		fixed(&sdk.ResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: pixel}))
	s.AddResource(&sdk.Resource{URI: "test://watched-resource", Name: "watched-resource", Description: "A resource to subscribe to", MIMEType: "text/plain"},
		fixed(&sdk.ResourceContents{URI: "test://watched-resource", MIMEType: "text/plain", Text: "watched"}))
	const pattern = "test://template/{id}/data"
	template := uritemplate.MustNew(pattern)
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: pattern, Name: "template", Description: "Data by id", MIMEType: "application/json"},
		func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			match := template.Match(req.Params.URI)
			if match == nil {
				return nil, sdk.ResourceNotFoundError(req.Params.URI)
			}
			id := match.Get("id").String()
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json",
				Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id)}}}, nil
		})
}

func message(c sdk.Content) *sdk.PromptMessage { return &sdk.PromptMessage{Role: "user", Content: c} }

func addPrompt(s *sdk.Server, name string, arguments []*sdk.PromptArgument, messages ...*sdk.PromptMessage) {
	s.AddPrompt(&sdk.Prompt{Name: name, Description: "A prompt for testing", Arguments: arguments},
		func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: messages}, nil
		})
}

func addPrompts(s *sdk.Server) {
	addPrompt(s, "test_simple_prompt", nil, message(text("This is a simple prompt for testing.")))
	addPrompt(s, "test_prompt_with_image", nil, message(&sdk.ImageContent{Data: pixel, MIMEType: "image/png"}), message(text("Please analyze the image above.")))
	s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_arguments", Description: "A prompt with arguments",
		Arguments: []*sdk.PromptArgument{{Name: "arg1", Description: "First test argument", Required: true}, {Name: "arg2", Description: "Second test argument", Required: true}}},
		func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			a := req.Params.Arguments
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{message(text("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))}}, nil
		})
	s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_embedded_resource", Description: "A prompt with a resource",
		Arguments: []*sdk.PromptArgument{{Name: "resourceUri", Description: "URI of the resource to embed", Required: true}}},
		func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			uri := req.Params.Arguments["resourceUri"]
			if uri == "" {
				return nil, errors.New("resourceUri is missing")
			}
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{message(embedded(uri, "text/plain", "Embedded resource content for testing.")),
				message(text("Please process the embedded resource above."))}}, nil
		})
	s.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "A prompt that asks first"},
		func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			given, ok := req.Params.InputResponses["user_context"].(*sdk.ElicitResult)
			if !ok {
				return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": elicit("What context should the prompt use?", "context", "string")}}, nil
			}
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{message(text("Use this context: %v", given.Content["context"]))}}, nil
		})
}
