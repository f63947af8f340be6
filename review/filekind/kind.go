// Package filekind says what a file of a tree is for: source, a test, a
// document, something generated or vendored, and so on.
//
// Input is a path, the mode of its tree entry, the first bytes of its content
// and the attribute files of the merge base; output is one [Kind]. A rule looks
// at whole names: at a folder, a file name, an ending or a comment line, never
// at a part of a word, so that contest/latest_version.go stays source. The
// package reads no files and runs nothing. Attributes come from the merge base,
// since a pull request must not be able to declare itself generated.
package filekind

import (
	"bytes"
	"path"
	"strings"
)

// A Kind is what a file is for, as in the report's list of changed files.
type Kind string

// The kinds.
const (
	Source     Kind = "source"
	Test       Kind = "test" // tests and what only they use
	Generated  Kind = "generated"
	Vendored   Kind = "vendored" // a copy of code that is kept elsewhere
	Docs       Kind = "docs"
	Config     Kind = "config"
	Lockfile   Kind = "lockfile"
	Binary     Kind = "binary"
	Submodule  Kind = "submodule"
	Symlink    Kind = "symlink"
	LFSPointer Kind = "lfs_pointer"
	Other      Kind = "other"
)

// HeadSize is the number of bytes at the start of a file that [Of] looks at.
// More may be given and is ignored.
const HeadSize = 8000

// Of says what the file at p is for. Mode is that of its tree entry ("100644");
// head is the start of its content, or nil if it is not at hand; attributes may
// be nil.
//
// What the file is by its entry and content comes first, then what the
// repository declares, then what names and content suggest.
func Of(p, mode string, head []byte, attributes *Attributes) Kind {
	head = head[:min(len(head), HeadSize)]
	switch {
	case mode == "160000":
		return Submodule
	case mode == "120000":
		return Symlink
	case bytes.HasPrefix(head, lfsHeader):
		return LFSPointer
	}
	declared := attributes.of(p)
	f := newFile(p)
	switch {
	case declared.vendored == set || declared.vendored == unspecified && f.vendored():
		return Vendored
	case lockfiles[f.name]:
		return Lockfile
	case declared.generated == set:
		return Generated
	case bytes.IndexByte(head, 0) >= 0 || binaryEndings[f.ending]:
		return Binary
	case declared.generated == unspecified && (f.generated() || saysGenerated(head) || f.minified(head)):
		return Generated
	case f.test():
		return Test
	case f.docs():
		return Docs
	case f.config():
		return Config
	case sourceEndings[f.ending] || sourceNames[f.name] || bytes.HasPrefix(head, []byte("#!")):
		return Source
	}
	return Other
}

// lfsHeader starts every pointer file: the first line of the specification.
var lfsHeader = []byte("version https://git-lfs.github.com/spec/")

// A file is a path taken apart.
type file struct {
	name    string   // "client_test.go"
	stem    string   // "client_test"
	ending  string   // ".go", lower case
	folders []string // from the root
}

func newFile(p string) file {
	dir, name := path.Split(p)
	ending := path.Ext(name)
	f := file{name: name, stem: strings.TrimSuffix(name, ending), ending: strings.ToLower(ending)}
	if dir = strings.TrimSuffix(dir, "/"); dir != "" {
		f.folders = strings.Split(dir, "/")
	}
	return f
}

// in reports whether one of the folders has this name.
func (f file) in(names nameSet) bool {
	for _, folder := range f.folders {
		if names[folder] {
			return true
		}
	}
	return false
}

func (f file) vendored() bool { return f.in(vendorFolders) }

// generated reports whether the name alone tells it, by the endings that code
// generators choose.
func (f file) generated() bool {
	for _, ending := range generatedEndings {
		if strings.HasSuffix(f.name, ending) {
			return true
		}
	}
	return webEndings[f.ending] && f.in(buildFolders) || strings.HasPrefix(f.name, "zz_generated.")
}

func (f file) docs() bool {
	return docEndings[f.ending] || docNames[strings.ToUpper(f.stem)] && (f.ending == "" || f.ending == ".txt") ||
		f.ending == ".txt" && f.in(docFolders)
}

func (f file) config() bool {
	return configEndings[f.ending] || configNames[f.name] || strings.HasPrefix(f.name, ".") && strings.Count(f.name, ".") == 1 ||
		strings.HasPrefix(f.name, "requirements") && f.ending == ".txt"
}

// minified reports whether the content has lines that no person writes.
func (f file) minified(head []byte) bool {
	if !webEndings[f.ending] || len(head) < 1000 {
		return false
	}
	return len(head)/(bytes.Count(head, []byte{'\n'})+1) > 400
}

// commentLines is how many lines at the start of a file may say that it is
// generated.
const commentLines = 40

// saysGenerated reports whether a comment at the start of the file says so: by
// Go's fixed sentence, by the mark @generated, or in the words that generators
// use.
func saysGenerated(head []byte) bool {
	for range commentLines {
		line, rest, more := bytes.Cut(head, []byte{'\n'})
		if text, ok := comment(line); ok && generatedText(text) {
			return true
		}
		if !more {
			return false
		}
		head = rest
	}
	return false
}

// comment returns the text of a line that is a comment as a whole.
func comment(line []byte) (text string, ok bool) {
	line = bytes.TrimSpace(line)
	for _, mark := range []string{"//", "#", "/*", "*", "--", "<!--", ";", "%", `"""`, "'''"} {
		if rest, ok := bytes.CutPrefix(line, []byte(mark)); ok {
			return strings.TrimLeft(string(rest), "/*#-!; \t"), true
		}
	}
	return "", false
}

func generatedText(text string) bool {
	if strings.HasPrefix(text, "Code generated ") && strings.Contains(text, "DO NOT EDIT") {
		return true
	}
	for _, word := range strings.Fields(text) {
		if word == "@generated" || strings.HasPrefix(word, "@generated:") {
			return true
		}
	}
	lower := strings.ToLower(text)
	for _, start := range generatedStarts {
		if strings.HasPrefix(lower, start) {
			return true
		}
	}
	return strings.Contains(lower, "do not edit") && strings.Contains(lower, "generated")
}
