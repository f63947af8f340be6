package escape

import (
	"fmt"
	"regexp"
	"strings"
)

// What the text of a SARIF message acts on: [text](target) is a link, and {0} a
// gap for an argument.
var (
	sarifLink = regexp.MustCompile(`[\[\]\\]`)
	sarifGap  = regexp.MustCompile(`\{([0-9]+)\}`)
)

// SARIF is prose for the text of a SARIF message. Brackets get a backslash only
// where they could be a link, since not every viewer takes it away.
func SARIF(s string) string {
	s = Plain(s)
	if strings.Contains(s, "](") {
		s = sarifLink.ReplaceAllString(s, `\$0`)
	}
	return sarifGap.ReplaceAllString(s, "{{$1}}")
}

// URI is the path of a file as a relative URI. Everything but letters, digits
// and - . _ ~ / is percent-encoded byte by byte, so that no name is a scheme, a
// query or a fragment, and bytes that are not UTF-8 stay what they are.
func URI(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; word(rune(c)) || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
