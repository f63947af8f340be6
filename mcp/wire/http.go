package wire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxBody is how many bytes a request over HTTP may have unless HTTPOptions say
// otherwise. Arguments of tools are small; a client may be anybody.
const MaxBody = 4 << 20

// Bounds of what legacy clients leave behind: their sessions have state.
const (
	maxSessions = 256
	idleSession = 30 * time.Minute
)

// The headers that 2026-07-28 requires beside the body.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// HTTPOptions of [Handler].
type HTTPOptions struct {
	Token   string    // that every request must bear; "": none
	Hosts   []string  // further names, without port, that a request may be for
	Origins []string  // web origins that may ask, e.g. "https://ide.example"
	MaxBody int64     // bytes of a request; 0: MaxBody
	Log     io.Writer // what the server says for people; must not block
}

// Handler answers clients over streamable HTTP, at whatever path it is mounted.
//
// Requests of 2026-07-28 stand for themselves: they are cancelled when their
// client goes away. Those of earlier revisions belong to a session, of which
// there are at most 256, each ending after half an hour without requests.
//
// A request is refused before its body is read if it does not bear the token, is
// for a host that this is not (a web page that rebinds a name), or comes from a
// web origin that is not listed.
func Handler(ctx context.Context, server *sdk.Server, o HTTPOptions) (http.Handler, error) {
	if o.MaxBody == 0 {
		o.MaxBody = MaxBody
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	govern(server, o.Log)
	declared, err := declaredBy(ctx, server)
	if err != nil {
		return nil, err
	}
	get := func(*http.Request) *sdk.Server { return server }
	return &door{
		HTTPOptions: o,
		token:       sha256.Sum256([]byte(o.Token)),
		declared:    declared,
		server:      server,
		modern: sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
			Stateless: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: o.MaxBody}),
		legacy: sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
			SessionTimeout: idleSession, DisableLocalhostProtection: true, MaxRequestBodyBytes: o.MaxBody}),
	}, nil
}

// A door is what stands between HTTP and the SDK's two handlers.
type door struct {
	HTTPOptions
	token    [sha256.Size]byte
	declared *sdk.ServerCapabilities
	server   *sdk.Server
	modern   http.Handler
	legacy   http.Handler
}

// ServeHTTP is part of [http.Handler].
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy must not hold events back
	switch {
	case !d.rightHost(r):
		http.Error(w, "this server has another host name", http.StatusForbidden)
	case !d.rightOrigin(r):
		http.Error(w, "the origin is not allowed", http.StatusForbidden)
	case !d.authorized(r):
		w.Header().Set("WWW-Authenticate", `Bearer realm="previdence"`)
		http.Error(w, "a bearer token is required", http.StatusUnauthorized)
	case r.Method == http.MethodPost:
		d.post(w, r)
	case r.Header.Get(headerVersion) >= firstModern:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "protocol version "+firstModern+" has only POST", http.StatusMethodNotAllowed)
	default:
		d.legacy.ServeHTTP(w, r)
	}
}

// authorized compares digests, so that neither the length nor the first bytes of
// the token show in the time it takes.
func (d *door) authorized(r *http.Request) bool {
	if d.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	given := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(given[:], d.token[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// rightHost holds on a loopback address, where no name but its own leads: a page
// that was loaded from another may have had that name point here. Elsewhere any
// name may lead here, unless some are listed.
func (d *door) rightHost(r *http.Request) bool {
	host := hostOf(r.Host)
	if slices.Contains(d.Hosts, host) {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if ok && !isLoopback(hostOf(local.String())) {
		return len(d.Hosts) == 0 && d.Token != ""
	}
	return isLoopback(host)
}

// rightOrigin lets programs in, which send no origin, and web pages of this
// machine and of what is listed.
func (d *door) rightOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	if len(origins) > 1 || err != nil || u.Host == "" {
		return false
	}
	return slices.Contains(d.Origins, origins[0]) || isLoopback(u.Hostname()) && isLoopback(hostOf(r.Host))
}

// hostOf drops a port and brackets.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return strings.ToLower(host)
	}
	return strings.ToLower(strings.Trim(address, "[]"))
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// post judges a message and hands it to the handler of its form, with the body
// to be read again.
func (d *door) post(w http.ResponseWriter, r *http.Request) {
	// Only the body has a time: the answer may take long. Where no deadline can be
	// set there is no connection to hold.
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, d.MaxBody))
	_ = conn.SetReadDeadline(time.Time{})
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		w.Header().Set("Connection", "close")
		d.refuse(w, http.StatusRequestEntityTooLarge, invalid("the message is longer than %d bytes", d.MaxBody))
		return
	}
	if err != nil {
		return // the client went away
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	version := r.Header.Get(headerVersion)
	if first(body) == '[' && version < firstModern {
		d.postBatch(w, r, body)
		return
	}
	m, fault := decode(body)
	if fault != nil {
		d.refuse(w, http.StatusBadRequest, fault)
		return
	}
	if m.kind == request && !exact(m.id) {
		d.refuse(w, http.StatusBadRequest, invalid("over HTTP an integer id has at most 53 bits").at(m))
		return
	}
	if version >= firstModern || m.kind == request && m.modern() {
		d.postModern(w, r, m)
		return
	}
	d.postLegacy(w, r, m)
}

