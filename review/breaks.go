package review

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
)

// A breakage is a changed symbol and the references that still use it as it was.
type breakage struct {
	change change
	refs   []report.Reference
	// asked is true if "nothing else refers to it" has to be checked in the text.
	asked bool
	// listed is true if the claim is no more than the references themselves.
	listed bool
}

// lookups index the references that found no target.
type lookups struct {
	now    map[int32][]*graph.Unresolved  // of head, by symbol that holds them
	before map[int32][]*graph.Unresolved  // of the merge base
	broken map[string][]*graph.Unresolved // certain ones of head, by name
	within map[string][]int32             // symbols of head that hold any, by path
}

func newLookups(base, head *graph.Graph) *lookups {
	l := &lookups{now: byHolder(head), before: byHolder(base), broken: map[string][]*graph.Unresolved{},
		within: map[string][]int32{}}
	for i := range head.Unresolved {
		if u := &head.Unresolved[i]; u.Broken {
			l.broken[u.Name] = append(l.broken[u.Name], u)
		}
	}
	for _, holder := range slices.Sorted(maps.Keys(l.now)) {
		path := head.Symbols[holder].Path
		l.within[path] = append(l.within[path], holder)
	}
	return l
}

func byHolder(g *graph.Graph) map[int32][]*graph.Unresolved {
	m := map[int32][]*graph.Unresolved{}
	for i := range g.Unresolved {
		u := &g.Unresolved[i]
		m[u.From] = append(m[u.From], u)
	}
	return m
}

// findBreaks looks removed and changed symbols up in the base graph and asks
// who still refers to them in the head graph. It names a reference only if head
// has it without a target: either the same symbol referred to it at the merge
// base, or the linker is certain where it was looked up.
func (r *reviewer) findBreaks(ctx context.Context) ([]breakage, error) {
	l := newLookups(r.Base, r.Head)
	var found []breakage
	for _, c := range r.changes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c.base == graph.None {
			continue
		}
		b := breakage{change: c}
		switch c.kind {
		case report.Removed, report.Renamed, report.Moved:
			b.refs = r.remaining(c, l)
			b.asked = r.worthAsking(c)
		case report.Signature:
			b.refs = r.misfits(c, l)
		default:
			if lower := r.movedAway(c); lower {
				b.refs = r.remaining(c, l)
			}
		}
		if len(b.refs) > 0 || b.asked {
			found = append(found, b)
		}
	}
	found = r.traced(found, l)
	found = append(found, r.lost(found, l)...)
	slices.SortStableFunc(found, func(x, y breakage) int {
		a, b := r.was(x.change), r.was(y.change)
		return cmp.Or(-cmp.Compare(len(x.refs), len(y.refs)), -cmp.Compare(btoi(a.Exported), btoi(b.Exported)), cmp.Compare(a.ID, b.ID))
	})
	return found, ctx.Err()
}

// A want is a name that a file looks for in a place.
type want struct{ path, in, name string }

func (r *reviewer) wantOf(u *graph.Unresolved) want {
	return want{r.Head.Symbols[u.From].Path, u.In, u.Name}
}

// lost finds what no changed symbol explains: names that a changed file gave to
// others, or to itself, without defining them, such as by an import; a file that
// moved while others, or it itself, import from where things were.
func (r *reviewer) lost(found []breakage, l *lookups) []breakage {
	explained, moved := r.explained(found), r.movedModules()
	var out []breakage
	at := map[int32]int{} // by module of head
	for i := range r.Head.Unresolved {
		u := &r.Head.Unresolved[i]
		if isDocument(&r.Head.Symbols[u.From]) || r.pairs.toBase[u.From] == graph.None || explained[r.wantOf(u)] {
			continue
		}
		module, ok := r.loser(u, moved)
		if !ok || r.pairs.toBase[module] == graph.None || r.brokenBefore(u, l) || r.absentBefore(u, l) {
			continue
		}
		n, known := at[module]
		if !known {
			n = len(out)
			at[module] = n
			c := change{kind: report.Body, base: r.pairs.toBase[module], head: module}
			if r.Base.Symbols[c.base].Path != r.Head.Symbols[module].Path {
				c.kind = report.Moved
			}
			out = append(out, breakage{change: c, listed: true})
		}
		out[n].refs = append(out[n].refs, r.reference(u, graph.TierExact, u.Name+": "+u.Reason))
	}
	for i := range out {
		sortReferences(out[i].refs)
	}
	return out
}

