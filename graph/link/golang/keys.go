package golang

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"path"
	"runtime"
	"strings"

	extract "github.com/previdence/previdence/graph/extract/golang"
)

// The part of a step is decided by its files, by what the packages it imports
// declare, and by what decides that, down to the standard library. The key of a
// step is a digest of all this: a changed function body changes the key of its
// own package alone, a changed declaration those of all packages above it.
// Where packages import each other in a circle there is no key.

// A keyring makes the keys of all steps of a build.
type keyring struct {
	*build
	surfaces map[*unit]string // what importers of a unit see; "" while it is made
	circular map[*unit]bool   // units in or above a circle
	outsides string           // what decides all that lies outside the tree
}

func (b *build) makeKeys() {
	k := &keyring{build: b, surfaces: map[*unit]string{}, circular: map[*unit]bool{}, outsides: b.shelf.listKey(b.modules)}
	for _, u := range b.units {
		k.surface(u)
	}
	for _, u := range b.units {
		if u.files != nil && u.kind == plain {
			u.keys[stepFiles] = k.key(u, stepFiles, u.files, false)
		}
		if u.tests != nil {
			u.keys[stepTests] = k.key(u, stepTests, u.tests, true)
		}
		if u.kind == external {
			u.keys[stepFiles] = k.key(u, stepFiles, u.files, true)
		}
	}
}

// surface digests what the importers of a unit see of it.
func (k *keyring) surface(u *unit) string {
	if s, ok := k.surfaces[u]; ok {
		if s == "" {
			k.circular[u] = true
		}
		return s
	}
	k.surfaces[u] = ""
	h := sha256.New()
	fmt.Fprintf(h, "%d %q %q %q %v\n", u.kind, u.dir, u.path, u.name, u.cgo)
	k.files(h, u.files, surfaceOf)
	k.imports(h, u, false)
	k.surfaces[u] = digestOf(h)
	return k.surfaces[u]
}

// testSurface digests what the external tests of a unit see of it.
func (k *keyring) testSurface(u *unit) string {
	h := sha256.New()
	fmt.Fprintln(h, k.surface(u))
	k.files(h, u.tests, surfaceOf)
	k.imports(h, u, true)
	return digestOf(h)
}

// key is the key of a step; "" if it has none.
func (k *keyring) key(u *unit, step int, files []*file, tests bool) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %s %v %d %s\n", partFormat, version, runtime.Version(), k.platform, step, k.surface(u))
	k.files(h, files, func(f *file) string { return f.in.Blob })
	k.imports(h, u, tests)
	if u.self != nil {
		fmt.Fprintln(h, "self", k.testSurface(u.self))
	}
	if k.circular[u] {
		return ""
	}
	return digestOf(h)
}

func (k *keyring) files(h hash.Hash, files []*file, content func(*file) string) {
	for _, f := range files {
		fmt.Fprintf(h, "file %q %d %v %s\n", f.path, f.in.Facts.Version, k.platforms[f.path] != nil, content(f))
	}
}

func surfaceOf(f *file) string { return f.in.Facts.Notes[extract.NoteSurface] }

// imports digests what the imports of a unit mean, with or without those that
// only its tests have.
func (k *keyring) imports(h hash.Hash, u *unit, tests bool) {
	for _, imp := range sortedKeys(u.imports) {
		s := u.imports[imp]
		switch {
		case s.test && !tests:
		case s.unit == u:
			k.circular[u] = true
		case s.unit != nil && s.unit == u.self:
		case s.unit != nil:
			fmt.Fprintf(h, "tree %q %s\n", imp, k.surface(s.unit))
			k.circular[u] = k.circular[u] || k.circular[s.unit]
		case s.missing != "":
			fmt.Fprintf(h, "missing %q\n", imp)
		case k.isStandard(imp):
			fmt.Fprintf(h, "std %q %q\n", imp, k.shelf.version)
		default:
			fmt.Fprintf(h, "outside %q %s\n", imp, k.outsides)
		}
	}
}

// isStandard reports whether an import can only mean the standard library, which
// no list of modules changes.
func (k *keyring) isStandard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	if strings.Contains(first, ".") || k.modules.byPath["std"] != nil {
		return false
	}
	for p := imp; p != "." && p != "/"; p = path.Dir(p) {
		if _, ok := k.modules.versions[p]; ok || k.modules.byPath[p] != nil {
			return false
		}
	}
	return true
}

func digestOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// isClean reports whether a part may be kept. What it says of a reference that
// fails was found in files that its key does not cover.
func (p *part) isClean() bool { return len(p.unresolved) == 0 }
