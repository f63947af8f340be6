package index

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// maxExamples is how many paths a caveat names.
const maxExamples = 5

// caveats says what the graph of this tree did not see, each with how often and
// of how many.
func (r *run) caveats(g *graph.Graph, lost []lostLink) []graph.Caveat {
	var t tally
	for i := range r.units {
		t.file(&r.units[i].file)
	}
	out := append(t.caveats(len(r.units)), unresolvedCalls(g)...)
	for _, l := range lost {
		text := "References in " + title(l.language) + " were not resolved: the linker failed."
		if errors.Is(l.reason, errLinkerPanic) {
			text = "References in " + title(l.language) + " were not resolved: the linker panicked."
		}
		out = append(out, graph.Caveat{ID: "link.failed." + l.language, Text: text, Count: l.files, Of: l.files})
	}
	if n := len(r.skipped); n > 0 {
		c := graph.Caveat{ID: "tree.skipped", Text: "Entries of the tree are not listed, since no file may have such a name or place.", Count: n, Of: n + len(r.units)}
		for _, s := range r.skipped[:min(n, maxExamples)] {
			c.Examples = append(c.Examples, s.Path)
		}
		out = append(out, c)
	}
	return out
}

// unresolvedCalls gives one caveat per language, naming the files that hold
// most of the calls.
func unresolvedCalls(g *graph.Graph) []graph.Caveat {
	byFile := map[string]map[string]int{} // language → path → calls
	for i := range g.Unresolved {
		u := &g.Unresolved[i]
		if s := &g.Symbols[u.From]; u.Kind == graph.EdgeCall {
			if byFile[s.Language] == nil {
				byFile[s.Language] = map[string]int{}
			}
			byFile[s.Language][s.Path]++
		}
	}
	var out []graph.Caveat
	for _, c := range g.Counts {
		if c.Unresolved == 0 {
			continue
		}
		files := byFile[c.Language]
		most := slices.SortedFunc(maps.Keys(files), func(a, b string) int {
			return cmp.Or(cmp.Compare(files[b], files[a]), cmp.Compare(a, b))
		})
		most = most[:min(len(most), maxExamples)]
		slices.Sort(most)
		out = append(out, graph.Caveat{
			ID: "calls.unresolved." + c.Language, Text: "Calls in " + title(c.Language) + " whose target was not found.",
			Count: c.Unresolved, Of: c.Compiler + c.Exact + c.Dispatch + c.Import + c.Name + c.Unresolved + c.External, Examples: most,
		})
	}
	return out
}

// A tally counts files by what became of them.
type tally struct {
	groups map[string]*graph.Caveat
	files  map[string]int // by language
	of     map[string]string
}

// file counts one file, in the order of paths.
func (t *tally) file(f *graph.File) {
	if t.groups == nil {
		t.groups, t.files, t.of = map[string]*graph.Caveat{}, map[string]int{}, map[string]string{}
	}
	if f.Language != "" {
		t.files[f.Language]++
	}
	id, text := t.describe(f)
	if id == "" {
		return
	}
	c := t.groups[id]
	if c == nil {
		c = &graph.Caveat{ID: id, Text: text}
		t.groups[id] = c
	}
	c.Count++
	if len(c.Examples) < maxExamples {
		c.Examples = append(c.Examples, f.Path)
	}
}

// describe names the group that a file which is not parsed whole belongs to.
// Code in languages without an extractor is named by language, since calls may
// come from there; data is not.
func (t *tally) describe(f *graph.File) (id, text string) {
	switch f.State {
	case graph.FileParsed:
		return "", ""
	case graph.FileUnsupported:
		if f.Language == "" || dataLanguages[f.Language] {
			return "files.unsupported", "Files of kinds that are not parsed, such as data and text."
		}
		id = "files.unsupported." + f.Language
		return id, "Files in " + title(f.Language) + " are not parsed: there is no extractor for them."
	case graph.FilePartial, graph.FileFailed, graph.FileOversized:
		id, text = "files."+f.State.String(), stateTexts[f.State]
		if f.Language != "" {
			id += "." + f.Language
			t.of[id] = f.Language
			text = strings.Replace(text, "Files", "Files in "+title(f.Language), 1)
		}
		return id, text
	}
	return "files." + f.State.String(), stateTexts[f.State]
}

var stateTexts = map[graph.FileState]string{
	graph.FilePartial:    "Files hold places that the parser did not understand.",
	graph.FileFailed:     "Files could not be read or parsed.",
	graph.FileOversized:  fmt.Sprintf("Files are larger than %d MiB and not parsed.", MaxFile>>20),
	graph.FileBinary:     "Binary files are not read.",
	graph.FileIgnored:    "Files are excluded by configuration.",
	graph.FileLFSPointer: "Files have their content in Git LFS, which is not fetched.",
	graph.FileSymlink:    "Symbolic links are not followed.",
	graph.FileSubmodule:  "Submodules are other repositories and not read.",
}

// caveats lists the groups by ID. The population of a group is the files of its
// language if it has one, and all files otherwise.
func (t *tally) caveats(all int) []graph.Caveat {
	var out []graph.Caveat
	for id, c := range t.groups {
		c.Of = all
		if language := t.of[id]; language != "" {
			c.Of = t.files[language]
		}
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b graph.Caveat) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// title is a language's name in a sentence.
func title(language string) string {
	if t, ok := titles[language]; ok {
		return t
	}
	return strings.ToUpper(language[:1]) + language[1:]
}

var titles = map[string]string{
	"typescript": "TypeScript", "tsx": "TSX", "javascript": "JavaScript", "php": "PHP", "csharp": "C#", "cpp": "C++",
	"fsharp": "F#", "sql": "SQL", "hcl": "HCL", "html": "HTML", "css": "CSS", "graphql": "GraphQL", "ocaml": "OCaml",
	"powershell": "PowerShell", "objective-c": "Objective-C", "cmake": "CMake", "visual-basic": "Visual Basic",
	"proto": "Protocol Buffers", "notebook": "Jupyter notebooks", "template": "template languages", "shell": "shell",
	"dockerfile": "Dockerfile syntax", "make": "Make", "batch": "batch",
}

// sumCounts adds up the counts that several linkers gave for one language.
func sumCounts(counts []graph.Counts) []graph.Counts {
	slices.SortStableFunc(counts, func(a, b graph.Counts) int { return cmp.Compare(a.Language, b.Language) })
	var out []graph.Counts
	for _, c := range counts {
		n := len(out)
		if n == 0 || out[n-1].Language != c.Language {
			out = append(out, c)
			continue
		}
		last := &out[n-1]
		last.Compiler += c.Compiler
		last.Exact += c.Exact
		last.Dispatch += c.Dispatch
		last.Import += c.Import
		last.Name += c.Name
		last.Unresolved += c.Unresolved
		last.External += c.External
	}
	return out
}
