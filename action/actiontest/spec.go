package actiontest

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

//go:embed testdata/github.openapi.json
var description []byte

// spec is GitHub's description, loaded once.
var spec = sync.OnceValue(func() *openapi3.T {
	doc, err := openapi3.NewLoader().LoadFromData(description)
	if err != nil {
		panic(fmt.Sprintf("the committed description: %v", err))
	}
	return doc
})

var router = sync.OnceValue(func() routers.Router {
	r, err := legacy.NewRouter(spec())
	if err != nil {
		panic(fmt.Sprintf("the committed description: %v", err))
	}
	return r
})

// Validate lets requests pass to next and tells violation about every request
// and every answer that GitHub's description does not allow.
func Validate(next http.Handler, violation func(text string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !described(r) {
			next.ServeHTTP(w, r)
			return
		}
		input, err := requestInput(r)
		if err == nil {
			err = openapi3filter.ValidateRequest(r.Context(), input)
		}
		if err != nil {
			violation(fmt.Sprintf("request %s %s: %v", r.Method, r.URL.Path, err))
			answer(w, http.StatusUnprocessableEntity, validationError("Invalid request.", err.Error()))
			return
		}
		seen := &recorder{header: http.Header{}, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		if err := validateResponse(r.Context(), input, seen); err != nil {
			violation(fmt.Sprintf("answer to %s %s: %v", r.Method, r.URL.Path, err))
		}
		maps.Copy(w.Header(), seen.header)
		w.WriteHeader(seen.status)
		if _, err := seen.body.WriteTo(w); err != nil {
			panic(http.ErrAbortHandler) // nobody reads any more
		}
	})
}

// described reports whether a request is of the kind that the description is
// about.
func described(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/repos/")
}

// requestInput finds the call that a request makes. Its body can be read again.
func requestInput(r *http.Request) (*openapi3filter.RequestValidationInput, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := router().FindRoute(r)
	if err != nil {
		return nil, err
	}
	return &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: filterOptions()}, nil
}

func filterOptions() *openapi3filter.Options {
	o := &openapi3filter.Options{MultiError: true}
	o.WithCustomSchemaErrorFunc(short)
	return o
}

// short leaves the schema and the value out of what kin-openapi says.
func short(e *openapi3.SchemaError) string {
	return strings.Join(e.JSONPointer(), "/") + ": " + e.Reason
}

func validateResponse(ctx context.Context, input *openapi3filter.RequestValidationInput, seen *recorder) error {
	return openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: seen.status, Header: seen.header,
		Body: io.NopCloser(bytes.NewReader(seen.body.Bytes())), Options: filterOptions(),
	})
}

// A recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }

// like makes the smallest object that a schema of the description allows, with
// some fields set.
func like(schema string, set map[string]any) map[string]any {
	ref := spec().Components.Schemas[schema]
	if ref == nil {
		panic("no schema " + schema)
	}
	s := *ref.Value
	s.Nullable = false
	object := smallest(&s).(map[string]any)
	maps.Copy(object, set)
	return object
}

// smallest makes a value that a schema allows.
func smallest(s *openapi3.Schema) any {
	switch {
	case s.Nullable:
		return nil
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.OneOf) > 0:
		return smallest(s.OneOf[0].Value)
	case len(s.AnyOf) > 0:
		return smallest(s.AnyOf[0].Value)
	case s.Type.Is("string") && s.Format == "date-time":
		return "2026-01-01T00:00:00Z"
	case s.Type.Is("string") && s.Format == "uri":
		return "https://github.test/"
	case s.Type.Is("string"):
		return ""
	case s.Type.Is("integer"), s.Type.Is("number"):
		return 0
	case s.Type.Is("boolean"):
		return false
	case s.Type.Is("array"):
		return []any{}
	}
	object := map[string]any{}
	for _, name := range s.Required {
		if p := s.Properties[name]; p != nil {
			object[name] = smallest(p.Value)
		}
	}
	return object
}
