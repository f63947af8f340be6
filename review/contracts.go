package review

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/contract"
	"github.com/previdence/previdence/review/filekind"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// maxContracts bounds the section.
const maxContracts = 500

// reportContracts compares what the changed files offer to those outside the code.
func (r *reviewer) reportContracts(ctx context.Context) error {
	before, after, err := r.contractsOfChanges(ctx)
	if err != nil {
		return err
	}
	before, after = r.withoutComputed(before, after)
	found := contract.Compare(before, after)
	if found, err = r.searched(ctx, before, after, found); err != nil {
		return err
	}
	rows := make([]report.Contract, 0, len(found))
	for _, d := range found {
		g := r.Head
		if d.Step == contract.Removes && d.Does == contract.Offers {
			g = r.Base
		}
		rows = append(rows, report.Contract{
			Kind: d.Kind, Name: d.Name, Change: contractChanges[d.Step], Path: d.Path, Line: d.Line, Old: d.Old, New: d.New,
			Effect: contractEffects[d.Effect], Reason: d.Reason, Blob: blobAt(g, d.Path),
		})
	}
	if len(rows) > maxContracts {
		r.caveat("review.contracts_cut", "contracts", "More contracts changed than are listed.", len(rows)-maxContracts, len(rows))
		rows = rows[:maxContracts]
	}
	r.out.Contracts = rows
	return nil
}

var contractChanges = map[contract.Step]report.Change{
	contract.Removes: report.Removed, contract.Renames: report.Renamed, contract.Changes: report.Signature, contract.Adds: report.Added,
}

var contractEffects = map[contract.Effect]report.Effect{
	contract.Compatible: report.Compatible, contract.Breaking: report.Breaking, contract.Unknown: report.UnknownEffect,
}

// searched holds what seems to have come or gone against the rest of the tree. Where
// the deadline does not leave the time for that, what only the rest can tell is left
// out, and what went says that nobody searched.
func (r *reviewer) searched(ctx context.Context, before, after []contract.Found, found []contract.Difference) ([]contract.Difference, error) {
	err := r.take(ctx, []step{{name: "uses in the tree", section: "contracts", linked: true, do: func(ctx context.Context) error {
		elsewhere, err := r.offeredElsewhere(ctx, found)
		if err != nil {
			return err
		}
		whole := found
		if len(elsewhere) > 0 {
			whole = contract.Compare(slices.Concat(before, elsewhere), slices.Concat(after, elsewhere))
		}
		if err := r.searchGone(ctx, whole); err != nil {
			return err
		}
		found = whole
		return nil
	}}})
	if err != nil || r.made["contracts"] {
		return found, err
	}
	found = slices.DeleteFunc(found, ofWholeProgram)
	for i := range found {
		if goneName(found[i]) != "" {
			found[i].Reason = joined(found[i].Reason, "the deadline came before the text of the tree was searched for it")
		}
	}
	return found, nil
}

// ofWholeProgram is true for contracts that have one meaning in a whole program, so
// that one file does not tell whether they came or went.
func ofWholeProgram(d contract.Difference) bool {
	return d.Kind == contract.Environment || d.Kind == contract.Feature
}

// joined adds what is said to a reason, if there is one.
func joined(reason, said string) string {
	if reason == "" {
		return said
	}
	return reason + "; " + said
}

// presents are the endings of source that only says how something looks.
var presents = map[string]bool{".html": true, ".htm": true, ".css": true, ".scss": true, ".sass": true, ".less": true}

