package review

import (
	"path"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
)

// causes index the changes by what their absence or presence breaks elsewhere.
type causes struct {
	gone    map[string][]change         // what lost its name or its place, by that name
	came    map[string][]change         // methods of interfaces that are new or differ, by name
	members map[owned][]change          // changed members by their type
	differ  map[graph.SymbolID][]change // what is used in another way than before, by ID at head
}

func (r *reviewer) newCauses() *causes {
	k := &causes{gone: map[string][]change{}, came: map[string][]change{}, members: map[owned][]change{}, differ: map[graph.SymbolID][]change{}}
	interfaces := map[owned]bool{}
	for i := range r.Head.Symbols {
		if s := &r.Head.Symbols[i]; s.Kind == graph.KindInterface {
			interfaces[owned{s.Path, s.Qualified()}] = true
		}
	}
	for _, c := range r.changes {
		r.addCause(k, c, interfaces)
	}
	return k
}

func (r *reviewer) addCause(k *causes, c change, interfaces map[owned]bool) {
	lost := c.kind == report.Removed || c.kind == report.Renamed
	if c.base != graph.None && (lost || r.movedAway(c)) {
		s := &r.Base.Symbols[c.base]
		k.gone[s.Name] = append(k.gone[s.Name], c)
	}
	if lost || c.kind == report.Added || c.kind == report.Signature {
		if t := r.ownerOf(c); t.qualified != "" {
			k.members[t] = append(k.members[t], c)
		}
	}
	if c.head == graph.None {
		return
	}
	s := &r.Head.Symbols[c.head]
	switch c.kind {
	case report.Signature, report.Renamed:
		k.differ[s.ID] = append(k.differ[s.ID], c)
	case report.Added:
	default:
		return
	}
	if interfaces[owned{s.Path, s.Container}] {
		k.came[s.Name] = append(k.came[s.Name], c)
	}
}

// ownerOf is where the type of a changed member lies at head. Members of a Go
// type may stand in other files of its package than the type.
func (r *reviewer) ownerOf(c change) owned {
	s := r.was(c)
	at := s.Path
	if c.base != graph.None {
		if p, ok := r.files.head(at); ok {
			at = p
		}
	}
	return ownerAt(s.Language, at, s.Container)
}

func ownerAt(language, file, qualified string) owned {
	if language == "go" {
		file = path.Dir(file)
	}
	return owned{file, qualified}
}

// was is the symbol of a change as the merge base had it, or as it came.
func (r *reviewer) was(c change) *graph.Symbol {
	if c.base == graph.None {
		return &r.Head.Symbols[c.head]
	}
	return &r.Base.Symbols[c.base]
}

// traced adds to the breaks what a changed symbol broke without being named by
// it: members that a type passed on, literals of a changed struct, types that no
// longer are what an interface wants, uses of a result of another type.
func (r *reviewer) traced(found []breakage, l *lookups) []breakage {
	explained := r.explained(found)
	k := r.newCauses()
	rows := map[[2]int32]int{}
	for i := range found {
		rows[[2]int32{found[i].change.base, found[i].change.head}] = i
	}
	for i := range r.Head.Unresolved {
		u := &r.Head.Unresolved[i]
		if !u.Broken || isDocument(&r.Head.Symbols[u.From]) || explained[r.wantOf(u)] || r.brokenBefore(u, l) {
			continue
		}
		c, ok := r.causeOf(u, k)
		if !ok {
			continue
		}
		at, known := rows[[2]int32{c.base, c.head}]
		if !known {
			at = len(found)
			rows[[2]int32{c.base, c.head}] = at
			found = append(found, breakage{change: c, listed: true})
		}
		found[at].refs = append(found[at].refs, r.reference(u, graph.TierExact, u.Reason))
	}
	for i := range found {
		sortReferences(found[i].refs)
	}
	return found
}

// causeOf finds the change that took the target of a reference away. The
// reference is certain to be broken; only what it is listed under is judged.
func (r *reviewer) causeOf(u *graph.Unresolved, k *causes) (change, bool) {
	used := r.usedAtBase(u)
	for _, c := range k.gone[u.Name] {
		if used[c.base] {
			return c, true
		}
	}
	t, ok := r.Head.Find(graph.SymbolID(u.In))
	if !ok {
		return change{}, false
	}
	s := &r.Head.Symbols[t]
	if list := k.differ[s.ID]; len(list) > 0 {
		return list[0], true
	}
	if list := k.came[u.Name]; len(list) > 0 {
		return list[0], true
	}
	if c, ok := r.memberCause(u, s, k); ok {
		return c, true
	}
	if list := k.gone[u.Name]; len(list) == 1 && r.was(list[0]).Container != "" {
		return list[0], true
	}
	return r.resultCause(u, k)
}

// usedAtBase lists what the symbol that holds a reference used by the same name
// at the merge base.
func (r *reviewer) usedAtBase(u *graph.Unresolved) map[int32]bool {
	from := r.pairs.toBase[u.From]
	if from == graph.None {
		return nil
	}
	used := map[int32]bool{}
	for _, e := range r.Base.Out(from) {
		if r.Base.Symbols[e.To].Name == u.Name {
			used[e.To] = true
		}
	}
	return used
}

// memberCause finds the changed member of type t because of which a literal of
// t no longer fits, or through which t had the name that is missing.
func (r *reviewer) memberCause(u *graph.Unresolved, t *graph.Symbol, k *causes) (change, bool) {
	list := k.members[ownerAt(t.Language, t.Path, t.Qualified())]
	if u.Name != t.Name && len(r.usedAtBase(u)) == 0 {
		return change{}, false
	}
	for _, kind := range []report.Change{report.Removed, report.Renamed, report.Signature, report.Added} {
		for _, c := range list {
			if c.kind == kind && r.was(c).Kind == graph.KindField {
				return c, true
			}
		}
	}
	return change{}, false
}

// resultCause finds the one symbol with another signature that the holder of a
// reference uses: what it gives is no longer of the type that had the name.
func (r *reviewer) resultCause(u *graph.Unresolved, k *causes) (change, bool) {
	if len(r.usedAtBase(u)) == 0 {
		return change{}, false
	}
	var cause change
	found := 0
	last := graph.None
	for _, e := range r.Head.Out(u.From) {
		if list := k.differ[r.Head.Symbols[e.To].ID]; len(list) > 0 && e.To != last {
			cause, last = list[0], e.To
			found++
		}
	}
	return cause, found == 1
}
