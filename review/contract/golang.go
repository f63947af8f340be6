package contract

import (
	"regexp"
	"slices"
	"strings"
)

var (
	goRouters = regexp.MustCompile(`"(?:net/http|github\.com/(?:go-chi/chi|gin-gonic/gin|labstack/echo|gorilla/mux|gofiber/fiber|julienschmidt/httprouter)[^"]*)"`)
	goFlags   = regexp.MustCompile(`"(?:flag|github\.com/spf13/(?:pflag|cobra))"`)
	goCobra   = regexp.MustCompile(`"github\.com/spf13/cobra"`)
	goUrfave  = regexp.MustCompile(`"github\.com/urfave/cli[^"]*"`)
	features  = regexp.MustCompile(`(?i)launchdarkly|openfeature|unleash|flipt|flagsmith|growthbook|posthog|waffle|splitio|feature[_-]?flag|feature[_-]?toggle`)
)

// A program is one file of source with its calls.
type program struct {
	src    string
	tokens []token
	calls  []call
	items  []Item
}

func (p *program) add(i Item) { p.items = append(p.items, i) }

// readGo reads Go: calls of routers, flags and the environment, literals of
// commands, and the tags of exported fields.
func readGo(path string, data []byte) ([]Item, bool) {
	p := &program{src: string(data)}
	if strings.HasSuffix(path, "_test.go") {
		return nil, true
	}
	p.tokens = lex(p.src, dialectGo)
	p.calls = calls(p.tokens, true)
	routers, flags, asks := goRouters.MatchString(p.src), goFlags.MatchString(p.src), features.MatchString(p.src)
	cobra, urfave := goCobra.MatchString(p.src), goUrfave.MatchString(p.src)
	for _, c := range p.calls {
		if c.brace {
			p.goLiteral(c, cobra, urfave)
			continue
		}
		p.environment(c)
		if routers {
			p.goRoute(c)
		}
		if flags {
			p.goFlag(c)
		}
		if asks {
			p.feature(c)
		}
	}
	p.required()
	p.goTags()
	p.statements()
	return p.items, true
}

// environment reads os.Getenv and its like.
func (p *program) environment(c call) {
	switch c.name {
	case "Getenv", "LookupEnv", "getenv":
		p.variable(c)
	case "BindEnv":
		for n := range c.args {
			if name, ok := c.plain(n).literal(); ok && n > 0 {
				p.add(Item{Kind: Environment, Name: name, Line: c.line})
			}
		}
	}
}

// variable adds the variable that a call reads.
func (p *program) variable(c call) {
	if len(c.args) > 0 {
		if name, ok := c.plain(0).literal(); ok {
			p.add(Item{Kind: Environment, Name: name, Line: c.line})
		} else {
			p.add(Item{Kind: Environment, By: c.plain(0).source(), Line: c.line})
		}
	}
}

var goMethods = map[string]string{
	"GET": "GET", "POST": "POST", "PUT": "PUT", "PATCH": "PATCH", "DELETE": "DELETE", "HEAD": "HEAD", "OPTIONS": "OPTIONS",
	"Get": "GET", "Post": "POST", "Put": "PUT", "Patch": "PATCH", "Delete": "DELETE", "Head": "HEAD", "Options": "OPTIONS",
	"Any": "", "All": "", "Handle": "", "HandleFunc": "", "Method": "", "MethodFunc": "",
}

var withMethod = regexp.MustCompile(`^(?:[A-Z]+ )?/`)

func (p *program) goRoute(c call) {
	if len(c.on) == 0 {
		return
	}
	first := c.plain(0)
	name, ok := first.literal()
	switch method, known := goMethods[c.name]; {
	case known && len(c.args) >= 2:
		handler := 1
		if pattern, second := c.plain(1).literal(); second && ok && strings.ToUpper(name) == name && strings.HasPrefix(pattern, "/") {
			method, name, handler = name, pattern, 2 // Handle("GET", "/x", h)
		}
		if !ok && first.isPath() && (strings.HasPrefix(c.name, "Handle") || strings.ToUpper(c.name) == c.name || jsReceiver.MatchString(c.on[0])) { // no call of a client
			p.add(Item{Kind: Route, By: first.source(), Line: c.line})
		}
		if !ok || !withMethod.MatchString(name) || len(c.args) <= handler {
			return
		}
		p.route(method, name, c.args[len(c.args)-1], c.line)
	case ok && strings.HasPrefix(name, "/") && slices.Contains([]string{"Group", "Route", "Mount", "PathPrefix"}, c.name):
		p.add(Item{Kind: Prefix, Name: name, Line: c.line})
	}
}

// route adds a route, with the handler behind it if that has a name.
func (p *program) route(method, name string, handler argument, line int) {
	by := handler.source()
	if len(by) > 80 || strings.ContainsAny(by, "{") {
		by = ""
	}
	if method != "" {
		name = strings.ToUpper(method) + " " + name
	}
	p.add(Item{Kind: Route, Name: name, By: by, Line: line})
}

var (
	goFlagFunc = regexp.MustCompile(`^(String|Bool|Int|Int8|Int16|Int32|Int64|Uint|Uint8|Uint16|Uint32|Uint64|Float32|Float64|Duration|Count|IP|IPNet|StringSlice|StringArray|StringToString|IntSlice|BoolSlice|DurationSlice|Func|BoolFunc|Text|Time)?(Var)?(P|PF)?$`)
	flagOwner  = regexp.MustCompile(`(?i)^(flags?|pflag|.*flags|.*flagset|fs|f|set|commandline)$`)
)

