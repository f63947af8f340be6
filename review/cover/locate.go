package cover

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// A Tree is the files that names are looked up in.
type Tree struct {
	paths   map[string]bool
	byBase  map[string][]string // last part of a path → paths, sorted
	modules map[string]string   // path of a Go module → its folder, "." for the root
}

// NewTree prepares look-ups among slash-separated paths.
func NewTree(paths []string, modules map[string]string) *Tree {
	t := &Tree{paths: make(map[string]bool, len(paths)), byBase: map[string][]string{}, modules: modules}
	for _, p := range slices.Sorted(slices.Values(paths)) {
		t.paths[p] = true
		t.byBase[path.Base(p)] = append(t.byBase[path.Base(p)], p)
	}
	return t
}

// Locate finds the files of a profile in the tree: index of the file → path. A
// name that fits no path, or several, is left out.
//
// Tools name files from the root, from a folder below it, from a folder above it
// or by the path of the Go module. So a name is a path of the tree itself, one
// with folders before it, or the end of one. Folders before it must be those
// that most names of the profile have: /usr/lib/x/main.go is not our main.go.
func (t *Tree) Locate(p *Profile) map[int]string {
	names := make([]string, len(p.Files))
	for i := range p.Files {
		names[i] = p.Files[i].Name
	}
	return t.locate(names, p.Format == Go)
}

// Find finds the path that one name means, without others to compare it with.
func (t *Tree) Find(name string) (string, bool) {
	at, ok := t.locate([]string{name}, false)[0]
	return at, ok
}

func (t *Tree) locate(names []string, goModules bool) map[int]string {
	found := map[int]string{}
	above := map[string][]int{} // folders before the path → names
	var ends []int              // names that may be the end of a path
	for i, name := range names {
		name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
		names[i] = name
		if goModules {
			if at, ok := t.inModule(name); ok {
				found[i] = at
				continue
			}
		}
		if t.paths[name] {
			found[i] = name
			continue
		}
		if root, ok := t.above(name); ok && !goModules {
			above[root] = append(above[root], i)
			continue
		}
		ends = append(ends, i)
	}
	if root, ok := most(above); ok {
		for _, i := range above[root] {
			found[i] = strings.TrimPrefix(names[i], root)
		}
	}
	t.locateEnds(names, ends, found)
	return found
}

// inModule finds the file that a Go import path names.
func (t *Tree) inModule(name string) (string, bool) {
	for module := path.Dir(name); module != "." && module != "/"; module = path.Dir(module) {
		if dir, ok := t.modules[module]; ok {
			at := path.Join(dir, strings.TrimPrefix(name, module+"/"))
			return at, t.paths[at]
		}
	}
	return "", false
}

// above returns the fewest leading folders without which a name is a path.
func (t *Tree) above(name string) (root string, ok bool) {
	for i := 0; i < len(name); i++ {
		if name[i] == '/' && t.paths[name[i+1:]] {
			return name[:i+1], true
		}
	}
	return "", false
}

// most is the key with most names, the first one of equals.
func most(groups map[string][]int) (string, bool) {
	keys := slices.Sorted(maps.Keys(groups))
	if len(keys) == 0 {
		return "", false
	}
	return slices.MaxFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(groups[a]), len(groups[b])), -cmp.Compare(a, b))
	}), true
}

// locateEnds finds names that are the end of one path. One that is the end of
// several is that below the folder which all other names have.
func (t *Tree) locateEnds(names []string, ends []int, found map[int]string) {
	var several []int
	roots := map[string]bool{}
	for _, i := range ends {
		switch at := t.endingIn(names[i]); len(at) {
		case 0:
		case 1:
			found[i] = at[0]
			roots[strings.TrimSuffix(at[0], names[i])] = true
		default:
			several = append(several, i)
		}
	}
	if len(roots) != 1 {
		return
	}
	for root := range roots {
		for _, i := range several {
			if at := root + names[i]; t.paths[at] {
				found[i] = at
			}
		}
	}
}

func (t *Tree) endingIn(name string) []string {
	if path.IsAbs(name) {
		return nil
	}
	var at []string
	for _, p := range t.byBase[path.Base(name)] {
		if strings.HasSuffix(p, "/"+name) {
			at = append(at, p)
		}
	}
	return at
}
