package contract

import "strings"

// A call is one call, or one composite literal of Go, with its arguments.
type call struct {
	name  string   // last part of what is called: "StringVarP"
	on    []string // what stands before it, the nearest first: "Flags", "cmd"
	args  []argument
	line  int
	at    int // index of the name
	brace bool
}

// An argument is one of a call.
type argument struct {
	name   string // if it is passed by name
	tokens []token
}

// literal is the value of a string argument.
func (a argument) literal() (string, bool) {
	if len(a.tokens) == 1 && a.tokens[0].kind == text {
		return a.tokens[0].text, true
	}
	return "", false
}

// isPath reports whether an argument that is no literal puts a path of a URL
// together: a template, or a sum with a part that begins with a slash.
func (a argument) isPath() bool {
	for _, t := range a.tokens {
		if t.kind == made && strings.Contains(t.text, "/") || t.kind == text && strings.HasPrefix(t.text, "/") {
			return true
		}
		if t.kind == sign && (t.text == "{" || t.text == "[") {
			return false // a function or a list that names paths inside
		}
	}
	return false
}

// source is an argument as it is written, without spaces.
func (a argument) source() string { return sourceOf(a.tokens) }

func sourceOf(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && t.kind != sign && tokens[i-1].kind != sign {
			b.WriteByte(' ')
		}
		if t.kind == text || t.kind == made {
			b.WriteString(`"` + t.text + `"`)
		} else {
			b.WriteString(t.text)
		}
	}
	return b.String()
}

// plain returns the n-th argument that is not passed by name.
func (c call) plain(n int) argument {
	for _, a := range c.args {
		if a.name != "" {
			continue
		}
		if n == 0 {
			return a
		}
		n--
	}
	return argument{}
}

// named returns the argument that is passed by a name.
func (c call) named(name string) argument {
	for _, a := range c.args {
		if a.name == name {
			return a
		}
	}
	return argument{}
}

// What is read of one call and of one file, so that no file costs more than its
// size lets expect.
const (
	maxTokens = 1500
	maxCalls  = 20_000
)

// calls finds the calls of a program, and with braces the literals of types.
func calls(tokens []token, braces bool) []call {
	var out []call
	for i := 1; i < len(tokens) && len(out) < maxCalls; i++ {
		open := tokens[i]
		if open.kind != sign || open.text != "(" && !(braces && open.text == "{") || tokens[i-1].kind != word {
			continue
		}
		c := call{name: tokens[i-1].text, line: tokens[i-1].line, at: i - 1, brace: open.text == "{"}
		c.on = receiver(tokens, i-2)
		c.args = arguments(tokens, i)
		out = append(out, c)
	}
	return out
}

// receiver reads the names before a dot: a.b().c has c, b, a.
func receiver(tokens []token, i int) []string {
	var names []string
	for i > 0 && tokens[i].text == "." && tokens[i].kind == sign && len(names) < 8 {
		i--
		if tokens[i].kind == sign && tokens[i].text == "?" && i > 0 {
			i--
		}
		if tokens[i].kind == sign && tokens[i].text == ")" {
			i = opening(tokens, i) - 1
		}
		if i < 0 || tokens[i].kind != word {
			break
		}
		names = append(names, tokens[i].text)
		i--
	}
	return names
}

// opening is the index of the parenthesis that the one at i closes.
func opening(tokens []token, i int) int {
	depth := 0
	for n := 0; i >= 0 && n < maxTokens; i, n = i-1, n+1 {
		if tokens[i].kind != sign {
			continue
		}
		switch tokens[i].text {
		case ")":
			depth++
		case "(":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// arguments reads what stands between the sign at i and the one that closes it.
func arguments(tokens []token, i int) []argument {
	var args []argument
	depth, start := 0, i+1
	add := func(end int) {
		if end <= start {
			return
		}
		a := argument{tokens: tokens[start:end]}
		if len(a.tokens) > 2 && a.tokens[0].kind == word && a.tokens[1].kind == sign &&
			(a.tokens[1].text == "=" && a.tokens[2].text != "=" && a.tokens[2].text != ">" || a.tokens[1].text == ":") {
			a.name, a.tokens = a.tokens[0].text, a.tokens[2:]
		}
		args = append(args, a)
	}
	for n := 0; i < len(tokens) && n < maxTokens; i, n = i+1, n+1 {
		if tokens[i].kind != sign {
			continue
		}
		switch tokens[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				add(i)
				return args
			}
		case ",":
			if depth == 1 {
				add(i)
				start = i + 1
			}
		}
	}
	return args
}

// object reads the fields of an object literal of a script.
func (a argument) object() call {
	if len(a.tokens) == 0 || a.tokens[0].text != "{" || a.tokens[0].kind != sign {
		return call{}
	}
	return call{args: arguments(a.tokens, 0)}
}
