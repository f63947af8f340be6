package prose

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v4"
)

// What front matter may cost.
const (
	maxFront    = 64 << 10 // bytes
	maxPatterns = 200
	maxPattern  = 300 // bytes
	maxStars    = 4   // of ** in one pattern: each multiplies the ways in which a path can match
	maxOwners   = 20
)

// The keys of front matter that are read.
var (
	governing = []string{"paths", "applies-to", "applies_to", "appliesto", "applyto", "governs", "globs"}
	owning    = []string{"owner", "owners", "deciders", "decision-makers"}
)

// errFront means that the front matter of a document cannot be read.
var errFront = errors.New("front matter cannot be read")

// A Front is what the front matter of a document says about it.
type Front struct {
	Patterns []string // of paths that it governs, as written
	Line     int      // where they stand; 0 without any
	Owners   []string // as written
	Type     Kind     // what it says it is, if that is a kind
	Status   string   // a word in lower case, or ""
}

// ReadFront reads the YAML between two lines of dashes at the start of a document.
// One without has none.
func ReadFront(data []byte) (Front, error) {
	var f Front
	text, ok := frontMatter(data)
	if !ok {
		return f, nil
	}
	if len(text) > maxFront {
		return f, fmt.Errorf("%w: more than %d bytes", errFront, maxFront)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return f, fmt.Errorf("%w: %w", errFront, err)
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return f, nil
	}
	pairs := doc.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		key, value := strings.ToLower(pairs[i].Value), pairs[i+1]
		switch {
		case slices.Contains(governing, key):
			if f.Patterns = append(f.Patterns, items(value)...); f.Line == 0 {
				f.Line = pairs[i].Line + 1 // below the line of dashes
			}
		case slices.Contains(owning, key):
			f.Owners = append(f.Owners, items(value)...)
		case key == "type" || key == "source_type" || key == "kind":
			f.Type = kindOfWord(strings.ToLower(value.Value))
		case key == "status":
			f.Status = status(value.Value)
		}
	}
	f.Owners = f.Owners[:min(len(f.Owners), maxOwners)]
	return f, f.check()
}

func (f Front) check() error {
	if len(f.Patterns) > maxPatterns {
		return fmt.Errorf("%w: more than %d patterns", errFront, maxPatterns)
	}
	for _, p := range f.Patterns {
		if len(p) > maxPattern || strings.Count(p, "**") > maxStars || !doublestar.ValidatePattern(p) {
			return fmt.Errorf("%w: %.40q is no pattern of paths", errFront, p)
		}
	}
	return nil
}

// frontMatter cuts it out, without its lines of dashes.
func frontMatter(data []byte) ([]byte, bool) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = bytes.ReplaceAll(data[:min(len(data), maxFront+16)], []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(data, []byte("---\n"))
	if !ok {
		return nil, false
	}
	if end := bytes.Index(rest, []byte("\n---\n")); end >= 0 {
		return rest[:end+1], true
	}
	if text, ok := bytes.CutSuffix(rest, []byte("\n---")); ok {
		return text, true
	}
	return rest, len(rest) > maxFront // an open one is a line across the page
}

// items are the strings of a list, or of one string with commas outside braces.
// Aliases are not followed.
func items(n *yaml.Node) []string {
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	switch n.Kind {
	case yaml.SequenceNode:
		for _, c := range n.Content {
			if c.Kind == yaml.ScalarNode {
				add(c.Value)
			}
		}
	case yaml.ScalarNode:
		depth, start := 0, 0
		for i, c := range n.Value {
			switch {
			case c == '{':
				depth++
			case c == '}':
				depth--
			case c == ',' && depth == 0:
				add(n.Value[start:i])
				start = i + 1
			}
		}
		add(n.Value[start:])
	}
	return out
}

// Governs reports whether a pattern matches a path. One that is a folder governs what
// is in it; one without a slash matches names in any folder.
func (f Front) Governs(file string) bool {
	for _, p := range f.Patterns {
		bare := !strings.Contains(p, "/")
		p = strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/")
		folder := strings.TrimSuffix(strings.TrimSuffix(p, "/**"), "/")
		if doublestar.MatchUnvalidated(p, file) || doublestar.MatchUnvalidated(folder+"/**", file) ||
			bare && doublestar.MatchUnvalidated(p, path.Base(file)) {
			return true
		}
	}
	return false
}
