package html

import (
	"cmp"
	"slices"

	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/report"
)

// How many boxes one column has, and how many of them are tests. Tests are many
// and alike, and have a section of their own.
const (
	columnBoxes = 40
	columnTests = 14
)

// mostReaches is how many ways to a change the proof of one box shows.
const mostReaches = 12

// The resolution tiers, strongest first. A report has no others.
var tiers = []string{"compiler", "exact", "dispatch", "import", "name", "test", "latent"}

// A radius is the blast radius as a picture: one column for the changed symbols,
// and one for each distance from them.
type radius struct {
	Columns       []column
	Boxes         []*box
	Arrows        []*arrow
	Tiers         []string // that the boxes have, strongest first
	Tests         bool     // some boxes are tests
	Drawn, Total  int      // symbols, and those that a whole picture would have
	Width, Height int
	most          int
	index         map[string]*box              // by ID
	nearest       map[string]*report.Dependent // by ID
	seeds         map[string]bool              // IDs of the changed symbols that something reaches
	changes       map[string]*report.SymbolChange
}

// A column is all boxes at one distance.
type column struct {
	Distance     int
	X            int
	Drawn, Total int
	boxes        []*box
	tests        int
}

// A box is one symbol.
type box struct {
	N           int // its number
	Column      int // distance to the nearest change
	X, Y        int
	Name, Short string // whole, and as there is room
	Path        string
	Line        int // where it is declared
	Where       string
	Blob        string
	Test        bool
	Change      *change // if the pull request changed it
	Reaches     []reach // nearest first
	More        int     // ways that Reaches leaves out
	targets     []*box
}

// A change is what the pull request did to the symbol of a box.
type change struct {
	Verb, Reason string
	Old, New     *report.Version
	Total, Tests int // symbols that reach it, and those of them that are tests
}

// A reach is the way from a box to one changed symbol.
type reach struct {
	To             *box
	Distance, Site int
	Kind, Tier     string
	Way            []*box // between the two
}

// An arrow says that one box refers to another.
type arrow struct {
	From, To   *box
	Kind, Tier string // of the way that begins with it; the tier is the weakest on it
	Path       string // in the language of SVG
}

// Tier is the weakest resolution tier on the way to the nearest change, or "".
func (b *box) Tier() string {
	if len(b.Reaches) == 0 {
		return ""
	}
	return b.Reaches[0].Tier
}

// drawRadius chooses at most so many symbols and gives each its place. It
// returns nil for less than two: they are no picture. What is nearest comes
// first, three dependents of each change before the fourth of any, and tests
// after all else. A way to a change is drawn whole or not at all.
func drawRadius(r *report.Report, most int) *radius {
	d := newRadius(r, most)
	bounds := []int{0, 3, 10, most}
	for _, tests := range []bool{false, true} {
		for i := range len(bounds) - 1 {
			for _, s := range r.Impact.Symbols {
				for j := min(bounds[i], len(s.Dependents)); j < min(bounds[i+1], len(s.Dependents)); j++ {
					if s.Dependents[j].Test == tests {
						d.way(&s, &s.Dependents[j])
					}
				}
			}
		}
	}
	if len(d.Boxes) < 2 {
		return nil
	}
	for _, s := range r.Impact.Symbols {
		d.reach(&s)
	}
	d.finish(r)
	d.layout()
	return d
}

func newRadius(r *report.Report, most int) *radius {
	d := &radius{most: most, index: map[string]*box{}, nearest: map[string]*report.Dependent{}, seeds: map[string]bool{},
		changes: map[string]*report.SymbolChange{}, Columns: []column{{}}}
	for i := range r.Changes.Symbols {
		d.changes[r.Changes.Symbols[i].ID] = &r.Changes.Symbols[i]
	}
	for _, s := range r.Impact.Symbols {
		if s.Total > 0 {
			d.seeds[s.Symbol] = true
			d.Columns[0].Total++
		}
		for j := range s.Dependents {
			dep := &s.Dependents[j]
			if was := d.nearest[dep.Symbol]; was == nil || nearer(dep, was) {
				d.nearest[dep.Symbol] = dep
			}
		}
	}
	for i, n := range r.Impact.ByDistance {
		d.Columns = append(d.Columns, column{Distance: i + 1, Total: n})
	}
	for id, dep := range d.nearest { // a changed symbol that reaches another stands in the first column
		if d.seeds[id] && dep.Distance < len(d.Columns) {
			d.Columns[dep.Distance].Total--
		}
	}
	return d
}

func nearer(a, b *report.Dependent) bool {
	return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(strength(a.Tier), strength(b.Tier))) < 0
}

// strength orders tiers, the strongest first, and those that nobody knows last.
func strength(tier string) int {
	if i := slices.Index(tiers, tier); i >= 0 {
		return i
	}
	return len(tiers)
}

// ids are the symbols of a way, the dependent first and the change last.
func ids(s *report.SymbolImpact, dep *report.Dependent) []string {
	return slices.Concat([]string{dep.Symbol}, dep.PathThrough, []string{s.Symbol})
}

// column is where a symbol stands that is so many edges away on some way.
func (d *radius) column(id string, distance int) int {
	if d.seeds[id] {
		return 0
	}
	if dep := d.nearest[id]; dep != nil {
		distance = dep.Distance
	}
	return max(distance, 1)
}

