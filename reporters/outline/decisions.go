package outline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/review/report"
)

// decisions lists what was decided earlier about the changed code. One that is not in
// force any more stands last.
func decisions(r *report.Report, n map[string]symbol) Section {
	b := Block{Layout: List, Noun: "decision", Total: len(r.Decisions)}
	states := map[string]int{}
	for _, d := range r.Decisions {
		state := spaced(string(d.State))
		if d.Validity != report.InForce {
			state = spaced(string(d.Validity))
		}
		states[state]++
		head := Cell{strong(state), word(" %s: ", spaced(d.Kind)), name(d.Title), word(" in "), place(d.Path, 0)}
		b.Rows = append(b.Rows, Row{Key: d.ID, Cells: []Cell{because(head, d.Reason)}})
		for _, c := range d.Cites {
			if c.Changed || c.State != report.DecisionApplies {
				b.Rows = append(b.Rows, Row{Level: 1, Cells: []Cell{cited(c, n)}})
			}
		}
	}
	var clauses []string
	for _, s := range []string{"applies", "drifted", "source missing", "not yet", "expired", "superseded", "unknown"} {
		clauses = append(clauses, few(states[s], " "+s))
	}
	found := some(len(r.Decisions), "earlier decision", " about what changes: "+sum(clauses...))
	return section(r, "decisions", "Decisions", said(found), "none about what changes", b)
}

// cited says what became of code that a decision is about.
func cited(c report.DecisionCite, n map[string]symbol) Cell {
	cell := Cell{name(lookup(n, c.Symbol).name)}
	if c.Now != "" {
		cell = append(cell, word(", now "), name(lookup(n, c.Now).name))
	}
	if c.Path != "" {
		cell = append(cell, word(" at "), place(c.Path, c.Line))
	}
	switch {
	case c.State == report.SourceMissing && c.Drifted == "here":
		return append(cell, word(" is removed here"))
	case c.State == report.SourceMissing:
		return append(cell, word(" was gone before"))
	case c.State == report.DecisionApplies:
		return append(cell, word(" is touched, its body is as it was"))
	case c.Drifted == "here":
		cell = append(cell, word(" is changed here"))
	default:
		cell = append(cell, word(" had changed before"))
	}
	return append(cell, drift(c)...)
}

// drift shows the first lines in which code differs from what was decided about.
func drift(c report.DecisionCite) Cell {
	const most = 4
	var cell Cell
	for i, l := range c.Lines {
		if i == most {
			return append(cell, word(" and %s", Count(len(c.Lines)-most+c.Omitted, "more line")))
		}
		sign, sep := "− ", ", "
		if l.Added {
			sign = "+ "
		}
		if i == 0 {
			sep = ": "
		}
		cell = append(cell, word("%s", sep), name(sign+strings.TrimSpace(l.Text)))
	}
	return cell
}

