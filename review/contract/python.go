package contract

import (
	"regexp"
	"slices"
	"strings"
)

var (
	pyRouters = regexp.MustCompile(`(?m)^\s*(?:from|import)\s+(?:flask|quart|fastapi|starlette|sanic|litestar|bottle)\b`)
	pyURLs    = regexp.MustCompile(`(?m)^\s*from\s+django\.(?:urls|conf\.urls)\b`)
	pyArgs    = regexp.MustCompile(`(?m)^\s*(?:from|import)\s+(?:[\w, ]+,\s*)?argparse\b`)
	pyClick   = regexp.MustCompile(`(?m)^\s*(?:from|import)\s+(?:[\w, ]+,\s*)?(?:click|typer|asyncclick|rich_click)\b`)
	httpVerbs = []string{"get", "post", "put", "patch", "delete", "head", "options"}
)

// readPython reads Python: decorators and calls of web frameworks, arguments of
// command lines, the environment, and migrations of Django and Alembic.
func readPython(path string, data []byte) ([]Item, bool) {
	p := &program{src: string(data)}
	p.tokens = lex(p.src, dialectPython)
	p.calls = calls(p.tokens, false)
	routers, urls := pyRouters.MatchString(p.src), pyURLs.MatchString(p.src)
	args, click, asks := pyArgs.MatchString(p.src), pyClick.MatchString(p.src), features.MatchString(p.src)
	for _, c := range p.calls {
		p.pyEnvironment(c)
		if routers {
			p.pyRoute(c)
		}
		if urls {
			p.pyURL(c)
		}
		if args || strings.HasSuffix(c.name, "add_argument") {
			p.pyArgument(c)
		}
		if click {
			p.pyClick(c)
		}
		if asks {
			p.feature(c)
		}
	}
	p.pyIndexes()
	p.statements()
	if isMigration(path) {
		p.pyMigration()
	}
	return p.items, true
}

func (p *program) pyEnvironment(c call) {
	if c.name == "getenv" || c.name == "get" && len(c.on) > 0 && c.on[0] == "environ" {
		p.variable(c)
	}
}

// pyIndexes reads os.environ["X"], which fails without X, unless it is set there.
func (p *program) pyIndexes() {
	t := p.tokens
	for i := 0; i+3 < len(t); i++ {
		if t[i].text == "environ" && t[i].kind == word && t[i+1].text == "[" && t[i+2].kind == text && t[i+3].text == "]" {
			set := i+4 < len(t) && t[i+4].text == "=" && (i+5 >= len(t) || t[i+5].text != "=")
			if !set {
				p.add(Item{Kind: Environment, Name: t[i+2].text, Required: true, Line: t[i].line})
			}
		}
	}
}

func (p *program) pyRoute(c call) {
	decorator := p.decorates(c)
	name, ok := c.plain(0).literal()
	if !ok {
		for _, n := range []string{"path", "rule"} {
			if v, has := c.named(n).literal(); has {
				name, ok = v, true
			}
		}
	}
	switch {
	case c.name == "Blueprint" || c.name == "APIRouter" || c.name == "include_router" || c.name == "register_blueprint":
		for _, n := range []string{"prefix", "url_prefix"} {
			if v, has := c.named(n).literal(); has && v != "" {
				p.add(Item{Kind: Prefix, Name: v, Line: c.line})
			}
		}
	case !ok || name != "" && name[0] != '/' || len(c.on) == 0:
	case decorator && slices.Contains(httpVerbs, c.name):
		p.route(c.name, name, argument{tokens: p.decorated(c)}, c.line)
	case decorator && c.name == "websocket":
		p.route("WEBSOCKET", name, argument{tokens: p.decorated(c)}, c.line)
	case decorator && (c.name == "route" || c.name == "api_route"), c.name == "add_url_rule", c.name == "add_api_route":
		p.pyMethods(c, name)
	}
}

// pyMethods adds a route for each of its methods; Flask means GET if none is said.
func (p *program) pyMethods(c call, name string) {
	said := false
	for _, t := range c.named("methods").tokens {
		if t.kind == text {
			said = true
			p.route(t.text, name, argument{tokens: p.decorated(c)}, c.line)
		}
	}
	if !said {
		p.route("GET", name, argument{tokens: p.decorated(c)}, c.line)
	}
}

// decorates reports whether a call stands behind an @.
func (p *program) decorates(c call) bool {
	for i := c.at - 1; i >= 0 && p.tokens[i].line == c.line; i-- {
		if p.tokens[i].text == "@" && p.tokens[i].kind == sign {
			return true
		}
	}
	return false
}

// decorated is the name of the function below a decorator.
func (p *program) decorated(c call) []token {
	for i := c.at; i+1 < len(p.tokens) && i < c.at+400; i++ {
		if p.tokens[i].kind == word && p.tokens[i].text == "def" {
			return p.tokens[i+1 : i+2]
		}
	}
	return nil
}

func (p *program) pyURL(c call) {
	if c.name != "path" && c.name != "re_path" && c.name != "url" || len(c.on) > 0 || len(c.args) < 2 {
		return
	}
	name, ok := c.plain(0).literal()
	if !ok {
		return
	}
	view := c.plain(1)
	if strings.HasPrefix(view.source(), "include(") {
		p.add(Item{Kind: Prefix, Name: "/" + name, By: view.source(), Line: c.line})
		return
	}
	p.route("", "/"+name, view, c.line)
}

func (p *program) pyArgument(c call) {
	if c.name != "add_argument" {
		return
	}
	p.option(c, c.named("required").source() == "True", c.named("dest").source())
}

// option adds a flag by its longest name, and what it is short for.
func (p *program) option(c call, required bool, by string) {
	var names []string
	off := map[string]bool{} // what stands behind a slash turns the option off
	for n := range c.args {
		v, ok := c.plain(n).literal()
		for i, part := range strings.Split(v, "/") {
			if part = strings.TrimSpace(part); ok && strings.HasPrefix(part, "-") && !strings.ContainsAny(part, " ,") {
				names, off[part] = append(names, part), i > 0
			}
		}
	}
	if len(names) == 0 {
		return
	}
	slices.SortStableFunc(names, func(a, b string) int {
		switch {
		case off[a] == off[b]:
			return len(b) - len(a)
		case off[a]:
			return 1
		}
		return -1
	})
	typ := c.named("type").source()
	if len(typ) > 40 {
		typ = ""
	}
	for i, n := range names {
		item := Item{Kind: Flag, Name: n, Type: typ, Required: required, By: by, Line: c.line}
		switch {
		case off[n]:
			item = Item{Kind: Flag, Name: n, Type: "turns off " + names[0], Line: c.line}
		case i > 0:
			item = Item{Kind: Flag, Name: n, Type: "short for " + names[0], Line: c.line}
		}
		p.add(item)
	}
}

func (p *program) pyClick(c call) {
	switch {
	case c.name == "option" && p.decorates(c), c.name == "Option":
		p.option(c, c.named("required").source() == "True", "")
	case c.name == "command" && p.decorates(c):
		name, ok := c.plain(0).literal()
		if !ok {
			name, ok = c.named("name").literal()
		}
		if ok && name != "" {
			p.add(Item{Kind: Command, Name: name, By: sourceOf(p.decorated(c)), Line: c.line})
		} else if d := p.decorated(c); len(d) == 1 {
			p.add(Item{Kind: Command, Name: strings.ReplaceAll(d[0].text, "_", "-"), By: d[0].text, Line: c.line})
		}
	}
}
