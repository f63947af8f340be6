package contract

import (
	"regexp"
	"slices"
	"strings"
)

var (
	jsRouters  = regexp.MustCompile("(?:require\\(|from\\s)\\s*[\"'`](?:express|fastify|hono|koa|@koa/router|koa-router|restify|polka|@hono/zod-openapi)[\"'`/]")
	jsCommands = regexp.MustCompile("(?:require\\(|from\\s)\\s*[\"'`](?:commander|yargs|cac|@commander-js/extra-typings|sade)[\"'`/]")
	jsReceiver = regexp.MustCompile(`(?i)^(app|router|server|fastify|api|routes?|hono|.*router|.*routes)$`)
	longFlag   = regexp.MustCompile(`--[A-Za-z][\w-]*`)
	shortFlag  = regexp.MustCompile(`^-(\w)\b`)
)

// readScript reads JavaScript and TypeScript: routes, commands and flags, and the
// environment.
func readScript(path string, data []byte) ([]Item, bool) {
	p := &program{src: string(data)}
	p.tokens = lex(p.src, dialectScript)
	p.calls = calls(p.tokens, false)
	routers, commands, asks := jsRouters.MatchString(p.src), jsCommands.MatchString(p.src), features.MatchString(p.src)
	for _, c := range p.calls {
		if c.name == "get" && len(c.on) > 1 && c.on[0] == "env" && c.on[1] == "Deno" {
			if name, ok := c.plain(0).literal(); ok {
				p.add(Item{Kind: Environment, Name: name, Line: c.line})
			}
		}
		p.jsRoute(c, routers)
		if commands {
			p.jsCommand(c)
		}
		if asks {
			p.feature(c)
		}
	}
	p.jsEnvironment()
	p.statements()
	return p.items, true
}

// jsEnvironment reads process.env.X, process.env["X"] and import.meta.env.X.
func (p *program) jsEnvironment() {
	t := p.tokens
	for i := 2; i+3 < len(t); i++ {
		if t[i].text != "env" || t[i].kind != word || t[i-1].text != "." || !slices.Contains([]string{"process", "meta", "Bun"}, t[i-2].text) {
			continue
		}
		next := t[i+2]
		switch {
		case t[i+1].text == "." && next.kind == word, t[i+1].text == "[" && next.kind == text:
			set := i+4 < len(t) && t[i+3].text == "=" && t[i+4].text != "=" && t[i+4].text != ">"
			if !set && strings.ToUpper(next.text) == next.text {
				p.add(Item{Kind: Environment, Name: next.text, Line: next.line})
			}
		case t[i+1].text == "[":
			p.add(Item{Kind: Environment, By: next.text, Line: next.line})
		}
	}
}

func (p *program) jsRoute(c call, routers bool) {
	if strings.HasSuffix(c.name, "Route") && jsReceiver.MatchString(c.plain(0).source()) {
		p.jsHelped(c)
		return
	}
	if len(c.on) == 0 || !routers && !jsReceiver.MatchString(c.on[0]) {
		return
	}
	first, ok := c.plain(0).literal()
	switch {
	case (slices.Contains(httpVerbs, c.name) || c.name == "all" || c.name == "del") && ok && len(c.args) >= 2 && strings.HasPrefix(first, "/"):
		method := c.name
		if method == "all" {
			method = ""
		}
		p.route(method, first, c.args[len(c.args)-1], c.line)
	case slices.Contains(httpVerbs, c.name) && len(c.args) >= 2 && !ok && c.plain(0).isPath():
		p.add(Item{Kind: Route, By: c.plain(0).source(), Line: c.line})
	case (slices.Contains(httpVerbs, c.name) || c.name == "all") && len(c.args) >= 1 && !ok:
		p.jsChained(c)
	case c.name == "route" && routers && len(c.plain(0).object().args) > 0:
		o := c.plain(0).object()
		url, has := o.named("url").literal()
		for _, m := range o.named("method").tokens {
			if has && m.kind == text {
				p.route(m.text, url, o.named("handler"), c.line)
			}
		}
	case ok && strings.HasPrefix(first, "/") && (c.name == "use" && len(c.args) >= 2 || c.name == "basePath"):
		by := ""
		if len(c.args) > 1 {
			by = c.args[len(c.args)-1].source()
		}
		if len(by) > 80 {
			by = ""
		}
		p.add(Item{Kind: Prefix, Name: first, By: by, Line: c.line})
	}
}

// jsHelped reads calls of a helper that is given the router, perhaps a method, the
// path and at last the handler: setupRoute(router, "get", "/x", h).
func (p *program) jsHelped(c call) {
	method := ""
	for n := 1; n < min(len(c.args)-1, 3); n++ {
		switch value, ok := c.args[n].literal(); {
		case ok && strings.HasPrefix(value, "/"):
			p.route(method, value, c.args[len(c.args)-1], c.line)
			return
		case ok && slices.Contains(httpVerbs, value):
			method = value
		case !ok && c.args[n].isPath():
			p.add(Item{Kind: Route, By: c.args[n].source(), Line: c.line})
			return
		}
	}
}

// jsChained reads router.route("/x").get(h).
func (p *program) jsChained(c call) {
	if !slices.Contains(c.on, "route") {
		return
	}
	for i := len(p.calls) - 1; i >= 0; i-- {
		r := p.calls[i]
		if r.at >= c.at || r.name != "route" {
			continue
		}
		if url, ok := r.plain(0).literal(); ok && strings.HasPrefix(url, "/") {
			p.route(c.name, url, c.args[len(c.args)-1], c.line)
		}
		return
	}
}

func (p *program) jsCommand(c call) {
	first, ok := c.plain(0).literal()
	if !ok {
		return
	}
	switch c.name {
	case "option", "requiredOption":
		required := c.name == "requiredOption"
		if o := c.plain(1).object(); len(o.args) > 0 {
			required = required || o.named("demandOption").source() == "true" || o.named("required").source() == "true"
		}
		long := longFlag.FindString(first)
		if long == "" && !strings.ContainsAny(first, " -") {
			long = "--" + first // yargs
		}
		if long == "" {
			return
		}
		_, value, _ := strings.Cut(first, long)
		p.add(Item{Kind: Flag, Name: long, Type: strings.TrimSpace(value), Required: required, Line: c.line})
		if m := shortFlag.FindStringSubmatch(strings.TrimSpace(first)); m != nil {
			p.add(Item{Kind: Flag, Name: "-" + m[1], Type: "short for " + long, Line: c.line})
		}
	case "command":
		if words := strings.Fields(first); len(words) > 0 && words[0] != "*" && words[0] != "$0" {
			p.add(Item{Kind: Command, Name: words[0], Line: c.line})
		}
	}
}