// loser is the file of head whose change left a reference without target: the
// changed file that was asked for a name, one of the moved files, lying where an
// import looks, or the moved file that holds the import.
func (r *reviewer) loser(u *graph.Unresolved, moved []int32) (module int32, ok bool) {
	from := &r.Head.Symbols[u.From]
	switch {
	case u.Broken && r.files.changed[u.In] && r.samePath(u.In):
		return r.Head.Find(graph.NewSymbolID(from.Language, u.In, "", "", graph.KindModule, ""))
	case u.Kind != graph.EdgeImport:
		return graph.None, false
	}
	for _, m := range moved {
		if u.Broken && sameModule(u.In, r.Base.Symbols[r.pairs.toBase[m]].Path) {
			return m, true
		}
	}
	for _, m := range moved {
		if r.Head.Symbols[m].Path == from.Path {
			return m, true
		}
	}
	return graph.None, false
}

// samePath reports whether a file of head lay where it lies.
func (r *reviewer) samePath(path string) bool {
	old, known := r.files.toBase[path]
	return !known || old == path
}

// movedModules lists the files of head that lay elsewhere.
func (r *reviewer) movedModules() []int32 {
	var moved []int32
	for i := range r.Head.Symbols {
		s := &r.Head.Symbols[i]
		if b := r.pairs.toBase[i]; s.Kind == graph.KindModule && b != graph.None && r.Base.Symbols[b].Path != s.Path {
			moved = append(moved, int32(i))
		}
	}
	return moved
}

// explained lists what the references of the breaks look for. Another use of
// the same name in the same file follows from the same change.
func (r *reviewer) explained(found []breakage) map[want]bool {
	type site struct {
		symbol, kind string
		line         int
	}
	sites := map[site]bool{}
	for _, b := range found {
		for _, ref := range b.refs {
			sites[site{ref.Symbol, ref.Kind, ref.Line}] = true
		}
	}
	wants := map[want]bool{}
	for i := range r.Head.Unresolved {
		u := &r.Head.Unresolved[i]
		if sites[site{string(r.Head.Symbols[u.From].ID), u.Kind.String(), int(u.Line)}] {
			wants[r.wantOf(u)] = true
		}
	}
	return wants
}

// movedAway is true for a changed symbol that also left its file.
func (r *reviewer) movedAway(c change) bool {
	return c.head != graph.None && !r.samePlace(&r.Base.Symbols[c.base], &r.Head.Symbols[c.head])
}

// worthAsking leaves out what nobody refers to by name, such as tests, and
// members of a removed type: whoever names the member went through the type, or
// is found among the references.
func (r *reviewer) worthAsking(c change) bool {
	s := &r.Base.Symbols[c.base]
	return !s.Test && searchName(s) != "" && !r.goesWithOwner(c)
}

// remaining lists what still refers to the symbol as the merge base had it.
func (r *reviewer) remaining(c change, l *lookups) []report.Reference {
	s := &r.Base.Symbols[c.base]
	seen := map[*graph.Unresolved]bool{}
	var refs []report.Reference
	add := func(u *graph.Unresolved, tier graph.Tier, reason string) {
		// What a document names is a section of its own: prose does not break.
		if !seen[u] && !isDocument(&r.Head.Symbols[u.From]) {
			seen[u] = true
			refs = append(refs, r.reference(u, tier, reason))
		}
	}
	for _, i := range r.Base.In(c.base) {
		e := &r.Base.Edges[i]
		from := r.pairs.toHead[e.From]
		if from == graph.None || e.Tier >= graph.TierName {
			continue
		}
		for _, u := range l.now[from] {
			if r.names(u, s) && r.sameUse(u, s) && !r.mayHave(u, s) && !r.brokenBefore(u, l) {
				add(u, e.Tier, reasonFor(u, s))
			}
		}
	}
	for _, u := range l.broken[lookupName(s)] {
		if r.lookedUpIn(u, s) && !r.brokenBefore(u, l) {
			add(u, graph.TierExact, reasonFor(u, s))
		}
	}
	for _, u := range r.aheadOfImport(c, l) {
		add(u, graph.TierExact, u.Reason)
	}
	if s.Kind == graph.KindModule {
		for _, u := range r.brokenImports(s) {
			if !r.brokenBefore(u, l) {
				add(u, graph.TierExact, reasonFor(u, s))
			}
		}
	}
	sortReferences(refs)
	return refs
}

