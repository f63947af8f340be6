// Package manifest says how the declared dependencies of a project changed
// between two versions of a file.
//
// Input is a path, which tells the format, and both contents; output is one line
// for each dependency that was added, dropped or moved to another version. The
// package reads no other files, asks no registry, and judges no version: a line
// says what the file says. Lockfiles follow from manifests and are counted, not
// listed.
package manifest

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// MaxSize is the size of the largest file that is read. Larger ones are refused
// with [ErrTooLarge].
const MaxSize = 16 << 20

// A dependency is one declared name in one part of a manifest.
type dependency struct {
	part string // "dev", "replace"; empty for the main part
	name string
}

// A declared maps dependencies to what is asked of them: a version, a range, a
// source; in order and each once, since some files ask twice. Empty means any.
type declared map[dependency][]string

func (d declared) add(part, name, version string) {
	key := dependency{part: clean(part), name: clean(name)}
	version = clean(version)
	if at, found := slices.BinarySearch(d[key], version); !found {
		d[key] = slices.Insert(d[key], at, version)
	}
}

// asked is what is asked of a dependency, in one line.
func (d declared) asked(k dependency) (versions string, is bool) {
	list, is := d[k]
	return strings.Join(list, " | "), is
}

// clean makes a value one line without control characters, and bounded.
func clean(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if r := []rune(s); len(r) > maxValue {
		s = string(r[:maxValue]) + "…"
	}
	return s
}

const maxValue = 200

// A format reads one kind of manifest.
type format func(data []byte) (declared, error)

// formatOf returns how to read the file at p, and whether it is a lockfile.
func formatOf(p string) (read format, lockfile bool) {
	dir, name := path.Split(p)
	if f, ok := manifests[name]; ok {
		return f, false
	}
	if f, ok := lockfiles[name]; ok {
		return f, true
	}
	ending := path.Ext(name)
	switch {
	case strings.HasPrefix(name, "requirements") && ending == ".txt", ending == ".txt" && path.Base(dir) == "requirements":
		return readRequirements, false
	case (ending == ".yml" || ending == ".yaml") && strings.HasSuffix("/"+dir, "/.github/workflows/"):
		return readWorkflow, false
	}
	return byEnding(name), false
}

var manifests = map[string]format{
	"go.mod":                   readGoMod,
	"package.json":             readPackageJSON,
	"pyproject.toml":           readPyproject,
	"setup.cfg":                readSetupCfg,
	"Cargo.toml":               readCargo,
	"pom.xml":                  readPom,
	"Gemfile":                  readGemfile,
	"composer.json":            readComposer,
	"packages.config":          readProject,
	"Directory.Packages.props": readProject,
	"action.yml":               readWorkflow,
	"action.yaml":              readWorkflow,
}

var lockfiles = map[string]format{
	"go.sum":              readGoSum,
	"package-lock.json":   readPackageLock,
	"npm-shrinkwrap.json": readPackageLock,
	"pnpm-lock.yaml":      readPnpmLock,
	"yarn.lock":           readYarnLock,
	"poetry.lock":         readTOMLLock,
	"uv.lock":             readTOMLLock,
	"Cargo.lock":          readTOMLLock,
	"Gemfile.lock":        readGemfileLock,
	"composer.lock":       readComposerLock,
}

// Diff compares two versions of the file at p. It reports ok as false if the
// path names no manifest that this package reads. An empty version stands for a
// file that does not exist. Changes are in the order of the names, one line for
// each: "golang.org/x/mod v0.1.0 → v0.2.0", "added x v1", "dropped y v2", with
// the part in brackets if it is not the main one. A lockfile gives one line of
// counts.
func Diff(p string, old, new []byte) (changes []string, ok bool, err error) {
	read, lockfile := formatOf(p)
	if read == nil {
		return nil, false, nil
	}
	before, err := load(read, old)
	if err != nil {
		return nil, true, fmt.Errorf("read %s before: %w", p, err)
	}
	after, err := load(read, new)
	if err != nil {
		return nil, true, fmt.Errorf("read %s after: %w", p, err)
	}
	if lockfile {
		return summary(before, after), true, nil
	}
	return lines(before, after), true, nil
}

func load(read format, data []byte) (declared, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("%d bytes: %w", len(data), ErrTooLarge)
	}
	if len(strings.TrimSpace(string(data))) == 0 {
		return declared{}, nil
	}
	return read(data)
}

// union returns the keys of both, in the order of names and parts.
func union(a, b declared) []dependency {
	keys := make([]dependency, 0, len(a))
	for k := range a {
		keys = append(keys, k)
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(x, y dependency) int {
		if c := strings.Compare(x.name, y.name); c != 0 {
			return c
		}
		return strings.Compare(x.part, y.part)
	})
	return keys
}

func lines(before, after declared) []string {
	var out []string
	for _, k := range union(before, after) {
		from, was := before.asked(k)
		to, is := after.asked(k)
		part := ""
		if k.part != "" {
			part = " (" + k.part + ")"
		}
		switch {
		case !was:
			out = append(out, "added "+strings.TrimSpace(k.name+" "+to)+part)
		case !is:
			out = append(out, "dropped "+strings.TrimSpace(k.name+" "+from)+part)
		case from != to:
			out = append(out, k.name+" "+orAny(from)+" → "+orAny(to)+part)
		}
	}
	return out
}

func orAny(version string) string {
	if version == "" {
		return "any"
	}
	return version
}

// summary counts the changes of a lockfile.
func summary(before, after declared) []string {
	var added, dropped, changed int
	for _, k := range union(before, after) {
		from, was := before.asked(k)
		to, is := after.asked(k)
		switch {
		case !was:
			added++
		case !is:
			dropped++
		case from != to:
			changed++
		}
	}
	if added+dropped+changed == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d packages locked: %d added, %d dropped, %d changed", len(after), added, dropped, changed)}
}
