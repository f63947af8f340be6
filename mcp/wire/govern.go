package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// staticTTL is how long a client may keep what does not change while the process
// runs. Nothing that depends on a worktree is kept.
const staticTTL = 60_000 // milliseconds

// govern makes the server keep rules of the protocol that handlers and the SDK
// leave open, over every transport: results are private, a panic ends one call,
// nothing is asked of a client that did not declare it, and each revision gets
// its own error codes.
func govern(server *sdk.Server, log io.Writer) {
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
			defer func() {
				if p := recover(); p != nil {
					fmt.Fprintf(log, "panic in %s: %v\n%s", method, p, debug.Stack())
					result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error: " + method + " did not finish"}
				}
			}()
			result, err = next(ctx, method, req)
			if err != nil {
				// The SDK sends an error without a code as one with the code 0.
				return nil, wireError(codeOf(err, method, req))
			}
			if err := allowedInput(result, req); err != nil {
				return nil, err
			}
			makePrivate(result)
			return result, nil
		}
	})
}

// A selfDescribed request knows the revision and the capabilities of its client.
type selfDescribed interface {
	ProtocolVersion() string
	ClientCapabilities() *sdk.ClientCapabilities
}

func isModern(req sdk.Request) bool {
	r, ok := req.(selfDescribed)
	return ok && r.ProtocolVersion() >= firstModern
}

// codeOf gives legacy clients the code that their revisions have for a resource
// which is not there. The SDK always answers with that of 2026-07-28.
func codeOf(err error, method string, req sdk.Request) error {
	var wire *jsonrpc.Error
	if method != "resources/read" || isModern(req) || !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
		return err
	}
	var data struct{ URI *string }
	if json.Unmarshal(wire.Data, &data) != nil || data.URI == nil {
		return err
	}
	return &jsonrpc.Error{Code: codeResourceNotFound, Message: wire.Message, Data: wire.Data}
}

// allowedInput refuses a result that asks a modern client for what it did not
// declare. Legacy clients are asked by requests, which the SDK checks.
func allowedInput(result sdk.Result, req sdk.Request) error {
	var asked sdk.InputRequestMap
	switch r := result.(type) {
	case *sdk.CallToolResult:
		asked = r.InputRequests
	case *sdk.GetPromptResult:
		asked = r.InputRequests
	case *sdk.ReadResourceResult:
		asked = r.InputRequests
	}
	if len(asked) == 0 || !isModern(req) {
		return nil
	}
	has := req.(selfDescribed).ClientCapabilities()
	if has == nil {
		has = &sdk.ClientCapabilities{}
	}
	missing := map[string]any{}
	for _, input := range asked {
		switch input.(type) {
		case *sdk.ElicitParams:
			if has.Elicitation == nil {
				missing["elicitation"] = struct{}{}
			}
		case *sdk.CreateMessageParams, *sdk.CreateMessageWithToolsParams:
			if has.Sampling == nil {
				missing["sampling"] = struct{}{}
			}
		case *sdk.ListRootsParams:
			if has.RootsV2 == nil {
				missing["roots"] = struct{}{}
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	f := &fault{code: codeMissingCapability, message: "the client did not declare a capability that this needs",
		data: map[string]any{"requiredCapabilities": missing}}
	return f.wire()
}

// makePrivate marks results as belonging to one user, which the SDK does not do
// by itself: what a repository holds is shared with no other.
func makePrivate(result sdk.Result) {
	switch r := result.(type) {
	case *sdk.DiscoverResult:
		private(&r.Cacheable, staticTTL)
	case *sdk.ListToolsResult:
		private(&r.Cacheable, staticTTL)
	case *sdk.ListPromptsResult:
		private(&r.Cacheable, staticTTL)
	case *sdk.ListResourceTemplatesResult:
		private(&r.Cacheable, 0)
	case *sdk.ListResourcesResult:
		private(&r.Cacheable, 0)
	case *sdk.ReadResourceResult:
		private(&r.Cacheable, 0)
	}
}

func private(c *sdk.Cacheable, ttl int) {
	c.CacheScope = "private"
	if c.TTLMs == 0 {
		c.TTLMs = ttl
	}
}