// aheadOfImport are uses of the new name of a renamed symbol in files that used
// the old one and do not have the new one: the import was left as it was.
func (r *reviewer) aheadOfImport(c change, l *lookups) []*graph.Unresolved {
	if c.kind != report.Renamed || c.head == graph.None {
		return nil
	}
	name := r.Head.Symbols[c.head].Name
	var out []*graph.Unresolved
	for _, i := range r.Base.In(c.base) {
		from := r.pairs.toHead[r.Base.Edges[i].From]
		if from == graph.None || name == r.Base.Symbols[c.base].Name {
			continue
		}
		for _, u := range l.now[from] {
			if u.Name == name && u.In == r.Head.Symbols[from].Path && !r.brokenBefore(u, l) {
				out = append(out, u)
			}
		}
	}
	return out
}

// names reports whether an unresolved reference of a symbol that used s at the
// merge base is that use.
func (r *reviewer) names(u *graph.Unresolved, s *graph.Symbol) bool {
	if s.Kind == graph.KindModule || s.Kind == graph.KindPackage {
		return u.Kind == graph.EdgeImport && r.lookedUpIn(u, s)
	}
	if passesAll(s) {
		return u.Broken && u.In == s.Path // any name that the module passed on
	}
	if u.Name != s.Name || ofAnother(u, s) {
		return false
	}
	// A place that is known and is another one speaks against it, unless that is
	// a class that had the symbol from its base.
	return u.In == "" || r.lookedUpIn(u, s) || !u.Broken || r.inherits(u.In, s, 0)
}

// ofAnother reports whether a reference was looked up in another symbol than s, which
// lies in none: it means a member of that symbol, or a variable that it declares.
func ofAnother(u *graph.Unresolved, s *graph.Symbol) bool {
	return s.Container == "" && strings.Contains(u.In, "#") && u.In != string(s.ID)
}

// inherits reports whether the class with this ID derives from the container
// of s.
func (r *reviewer) inherits(class string, s *graph.Symbol, depth int) bool {
	i, ok := r.Head.Find(graph.SymbolID(class))
	if !ok || s.Container == "" || depth > 16 {
		return false
	}
	for _, e := range r.Head.Out(i) {
		if e.Kind != graph.EdgeInherit {
			continue
		}
		base := &r.Head.Symbols[e.To]
		if base.Qualified() == s.Container && r.movedFile(base.Path, s.Path) || r.inherits(string(base.ID), s, depth+1) {
			return true
		}
	}
	return false
}

// lookedUpIn reports whether the place in which a reference was looked up is
// where s was: its file, its folder, its container or itself.
func (r *reviewer) lookedUpIn(u *graph.Unresolved, s *graph.Symbol) bool {
	if u.In == "" {
		return false
	}
	places := []string{s.Path, path.Dir(s.Path), string(s.ID)}
	if s.Container != "" {
		prefix := s.Language + ":" + s.Path + "#" + s.Container + "/"
		if strings.HasPrefix(u.In, prefix) {
			return true
		}
		return slices.Contains(places[:1], u.In) || u.In == string(s.ID) || r.isType(u.In, s.Container)
	}
	if s.Kind == graph.KindModule {
		return sameModule(u.In, s.Path)
	}
	if s.Language != "go" {
		places = append(places[:1], places[2])
	}
	return slices.Contains(places, u.In) || r.movedFile(u.In, s.Path)
}

