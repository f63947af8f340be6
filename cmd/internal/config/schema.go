package config

import (
	"encoding/json"

	"github.com/previdence/previdence/review"
)

// Schema is the JSON Schema (2020-12) of the file, for editors. It knows the keys and
// the words; what else [Parse] refuses, such as a pattern that cannot be read, it
// does not.
func Schema() []byte {
	type object = map[string]any
	text := func(about string) object { return object{"type": "string", "description": about} }
	words := func(about string, all []string) object {
		return object{"type": "string", "enum": all, "description": about}
	}
	list := func(about string, of object) object {
		return object{"type": "array", "items": of, "uniqueItems": true, "maxItems": maxPatterns, "description": about}
	}
	entry := func(about string, needed []string, properties object) object {
		return object{"type": "array", "maxItems": maxPatterns, "description": about, "items": object{
			"type": "object", "additionalProperties": false, "required": needed, "properties": properties}}
	}
	pattern := object{"type": "string", "minLength": 1, "maxLength": maxPatternBytes}
	schema := object{
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"title":                Path,
		"type":                 []string{"object", "null"},
		"additionalProperties": false,
		"properties": object{
			"ignore":    list("Patterns of paths that are not parsed.", pattern),
			"platforms": list("Platforms that Go is linked for beside linux/amd64.", map[string]any{"type": "string", "minLength": 3, "maxLength": maxPatternBytes, "pattern": "^[^/]+/.+$"}),
			"types":     words("Whether Go is type-checked (on), or linked from its syntax alone.", Types),
			"fail-on":   list("Rules that make the run fail.", words("A rule.", review.Rules)),
			"depth":     object{"type": "integer", "minimum": 1, "maximum": maxDepth, "description": "Edges that are followed for the blast radius."},
			"rules": entry("Where rules fail and where they do not. The first entry that a finding fits decides.", []string{"rule", "fail", "reason"}, object{
				"rule":   words("The rule that it is about.", judged()),
				"paths":  list("Where findings stand: for a broken reference the file that holds it. Absent: anywhere.", pattern),
				"kinds":  list("Kinds of the symbols. Absent: all.", words("A kind.", kinds())),
				"tiers":  list("Tiers of broken references. Absent: all.", words("A tier.", tiers())),
				"fail":   object{"type": "boolean", "description": "Whether such findings fail the run."},
				"reason": object{"type": "string", "minLength": 1, "maxLength": maxReason, "description": "Why. The report says it."},
			}),
			"layers": entry("Parts of the tree. A new import from one to another that it may not import is a finding of the rule layer.", []string{"name", "paths"}, object{
				"name":       object{"type": "string", "minLength": 1, "description": "What the layer is called."},
				"paths":      list("Folders. A folder belongs to the first layer that has it.", pattern),
				"may-import": list("Names of the layers that it may import. Absent: none.", object{"type": "string"}),
			}),
			"suppress": entry("Findings that a recorded decision keeps out of the verdict, until it ends.", []string{"rule", "decision", "until"}, object{
				"rule":     words("The rule that it is about.", judged()),
				"decision": text("ID of a file in .previdence/decisions."),
				"paths":    list("Where findings stand. Absent: those about what the decision cites.", pattern),
				"until":    text("A full commit ID from which on it does not hold, or the last day on which it does, like 2026-01-31."),
			}),
		},
	}
	data, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic(err) // maps of texts and numbers
	}
	return append(data, '\n')
}
