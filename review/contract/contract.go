// Package contract finds what those outside the code rely on by its name: routes,
// commands and flags, variables of the environment, keys of configuration, fields
// on the wire, feature flags, OpenAPI and proto files, migrations.
//
// Input is the path and the bytes of one file; output is the contracts that it
// offers. [Compare] says how those of two versions differ. Recognisers look for
// calls and declarations with literal names; one that is put together when the
// program runs gives an item without a name, to be counted. A route is named as its registration writes it: the
// prefixes of groups and mounts are contracts of their own. The package reads no
// files and runs nothing.
package contract

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The kinds of contracts.
const (
	Route       = "http_route"
	Prefix      = "http_prefix"
	Command     = "cli_command"
	Flag        = "cli_flag"
	Environment = "environment_variable"
	Config      = "config_key"
	JSONField   = "json_field"
	Feature     = "feature_flag"
	OpenAPI     = "openapi"
	Proto       = "proto"
	SQL         = "sql"
)

// A Step is what a migration does, or what became of a contract.
type Step uint8

// The steps. The zero value of an item means that the file offers it.
const (
	Offers Step = iota
	Removes
	Renames
	Changes
	Adds
)

// An Effect says what a step does to those who rely on the contract.
type Effect uint8

// The effects. The zero value means that the kind of the contract decides.
const (
	Compatible Effect = iota + 1
	Breaking
	Unknown
)

// An Item is one contract in one file.
type Item struct {
	Kind     string
	Name     string // "GET /users/{id}", "--output", "User.name"; "" if it is put together when the program runs
	Type     string // what its users see besides the name: "string", "int64 = 3"; "" if nothing
	Required bool   // those who call must give it
	By       string // what stands behind it, such as a handler: a renamed contract keeps it; without a name the expression
	Owner    string // the contract that it is a part of: "GET /users", "User"; "" if none is known
	Asks     bool   // of a part of a schema: requests have it
	Answers  bool   // and answers have it
	Line     int    // from 1

	// A migration says by itself what it does.
	Does   Step
	Effect Effect
	Reason string
}

// maxItems bounds what is read from one file.
const maxItems = 5000

// MaxSize is the size of the largest file that is read.
const MaxSize = 2 << 20

// Reads reports whether the file at p is of a kind that [Read] knows.
func Reads(p string) bool { return readerOf(p) != nil }

// Read lists the contracts that a file offers, in the order of their lines. What
// cannot be parsed offers none, and ok is false.
func Read(p string, data []byte) (items []Item, ok bool) {
	read := readerOf(p)
	if read == nil || len(data) > MaxSize {
		return nil, read == nil
	}
	items, ok = read(p, data)
	return ordered(items), ok
}

// ordered puts items in the order of their lines, makes their texts lines, and
// bounds their number.
func ordered(items []Item) []Item {
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	for i := range items {
		items[i].Name, items[i].Type = line(items[i].Name), line(items[i].Type)
	}
	return items[:min(len(items), maxItems)]
}

// line makes a value one bounded line.
func line(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	return s
}

type reader func(p string, data []byte) ([]Item, bool)

func readerOf(p string) reader {
	name := strings.ToLower(path.Base(p))
	switch path.Ext(name) {
	case ".go":
		return readGo
	case ".py":
		return readPython
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return readScript
	case ".proto":
		return readProto
	case ".sql":
		return readSQL
	case ".yaml", ".yml", ".json":
		return readTree
	case ".toml":
		if isSettings(p) {
			return readTOML
		}
	case ".properties":
		return readProperties
	}
	if strings.HasPrefix(name, ".env.") || name == "env.example" {
		return readEnvFile
	}
	return nil
}

// A Found is an item and the file that has it.
type Found struct {
	Item
	Path   string
	Folder string // where the file lies at head: flags of two commands, fields of two packages are not the same
}

// A Difference is what became of one contract.
type Difference struct {
	Found         // at head; at the base if it was removed
	Step   Step   // Removes, Renames, Changes or Adds
	Old    string // its former name or type
	New    string // its type now
	Effect Effect
	Reason string
}

// A key says which items are the same contract.
type key struct{ kind, name, folder string }

func keyOf(f Found) key {
	switch f.Kind {
	case Flag, Command, JSONField, Config, Proto:
		return key{f.Kind, f.Name, f.Folder}
	}
	return key{kind: f.Kind, name: f.Name}
}

// wholes leaves out the parts of what is in the list itself: an operation that goes
// takes its parameters and answers along.
func wholes(list []Found) []Found {
	in := map[key]bool{}
	for _, f := range list {
		in[keyOf(f)] = true
	}
	return slices.DeleteFunc(list, func(f Found) bool { return f.Owner != "" && in[ownerOf(f)] })
}

func ownerOf(f Found) key { return key{f.Kind, f.Owner, keyOf(f).folder} }

// answersOnly reports whether those who call get a part and never give it.
func (i Item) answersOnly() bool { return i.Answers && !i.Asks }