// way draws the way from a dependent to the changed symbol s, if there is room.
func (d *radius) way(s *report.SymbolImpact, dep *report.Dependent) {
	list := ids(s, dep)
	missing := map[string]bool{}
	boxes, tests := map[int]int{}, map[int]int{}
	for i, id := range list {
		if d.index[id] == nil && !missing[id] {
			missing[id] = true
			c := d.column(id, len(list)-1-i)
			boxes[c]++
			if near := d.nearest[id]; near != nil && near.Test {
				tests[c]++
			}
		}
	}
	full := len(d.Boxes)+len(missing) > d.most
	for c, n := range boxes {
		d.grow(c)
		full = full || len(d.Columns[c].boxes)+n > columnBoxes || tests[c] > 0 && d.Columns[c].tests+tests[c] > columnTests
	}
	if full {
		return
	}
	to := d.box(s.Symbol, 0)
	for i := len(list) - 2; i >= 0; i-- {
		from := d.box(list[i], len(list)-1-i)
		if from != to {
			d.arrow(from, to, dep, i == 0)
		}
		to = from
	}
}

// grow adds columns until there is one with number c: a report may list a
// dependent without counting it.
func (d *radius) grow(c int) {
	for len(d.Columns) <= c {
		d.Columns = append(d.Columns, column{Distance: len(d.Columns)})
	}
}

// arrow adds an arrow. One that begins a way takes its kind and tier, one in the
// middle keeps those that it has.
func (d *radius) arrow(from, to *box, dep *report.Dependent, begins bool) {
	i := slices.Index(from.targets, to)
	if i < 0 {
		from.targets = append(from.targets, to)
		a := &arrow{From: from, To: to, Tier: dep.Tier}
		if begins {
			a.Kind = dep.Kind
		}
		d.Arrows = append(d.Arrows, a)
		return
	}
	for _, a := range d.Arrows {
		if begins && a.From == from && a.To == to && a.Kind == "" {
			a.Kind, a.Tier = dep.Kind, dep.Tier
		}
	}
}

// box returns the box of a symbol, and adds it if there is none.
func (d *radius) box(id string, distance int) *box {
	if b := d.index[id]; b != nil {
		return b
	}
	b := &box{N: len(d.Boxes), Column: d.column(id, distance)}
	b.Name, b.Path = outline.Named(id)
	if dep := d.nearest[id]; dep != nil {
		b.Name, b.Path, b.Line, b.Blob, b.Test = dep.Name, dep.Path, dep.Line, dep.Blob, dep.Test
	}
	if c := d.changes[id]; c != nil {
		b.Name, b.Path, b.Line, b.Test = c.Name, c.Path, c.Line, c.Test
		b.Change = &change{Verb: outline.Verb(c.Change), Reason: c.EffectReason, Old: c.Old, New: c.New}
		if c.New != nil {
			b.Blob = c.New.Blob
		} else if c.Old != nil && c.Change == report.Removed {
			b.Blob = c.Old.Blob
		}
	}
	d.index[id] = b
	d.Boxes = append(d.Boxes, b)
	d.grow(b.Column)
	col := &d.Columns[b.Column]
	col.boxes = append(col.boxes, b)
	if b.Test {
		col.tests++
	}
	return b
}

// reach notes every way to s that stands in the picture, and how many do not.
func (d *radius) reach(s *report.SymbolImpact) {
	if to := d.index[s.Symbol]; to != nil {
		if to.Change == nil {
			to.Name, to.Change = s.Name, &change{Verb: outline.Verb(s.Change)}
		}
		to.Change.Total, to.Change.Tests = s.Total, s.Tests
	}
	for i := range s.Dependents {
		dep := &s.Dependents[i]
		from := d.index[dep.Symbol]
		if from == nil {
			continue
		}
		list := ids(s, dep)
		var way []*box
		for _, id := range list[1:] {
			if b := d.index[id]; b != nil {
				way = append(way, b)
			}
		}
		if len(way) < len(list)-1 {
			from.More++
			continue
		}
		last := len(way) - 1
		from.Reaches = append(from.Reaches, reach{To: way[last], Distance: dep.Distance, Site: dep.Site,
			Kind: dep.Kind, Tier: dep.Tier, Way: way[:last]})
	}
}

// finish sorts and bounds what the boxes say, and counts.
func (d *radius) finish(r *report.Report) {
	for _, b := range d.Boxes {
		slices.SortStableFunc(b.Reaches, func(a, c reach) int {
			return cmp.Or(cmp.Compare(a.Distance, c.Distance), cmp.Compare(strength(a.Tier), strength(c.Tier)))
		})
		if more := len(b.Reaches) - mostReaches; more > 0 {
			b.Reaches, b.More = b.Reaches[:mostReaches], b.More+more
		}
		if t := b.Tier(); t != "" && !slices.Contains(d.Tiers, t) {
			d.Tiers = append(d.Tiers, t)
		}
		d.Tests = d.Tests || b.Test
	}
	slices.SortFunc(d.Tiers, func(a, b string) int { return cmp.Or(cmp.Compare(strength(a), strength(b)), cmp.Compare(a, b)) })
	d.Drawn, d.Total = len(d.Boxes), 0
	for i := range d.Columns {
		c := &d.Columns[i]
		c.Drawn = len(c.boxes)
		c.Total = max(c.Total, c.Drawn)
		d.Total += c.Total
	}
}
