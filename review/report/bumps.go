package report

import (
	"slices"
	"strings"
)

// A Bump is what one or several manifests change in the same way.
type Bump struct {
	Paths    []string   // of the manifests
	Changes  []string   // as in [Manifest]
	Packages []Required // of these manifests; what is the same of several stands once, in the first
}

// Bumps puts together what several manifests change in the same way: the same new
// version of an action in twenty workflows is one. They are in the order of their
// first manifest, and every change of a manifest is in one of them.
func (d *Dependencies) Bumps() []Bump {
	paths := map[string][]string{} // by change
	for _, m := range d.Manifests {
		for _, c := range m.Changes {
			if !slices.Contains(paths[c], m.Path) {
				paths[c] = append(paths[c], m.Path)
			}
		}
	}
	var out []Bump
	at := map[string]int{}    // by paths
	first := map[string]int{} // by manifest
	seen := map[string]bool{} // packages, by key
	for _, m := range d.Manifests {
		for _, c := range m.Changes {
			of := strings.Join(paths[c], "\x00")
			i, ok := at[of]
			if !ok {
				i = len(out)
				at[of], out = i, append(out, Bump{Paths: paths[c]})
			}
			if !slices.Contains(out[i].Changes, c) {
				out[i].Changes = append(out[i].Changes, c)
			}
			if _, ok := first[m.Path]; !ok {
				first[m.Path] = i
			}
		}
		i, ok := first[m.Path]
		for _, p := range m.Packages {
			if ok && !seen[p.key()] {
				seen[p.key()] = true
				out[i].Packages = append(out[i].Packages, p)
			}
		}
	}
	return out
}

// key tells packages apart that something else happened to, or that others import.
func (p *Required) key() string {
	return strings.Join(slices.Concat([]string{p.Name, p.Part, p.From, p.To}, p.Imports, []string{""}, p.Elsewhere), "\x00")
}