// owners lists who owns what is changed or reached, each set of owners once.
func owners(r *report.Report) Section {
	type group struct {
		owners           []string
		changed, reached []string
	}
	var groups []*group
	byOwners := map[string]*group{}
	changed, reached, nobody := 0, 0, 0
	for _, o := range r.Owners {
		key := strings.Join(o.Owners, " ")
		g := byOwners[key]
		if g == nil {
			g = &group{owners: o.Owners}
			byOwners[key], groups = g, append(groups, g)
		}
		switch {
		case o.Why == "changed":
			changed++
			g.changed = append(g.changed, o.Path)
			if len(o.Owners) == 0 {
				nobody++
			}
		default:
			reached++
			g.reached = append(g.reached, o.Path)
		}
	}
	slices.SortStableFunc(groups, func(a, c *group) int {
		if d := len(c.changed) - len(a.changed); d != 0 {
			return d
		}
		return len(c.reached) - len(a.reached)
	})
	b := Block{Layout: List, Noun: "owner group", Total: len(groups)}
	var asked []string
	for i, g := range groups {
		c := Cell{strong("nobody")}
		if len(g.owners) > 0 {
			c = names(g.owners, 10)
		}
		c = append(c, word(": %s", sum(some(len(g.changed), "changed file", ""), some(len(g.reached), "file", " that is reached"))))
		c = leading(c, append(slices.Clone(g.changed), g.reached...), 3)
		b.Rows = append(b.Rows, Row{Key: strconv.Itoa(i), Cells: []Cell{c}})
		for _, o := range g.owners {
			if len(g.changed) > 0 && !slices.Contains(asked, o) {
				asked = append(asked, o)
			}
		}
	}
	var found Cell
	if changed+reached-nobody > 0 {
		found = names(asked, 3)
		if len(found) > 0 {
			found = append(found, word(" for "))
		}
		found = append(found, word("%s", sum(some(changed-nobody, "changed file", ""), some(nobody, "changed file", " without owner"), some(reached, "file", " only reached"))))
	}
	nothing := "no CODEOWNERS file at the merge base"
	if len(r.Owners) > 0 {
		nothing = "nobody owns these files"
	}
	return section(r, "owners", "Owners", found, nothing, b)
}

// history lists what earlier commits tell: what is taken back, what usually changes
// along and does not here, and how often the files changed.
func history(r *report.Report) Section {
	h := r.History
	back := Block{Layout: List, Title: "Earlier commits taken back or applied again", Noun: "commit", Total: len(h.Reverts)}
	var taken []string
	for _, v := range h.Reverts {
		c := Cell{strong(v.Relation), word(" "), name(Short(v.Commit)), word(" "), name(v.Title)}
		if v.Basis == "content" {
			c = append(c, word(": %d of %s to the byte", len(v.Files), Count(v.Of, "file")))
		} else {
			c = append(c, word(": a message says so"))
		}
		taken = append(taken, Short(v.Commit))
		back.Rows = append(back.Rows, Row{Key: v.Commit, Cells: []Cell{c}})
	}
	along := Block{Layout: List, Title: "Usually changed together, absent here", Noun: "file", Most: 10, Total: h.CoChangeTotal}
	for _, c := range h.CoChange {
		along.Rows = append(along.Rows, Row{Key: c.Path, Cells: []Cell{{place(c.Path, 0),
			word(" changed in %d of %s of ", c.Together, Count(c.Of, "commit")), place(c.With, 0)}}})
	}
	files := Block{Layout: List, Title: "How often the changed files changed, of " + Count(h.Commits, "commit"), Noun: "file", Most: 10, Total: len(h.Files)}
	busiest := slices.Clone(h.Files)
	slices.SortStableFunc(busiest, func(a, b report.FileHistory) int { return b.Commits - a.Commits })
	for _, f := range busiest {
		c := append(Cell{place(f.Path, 0), word(": %s", Number(f.Commits))}, lastBy(f.Authors)...)
		files.Rows = append(files.Rows, Row{Key: f.Path, Cells: []Cell{c}})
	}
	var found Cell
	if len(taken) > 0 {
		found = leading(said(few(len(taken), " earlier "+agree(len(taken), "commit", "commits")+" taken back or applied again")), taken, 2)
	}
	if h.CoChangeTotal > 0 {
		if found != nil {
			found = append(found, word("; "))
		}
		var absent []string
		for _, c := range h.CoChange {
			absent = append(absent, c.Path)
		}
		found = leading(append(found, word("%s usually changed along, absent here", Count(h.CoChangeTotal, "file"))), absent, 2)
	}
	if h.Commits > 0 && found == nil {
		return section(r, "history", "History", nil, "nothing unusual in "+Count(h.Commits, "earlier commit"), back, along, files)
	}
	return section(r, "history", "History", found, "nothing before", back, along, files)
}

func lastBy(authors []string) Cell {
	if len(authors) == 0 {
		return nil
	}
	return append(Cell{word(", last by ")}, names(authors, 3)...)
}
