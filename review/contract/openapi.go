package contract

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// openAPI reads operations with their parameters, bodies and answers, and the
// properties of named schemas. References are named, not followed.
func openAPI(root *yaml.Node) []Item {
	d := &description{answers: map[string]bool{}, asks: map[string]bool{}}
	each(field(root, "paths"), d.pathItem)
	schemas := []*yaml.Node{field(field(root, "components"), "schemas"), field(root, "definitions")}
	d.spread(root, schemas)
	for _, list := range schemas {
		each(list, d.schema)
	}
	return d.items
}

// A description is an OpenAPI file that is being read.
type description struct {
	items   []Item
	asks    map[string]bool // names of schemas and shared parts that requests have
	answers map[string]bool // and that answers have
}

func (d *description) pathItem(route string, methods *yaml.Node) {
	each(methods, func(method string, op *yaml.Node) {
		if !slices.Contains(append(slices.Clone(httpVerbs), "trace"), method) {
			return
		}
		name := strings.ToUpper(method) + " " + route
		add := func(part, typ string, required bool, n *yaml.Node) {
			d.items = append(d.items, Item{Kind: OpenAPI, Name: name + part, Type: typ, Required: required, Owner: name, Line: n.Line})
		}
		d.items = append(d.items, Item{Kind: OpenAPI, Name: name, By: value(op, "operationId"), Line: op.Line})
		for _, list := range []*yaml.Node{field(methods, "parameters"), field(op, "parameters")} {
			if list == nil || list.Kind != yaml.SequenceNode {
				continue
			}
			refs(list, d.asks, 0)
			for _, p := range list.Content {
				if ref := value(p, "$ref"); ref != "" {
					add(" "+ref, "", false, p)
					continue
				}
				add(" "+value(p, "in")+" "+value(p, "name"), schemaType(p), value(p, "required") == "true", p)
			}
		}
		if body := field(op, "requestBody"); body != nil {
			refs(body, d.asks, 0)
			add(" body", "", value(body, "required") == "true", body)
		}
		each(field(op, "responses"), func(code string, n *yaml.Node) {
			refs(n, d.answers, 0)
			add(" answer "+code, "", false, n)
		})
	})
}

func (d *description) schema(name string, s *yaml.Node) {
	needed := map[string]bool{}
	if r := field(s, "required"); r != nil && r.Kind == yaml.SequenceNode {
		for _, n := range r.Content {
			needed[n.Value] = true
		}
	}
	each(field(s, "properties"), func(property string, n *yaml.Node) {
		d.items = append(d.items, Item{Kind: OpenAPI, Name: name + "." + property, Type: schemaType(n), Required: needed[property], Owner: name,
			Answers: d.answers[name], Asks: d.asks[name], Line: n.Line})
	})
}

// spread follows the names that requests and answers have through schemas and
// shared parameters, bodies and answers.
func (d *description) spread(root *yaml.Node, schemas []*yaml.Node) {
	within := map[string]map[string]bool{} // what a named part refers to
	note := func(name string, n *yaml.Node) {
		if within[name] == nil {
			within[name] = map[string]bool{}
		}
		refs(n, within[name], 0)
	}
	for _, list := range schemas {
		each(list, note)
	}
	for _, of := range []*yaml.Node{root, field(root, "components")} {
		for _, part := range []string{"parameters", "requestBodies", "responses"} {
			each(field(of, part), note)
		}
	}
	for _, reached := range []map[string]bool{d.asks, d.answers} {
		var open []string
		for name := range reached {
			open = append(open, name)
		}
		for len(open) > 0 {
			name := open[len(open)-1]
			open = open[:len(open)-1]
			for next := range within[name] {
				if !reached[next] {
					reached[next], open = true, append(open, next)
				}
			}
		}
	}
}

// refs adds the last parts of all references below a node.
func refs(n *yaml.Node, to map[string]bool, depth int) {
	if n == nil || depth > maxReferences {
		return
	}
	if ref := value(n, "$ref"); ref != "" {
		to[lastOf(ref)] = true
	}
	for _, c := range n.Content {
		refs(c, to, depth+1)
	}
}

// maxReferences is how deep a node is searched for references.
const maxReferences = 64

func lastOf(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// Parts says which files of the tree one file of YAML or JSON refers to, by their
// paths from the root of the tree. If it is an OpenAPI file, a route stands beside
// those that it has for one; others have "".
func Parts(p string, data []byte) (parts map[string]string, api bool) {
	var doc yaml.Node
	if len(data) > MaxSize || !bytes.Contains(data, []byte("$ref")) || yaml.Unmarshal(data, &doc) != nil || len(doc.Content) != 1 {
		return nil, false
	}
	root := doc.Content[0]
	parts = map[string]string{}
	fileRefs(root, p, parts, 0)
	if api = field(root, "openapi") != nil || field(root, "swagger") != nil; api {
		each(field(root, "paths"), func(route string, n *yaml.Node) {
			if at := fileOf(p, value(n, "$ref")); at != "" {
				parts[at] = route
			}
		})
	}
	return parts, api
}

func fileRefs(n *yaml.Node, p string, parts map[string]string, depth int) {
	if depth > maxReferences {
		return
	}
	if at := fileOf(p, value(n, "$ref")); at != "" {
		parts[at] = ""
	}
	for _, c := range n.Content {
		fileRefs(c, p, parts, depth+1)
	}
}

// fileOf is the path of the file that a reference in the file at p leads to, "" if
// it leads to none of this tree.
func fileOf(p, ref string) string {
	file, _, _ := strings.Cut(ref, "#")
	if file == "" || strings.Contains(file, "://") || strings.HasPrefix(file, "/") {
		return ""
	}
	at := path.Join(path.Dir(p), file)
	if at == ".." || strings.HasPrefix(at, "../") {
		return ""
	}
	return at
}

// ReadPart lists what a file offers that an OpenAPI file refers to for a route.
func ReadPart(route string, data []byte) (items []Item, ok bool) {
	var doc yaml.Node
	if len(data) > MaxSize || yaml.Unmarshal(data, &doc) != nil || len(doc.Content) != 1 {
		return nil, false
	}
	d := &description{answers: map[string]bool{}, asks: map[string]bool{}}
	d.pathItem(route, doc.Content[0])
	return ordered(d.items), true
}

// schemaType is the type of a parameter or property in a few words.
func schemaType(n *yaml.Node) string {
	if s := field(n, "schema"); s != nil {
		n = s
	}
	if ref := value(n, "$ref"); ref != "" {
		return lastOf(ref)
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
