package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	notFound          = -32002
	missingCapability = -32021
	unsupported       = -32022
)

// describing writes a modern request with another _meta.
func describing(id, method, meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"_meta":{%s}}}`, id, method, meta)
}

const (
	version      = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
	capabilities = `"io.modelcontextprotocol/clientCapabilities":{}`
)

func TestFormOfModernRequests(t *testing.T) {
	cases := []struct {
		name, line string
		code       int
	}{
		{"complete", describing("1", "tools/list", version+","+capabilities), 0},
		{"without _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, jsonrpc.CodeInvalidParams},
		{"with an empty _meta", describing("1", "tools/list", ""), jsonrpc.CodeInvalidParams},
		{"without a version", describing("1", "tools/list", capabilities), jsonrpc.CodeInvalidParams},
		{"with a version that is a number", describing("1", "tools/list", `"io.modelcontextprotocol/protocolVersion":20260728,`+capabilities), jsonrpc.CodeInvalidParams},
		{"without capabilities", describing("1", "tools/list", version), jsonrpc.CodeInvalidParams},
		{"with capabilities that are a list", describing("1", "tools/list", version+`,"io.modelcontextprotocol/clientCapabilities":[]`), jsonrpc.CodeInvalidParams},
		{"with clientInfo that is no object", describing("1", "tools/list", version+","+capabilities+`,"io.modelcontextprotocol/clientInfo":"me"`), jsonrpc.CodeInvalidParams},
		{"with a level that exists", describing("1", "tools/list", version+","+capabilities+`,"io.modelcontextprotocol/logLevel":"warning"`), 0},
		{"with a level that does not", describing("1", "tools/list", version+","+capabilities+`,"io.modelcontextprotocol/logLevel":"loud"`), jsonrpc.CodeInvalidParams},
		{"of an unknown version", describing("1", "tools/list", `"io.modelcontextprotocol/protocolVersion":"2099-01-01",`+capabilities), unsupported},
		{"of a version before there were any", describing("1", "tools/list", `"io.modelcontextprotocol/protocolVersion":"1900-01-01",`+capabilities), unsupported},
		{"of a legacy version", describing("1", "tools/list", `"io.modelcontextprotocol/protocolVersion":"2025-11-25",`+capabilities), unsupported},
		{"discover without _meta", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, jsonrpc.CodeInvalidParams},
		{"with trace context", describing("1", "tools/list", version+","+capabilities+`,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`), 0},
	}
	d := talk(t, newBench().Server)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { d.t = t; d.want(d.ask(c.line), "1", c.code) })
	}
}

func TestUnservedVersionNamesThoseThatAre(t *testing.T) {
	d := talk(t, newBench().Server)
	r := d.ask(describing("1", "tools/list", `"io.modelcontextprotocol/protocolVersion":"2099-01-01",`+capabilities))
	var data struct {
		Supported []string
		Requested string
	}
	if err := json.Unmarshal(r.Error.Data, &data); err != nil {
		t.Fatal(err)
	}
	if data.Requested != "2099-01-01" || !slices.Equal(data.Supported, sdk.SupportedProtocolVersions()) {
		t.Errorf("got %+v", data)
	}
}

func TestModernAnswersSayWhatTheyAre(t *testing.T) {
	d := talk(t, newBench().withResources().Server)
	for _, c := range []struct {
		line  string
		cache string // what caching says, "" where it has nothing to say
	}{
		{modern("1", "server/discover", ""), `60000 private`},
		{modern("1", "tools/list", ""), `60000 private`},
		{modern("1", "resources/list", ""), `0 private`},
		{modern("1", "resources/templates/list", ""), `0 private`},
		{modern("1", "resources/read", `"uri":"test://there"`), `0 private`},
		{call("1", "quick"), ""},
	} {
		r := d.ask(c.line)
		var result struct {
			ResultType string
			Meta       map[string]json.RawMessage `json:"_meta"`
			TTL        *int                       `json:"ttlMs"`
			CacheScope *string
		}
		if err := json.Unmarshal(r.Result, &result); err != nil {
			t.Fatalf("%v: %s", err, r.line)
		}
		if result.ResultType != "complete" || result.Meta["io.modelcontextprotocol/serverInfo"] == nil {
			t.Errorf("no resultType or serverInfo in %s", r.line)
		}
		cache := ""
		if result.TTL != nil && result.CacheScope != nil {
			cache = fmt.Sprintf("%d %s", *result.TTL, *result.CacheScope)
		}
		if cache != c.cache {
			t.Errorf("caching says %q, want %q: %s", cache, c.cache, r.line)
		}
	}
}

func TestDiscoverNamesEveryVersion(t *testing.T) {
	d := talk(t, newBench().Server)
	var result struct{ SupportedVersions []string }
	if err := json.Unmarshal(d.ask(modern("1", "server/discover", "")).Result, &result); err != nil {
		t.Fatal(err)
	}
	want := []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	if !slices.Equal(result.SupportedVersions, want) {
		t.Errorf("got %v, want %v", result.SupportedVersions, want)
	}
}

func TestMethodsThatAreGoneOrNotOffered(t *testing.T) {
	d := talk(t, newBench().Server)
	for _, method := range []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
		"prompts/list", "prompts/get", "resources/list", "resources/read", "completion/complete", "no/such", ""} {
		d.want(d.ask(modern("1", method, `"name":"x","uri":"test://x","level":"info"`)), "1", jsonrpc.CodeMethodNotFound)
	}
	d.want(d.ask(initialize), `"init"`, 0)
	for _, method := range []string{"server/discover", "subscriptions/listen", "logging/setLevel", "resources/subscribe",
		"prompts/list", "prompts/get", "resources/list", "completion/complete", "no/such"} {
		d.want(d.ask(legacy("1", method, `"name":"x","uri":"test://x","level":"info"`)), "1", jsonrpc.CodeMethodNotFound)
	}
	d.want(d.ask(legacy("1", "ping", "")), "1", 0)
}

func TestInitializeAgreesOnEachLegacyVersion(t *testing.T) {
	for asked, want := range map[string]string{"2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2025-03-26": "2025-03-26",
		"2024-11-05": "2024-11-05", "2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25", "2099-01-01": "2025-11-25"} {
		d := talk(t, newBench().Server)
		r := d.ask(strings.Replace(initialize, "2025-11-25", asked, 1))
		var result struct{ ProtocolVersion string }
		if err := json.Unmarshal(r.Result, &result); err != nil || result.ProtocolVersion != want {
			t.Errorf("asked for %s, got %s", asked, r.line)
		}
		d.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		if r := d.ask(legacy("1", "tools/list", "")); r.code() != 0 || strings.Contains(r.line, "resultType") {
			t.Errorf("after %s: %s", asked, r.line)
		}
	}
}

func TestBothErasOnOneStream(t *testing.T) {
	open := []string{modern("1", "server/discover", ""), call("2", "quick")}
	for name, lines := range map[string][]string{
		"modern first": append(slices.Clone(open), initialize, legacy("3", "tools/list", "")),
		"legacy first": append([]string{initialize, legacy("3", "tools/list", "")}, open...),
		"interleaved":  {open[0], initialize, open[1], legacy("3", "tools/list", ""), open[0]},
	} {
		t.Run(name, func(t *testing.T) {
			d := talk(t, newBench().Server)
			for _, line := range lines {
				r := d.ask(line)
				isModern := strings.Contains(line, "_meta")
				if r.code() != 0 || isModern != strings.Contains(r.line, `"resultType":"complete"`) {
					t.Errorf("%s\ngot %s", line, r.line)
				}
			}
		})
	}
}

func TestLegacyHandshake(t *testing.T) {
	d := talk(t, newBench().Server)
	d.want(d.ask(legacy("1", "ping", "")), "1", 0) // allowed before it
	d.want(d.ask(legacy("2", "tools/list", "")), "2", jsonrpc.CodeInvalidParams)
	d.want(d.ask(`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":7}}`), "3", jsonrpc.CodeInvalidParams)
	d.want(d.ask(legacy("4", "tools/list", "")), "4", jsonrpc.CodeInvalidParams) // that one failed
	d.want(d.ask(initialize), `"init"`, 0)
	d.want(d.ask(initialize), `"init"`, jsonrpc.CodeInvalidRequest)
	d.want(d.ask(legacy("5", "tools/list", "")), "5", 0)
	// A request that describes itself, even wrongly, is no legacy one.
	d.want(d.ask(describing("6", "tools/list", capabilities)), "6", jsonrpc.CodeInvalidParams)
}

