package ecmascript

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestParseJSON(t *testing.T) {
	o := parseJSON([]byte("\xef\xbb\xbf// tsconfig\n{ \"z\": 1, /* c */ \"a\": [\"x\", {\"b\": \"y\",},], }"))
	if o == nil || !slices.Equal(o.keys, []string{"z", "a"}) {
		t.Fatalf("keys = %+v, want z and a in this order", o)
	}
	if got := texts(o.get("a")); !slices.Equal(got, []string{"x"}) {
		t.Errorf("texts = %q, want only x", got)
	}
	for _, bad := range []string{"", "[]", "{", `{"a": tru}`, strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300)} {
		if parseJSON([]byte(bad)) != nil {
			t.Errorf("%.20q is no configuration", bad)
		}
	}
}

func TestExportedPlaces(t *testing.T) {
	const pkg = `{
	  ".": { "types": "./a.d.ts", "import": ["./a.mjs", "./a.js"] },
	  "./sub/*": "./src/*.ts",
	  "./sub/deep/*": "./deep/*.ts",
	  "./none": null
	}`
	tests := []struct {
		name, exports, sub string
		want               []string
	}{
		{"all conditions in their order", pkg, ".", []string{"./a.d.ts", "./a.mjs", "./a.js"}},
		{"the longest pattern wins", pkg, "./sub/deep/x", []string{"./deep/x.ts"}},
		{"a pattern", pkg, "./sub/x", []string{"./src/x.ts"}},
		{"what is not listed is not offered", pkg, "./other", nil},
		{"a closed path is not offered", pkg, "./none", nil},
		{"conditions without subpaths are the package itself", `{"import": "./m.js"}`, ".", []string{"./m.js"}},
		{"conditions without subpaths offer no subpath", `{"import": "./m.js"}`, "./x", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := exported(parseJSON([]byte(tt.exports)), tt.sub); !slices.Equal(got, tt.want) {
				t.Errorf("places = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWorkspaceMembers(t *testing.T) {
	w := workspace{dir: "ui", globs: []string{"packages/*", "apps/**"}, except: []string{"packages/old"}}
	for dir, want := range map[string]bool{"ui": true, "ui/packages/a": true, "ui/packages/a/b": false, "ui/apps/x/y": true,
		"ui/packages/old": false, "packages/a": false, "": false} {
		if got := w.member(dir); got != want {
			t.Errorf("member(%q) = %v, want %v", dir, got, want)
		}
	}
}

func TestJoinStaysInTheTree(t *testing.T) {
	tests := []struct {
		dir, rel, want string
		ok             bool
	}{
		{"a/b", "../c", "a/c", true}, {"a", "..", "", true}, {"a", "../..", "", false}, {"", "../x", "", false},
		{"a", "./b/../c", "a/c", true},
	}
	for _, tt := range tests {
		if got, ok := join(tt.dir, tt.rel); got != tt.want || ok != tt.ok {
			t.Errorf("join(%q, %q) = %q, %v, want %q, %v", tt.dir, tt.rel, got, ok, tt.want, tt.ok)
		}
	}
}

// FuzzParseJSON compares with encoding/json: what is plain JSON and an object
// there has the same keys and strings here.
func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{`{"a": "b"}`, `{"a": {"b": [1, "c", null]}}`, "{ // x\n}", `{"a":1,}`, `[{}]`, "{\"\\u00e9\": \"\\n\"}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		got := parseJSON([]byte(src))
		var want map[string]any
		if json.Unmarshal([]byte(src), &want) != nil || want == nil || nesting([]byte(src)) > 200 {
			return
		}
		if got == nil || len(got.keys) != len(want) {
			t.Fatalf("%q: %+v, want %v", src, got, want)
		}
		for k, v := range want {
			if s, ok := v.(string); ok && got.text(k) != s {
				t.Fatalf("%q: %q = %q, want %q", src, k, got.text(k), s)
			}
		}
	})
}
