package ecmascript

import (
	"bytes"
	"context"
	"regexp"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// parse parses src. What the grammar does not know although the language does is
// written otherwise for the parser, byte for byte in its place, if more of the
// file is understood that way. The tree refers to src as it stands.
func parse(ctx context.Context, grammar *treesitter.Language, language string, src []byte) (*treesitter.Tree, error) {
	tree, err := treesitter.Parse(ctx, grammar, src)
	if err != nil || language == "javascript" {
		return tree, err
	}
	gaps := tree.Gaps()
	if len(gaps) == 0 {
		return tree, nil
	}
	other := rewritten(src, gaps)
	if bytes.Equal(other, src) {
		return tree, nil
	}
	again, err := treesitter.Parse(ctx, grammar, other)
	if err != nil {
		return tree, ctx.Err() // the budget was enough for the source as it stands
	}
	if lines(again.Gaps()) >= lines(gaps) {
		return tree, nil
	}
	again.Source = src
	return again, nil
}

func lines(spans []graph.Span) int {
	n := 0
	for _, s := range spans {
		n += s.End - s.Start + 1
	}
	return n
}

var (
	// A signature with type parameters on a line of its own, which the grammar
	// takes for the arguments of the type that ends the line before.
	generic = regexp.MustCompile(`(?m)^[ \t]+<`)
	// A property of this name below another, which the grammar takes for the operator.
	operator = regexp.MustCompile(`(?m)^[ \t]+(in|instanceof)\??:`)
	// Variance: interface A<in out T>.
	variance = regexp.MustCompile(`(?:[<,]|\*/)\s*(in[ \t]+out|in|out)[ \t]+[\pL_$]`)
	// export type * from "./x" and export type * as x from "./x".
	typeStar = regexp.MustCompile(`(?m)^[ \t]*export[ \t]+(type)[ \t]*\*`)
)

// rewritten is src with the constructs in its gaps that the grammar does not
// know in words that it knows. Its length and its lines are those of src.
func rewritten(src []byte, gaps []graph.Span) []byte {
	out := slices.Clone(src)
	at := linesAt(src)
	within := func(offset int) bool {
		line, exact := slices.BinarySearch(at, offset)
		if exact {
			line++
		}
		return slices.ContainsFunc(gaps, func(g graph.Span) bool { return g.Start <= line && line <= g.End })
	}
	for _, m := range generic.FindAllIndex(src, -1) {
		if open := m[1] - 1; within(open) && endsType(src[:m[0]]) && opensSignature(src[open:]) {
			out[open-1] = ';'
		}
	}
	for _, m := range operator.FindAllSubmatchIndex(src, -1) {
		if name := m[2]; within(name) && endsType(src[:m[0]]) {
			out[name-1] = ';'
		}
	}
	for _, word := range []*regexp.Regexp{variance, typeStar} {
		for _, m := range word.FindAllSubmatchIndex(src, -1) {
			if within(m[2]) {
				copy(out[m[2]:m[3]], bytes.Repeat([]byte(" "), m[3]-m[2]))
			}
		}
	}
	return out
}

// linesAt are the offsets at which the lines of src start.
func linesAt(src []byte) []int {
	at := []int{0}
	for i, c := range src {
		if c == '\n' {
			at = append(at, i+1)
		}
	}
	return at
}

// endsType reports whether the last thing before a line, comments apart, may end
// the type of a member.
func endsType(before []byte) bool {
	for {
		before = bytes.TrimRight(before, " \t\r\n")
		if bytes.HasSuffix(before, []byte("*/")) {
			before = before[:max(0, bytes.LastIndex(before, []byte("/*")))]
			continue
		}
		start := bytes.LastIndexByte(before, '\n') + 1
		if line := bytes.TrimLeft(before[start:], " \t"); bytes.HasPrefix(line, []byte("//")) {
			before = before[:start]
			continue
		}
		break
	}
	if len(before) == 0 || bytes.HasSuffix(before, []byte("=>")) {
		return false
	}
	c := before[len(before)-1]
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || bytes.IndexByte([]byte(`])}>'"`+"`"), c) >= 0
}

// opensSignature reports whether src starts with type parameters that "(" follows.
func opensSignature(src []byte) bool {
	depth := 0
	for i, c := range src {
		switch c {
		case '<':
			depth++
		case '>':
			if i > 0 && src[i-1] == '=' {
				continue
			}
			if depth--; depth == 0 {
				return bytes.HasPrefix(bytes.TrimLeft(src[i+1:], " \t\r\n"), []byte("("))
			}
		case ';':
			return false
		}
	}
	return false
}
