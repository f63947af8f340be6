package html

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/review/report"
)

// The measures of the picture, in pixels. The script knows them from the
// attributes of the picture, to close the gaps that a filter leaves.
const (
	boxWidth, boxHeight = 192, 40
	pitch               = 50 // from one box to the one below
	gap                 = 52 // between columns
	top                 = 44 // of the first box: the titles stand above
	margin              = 8
	inset               = 32     // left of the first column, where its own arrows run
	nameRoom, pathRoom  = 24, 28 // cells
)

// layout gives every box its place: columns from the changed symbols to the
// right, in each the tests last, and otherwise what refers to a box near it.
// The same report gives the same picture.
func (d *radius) layout() {
	for i := len(d.Columns) - 1; i > 0 && d.Columns[i].Total == 0; i-- {
		d.Columns = d.Columns[:i]
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		c.X = inset + i*(boxWidth+gap)
		arrange(c.boxes)
		for row, b := range c.boxes {
			b.X, b.Y = c.X, top+row*pitch
			d.Height = max(d.Height, b.Y+boxHeight+margin)
		}
	}
	slices.SortFunc(d.Boxes, func(a, b *box) int { return cmp.Or(cmp.Compare(a.Column, b.Column), cmp.Compare(a.Y, b.Y)) })
	for i, b := range d.Boxes { // in reading order, which is that of the Tab key
		b.N = i
	}
	d.Width = inset + margin + len(d.Columns)*(boxWidth+gap) - gap
	for _, b := range d.Boxes {
		b.Short = escape.Name(escape.Shorten(escape.Visible(b.Name), nameRoom))
		b.Where = escape.Name(escape.Shorten(escape.Visible(place(b.Path, b.Line)), pathRoom))
	}
	for _, a := range d.Arrows {
		a.Path = curve(a.From, a.To)
	}
}

// arrange orders the boxes of one column. Those to the left of it have their
// places already.
func arrange(list []*box) {
	if len(list) == 0 || list[0].Column == 0 {
		return
	}
	middle := func(b *box) int {
		sum, n := 0, 0
		for _, t := range b.targets {
			if t.Column < b.Column {
				sum, n = sum+t.Y, n+1
			}
		}
		if n == 0 {
			return 0
		}
		return sum / n
	}
	slices.SortStableFunc(list, func(a, b *box) int {
		return cmp.Or(cmp.Compare(one(a.Test), one(b.Test)), cmp.Compare(middle(a), middle(b)))
	})
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// curve is the line from one box to another: from the left side of a dependent
// to the right side of what it refers to, around the left within one column, and
// from right to left where a change further away is nearer to another one.
func curve(from, to *box) string {
	x1, x2 := from.X, to.X+boxWidth
	bend1, bend2 := -gap/2, gap/2
	switch {
	case from.Column == to.Column:
		x2, bend2 = to.X, -gap/2
	case from.Column < to.Column:
		x1, x2 = from.X+boxWidth, to.X
		bend1, bend2 = gap/2, -gap/2
	}
	y1, y2 := from.Y+boxHeight/2, to.Y+boxHeight/2
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+bend1, y1, x2+bend2, y2, x2, y2)
}

// The measures that the template needs.
func (d *radius) Top() int         { return top }
func (d *radius) Pitch() int       { return pitch }
func (d *radius) BoxWidth() int    { return boxWidth }
func (d *radius) BoxHeight() int   { return boxHeight }
func (d *radius) Inner() int       { return boxWidth - 3 }
func (d *radius) InnerHeight() int { return boxHeight - 3 }

// Depth is the distance of the last column.
func (d *radius) Depth() int { return len(d.Columns) - 1 }

// Changed are the boxes of the first column.
func (d *radius) Changed() []*box { return d.Columns[0].boxes }

// Signatures reports whether there are signatures to be compared.
func (b *box) Signatures() bool {
	has := func(v *report.Version) bool { return v != nil && v.Signature != "" }
	return b.Change != nil && (has(b.Change.Old) || has(b.Change.New))
}

// Place is where the symbol of a box is declared.
func (b *box) Place() string { return place(b.Path, b.Line) }

// At is a line of the file in which a box stands.
func (b *box) At(line int) string { return place(b.Path, line) }

// Label says of a box what its place and form say to the eye.
func (b *box) Label() string {
	clauses := []string{escape.Name(escape.Shorten(escape.Visible(b.Name), widestName)), words(b.Place())}
	if b.Test {
		clauses[0] = "test " + clauses[0]
	}
	if b.Change != nil {
		clauses = append(clauses, b.Change.Verb)
	}
	if len(b.Reaches) > 0 {
		near := b.Reaches[0]
		clauses = append(clauses, "distance "+strconv.Itoa(near.Distance), "tier "+words(near.Tier))
	}
	return strings.Join(clauses, ", ")
}

// ReachNumbers are the changed boxes that a box reaches, for the script.
func (b *box) ReachNumbers() string {
	var list []*box
	for _, way := range b.Reaches {
		list = append(list, way.To)
	}
	return numbers(list)
}

// WayNumbers are the boxes from this one to the nearest change, for the script.
func (b *box) WayNumbers() string {
	if len(b.Reaches) == 0 {
		return ""
	}
	return numbers(slices.Concat([]*box{b}, b.Reaches[0].Way, []*box{b.Reaches[0].To}))
}

func numbers(list []*box) string {
	var out []string
	for _, b := range list {
		out = append(out, strconv.Itoa(b.N))
	}
	return strings.Join(out, " ")
}

func place(path string, line int) string {
	if line > 0 {
		return path + ":" + strconv.Itoa(line)
	}
	return path
}