// exact reports whether the SDK, which reads integers as floating point, answers
// under the same id. On stdio it does not see the client's.
func exact(id json.RawMessage) bool {
	if first(id) == '"' {
		return true
	}
	const most = 1 << 53
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && -most <= n && n <= most
}

// postBatch lets through what only 2025-03-26 has; which revision a session has
// is known to the SDK.
func (d *door) postBatch(w http.ResponseWriter, r *http.Request, body []byte) {
	if fault := wellFormed(body); fault != nil {
		d.refuse(w, http.StatusBadRequest, fault)
		return
	}
	d.legacy.ServeHTTP(w, r)
}

func (d *door) postLegacy(w http.ResponseWriter, r *http.Request, m message) {
	if v := r.Header.Get(headerVersion); v != "" && !slices.Contains(versions(false), v) {
		d.refuse(w, http.StatusBadRequest, unserved(v).at(m))
		return
	}
	if m.kind == request && m.method == "initialize" && d.crowded() {
		d.refuse(w, http.StatusServiceUnavailable, invalid("%d sessions are open", maxSessions).at(m))
		return
	}
	if m.kind == request {
		judge := judgeLegacy(m, d.declared)
		if m.method == "initialize" {
			judge = judgeInitialize(m)
		}
		if judge != nil {
			d.refuse(w, http.StatusOK, judge)
			return
		}
	}
	d.legacy.ServeHTTP(w, r)
}

// crowded counts the sessions of legacy clients, and calls of modern ones, each
// of which is a session of the SDK.
func (d *door) crowded() bool {
	n := 0
	for range d.server.Sessions() {
		n++
	}
	return n >= maxSessions
}

func (d *door) postModern(w http.ResponseWriter, r *http.Request, m message) {
	// Streams of this revision cannot be resumed, and it has no sessions.
	r.Header.Del("Last-Event-ID")
	r.Header.Del("Mcp-Session-Id")
	if m.kind == notification && r.Header.Get(headerMethod) == "" {
		r.Header.Set(headerMethod, m.method) // required of requests; the SDK wants it of both
	}
	if m.kind == request {
		fault := sameVersion(r.Header, m)
		if fault == nil {
			fault = judgeModern(m, d.declared)
		}
		if fault == nil {
			fault = readHeaders(r.Header, m)
		}
		if fault != nil {
			d.refuse(w, statusOf(fault), fault)
			return
		}
	}
	d.modern.ServeHTTP(w, r)
}

// sameVersion compares the header with the body, if the body has a version: that
// it has none is another fault.
func sameVersion(h http.Header, m message) *fault {
	version, ok := stringAt(m.meta, sdk.MetaKeyProtocolVersion)
	if ok && h.Get(headerVersion) != version {
		return mismatch(m, headerVersion, h.Get(headerVersion), version)
	}
	return nil
}

// named are the methods whose header Mcp-Name repeats a parameter.
var named = map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

// readHeaders compares the headers with the body and writes Mcp-Name in the
// clear for the SDK, which compares it again and does not decode it.
func readHeaders(h http.Header, m message) *fault {
	if h.Get(headerMethod) != m.method {
		return mismatch(m, headerMethod, h.Get(headerMethod), m.method)
	}
	parameter, ok := named[m.method]
	if !ok {
		return nil
	}
	var params map[string]json.RawMessage
	// A message was decoded: its params are an object, or there are none.
	_ = json.Unmarshal(m.params, &params)
	want, ok := stringAt(params, parameter)
	if !ok {
		return badParams("%s needs %q, a string", m.method, parameter).at(m)
	}
	got, ok := plain(h.Get(headerName))
	if !ok || got != want || got == "" {
		return mismatch(m, headerName, h.Get(headerName), want)
	}
	h.Set(headerName, got)
	return nil
}

// plain decodes a header value: text that no header can hold is written as
// "=?base64?…?=".
func plain(value string) (string, bool) {
	encoded, ok := strings.CutPrefix(value, "=?base64?")
	if !ok || !strings.HasSuffix(encoded, "?=") {
		return value, true
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(encoded, "?="))
	return string(text), err == nil
}

func mismatch(m message, header, got, want string) *fault {
	f := &fault{code: codeHeaderMismatch, message: "the header " + header + " is missing; the body has " + quote(want)}
	if got != "" {
		f.message = "the header " + header + " is " + quote(got) + ", the body has " + quote(want)
	}
	return f.at(m)
}

// quote shortens text of a client before it is sent back.
func quote(s string) string {
	const most = 100
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	text, err := json.Marshal(s)
	if err != nil { // a string always encodes
		return `""`
	}
	return string(text)
}

// statusOf is the status that 2026-07-28 wants beside an error.
func statusOf(f *fault) int {
	if f.code == jsonrpc.CodeMethodNotFound {
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

func (d *door) refuse(w http.ResponseWriter, status int, f *fault) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(refuse(f)) // a client that is gone reads no refusal
}
