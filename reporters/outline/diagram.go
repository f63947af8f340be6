package outline

import "github.com/previdence/previdence/review/report"

// mostBoxes keeps a diagram readable in a comment.
const mostBoxes = 30

// diagram draws the changed symbols and those who reach them, nearest first:
// three of each changed symbol, then up to ten, then the rest, while there is
// room. A path is drawn whole or not at all. Fewer than two boxes are no
// picture.
func diagram(r *report.Report, n map[string]symbol) *Diagram {
	d := &drawing{names: n, boxes: map[string]int{}, arrows: map[[2]int]bool{}}
	bounds := []int{0, 3, 10, mostBoxes}
	for i := range len(bounds) - 1 {
		for _, s := range r.Impact.Symbols {
			for j := min(bounds[i], len(s.Dependents)); j < min(bounds[i+1], len(s.Dependents)); j++ {
				d.path(s, s.Dependents[j])
			}
		}
	}
	if len(d.out.Boxes) < 2 {
		return nil
	}
	changed := 0
	for _, s := range r.Impact.Symbols {
		if s.Total > 0 {
			changed++
		}
	}
	d.out.Total = max(r.Impact.Total+changed, len(d.out.Boxes))
	return &d.out
}

// A drawing is a diagram while it is made.
type drawing struct {
	names  map[string]symbol
	boxes  map[string]int
	arrows map[[2]int]bool
	out    Diagram
}

// path draws the way from a dependent to the changed symbol s.
func (d *drawing) path(s report.SymbolImpact, dep report.Dependent) {
	way := append(append([]string{dep.Symbol}, dep.PathThrough...), s.Symbol)
	missing := map[string]bool{}
	for _, id := range way {
		if _, ok := d.boxes[id]; !ok {
			missing[id] = true
		}
	}
	if len(d.out.Boxes)+len(missing) > mostBoxes {
		return
	}
	to := d.box(s.Symbol, Box{Name: s.Name, Changed: true})
	for i := len(way) - 2; i >= 0; i-- {
		box, kind := Box{Name: lookup(d.names, way[i]).name}, ""
		if i == 0 {
			box, kind = Box{Name: dep.Name, Test: dep.Test}, dep.Kind
		}
		from := d.box(way[i], box)
		if pair := [2]int{from, to}; !d.arrows[pair] {
			d.arrows[pair] = true
			d.out.Arrows = append(d.out.Arrows, Arrow{From: from, To: to, Kind: kind})
		}
		to = from
	}
}

// box returns the index of a symbol's box, and adds it if there is none. A
// changed symbol that was drawn on the way to another becomes a changed one.
func (d *drawing) box(id string, b Box) int {
	if i, ok := d.boxes[id]; ok {
		d.out.Boxes[i].Changed = d.out.Boxes[i].Changed || b.Changed
		return i
	}
	i := len(d.out.Boxes)
	d.boxes[id] = i
	d.out.Boxes = append(d.out.Boxes, b)
	return i
}
