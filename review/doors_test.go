package review

import (
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
)

// registered asks for the door of h, defined on the last two lines of a file,
// which register refers to on the line that names it.
func registered(language, file, content string) (door, bool) {
	lines := strings.Split(content, "\n")
	at := 1
	for i, l := range lines {
		if strings.Contains(l, "h)") || strings.Contains(l, "h,") {
			at = i + 1
			break
		}
	}
	g := &graph.Graph{
		Symbols: []graph.Symbol{
			{ID: "a", Name: "h", Kind: graph.KindFunction, Language: language, Path: file, Line: len(lines) - 1, EndLine: len(lines), Start: 0, End: len(content)},
			{ID: "b", Name: "register", Kind: graph.KindFunction, Language: language, Path: file, Line: 1, EndLine: len(lines)}},
		Edges: []graph.Edge{{From: 1, To: 0, Kind: graph.EdgeReference, Tier: graph.TierExact, Lines: []int32{int32(at)}}}}
	g.Sort()
	b := registrations{r: &reviewer{Input: Input{Head: g}}, contents: map[string][]byte{file: []byte(content)}, lines: map[string][]string{}}
	return b.door(0)
}

func TestDoors(t *testing.T) {
	const tail = "\nfunc h() {\n}"
	for _, c := range []struct {
		claim, file, content string
		want                 door
	}{
		{"net/http", "a.go", `import "net/http"` + "\nmux.HandleFunc(\"/x\", h)" + tail, door{doorRoute, "/x"}},
		{"a pattern with a method", "a.go", `import "net/http"` + "\nmux.Handle(\"GET /x\", http.HandlerFunc(h))" + tail, door{doorRoute, "GET /x"}},
		{"gin, after a middleware", "a.go", `import "github.com/gin-gonic/gin"` + "\nr.POST(\"/x\", auth(), s.h)" + tail, door{doorRoute, "POST /x"}},
		{"chi with a version in its path", "a.go", `import "github.com/go-chi/chi/v5"` + "\nr.Get(`/x`, h)" + tail, door{doorRoute, "GET /x"}},
		{"no framework in the file", "a.go", "cache.Get(\"x\", h)" + tail, door{}},
		{"a longer name is another", "a.go", `import "net/http"` + "\nmux.HandleFunc(\"/x\", hh)" + tail, door{}},
		{"not the path", "a.go", `import "net/http"` + "\nmux.HandleFunc(\"h)\", other)" + tail, door{}},
		{"cobra", "a.go", `import "github.com/spf13/cobra"` + "\nUse: \"x [y]\",\nRunE: p.h,\nUse: \"z\"" + tail, door{doorCommand, "x [y]"}},
		{"cobra, named behind what runs", "a.go", `import "github.com/spf13/cobra"` + "\nRun: h, Use: \"z\"" + tail, door{doorCommand, "z"}},
		{"cobra, what runs calls it", "a.go", `import "github.com/spf13/cobra"` + "\nRun: wrap(h)," + tail, door{}},
		{"Flask", "a.py", "from flask import Flask\n@app.route('/x')\ndef h():\n  pass", door{doorRoute, "/x"}},
		{"FastAPI", "a.py", "import fastapi\n@router.get(\"/x\")\nasync def h():\n  pass", door{doorRoute, "GET /x"}},
		{"another decorator", "a.py", "from flask import Flask\n@cached('/x')\ndef h():\n  pass", door{}},
		{"click, with and without a name", "a.py", "import click\n@cli.command()\ndef h():\n  pass", door{doorCommand, ""}},
		{"Express", "a.js", "import express from 'express'\napp.get('/x', h)\nfunction h() {\n}", door{doorRoute, "GET /x"}},
		{"a setting of Express", "a.js", "const e = require('express')\napp.get('h,')\nfunction h() {\n}", door{}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			language := map[string]string{"go": "go", "py": "python", "js": "javascript"}[c.file[2:]]
			got, ok := registered(language, c.file, c.content)
			if got != c.want || ok != (c.want != door{}) {
				t.Errorf("got %v %v, want %v", got, ok, c.want)
			}
		})
	}
}

// FuzzDoors checks that a door is found only in a file that names a framework,
// and that what it says comes from there.
func FuzzDoors(f *testing.F) {
	f.Add("import \"net/http\"\nmux.HandleFunc(\"/x\", h)\nfunc h() {\n}")
	f.Add("import click\n@cli.command(\ndef h():\n")
	f.Add("require('express')\napp.get('/x', h)\nfunction h() {\n}")
	f.Fuzz(func(t *testing.T, content string) {
		for language, file := range map[string]string{"go": "a.go", "python": "a.py", "javascript": "a.js"} {
			d, ok := registered(language, file, content)
			if !ok {
				continue
			}
			named := false
			for _, rule := range doorRules {
				named = named || rule.family == family(language) && rule.names.MatchString(content)
			}
			path := d.as[strings.LastIndexByte(d.as, ' ')+1:]
			if !named || !strings.Contains(content, path) {
				t.Errorf("%q gave %v", content, d)
			}
		}
	})
}