// contractsOfChanges reads both versions of the changed files that are written by
// hand and not for tests.
func (r *reviewer) contractsOfChanges(ctx context.Context) (before, after []contract.Found, err error) {
	var unread, foreign []string
	for i, c := range r.Changes {
		if !offers(r.out.Changes.Files[i].Kind) || c.Mode == worktree.ModeSymlink || c.Mode == worktree.ModeSubmodule || c.OldOID == c.OID {
			continue
		}
		old, err := r.contractsIn(ctx, r.Base, oldPath(c), path.Dir(c.Path), c.OldOID, &unread)
		if err != nil {
			return nil, nil, err
		}
		now, err := r.contractsIn(ctx, r.Head, c.Path, path.Dir(c.Path), c.OID, &unread)
		if err != nil {
			return nil, nil, err
		}
		r.contractFiles++
		if f := r.out.Changes.Files[i]; filekind.Kind(f.Kind) == filekind.Source && !contract.Reads(c.Path) && !presents[path.Ext(c.Path)] && !r.inTests(c.Path) {
			foreign = append(foreign, c.Path)
		}
		before, after = append(before, old...), append(after, now...)
	}
	if r.contractsForeign = len(foreign); r.contractsForeign > 0 {
		r.caveat("review.contracts_foreign", "contracts", "Changed source files are in languages whose routes, flags and variables are not read.", len(foreign), r.contractFiles, foreign...)
	}
	slices.Sort(unread)
	unread = slices.Compact(unread)
	r.contractsUnread = len(unread)
	if len(unread) > 0 {
		r.caveat("review.contracts_unread", "contracts", "Changed files that offer contracts could not be read.", len(unread), r.contractFiles, unread...)
	}
	return before, after, nil
}

// withoutComputed leaves out the contracts whose names are put together when the
// program runs, and counts those whose expressions came or went.
func (r *reviewer) withoutComputed(before, after []contract.Found) (named, nowNamed []contract.Found) {
	type expression struct{ kind, by string }
	balance := map[expression]int{}
	where := map[expression]string{}
	split := func(list []contract.Found, sign int) (named []contract.Found) {
		for _, f := range list {
			if f.Name != "" {
				named = append(named, f)
				continue
			}
			e := expression{f.Kind, f.By}
			balance[e] += sign
			where[e] = fmt.Sprintf("%s:%d", f.Path, f.Line)
		}
		return named
	}
	named, nowNamed = split(before, -1), split(after, 1)
	var examples []string
	for e, n := range balance {
		if n != 0 {
			examples = append(examples, where[e])
		}
	}
	if r.contractsComputed = len(examples); r.contractsComputed > 0 {
		slices.Sort(examples)
		r.caveat("review.contracts_computed", "contracts", "Contracts came, went or changed whose names are put together when the program runs: they are not listed.",
			len(examples), len(balance), examples...)
	}
	return named, nowNamed
}

// maxGoneSearched bounds the names that are searched in the text of the tree.
const maxGoneSearched = 100

// searchGone says of routes, commands and flags that went whether the text of head
// still names them: a client, a script or a document may be left behind.
func (r *reviewer) searchGone(ctx context.Context, found []contract.Difference) error {
	names := map[int]string{}
	var list []string
	unsearched := 0
	for i, d := range found {
		name := goneName(d)
		switch {
		case name == "":
			continue
		case len(list) == maxGoneSearched:
			unsearched++
			continue
		}
		names[i], list = name, append(list, name)
	}
	if len(list) == 0 {
		return nil
	}
	if unsearched > 0 {
		r.caveat("review.contracts_not_searched", "contracts", "Removed contracts were not searched in the text of the tree.", unsearched, unsearched+len(list))
	}
	changed := r.changedPaths()
	before := r.text
	r.text = &text{} // what cannot be read is counted for the other claims
	defer func() { r.text = before }()
	files, lines, first := 0, map[string]int{}, map[string]string{}
	for f, err := range r.eachText(ctx) {
		if err != nil {
			return fmt.Errorf("uses of what went: %w", err)
		}
		files++
		if changed[f.Path] {
			continue
		}
		for _, name := range list {
			for _, line := range linesWith(f.Data, name) {
				if lines[name]++; lines[name] == 1 {
					first[name] = fmt.Sprintf("%s:%d", f.Path, line)
				}
			}
		}
	}
	for i, name := range names {
		said := fmt.Sprintf("%d files searched as text: no unchanged one has it as written here", files)
		if n := lines[name]; n > 0 {
			said = "unchanged text still has it at " + first[name]
			if n > 1 {
				said += fmt.Sprintf(" and in %s more", plural(n-1, "line"))
			}
		}
		found[i].Reason = joined(found[i].Reason, said)
	}
	return nil
}

