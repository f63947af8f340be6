package wire

import (
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The first revision whose requests describe themselves.
const firstModern = "2026-07-28"

// versions lists the revisions that are served in one form, newest first.
func versions(modern bool) []string {
	return slices.DeleteFunc(sdk.SupportedProtocolVersions(), func(v string) bool { return (v >= firstModern) != modern })
}

// levels are the values that a client may ask for as logLevel.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// removed are the methods of earlier revisions that a modern request must not
// call. added are those that only a modern request can.
var (
	removed = []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
	added   = []string{"server/discover", "subscriptions/listen"}
)

// modern reports whether m is meant for 2026-07-28 or later: it carries a member
// of _meta that only those have. A request that forgot one of them is still
// judged by their rules.
func (m message) modern() bool {
	for _, key := range []string{sdk.MetaKeyProtocolVersion, sdk.MetaKeyClientCapabilities, sdk.MetaKeyClientInfo, sdk.MetaKeyLogLevel} {
		if _, ok := m.meta[key]; ok {
			return true
		}
	}
	return false
}

// judgeModern says what is wrong with the form of a modern request.
func judgeModern(m message, declared *sdk.ServerCapabilities) *fault {
	version, ok := stringAt(m.meta, sdk.MetaKeyProtocolVersion)
	if !ok {
		return badParams("_meta needs %q, a string", sdk.MetaKeyProtocolVersion).at(m)
	}
	if !slices.Contains(versions(true), version) {
		return unserved(version).at(m)
	}
	if !isObject(m.meta[sdk.MetaKeyClientCapabilities]) {
		return badParams("_meta needs %q, an object", sdk.MetaKeyClientCapabilities).at(m)
	}
	if _, set := m.meta[sdk.MetaKeyLogLevel]; set {
		if level, _ := stringAt(m.meta, sdk.MetaKeyLogLevel); !slices.Contains(levels, level) {
			return badParams("_meta: %q must be one of %s", sdk.MetaKeyLogLevel, strings.Join(levels, ", ")).at(m)
		}
	}
	if slices.Contains(removed, m.method) {
		return noMethod("%s is no method of %s", m.method, version).at(m)
	}
	return undeclared(m, declared)
}

// judgeInitialize says what is wrong with the first request of a legacy client.
func judgeInitialize(m message) *fault {
	var params map[string]json.RawMessage
	_ = json.Unmarshal(m.params, &params) // an object, or nothing: both were checked
	if _, ok := stringAt(params, "protocolVersion"); !ok {
		return badParams(`initialize needs "protocolVersion", a string`).at(m)
	}
	return nil
}

// judgeLegacy says what is wrong with the form of a request after initialize.
func judgeLegacy(m message, declared *sdk.ServerCapabilities) *fault {
	if slices.Contains(added, m.method) {
		return noMethod("%s needs protocol version %s in _meta", m.method, firstModern).at(m)
	}
	return undeclared(m, declared)
}

// homeless is the answer to a request that says nothing about itself and follows
// no initialize.
func homeless(m message) *fault {
	return badParams("_meta needs %q and %q; clients of revisions before %s send initialize first",
		sdk.MetaKeyProtocolVersion, sdk.MetaKeyClientCapabilities, firstModern).at(m)
}

// unserved is the answer to a version that is not served in that form.
func unserved(version string) *fault {
	return &fault{code: codeUnsupportedVersion, message: "unsupported protocol version",
		data: map[string]any{"supported": sdk.SupportedProtocolVersions(), "requested": version}}
}

// undeclared refuses the methods of features that the server does not declare.
// The SDK answers some of them as if it did.
func undeclared(m message, declared *sdk.ServerCapabilities) *fault {
	feature, _, _ := strings.Cut(m.method, "/")
	missing := false
	switch feature {
	case "tools":
		missing = declared.Tools == nil
	case "prompts":
		missing = declared.Prompts == nil
	case "resources":
		subscription := strings.HasSuffix(m.method, "subscribe")
		missing = declared.Resources == nil || subscription && !declared.Resources.Subscribe
	case "completion":
		missing = declared.Completions == nil
	case "logging":
		missing = declared.Logging == nil
	}
	if missing {
		return noMethod("%s: this server does not offer it", m.method).at(m)
	}
	return nil
}

// stringAt returns a member that is a string.
func stringAt(members map[string]json.RawMessage, key string) (s string, ok bool) {
	raw, ok := members[key]
	if !ok || first(raw) != '"' {
		return "", false
	}
	return s, json.Unmarshal(raw, &s) == nil
}

func isObject(raw json.RawMessage) bool { return first(raw) == '{' }