// isType is true if in is the ID of a type of that name: a Go method may stand
// in another file than its type.
func (r *reviewer) isType(in, container string) bool {
	_, rest, ok := strings.Cut(in, "#")
	if !ok {
		return false
	}
	name, _, _ := strings.Cut(rest, "/")
	return name == container
}

// movedFile is true if in is where the file of the merge base lies at head.
func (r *reviewer) movedFile(in, old string) bool {
	p, ok := r.files.head(old)
	return ok && p == in
}

// sameModule compares where an import looked with a file, which the import may
// have named without its ending or by its folder's index.
func sameModule(in, file string) bool {
	if in == file {
		return true
	}
	stem := strings.TrimSuffix(file, path.Ext(file))
	if in == stem || strings.TrimSuffix(in, path.Ext(in)) == stem {
		return true
	}
	base := path.Base(stem)
	return (base == "index" || base == "__init__") && in == path.Dir(file)
}

// brokenImports are imports at head that looked for the removed file.
func (r *reviewer) brokenImports(s *graph.Symbol) []*graph.Unresolved {
	var out []*graph.Unresolved
	for i := range r.Head.Unresolved {
		u := &r.Head.Unresolved[i]
		if u.Kind == graph.EdgeImport && u.Broken && sameModule(u.In, s.Path) {
			out = append(out, u)
		}
	}
	return out
}

// sameUse reports whether a reference of unknown place is still the use of a
// member that the merge base had: in a changed body the same name may be asked
// of another object.
func (r *reviewer) sameUse(u *graph.Unresolved, s *graph.Symbol) bool {
	if u.Broken || u.In != "" || s.Container == "" {
		return true
	}
	from := r.pairs.toBase[u.From]
	return from != graph.None && r.Base.Symbols[from].Digests.Body == r.Head.Symbols[u.From].Digests.Body
}

// mayHave reports whether the alias that s was a member of is still there and may
// have a member of that name yet: it came to stand for a type that is computed,
// such as Omit<T, "x">, so that the reference was not looked up in it.
func (r *reviewer) mayHave(u *graph.Unresolved, s *graph.Symbol) bool {
	if u.Broken || s.Container == "" || r.lookedUpIn(u, s) {
		return false
	}
	path, ok := r.files.head(s.Path)
	if !ok {
		return false
	}
	_, alias := r.Head.Find(graph.NewSymbolID(s.Language, path, "", s.Container, graph.KindType, ""))
	return alias
}

// brokenBefore is true if the merge base had the same reference without target:
// then this pull request did not break it. Where one symbol asks for one name
// several times, as many of its references are old as there were, those first
// that stand as far from its beginning as they did.
func (r *reviewer) brokenBefore(u *graph.Unresolved, l *lookups) bool {
	from := r.pairs.toBase[u.From]
	if from == graph.None {
		return false
	}
	old := offsets(l.before[from], u, r.Base.Symbols[from].Line)
	if len(old) == 0 {
		return false
	}
	now := offsets(l.now[u.From], u, r.Head.Symbols[u.From].Line)
	if len(now) <= len(old) {
		return true
	}
	at := int(u.Line) - r.Head.Symbols[u.From].Line
	if slices.Contains(old, at) {
		return true
	}
	spare := len(old) // old references that did not stay where they were
	for _, o := range old {
		if slices.Contains(now, o) {
			spare--
		}
	}
	for _, n := range now {
		if n >= at {
			break
		}
		if !slices.Contains(old, n) {
			spare--
		}
	}
	return spare > 0
}

// absentBefore is true for an import that may succeed if the merge base already
// imported from the same folder what was not there: a build makes it.
func (r *reviewer) absentBefore(u *graph.Unresolved, l *lookups) bool {
	if u.Broken || u.In == "" {
		return false
	}
	return slices.ContainsFunc(l.before[r.pairs.toBase[u.From]], func(v *graph.Unresolved) bool {
		return v.Kind == graph.EdgeImport && v.In != "" && path.Dir(v.In) == path.Dir(u.In)
	})
}