// linesWith are the lines, from 1, on which a text has a name that does not go on:
// /users is not in /users/{id}, --out not in --output.
func linesWith(data []byte, name string) (lines []int) {
	line := 1
	for {
		at := bytes.Index(data, []byte(name))
		if at < 0 {
			return lines
		}
		line += bytes.Count(data[:at], []byte("\n"))
		data = data[at+len(name):]
		next, _ := utf8.DecodeRune(data)
		ends := len(data) == 0 || noWord(next) && next != '/' && next != '{' && next != ':'
		if ends && (len(lines) == 0 || lines[len(lines)-1] != line) {
			lines = append(lines, line)
		}
	}
}

// goneName is what a text writes that uses a route or a flag that went: a path
// without its parameters would be found in longer ones, so it stands as it was
// registered. Words like a command's name are of everybody.
func goneName(d contract.Difference) string {
	name := d.Name
	if d.Step == contract.Renames {
		name = d.Old
	} else if d.Step != contract.Removes {
		return ""
	}
	switch {
	case d.Does != contract.Offers:
		return ""
	case d.Kind == contract.Route:
		if _, after, ok := strings.Cut(name, " "); ok {
			name = after
		}
	case d.Kind != contract.Flag || !strings.HasPrefix(name, "--"):
		return ""
	}
	if len(strings.Trim(name, "/-")) < 3 {
		return ""
	}
	return name
}

func oldPath(c worktree.Change) string {
	if c.OldPath != "" {
		return c.OldPath
	}
	return c.Path
}

// offers reports whether files of a kind offer anything to those outside.
func offers(kind string) bool {
	switch filekind.Kind(kind) {
	case filekind.Test, filekind.Generated, filekind.Vendored, filekind.Lockfile, filekind.Binary:
		return false
	}
	return true
}

func (r *reviewer) contractsIn(ctx context.Context, g *graph.Graph, path, folder string, oid worktree.OID, unread *[]string) ([]contract.Found, error) {
	if oid == "" || !contract.Reads(path) || r.inTests(path) {
		return nil, nil
	}
	data, err := r.blob(ctx, oid)
	if err != nil {
		return nil, err
	}
	items, ok := contract.Read(path, data)
	if ok && len(items) == 0 && isTree(path) && partMark.Match(data) {
		if items, ok, err = r.partOfAPI(ctx, g, path, data); err != nil {
			return nil, err
		}
	}
	if !ok {
		*unread = append(*unread, path)
	}
	return foundIn(path, folder, items), nil
}

// partMark is in every file that describes an operation, a schema or an answer.
var partMark = regexp.MustCompile(`(?m)^\s*["']?(?:responses|properties|schema|content|allOf|enum)["']?\s*:`)

// isTree reports whether a file may be one of those that an API is split over.
func isTree(p string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(p))
}

// partOfAPI reads a file that an OpenAPI file of the same tree refers to: what
// stands for a route is an operation of it, and any other part is not understood.
func (r *reviewer) partOfAPI(ctx context.Context, g *graph.Graph, path string, data []byte) (items []contract.Item, ok bool, err error) {
	parts, err := r.partsOfAPIs(ctx, g)
	if err != nil {
		return nil, false, err
	}
	switch route, known := parts[path]; {
	case !known:
		return nil, true, nil
	case route == "":
		return nil, false, nil
	default:
		items, ok = contract.ReadPart(route, data)
		return items, ok, nil
	}
}