func TestAbsentResourceHasTheCodeOfItsRevision(t *testing.T) {
	d := talk(t, newBench().withResources().Server)
	r := d.ask(modern("1", "resources/read", `"uri":"test://gone"`))
	d.want(r, "1", jsonrpc.CodeInvalidParams)
	if string(r.Error.Data) != `{"uri":"test://gone"}` {
		t.Errorf("data is %s", r.Error.Data)
	}
	d.ask(initialize)
	r = d.ask(legacy("2", "resources/read", `"uri":"test://gone"`))
	d.want(r, "2", notFound)
	if string(r.Error.Data) != `{"uri":"test://gone"}` {
		t.Errorf("data is %s", r.Error.Data)
	}
}

func TestUndeclaredCapabilityIsNotReliedOn(t *testing.T) {
	d := talk(t, newBench().Server)
	r := d.ask(call("1", "ask"))
	d.want(r, "1", missingCapability)
	if string(r.Error.Data) != `{"requiredCapabilities":{"elicitation":{}}}` {
		t.Errorf("data is %s", r.Error.Data)
	}
	r = d.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","_meta":{%s,"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`, version))
	if d.want(r, "2", 0); !strings.Contains(r.line, `"resultType":"input_required"`) {
		t.Errorf("got %s", r.line)
	}
}

func TestModernClientsAreSentNoRequests(t *testing.T) {
	b := newBench()
	b.tool("request", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if err := req.Session.Ping(ctx, nil); err == nil {
			return text("was answered"), nil
		}
		return text("was refused"), nil
	})
	d := talk(t, b.Server)
	if r := d.ask(call("1", "request")); !strings.Contains(r.line, "was refused") {
		t.Errorf("got %s", r.line)
	}
	if rest := d.end(); len(rest) > 0 {
		t.Errorf("the client was sent %s", rest[0].line)
	}
}

func TestLegacyClientsAnswerRequests(t *testing.T) {
	b := newBench()
	b.tool("request", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text("pong"), req.Session.Ping(ctx, nil)
	})
	d := talk(t, b.Server)
	d.ask(initialize)
	r := d.ask(legacy("1", "tools/call", `"name":"request"`))
	if r.Method != "ping" {
		t.Fatalf("got %s", r.line)
	}
	if r = d.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, r.ID)); !strings.Contains(r.line, "pong") {
		t.Errorf("got %s", r.line)
	}
}

func TestOnlyOneRevisionHasBatches(t *testing.T) {
	batch := "[" + legacy("1", "ping", "") + `,{"jsonrpc":"2.0","method":"notifications/initialized"},` + legacy(`"2"`, "tools/list", "") + `,7,` + initialize + "]"
	for _, v := range []string{"2025-11-25", "2025-06-18", "2024-11-05"} {
		d := talk(t, newBench().Server)
		d.ask(strings.Replace(initialize, "2025-11-25", v, 1))
		d.want(d.ask(batch), "null", jsonrpc.CodeInvalidRequest)
	}
	d := talk(t, newBench().Server)
	d.ask(strings.Replace(initialize, "2025-11-25", "2025-03-26", 1))
	d.want(d.ask("[]"), "null", jsonrpc.CodeInvalidRequest)
	d.send(`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`, batch)
	var answers []reply
	if err := json.Unmarshal([]byte(<-d.lines), &answers); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, r := range answers {
		got[string(r.ID)] = r.code()
	}
	want := map[string]int{"1": 0, `"2"`: 0, "null": jsonrpc.CodeInvalidRequest, `"init"`: jsonrpc.CodeInvalidRequest}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(answers) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if rest := d.end(); len(rest) > 0 {
		t.Errorf("and then %s", rest[0].line)
	}
}

func TestCancelledPartOfABatchIsLeftOut(t *testing.T) {
	b := newBench()
	d := talk(t, b.Server)
	d.ask(strings.Replace(initialize, "2025-11-25", "2025-03-26", 1))
	d.send("[" + legacy("1", "tools/call", `"name":"wait"`) + "," + legacy("2", "ping", "") + "]")
	<-b.started
	d.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if line := <-d.lines; line != `[{"jsonrpc":"2.0","id":2,"result":{}}]` {
		t.Errorf("got %s", line)
	}
}

func TestSubscriptionsCarryTheIDOfTheirRequest(t *testing.T) {
	b := newBench()
	server := sdk.NewServer(&sdk.Implementation{Name: "bench", Version: "1"}, &sdk.ServerOptions{
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}}})
	b.Server = server
	d := talk(t, server)
	r := d.ask(modern(`"sub"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
	tag := `"io.modelcontextprotocol/subscriptionId":"sub"`
	if r.Method != "notifications/subscriptions/acknowledged" || !strings.Contains(r.line, tag) {
		t.Fatalf("first came %s", r.line)
	}
	b.tool("new", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("x"), nil })
	if r = d.next(); r.Method != "notifications/tools/list_changed" || !strings.Contains(r.line, tag) {
		t.Errorf("got %s", r.line)
	}
	d.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sub"}}`)
	d.want(d.ask(modern("2", "server/discover", "")), "2", 0)
	b.tool("newer", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("x"), nil })
	if rest := d.end(); len(rest) > 0 {
		t.Errorf("after the cancellation came %s", rest[0].line)
	}
}

func TestAnEmptySubscriptionIsAcknowledgedFirst(t *testing.T) {
	d := talk(t, newBench().Server)
	r := d.ask(modern("1", "subscriptions/listen", `"notifications":{}`))
	if r.Method != "notifications/subscriptions/acknowledged" || !strings.Contains(r.line, `subscriptionId":1`) {
		t.Fatalf("first came %s", r.line)
	}
	if r = d.next(); !strings.Contains(r.line, `subscriptionId":1`) {
		t.Errorf("then came %s", r.line)
	}
	d.want(r, "1", 0)
}

func TestUnknownToolsAndBadCursorsAreProtocolErrors(t *testing.T) {
	d := talk(t, newBench().Server)
	d.want(d.ask(call("1", "nothing")), "1", jsonrpc.CodeInvalidParams)
	d.want(d.ask(modern("2", "tools/list", `"cursor":"nonsense"`)), "2", jsonrpc.CodeInvalidParams)
	d.want(d.ask(modern("3", "tools/call", `"name":7`)), "3", jsonrpc.CodeInvalidParams)
}
