package review

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// The kinds of entry points.
const (
	doorMain    = "main"
	doorCommand = "cli_command"
	doorRoute   = "http_route"
	doorAPI     = "exported_api"
)

// A door is how a framework is told to call a symbol from outside.
type door struct {
	kind string
	as   string // what calls it, as the registration has it: "GET /users"; "" if it does not say
}

// A doorRule is how one family of frameworks registers what it calls. The graph
// says that one symbol refers to another and on which line; a rule only judges
// the text there, in a file that names the framework.
type doorRule struct {
	kind   string
	family string         // of languages
	names  *regexp.Regexp // in the file: the framework is used
	// Exactly one of these is set. Group 1 is a method or nothing, group 2 a path
	// or a name.
	passed *regexp.Regexp // on the line of a reference: what is passed on follows
	above  *regexp.Regexp // above a definition: a decorator
	holds  *regexp.Regexp // within a definition: the handler has no name
	called *regexp.Regexp // in the definition that registers: what the command is called
}

const (
	goString     = "[\"`]([^\"`]*)[\"`]"
	scriptString = "[\"'`]([^\"'`]*)[\"'`]"
)

var (
	cobra     = regexp.MustCompile(`"github\.com/spf13/cobra"`)
	cobraUse  = regexp.MustCompile(`\bUse:\s*()` + goString)
	flask     = regexp.MustCompile(`(?m)^\s*(?:from|import)\s+(?:flask|quart|fastapi|starlette|sanic)\b`)
	click     = regexp.MustCompile(`(?m)^\s*(?:from|import)\s+(?:click|typer)\b`)
	express   = regexp.MustCompile("(?:require\\(|from\\s)\\s*[\"'`](?:express|fastify|hono|@koa/router|koa-router)[\"'`]")
	goRouters = regexp.MustCompile(`"(?:net/http|github\.com/(?:go-chi/chi|gin-gonic/gin|labstack/echo|gorilla/mux)[^"]*)"`)
)

var doorRules = []doorRule{
	{kind: doorCommand, family: "go", names: cobra, passed: regexp.MustCompile(`\bRunE?:\s*`), called: cobraUse},
	{kind: doorCommand, family: "go", names: cobra, holds: regexp.MustCompile(`\bRunE?:\s*func\b`), called: cobraUse},
	{kind: doorRoute, family: "go", names: goRouters, passed: regexp.MustCompile(
		`\.(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete|Head|Options|Handle|HandleFunc)\(\s*` + goString + `\s*,`)},
	{kind: doorRoute, family: "python", names: flask, above: regexp.MustCompile(
		`@[\w.]+\.(route|get|post|put|patch|delete|head|options|websocket)\(\s*[rf]?` + scriptString)},
	{kind: doorCommand, family: "python", names: click, above: regexp.MustCompile(`@[\w.]+\.()command\((?:\s*` + scriptString + `)?`)},
	{kind: doorRoute, family: "ecmascript", names: express, passed: regexp.MustCompile(
		`\.(get|post|put|patch|delete|head|options|all)\(\s*` + scriptString + `\s*,`)},
}

// findDoors looks for a registration of every reached symbol: at its own
// definition, and at the lines that refer to it.
func (r *reviewer) findDoors(ctx context.Context, reached *reach) error {
	held, wanted := map[string][]int32{}, map[string]bool{}
	for sym := range reached.nearest {
		s := &r.Head.Symbols[sym]
		if !s.Kind.Callable() && s.Kind != graph.KindVariable || r.inTests(s.Path) || !hasDoors(s.Language) {
			continue
		}
		held[s.Path] = append(held[s.Path], sym)
		wanted[s.Path] = true
		for _, e := range r.references(sym) {
			wanted[r.Head.Symbols[e.From].Path] = true
		}
	}
	contents, err := r.readFiles(ctx, r.Head, slices.Sorted(maps.Keys(wanted)))
	if err != nil {
		return err
	}
	b := registrations{r: r, contents: contents, lines: map[string][]string{}}
	for _, path := range slices.Sorted(maps.Keys(held)) {
		for _, sym := range held[path] {
			if d, ok := b.door(sym); ok {
				reached.doors[sym] = d
			}
		}
	}
	return nil
}

func hasDoors(language string) bool {
	return slices.ContainsFunc(doorRules, func(rule doorRule) bool { return rule.family == family(language) })
}

// references are the edges from outside the tests that pass a symbol on.
func (r *reviewer) references(sym int32) []*graph.Edge {
	var out []*graph.Edge
	for _, i := range r.Head.In(sym) {
		e := &r.Head.Edges[i]
		from := &r.Head.Symbols[e.From]
		if e.Kind == graph.EdgeReference && from.Kind != graph.KindLiteral && !r.inTests(from.Path) {
			out = append(out, e)
		}
	}
	return out
}