// partsOfAPIs are the files that the OpenAPI files of a tree refer to, or that such
// files refer to, with the routes that they stand for.
func (r *reviewer) partsOfAPIs(ctx context.Context, g *graph.Graph) (map[string]string, error) {
	if parts, ok := r.apiParts[g]; ok {
		return parts, nil
	}
	var paths []string
	var oids []worktree.OID
	for i := range g.Files {
		if f := &g.Files[i]; f.Blob != "" && f.Size <= contract.MaxSize && isTree(f.Path) {
			paths, oids = append(paths, f.Path), append(oids, worktree.OID(f.Blob))
		}
	}
	parts, within := map[string]string{}, map[string][]string{}
	var open []string
	err := r.Blobs.Blobs(ctx, oids, r.Limits.BlobBytes, func(i int, data []byte, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read says nothing; the coverage section counts it
		}
		found, api := contract.Parts(paths[i], data)
		within[paths[i]] = slices.Sorted(maps.Keys(found))
		if api {
			open = append(open, paths[i])
			maps.Copy(parts, found)
		}
		return nil
	})
	for len(open) > 0 {
		next := within[open[0]]
		delete(within, open[0])
		open = append(open[1:], next...)
		for _, p := range next {
			if _, ok := parts[p]; !ok {
				parts[p] = ""
			}
		}
	}
	if r.apiParts == nil {
		r.apiParts = map[*graph.Graph]map[string]string{}
	}
	r.apiParts[g] = parts
	return parts, err
}

func foundIn(path, folder string, items []contract.Item) []contract.Found {
	var out []contract.Found
	for _, i := range items {
		out = append(out, contract.Found{Item: i, Path: path, Folder: folder})
	}
	return out
}

// offeredElsewhere looks in the files that did not change for the contracts that
// seem to have come or gone and have one meaning in a whole program: a variable
// that is still read somewhere is still a contract.
func (r *reviewer) offeredElsewhere(ctx context.Context, found []contract.Difference) ([]contract.Found, error) {
	names := map[string]bool{}
	for _, d := range found {
		if ofWholeProgram(d) {
			names[d.Name] = true
			names[d.Old] = true
		}
	}
	delete(names, "")
	if len(names) == 0 {
		return nil, nil
	}
	changed := r.changedPaths()
	var paths []string
	var oids []worktree.OID
	for i := range r.Head.Files {
		f := &r.Head.Files[i]
		if !changed[f.Path] && f.Blob != "" && f.Size <= contract.MaxSize && contract.Reads(f.Path) && !r.inTests(f.Path) && !f.Generated {
			paths, oids = append(paths, f.Path), append(oids, worktree.OID(f.Blob))
		}
	}
	var out []contract.Found
	err := r.Blobs.Blobs(ctx, oids, r.Limits.BlobBytes, func(i int, data []byte, err error) error {
		if err != nil || !namesAny(data, names) {
			return nil //nolint:nilerr // what cannot be read says nothing; the coverage section counts it
		}
		items, _ := contract.Read(paths[i], data)
		for _, f := range foundIn(paths[i], path.Dir(paths[i]), items) {
			if (f.Kind == contract.Environment || f.Kind == contract.Feature) && names[f.Name] {
				out = append(out, f)
			}
		}
		return nil
	})
	return out, err
}

// changedPaths are the paths of the changed files, at head and at the base.
func (r *reviewer) changedPaths() map[string]bool {
	changed := map[string]bool{}
	for _, c := range r.Changes {
		changed[c.Path], changed[oldPath(c)] = true, true
	}
	return changed
}

func namesAny(data []byte, names map[string]bool) bool {
	for n := range names {
		if bytes.Contains(data, []byte(n)) {
			return true
		}
	}
	return false
}

// contractsSection is complete if every changed file that may offer something was
// read.
func (r *reviewer) contractsSection() report.Section {
	if r.contractsUnread > 0 {
		return report.Section{Name: "contracts", State: report.Partial, Reason: fmt.Sprintf("%d of %s not understood", r.contractsUnread, plural(r.contractFiles, "changed file"))}
	}
	if r.contractsForeign > 0 {
		return report.Section{Name: "contracts", State: report.Partial, Reason: fmt.Sprintf("%d of %s in languages that are not read for them", r.contractsForeign, plural(r.contractFiles, "changed file"))}
	}
	if r.contractsComputed > 0 {
		return report.Section{Name: "contracts", State: report.Partial, Reason: plural(r.contractsComputed, "name") + " put together when the program runs"}
	}
	return report.Section{Name: "contracts", State: report.Complete}
}
