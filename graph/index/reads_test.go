package index

import "testing"

func TestReadsIsTrueOfWhatAGraphDependsOn(t *testing.T) {
	for name, tt := range map[string]struct {
		path, head string
		want       bool
	}{
		"code":                            {"a/b.go", "", true},
		"code of a language not read yet": {"a/B.java", "", true},
		"a document":                      {"README.md", "", true},
		"a script without an ending":      {"bin/run", "#!/usr/bin/env python3\n", true},
		"what says how modules are found": {"web/tsconfig.base.json", "", true},
		"what hides files from a build":   {".gitignore", "", true},
		"data":                            {"a/b.json", "", false},
		"plain text":                      {"notes.txt", "", false},
		"a picture":                       {"a.png", "", false},
		"a file of no known kind":         {"a/core", "\x7fELF", false},
		"a built object":                  {"a.o", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Reads(tt.path, []byte(tt.head)); got != tt.want {
				t.Errorf("Reads(%q, %q) is %t", tt.path, tt.head, got)
			}
		})
	}
}