// registrations reads how symbols are registered from the text around them.
type registrations struct {
	r        *reviewer
	contents map[string][]byte
	lines    map[string][]string
}

// door applies the rules in their order.
func (b *registrations) door(sym int32) (door, bool) {
	s := &b.r.Head.Symbols[sym]
	for _, rule := range doorRules {
		if rule.family != family(s.Language) {
			continue
		}
		switch {
		case rule.above != nil && rule.names.Match(b.contents[s.Path]):
			if m := rule.above.FindSubmatch(b.before(s)); m != nil {
				return door{rule.kind, label(string(m[1]), string(m[2]))}, true
			}
		case rule.holds != nil && rule.names.Match(b.contents[s.Path]):
			text := b.of(s)
			if at := rule.holds.FindStringIndex(text); at != nil {
				return door{rule.kind, called(rule.called, text[:at[0]], text[at[1]:])}, true
			}
		case rule.passed != nil:
			if d, ok := b.passed(rule, sym, s.Name); ok {
				return d, true
			}
		}
	}
	return door{}, false
}

// passed looks for a line that hands the symbol to the framework.
func (b *registrations) passed(rule doorRule, sym int32, name string) (door, bool) {
	for _, e := range b.r.references(sym) {
		from := &b.r.Head.Symbols[e.From]
		if !rule.names.Match(b.contents[from.Path]) {
			continue
		}
		for _, l := range e.Lines {
			text := b.line(from.Path, int(l))
			m := rule.passed.FindStringSubmatchIndex(text)
			if m == nil || !startsWith(text[m[1]:], name, rule.called == nil) {
				continue
			}
			if rule.called != nil {
				return door{rule.kind, called(rule.called, b.between(from.Path, from.Line, int(l)), b.between(from.Path, int(l), from.EndLine))}, true
			}
			return door{rule.kind, label(text[m[2]:m[3]], text[m[4]:m[5]])}, true
		}
	}
	return door{}, false
}

var identifier = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)

// startsWith reports whether name is what stands at the start of an argument,
// behind the names it is qualified with, or, if anywhere is set, in any of the
// arguments: handlers follow what runs before them.
func startsWith(text, name string, anywhere bool) bool {
	for _, at := range identifier.FindAllStringIndex(text, -1) {
		if text[at[0]:at[1]] == name {
			return true
		}
		if !anywhere && (at[1] >= len(text) || text[at[1]] != '.') {
			return false
		}
	}
	return false
}

// before is the text between the start of a definition and its declaration: its
// decorators.
func (b *registrations) before(s *graph.Symbol) []byte {
	content := b.contents[s.Path]
	if s.Start < 0 || s.Start >= s.End || s.End > len(content) {
		return nil
	}
	body := content[s.Start:s.End]
	for i, line := range strings.SplitAfter(string(body), "\n") {
		if t := strings.TrimSpace(line); i > 0 && (strings.HasPrefix(t, "def ") || strings.HasPrefix(t, "async def ")) {
			return body[:strings.Index(string(body), line)]
		}
	}
	return nil
}

// of is the text of a definition.
func (b *registrations) of(s *graph.Symbol) string { return b.between(s.Path, s.Line, s.EndLine) }

func (b *registrations) line(path string, n int) string { return b.between(path, n, n) }

// between is the text of some lines of a file, inclusive.
func (b *registrations) between(path string, from, to int) string {
	lines := b.split(path)
	from, to = max(from-1, 0), min(to, len(lines))
	if from >= to {
		return ""
	}
	return strings.Join(lines[from:to], "\n")
}

func (b *registrations) split(path string) []string {
	lines, ok := b.lines[path]
	if !ok {
		lines = strings.Split(string(b.contents[path]), "\n")
		b.lines[path] = lines
	}
	return lines
}

// called finds what a command is called: the last name before the place that
// says what runs, or else the first behind it.
func called(pattern *regexp.Regexp, before, behind string) string {
	if all := pattern.FindAllStringSubmatch(before, -1); all != nil {
		return all[len(all)-1][2]
	}
	if m := pattern.FindStringSubmatch(behind); m != nil {
		return m[2]
	}
	return ""
}

// label joins a method and a path. What registers for all methods names none.
func label(method, path string) string {
	switch strings.ToLower(method) {
	case "", "handle", "handlefunc", "route", "any", "all":
		return path
	}
	return strings.ToUpper(method) + " " + path
}
