package golang

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// What lies outside the tree decides how much of it can be linked: the version
// of the standard library, and which modules of the build list are in the
// module cache. A description of that is lines of text, the standard library
// first, then the modules in order:
//
//	std go1.26.8
//	have golang.org/x/mod@v0.30.0
//	lack golang.org/x/net@v0.47.0
//
// Without a distribution the first line is "std outline go1.26.8".
// It names no folder, so two machines with the same sources describe the same.

// Outside looks again for what an earlier description names. The answer equals
// it if linking the same tree would give the same output.
func (l *Linker) Outside(before string) string {
	var list []module.Version
	for line := range strings.Lines(before) {
		_, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if path, version, ok := strings.Cut(what, "@"); ok {
			list = append(list, module.Version{Path: path, Version: version})
		}
	}
	return l.shelves[0].describe(l.shelves[0].goVersion(), list)
}

// describe says which standard library and what of the modules is here.
func (s *shelf) describe(version string, list []module.Version) string {
	var b strings.Builder
	b.WriteString("std " + version + "\n")
	for _, v := range list {
		word := "have "
		if s.moduleDir(v) == "" {
			word = "lack "
		}
		b.WriteString(word + v.Path + "@" + v.Version + "\n")
	}
	return b.String()
}

// goVersion is what the standard library says of itself.
func (s *shelf) goVersion() string {
	switch {
	case s.outline:
		return "outline " + outlineVersion()
	case s.goroot == "":
		return "none"
	}
	text, err := os.ReadFile(filepath.Join(s.goroot, "VERSION"))
	if err != nil {
		return "unreleased"
	}
	version, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(version)
}

// moduleDir is where the module cache holds a module, "" if it does not hold
// all of it.
func (s *shelf) moduleDir(v module.Version) string {
	path, err1 := module.EscapePath(v.Path)
	version, err2 := module.EscapeVersion(v.Version)
	if s.cache == "" || err1 != nil || err2 != nil {
		return ""
	}
	path = filepath.FromSlash(path)
	dir := filepath.Join(s.cache, path+"@"+version)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	// The go command leaves this mark while it unpacks a module.
	if _, err := os.Stat(filepath.Join(s.cache, "cache", "download", path, "@v", version+".partial")); err == nil {
		return ""
	}
	return dir
}

// version is the module that stands in the build list for a module path, after
// replacements; ok is false if the list has none that could be in a cache.
func (m *modules) version(path string) (v module.Version, ok bool) {
	version, ok := m.versions[path]
	if !ok || m.byPath[path] != nil {
		return v, false
	}
	if to, ok := m.moved[path]; ok {
		path, version, _ = strings.Cut(to, "@")
	}
	v = module.Version{Path: path, Version: version}
	_, err1 := module.EscapePath(path)
	_, err2 := module.EscapeVersion(version)
	return v, err1 == nil && err2 == nil
}

// buildList lists the modules outside the tree, each once.
func (m *modules) buildList() []module.Version {
	set := map[module.Version]bool{}
	for path := range m.versions {
		if v, ok := m.version(path); ok {
			set[v] = true
		}
	}
	list := slices.Collect(maps.Keys(set))
	module.Sort(list)
	return list
}

// missing lists the modules that packages were looked for in and that are not
// here.
func (s *shelf) missing(m *modules, imports map[string]bool) []string {
	set := map[string]bool{}
	for imp := range imports {
		for p := imp; p != "." && p != "/"; p = parent(p) {
			if v, ok := m.version(p); ok {
				if s.moduleDir(v) == "" {
					set[v.Path+"@"+v.Version] = true
				}
				break
			}
		}
	}
	return sortedKeys(set)
}

// parent is path without its last element, "." if there is only one.
func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "."
	}
	return path[:i]
}
