package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
	"github.com/previdence/previdence/review/report"
)

// schema returns the JSON Schema of a report, with the comments of the source
// below root as descriptions.
func schema(root string) ([]byte, error) {
	src, err := read(root)
	if err != nil {
		return nil, err
	}
	// A report may gain fields within a version, so unknown ones are allowed.
	r := &jsonschema.Reflector{
		Anonymous:                 true,
		AllowAdditionalProperties: true,
		LookupComment:             src.comment,
		Mapper:                    src.enum,
	}
	s := r.Reflect(&report.Report{})
	s.Title = report.Schema
	version, ok := s.Definitions["Report"].Properties.Get("schema")
	if !ok {
		return nil, fmt.Errorf("the report has no field named schema")
	}
	version.Const = report.Schema
	nullable(s, reflect.TypeFor[report.Report](), map[reflect.Type]bool{})

	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		return nil, fmt.Errorf("encode schema: %w", err)
	}
	return b.Bytes(), nil
}

// optional lets the fields of an embedded pointer be absent all together: that
// is what encoding/json makes of one that is nil.
func optional(s *jsonschema.Schema, t reflect.Type, f reflect.StructField) {
	inlined := f.Type.Elem()
	def := s.Definitions[t.Name()]
	for i := range inlined.NumField() {
		name, _, _ := strings.Cut(inlined.Field(i).Tag.Get("json"), ",")
		def.Required = slices.DeleteFunc(def.Required, func(r string) bool { return r == name })
	}
}

// nullable lets null stand where a pointer is always written: encoding/json
// writes one that is nil as null, and the library does not know that.
func nullable(s *jsonschema.Schema, t reflect.Type, done map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || done[t] {
		return
	}
	done[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		nullable(s, f.Type, done)
		if f.Anonymous && f.Type.Kind() == reflect.Pointer {
			optional(s, t, f)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type.Kind() != reflect.Pointer || options == "omitempty" {
			continue
		}
		if p, ok := s.Definitions[t.Name()].Properties.Get(name); ok {
			*p = jsonschema.Schema{Description: p.Description,
				OneOf: []*jsonschema.Schema{{Ref: p.Ref}, {Type: "null"}}}
		}
	}
}