// Compare says what became of the contracts of some files. A contract that any
// file of the other side offers is there: moving it is no change.
func Compare(before, after []Found) []Difference {
	was, is := index(before), index(after)
	var out []Difference
	var gone, came []Found
	for _, f := range unique(before) {
		if _, ok := is[keyOf(f)]; !ok {
			gone = append(gone, f)
		}
	}
	for _, f := range unique(after) {
		old, ok := was[keyOf(f)]
		switch {
		case !ok:
			came = append(came, f)
		case f.Type != old.Type || f.Required != old.Required:
			out = append(out, changed(old, f))
		}
	}
	gone, came = wholes(gone), wholes(came)
	out = append(out, renamed(&gone, &came)...)
	owners := map[key]bool{}
	for _, f := range before {
		owners[ownerOf(f)], owners[keyOf(f)] = true, true
	}
	for _, f := range gone {
		out = append(out, Difference{Found: f, Step: Removes, Old: form(f.Item), Effect: effects[f.Kind].gone, Reason: effects[f.Kind].why})
	}
	for _, f := range came {
		d := Difference{Found: f, Step: Adds, New: form(f.Item), Effect: Compatible}
		if f.Required && !f.answersOnly() && (f.Owner == "" || owners[ownerOf(f)]) { // nobody calls what is new as a whole
			d.Effect, d.Reason = Breaking, "it must be given"
		}
		out = append(out, d)
	}
	out = append(out, steps(before, after)...)
	slices.SortStableFunc(out, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(a.Step, b.Step), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return out
}

// weight puts what breaks first and what only adds last.
func weight(d Difference) int {
	switch d.Effect {
	case Breaking:
		return 0
	case Unknown:
		return 1
	}
	return 2
}

// effects says what it means that a contract of a kind is gone.
var effects = map[string]struct {
	gone Effect
	why  string
}{
	Route: {Breaking, ""}, Prefix: {Breaking, ""}, Command: {Breaking, ""}, Flag: {Breaking, ""}, JSONField: {Breaking, ""},
	OpenAPI: {Breaking, ""}, Proto: {Breaking, ""}, SQL: {Breaking, ""},
	Environment: {Unknown, "no longer read: whoever sets it is not heard"},
	Config:      {Unknown, "no longer read: whoever sets it is not heard"},
	Feature:     {Unknown, "no longer asked for"},
}

func index(list []Found) map[key]Found {
	m := map[key]Found{}
	for _, f := range list {
		if k := keyOf(f); f.Does == Offers {
			if _, ok := m[k]; !ok {
				m[k] = f
			}
		}
	}
	return m
}

// unique keeps of every contract the first place that offers it.
func unique(list []Found) []Found {
	seen := map[key]bool{}
	var out []Found
	for _, f := range list {
		if k := keyOf(f); f.Does == Offers && !seen[k] {
			seen[k] = true
			out = append(out, f)
		}
	}
	return out
}

// changed judges another type of the same contract.
func changed(old, now Found) Difference {
	d := Difference{Found: now, Step: Changes, Old: form(old.Item), New: form(now.Item), Effect: Breaking}
	switch {
	case old.Type == now.Type && now.answersOnly() && now.Required:
		d.Effect, d.Reason = Compatible, "it is always there now"
	case old.Type == now.Type && now.Answers && !now.Required:
		d.Reason = "answers may lack it now"
	case old.Type == now.Type && now.Required:
		d.Reason = "it must be given now"
	case old.Type == now.Type:
		d.Effect, d.Reason = Compatible, "it may be left out now"
	case now.Kind == Config || now.Kind == Flag || now.Kind == JSONField && old.Type == "":
		d.Effect, d.Reason = Unknown, old.Type+" → "+now.Type
	default:
		d.Reason = orNone(old.Type) + " → " + orNone(now.Type)
	}
	return d
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func form(i Item) string {
	if i.Required && i.Type != "" {
		return i.Type + ", required"
	}
	if i.Required {
		return "required"
	}
	return i.Type
}

// renamed pairs what went with what came if the same thing stands behind both and
// no other pair is possible.
func renamed(gone, came *[]Found) []Difference {
	type behind struct{ kind, by string }
	at := func(list []Found) map[behind][]int {
		m := map[behind][]int{}
		for i, f := range list {
			if f.By != "" {
				m[behind{f.Kind, f.By}] = append(m[behind{f.Kind, f.By}], i)
			}
		}
		return m
	}
	before, after := at(*gone), at(*came)
	dropGone, dropCame := map[int]bool{}, map[int]bool{}
	var out []Difference
	for i, f := range *gone {
		k := behind{f.Kind, f.By}
		if f.By == "" || len(before[k]) != 1 || len(after[k]) != 1 {
			continue
		}
		j := after[k][0]
		now := (*came)[j]
		d := Difference{Found: now, Step: Renames, Old: f.Name, New: form(now.Item), Effect: effects[f.Kind].gone, Reason: effects[f.Kind].why}
		if f.Type != now.Type {
			d.Reason = fmt.Sprintf("%s → %s", orNone(f.Type), orNone(now.Type))
		}
		out = append(out, d)
		dropGone[i], dropCame[j] = true, true
	}
	*gone, *came = without(*gone, dropGone), without(*came, dropCame)
	return out
}

func without(list []Found, drop map[int]bool) []Found {
	var out []Found
	for i, f := range list {
		if !drop[i] {
			out = append(out, f)
		}
	}
	return out
}

// steps lists what migrations do that were not there before.
func steps(before, after []Found) []Difference {
	type did struct {
		key
		does Step
		file string
	}
	known := map[did]bool{}
	for _, f := range before {
		known[did{keyOf(f), f.Does, f.Path}] = true
	}
	var out []Difference
	for _, f := range after {
		if f.Does == Offers || known[did{keyOf(f), f.Does, f.Path}] {
			continue
		}
		d := Difference{Found: f, Step: f.Does, New: f.Type, Effect: f.Item.Effect, Reason: f.Item.Reason}
		if f.Does == Renames {
			d.Old, d.New = f.By, ""
		}
		out = append(out, d)
	}
	return out
}