// goFlag reads flags of package flag and of pflag: flag.String("x", …),
// cmd.Flags().StringVarP(&v, "x", "s", …).
func (p *program) goFlag(c call) {
	m := goFlagFunc.FindStringSubmatch(c.name)
	if m == nil || c.name == "" || len(c.on) == 0 || !flagOwner.MatchString(c.on[0]) || len(c.args) < 2 || c.name == "P" {
		return
	}
	at := 0
	if m[2] != "" {
		at = 1
	}
	name, ok := c.plain(at).literal()
	if !ok && m[1]+m[2]+m[3] != "" && len(c.args) > 2 {
		p.add(Item{Kind: Flag, By: c.plain(at).source(), Line: c.line})
	}
	if !ok || name == "" || strings.ContainsAny(name, " \t=%") {
		return
	}
	kind := strings.ToLower(m[1])
	if kind == "" {
		kind = "value"
	}
	by := ""
	if at == 1 {
		by = c.plain(0).source()
	}
	p.add(Item{Kind: Flag, Name: "--" + name, Type: kind, By: by, Line: c.line})
	if short, ok := c.plain(at + 1).literal(); ok && m[3] != "" && short != "" {
		p.add(Item{Kind: Flag, Name: "-" + short, Type: "short for --" + name, Line: c.line})
	}
}

// required marks the flags that cobra is told must be given.
func (p *program) required() {
	for _, c := range p.calls {
		if c.name != "MarkFlagRequired" && c.name != "MarkPersistentFlagRequired" {
			continue
		}
		name, _ := c.plain(0).literal()
		for i := range p.items {
			if p.items[i].Kind == Flag && p.items[i].Name == "--"+name {
				p.items[i].Required = true
			}
		}
	}
}

// goLiteral reads cobra.Command{Use: "x"} and cli.StringFlag{Name: "x"}.
func (p *program) goLiteral(c call, cobra, urfave bool) {
	switch {
	case cobra && c.name == "Command":
		if use, ok := c.named("Use").literal(); ok {
			if words := strings.Fields(use); len(words) > 0 {
				p.add(Item{Kind: Command, Name: words[0], By: firstOf(c, "RunE", "Run"), Line: c.named("Use").tokens[0].line})
			}
		}
	case urfave && c.name == "Command":
		if name, ok := c.named("Name").literal(); ok {
			p.add(Item{Kind: Command, Name: name, By: firstOf(c, "Action"), Line: c.line})
		}
	case urfave && strings.HasSuffix(c.name, "Flag"):
		if name, ok := c.named("Name").literal(); ok {
			p.add(Item{Kind: Flag, Name: "--" + name, Type: strings.ToLower(strings.TrimSuffix(c.name, "Flag")), Required: c.named("Required").source() == "true", Line: c.line})
		}
	}
}

// firstOf is what a field says that names one function.
func firstOf(c call, fields ...string) string {
	for _, f := range fields {
		if a := c.named(f); len(a.tokens) > 0 && len(a.tokens) < 6 {
			return a.source()
		}
	}
	return ""
}

// featureCalls are what asks whether a feature is on.
var featureCalls = regexp.MustCompile(`(?i)^((bool|boolean|string|int|float|json|number)_?(variation|value)(detail)?|get(boolean|string|number)value|variation|is_?enabled|is_?feature_?enabled|feature_?enabled|use_?(feature_?)?flag|flag_is_active|switch_is_active|sample_is_active|is_?active)$`)

func (p *program) feature(c call) {
	if !featureCalls.MatchString(c.name) {
		return
	}
	for n := range min(len(c.args), 2) {
		if name, ok := c.plain(n).literal(); ok && name != "" && !strings.ContainsAny(name, " /") {
			p.add(Item{Kind: Feature, Name: name, Line: c.line})
			return
		}
	}
}

var tag = regexp.MustCompile(`(?:^| )(json|yaml|toml|mapstructure|hcl|koanf|ini|env|envconfig):"([^"]*)"`)

// tagKinds are in the order in which one field is read.
var tagKinds = []struct{ tag, kind string }{
	{"env", Environment}, {"envconfig", Environment}, {"yaml", Config}, {"toml", Config}, {"mapstructure", Config}, {"koanf", Config},
	{"hcl", Config}, {"ini", Config}, {"json", JSONField},
}

// goTags reads the tags of exported fields. A field with several has one contract
// by its strongest: what is read from files or the environment is configuration,
// what only JSON names is a field on the wire.
func (p *program) goTags() {
	owner := ""
	for i, t := range p.tokens {
		if t.kind == word && t.text == "struct" && i >= 1 && p.tokens[i-1].kind == word {
			owner = p.tokens[i-1].text
		}
		if t.kind == word && t.text == "func" && i > 0 && p.tokens[i-1].line != t.line {
			owner = ""
		}
		if !t.raw || owner == "" || i < 2 {
			continue
		}
		name, typ := fieldBefore(p.tokens, i)
		tags := map[string]string{}
		for _, m := range tag.FindAllStringSubmatch(t.text, -1) {
			tags[m[1]], _, _ = strings.Cut(m[2], ",")
		}
		if name == "" || name[0] < 'A' || name[0] > 'Z' {
			continue
		}
		for _, k := range tagKinds {
			value := tags[k.tag]
			if value == "" || value == "-" {
				continue
			}
			if k.kind != Environment {
				value = owner + "." + value
			}
			p.add(Item{Kind: k.kind, Name: value, Type: typ, By: owner + "." + name, Line: t.line})
			break
		}
	}
}

// fieldBefore reads the name and the type of the field whose tag is at i.
func fieldBefore(tokens []token, i int) (name, typ string) {
	start := i
	for start > 0 && tokens[start-1].line == tokens[i].line {
		start--
	}
	if start >= i-1 || tokens[start].kind != word {
		return "", ""
	}
	return tokens[start].text, strings.ReplaceAll(sourceOf(tokens[start+1:i]), "interface{}", "any")
}
