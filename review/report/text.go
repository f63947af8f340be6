package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// legible writes the bytes of s that are not UTF-8 as \xXX. JSON has no form for
// them: its encoder makes all of them the same sign, and two files whose Latin-1
// names differ in one letter would become one.
func legible(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		if c == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02X`, s[i])
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// inert gives JSON in which the characters that move a cursor, turn text around
// or cannot be seen are written by their number. It means the same to a program,
// and a person may look at it. Outside of texts JSON has none of them but line
// ends, which stay.
func inert(json []byte) []byte {
	var out []byte
	for i := bytes.IndexFunc(json, acts); i >= 0; i = bytes.IndexFunc(json, acts) {
		c, n := utf8.DecodeRune(json[i:])
		out = append(out, json[:i]...)
		if c > 0xFFFF {
			high, low := utf16.EncodeRune(c)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		} else {
			out = fmt.Appendf(out, `\u%04x`, c)
		}
		json = json[i+n:]
	}
	return append(out, json...)
}

func acts(c rune) bool {
	if c < 0x7F {
		return c < ' ' && c != '\n'
	}
	return unicode.In(c, unicode.Cc, unicode.Cf)
}
