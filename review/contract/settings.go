package contract

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

var settingsName = regexp.MustCompile(`(?i)^(config|settings|application|appsettings|values|defaults?)([.-][\w-]+)*\.(ya?ml|toml|json|properties)$`)

// isSettings reports whether a file holds the settings of a program by its name.
func isSettings(p string) bool {
	return settingsName.MatchString(path.Base(p)) && !strings.HasPrefix(path.Base(p), "tsconfig") && !strings.HasPrefix(p, ".github/")
}

// readTree reads YAML and JSON: an OpenAPI file, or settings.
func readTree(p string, data []byte) ([]Item, bool) {
	api := looksLikeAPI(data)
	if !api && !isSettings(p) {
		return nil, true
	}
	var root yaml.Node
	if yaml.Unmarshal(data, &root) != nil || len(root.Content) != 1 {
		return nil, false
	}
	if root := root.Content[0]; api && (field(root, "openapi") != nil || field(root, "swagger") != nil) {
		return openAPI(root), true
	}
	if !isSettings(p) {
		return nil, true
	}
	var items []Item
	leaves(root.Content[0], "", 0, func(name string, n *yaml.Node) {
		items = append(items, Item{Kind: Config, Name: name, Line: n.Line})
	})
	return items, true
}

var apiMark = regexp.MustCompile(`(?m)(?:^|[{,])\s*["']?(?:openapi|swagger)["']?\s*:`)

func looksLikeAPI(data []byte) bool { return apiMark.Match(data) }

// deepestKey is how deep the keys of settings are followed. What lies deeper is
// data rather than a setting.
const deepestKey = 6

func leaves(n *yaml.Node, prefix string, depth int, add func(string, *yaml.Node)) {
	if depth > deepestKey || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := prefix + n.Content[i].Value
		if v := n.Content[i+1]; v.Kind == yaml.MappingNode && len(v.Content) > 0 {
			leaves(v, name+".", depth+1, add)
		} else {
			add(name, n.Content[i])
		}
	}
}

// readTOML reads tables and keys line by line; the lines of a longer value that
// look like keys are taken for some.
func readTOML(_ string, data []byte) ([]Item, bool) {
	var items []Item
	table, n := "", 0
	for l := range strings.Lines(string(data)) {
		n++
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "[") {
			table = strings.TrimSpace(strings.Trim(strings.TrimSpace(strings.SplitN(l, "#", 2)[0]), "[]")) + "."
			continue
		}
		if m := tomlKey.FindStringSubmatch(l); m != nil {
			items = append(items, Item{Kind: Config, Name: table + m[1], Line: n})
		}
	}
	return items, true
}

var tomlKey = regexp.MustCompile(`^([\w.-]+)\s*=`)

func readProperties(p string, data []byte) ([]Item, bool) {
	if !isSettings(p) {
		return nil, true
	}
	return assigned(data, Config, "=:"), true
}

func readEnvFile(_ string, data []byte) ([]Item, bool) { return assigned(data, Environment, "="), true }

// assigned reads lines such as NAME=value.
func assigned(data []byte, kind, signs string) []Item {
	var items []Item
	n := 0
	for l := range strings.Lines(string(data)) {
		n++
		l = strings.TrimPrefix(strings.TrimSpace(l), "export ")
		if end := strings.IndexAny(l, signs); end > 0 && l[0] != '#' && l[0] != '!' {
			items = append(items, Item{Kind: kind, Name: strings.TrimSpace(l[:end]), Line: n})
		}
	}
	return items
}

func field(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

func value(n *yaml.Node, name string) string {
	if f := field(n, name); f != nil && f.Kind == yaml.ScalarNode {
		return f.Value
	}
	return ""
}

// openAPI reads operations with their parameters, bodies and answers, and the
// properties of named schemas. References are named, not followed.
func openAPI(root *yaml.Node) []Item {
	var items []Item
	add := func(name, typ string, required bool, n *yaml.Node) {
		items = append(items, Item{Kind: OpenAPI, Name: name, Type: typ, Required: required, Line: n.Line})
	}
	each(field(root, "paths"), func(route string, methods *yaml.Node) {
		each(methods, func(method string, op *yaml.Node) {
			if !slices.Contains(append(slices.Clone(httpVerbs), "trace"), method) {
				return
			}
			name := strings.ToUpper(method) + " " + route
			items = append(items, Item{Kind: OpenAPI, Name: name, By: value(op, "operationId"), Line: op.Line})
			for _, list := range []*yaml.Node{field(methods, "parameters"), field(op, "parameters")} {
				if list == nil || list.Kind != yaml.SequenceNode {
					continue
				}
				for _, p := range list.Content {
					if ref := value(p, "$ref"); ref != "" {
						add(name+" "+ref, "", false, p)
						continue
					}
					add(name+" "+value(p, "in")+" "+value(p, "name"), schemaType(p), value(p, "required") == "true", p)
				}
			}
			if body := field(op, "requestBody"); body != nil {
				add(name+" body", "", value(body, "required") == "true", body)
			}
			each(field(op, "responses"), func(code string, n *yaml.Node) { add(name+" answer "+code, "", false, n) })
		})
	})
	for _, schemas := range []*yaml.Node{field(field(root, "components"), "schemas"), field(root, "definitions")} {
		each(schemas, func(schema string, s *yaml.Node) {
			needed := map[string]bool{}
			if r := field(s, "required"); r != nil && r.Kind == yaml.SequenceNode {
				for _, n := range r.Content {
					needed[n.Value] = true
				}
			}
			each(field(s, "properties"), func(name string, n *yaml.Node) { add(schema+"."+name, schemaType(n), needed[name], n) })
		})
	}
	return items
}

// schemaType is the type of a parameter or property in a few words.
func schemaType(n *yaml.Node) string {
	if s := field(n, "schema"); s != nil {
		n = s
	}
	if ref := value(n, "$ref"); ref != "" {
		return ref[strings.LastIndexByte(ref, '/')+1:]
	}
	typ := value(n, "type")
	if f := value(n, "format"); f != "" {
		typ += " " + f
	}
	if items := field(n, "items"); items != nil {
		typ += " of " + schemaType(&yaml.Node{Kind: yaml.MappingNode, Content: items.Content})
	}
	return typ
}

func each(n *yaml.Node, f func(name string, value *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		f(n.Content[i].Value, n.Content[i+1])
	}
}