// offsets lists how far the references like u stand from a line, ascending.
func offsets(list []*graph.Unresolved, u *graph.Unresolved, line int) []int {
	var out []int
	for _, v := range list {
		if v.Name == u.Name && v.Kind == u.Kind {
			out = append(out, int(v.Line)-line)
		}
	}
	return out
}

// misfits lists calls that no longer fit a changed signature.
func (r *reviewer) misfits(c change, l *lookups) []report.Reference {
	s := &r.Head.Symbols[c.head]
	var refs []report.Reference
	for _, u := range l.broken[s.Name] {
		if u.In == string(s.ID) && !r.brokenBefore(u, l) {
			refs = append(refs, r.reference(u, graph.TierExact, u.Reason))
		}
	}
	for _, holder := range l.within[s.Path] {
		if h := &r.Head.Symbols[holder]; h.Start < s.Start || h.End > s.End {
			continue
		}
		for _, u := range l.now[holder] {
			if r.droppedParameter(u, c) && !r.brokenBefore(u, l) {
				refs = append(refs, r.reference(u, graph.TierExact, u.Reason))
			}
		}
	}
	sortReferences(refs)
	return refs
}

// droppedParameter reports whether a reference names what the signature lost, and
// finds nothing of that name in the file.
func (r *reviewer) droppedParameter(u *graph.Unresolved, c change) bool {
	old, now := &r.Base.Symbols[c.base], &r.Head.Symbols[c.head]
	return !u.Broken && u.In == now.Path && hasWord(old.Signature, u.Name) && !hasWord(now.Signature, u.Name)
}

// hasWord reports whether a name stands in a signature as a word.
func hasWord(signature, name string) bool {
	return slices.Contains(strings.FieldsFunc(signature, func(c rune) bool {
		return c != '_' && c != '$' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}), name)
}

func (r *reviewer) reference(u *graph.Unresolved, tier graph.Tier, reason string) report.Reference {
	from := &r.Head.Symbols[u.From]
	if from.Language == "go" && u.Broken && r.Head.Untyped() == 0 {
		tier = graph.TierCompiler
	}
	return report.Reference{
		Symbol: string(from.ID), Name: display(from), Path: from.Path, Line: int(u.Line),
		Tier: tier.String(), Kind: u.Kind.String(), Reason: reason, Blob: blobAt(r.Head, from.Path),
	}
}

func reasonFor(u *graph.Unresolved, s *graph.Symbol) string {
	if u.Broken && u.Reason != "" {
		return u.Reason
	}
	if s.Kind == graph.KindModule {
		return "imports a file that is gone"
	}
	return "used it at the merge base and still names it"
}

// lookupName is the name under which a reference asks for the symbol.
func lookupName(s *graph.Symbol) string {
	if s.Kind == graph.KindModule {
		return strings.TrimSuffix(path.Base(s.Path), path.Ext(s.Path))
	}
	return s.Name
}

func sortReferences(refs []report.Reference) {
	slices.SortStableFunc(refs, func(a, b report.Reference) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Symbol, b.Symbol))
	})
}

// reportBreaks writes the section: everything with a reference left, then what
// the text of files that the graph could not read contradicts.
func (r *reviewer) reportBreaks(found []breakage) {
	r.out.Breaks = []report.Break{}
	for _, b := range found {
		s := r.was(b.change)
		check := r.checkRemoved(b)
		if len(b.refs) == 0 && (check.Checked != report.Contradicted) {
			continue // the claim that nothing is left stands with the blast radius
		}
		refs := b.refs
		if len(refs) > r.Limits.References {
			refs = refs[:r.Limits.References]
		}
		if refs == nil {
			refs = []report.Reference{}
		}
		r.out.Breaks = append(r.out.Breaks, report.Break{
			Symbol: string(s.ID), Name: display(s), Kind: s.Kind.String(), Path: s.Path, Line: s.Line,
			Change: b.change.kind, Total: len(b.refs), References: refs, Check: *check,
		})
	}
}
