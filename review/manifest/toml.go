package manifest

import (
	"errors"

	"github.com/BurntSushi/toml"
)

// maxNesting bounds how deep values and keys of TOML may lie in one another. The
// decoder calls itself for each level, and a stack that overflows ends the
// whole program.
const maxNesting = 200

var errNesting = errors.New("values or keys nested too deep")

func readTOML(data []byte, into any) error {
	if nested(data) {
		return unreadable(errNesting)
	}
	if _, err := toml.Decode(string(data), into); err != nil {
		return unreadable(err)
	}
	return nil
}

// nested reports whether brackets lie deeper than maxNesting, or one line has
// more dots outside of strings than that. It reads a string as the rest of its
// line at most, which can only count too much.
func nested(data []byte) bool {
	depth, dots := 0, 0
	var quote byte
	for _, c := range data {
		switch {
		case c == '\n':
			quote, dots = 0, 0
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth = max(depth-1, 0)
		case c == '.':
			dots++
		}
		if depth > maxNesting || dots > maxNesting {
			return true
		}
	}
	return false
}
