package contract

import (
	"path"
	"regexp"
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

func each(n *yaml.Node, f func(name string, value *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		f(n.Content[i].Value, n.Content[i+1])
	}
}
