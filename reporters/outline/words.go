package outline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/previdence/previdence/review/report"
)

// Number writes n with a comma every three digits.
func Number(n int) string { return humanize.Comma(int64(n)) }

// Count writes a number and what it counts: "1 reference", "2 references".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "y"):
		noun = noun[:len(noun)-1] + "ies"
	case strings.HasSuffix(noun, "ss"):
		noun += "es"
	default:
		noun += "s"
	}
	return Number(n) + " " + noun
}

// Note says how many of a block's things are shown: "12 of 340 dependents
// shown", or "" if it is all of them.
func (b *Block) Note(rank int) string {
	if _, shown := b.Shown(rank); shown < b.Total {
		return fmt.Sprintf("%s of %s shown", Number(shown), Count(b.Total, b.Noun))
	}
	return ""
}

// Short is an object ID or digest as people quote it.
func Short(id string) string {
	kind, hex, found := strings.Cut(id, ":")
	if !found {
		kind, hex = "", id
	} else {
		kind += ":"
	}
	if len(hex) > 12 {
		hex = hex[:12]
	}
	return kind + hex
}

// verbs say what happened to a symbol.
var verbs = map[report.Change]string{
	report.Removed:    "removed",
	report.Signature:  "signature changed",
	report.Body:       "body changed",
	report.Attributes: "attributes changed",
	report.Renamed:    "renamed",
	report.Moved:      "moved",
	report.Added:      "added",
	report.Doc:        "doc changed",
	report.Formatting: "reformatted",
}

// Verb says in a few words what happened to a symbol.
func Verb(c report.Change) string {
	if v, ok := verbs[c]; ok {
		return v
	}
	return string(c)
}

// spaced writes a name of the contract as words: "http_route" → "http route".
func spaced(s string) string { return strings.ReplaceAll(s, "_", " ") }

func word(format string, args ...any) Part { return Part{Word, fmt.Sprintf(format, args...)} }
func strong(s string) Part                 { return Part{Strong, s} }
func name(s string) Part                   { return Part{Name, s} }

func place(path string, line int) Part {
	if line > 0 {
		path += ":" + strconv.Itoa(line)
	}
	return Part{Place, path}
}

// because appends a reason, if there is one.
func because(c Cell, reason string) Cell {
	if reason != "" {
		c = append(c, word(": %s", reason))
	}
	return c
}

// names writes a few names in a row, with the number of those left out.
func names(list []string, most int) Cell {
	var c Cell
	for i, s := range list {
		if i == most {
			return append(c, word(" and %s more", Number(len(list)-most)))
		}
		if i > 0 {
			c = append(c, word(", "))
		}
		c = append(c, name(s))
	}
	return c
}

// sum joins the clauses of a headline that say something.
func sum(clauses ...string) string {
	var said []string
	for _, c := range clauses {
		if c != "" {
			said = append(said, c)
		}
	}
	return strings.Join(said, ", ")
}

// some is a clause about n things, or nothing if there are none.
func some(n int, noun, rest string) string {
	if n == 0 {
		return ""
	}
	return Count(n, noun) + rest
}

// few is some for things that the title names.
func few(n int, rest string) string {
	if n == 0 {
		return ""
	}
	return Number(n) + rest
}

// said is a cell of words, or an empty one if there are none.
func said(text string) Cell {
	if text == "" {
		return nil
	}
	return Cell{word("%s", text)}
}

// leading appends the first few names to a clause: "2 removed: A, B".
func leading(c Cell, list []string, most int) Cell {
	if len(list) == 0 {
		return c
	}
	return append(append(c, word(": ")), names(list, most)...)
}

// section makes a section whose headline says found, or nothing if that is
// empty. How much was seen is added by [Outline.seen].
func section(r *report.Report, name, title string, found Cell, nothing string, blocks ...Block) Section {
	s := Section{Name: name, Title: title, Headline: found, State: r.Section(name), negative: len(found) == 0}
	if s.negative {
		s.Headline = said(nothing)
		if s.State.State == report.Unavailable {
			s.Headline = said("not looked at")
		}
	}
	for _, b := range blocks {
		if len(b.Rows) > 0 {
			s.Blocks = append(s.Blocks, b)
		}
	}
	return s
}

// seen adds to the headlines how much each section saw. A reason that several
// sections share is said once, beside the reasons of the verdict; then only
// those are marked that say that something is not there.
func (o *Outline) seen() {
	labels := map[report.State]string{report.Partial: "seen in part", report.Unavailable: "unavailable"}
	sharing := map[string]int{}
	for _, s := range o.Sections {
		sharing[s.State.Reason]++
	}
	told := map[string]bool{"": true}
	for i := range o.Sections {
		s := &o.Sections[i]
		s.Found = s.Headline
		label, limited := labels[s.State.State]
		if !limited {
			continue
		}
		reason := s.State.Reason
		switch {
		case reason != "" && sharing[reason] == 1:
			s.Headline = append(s.Headline, word(" (%s: %s)", label, reason))
			continue
		case s.negative || s.State.State == report.Unavailable:
			s.Headline = append(s.Headline, word(" (%s)", label))
		}
		if !told[reason] {
			told[reason] = true
			o.Reasons = append(o.Reasons, Reason{Rule: label, Text: reason})
		}
	}
}

// asides are the sections that only speak up if they have something: what a reviewer
// wants to be told is not there stands alone.
var asides = []string{"contracts", "groups", "documents", "decisions", "owners", "history"}

// gather puts the asides that have nothing to say into one line, in the place of the
// first of them. One alone stays as it is, and so does one that says for itself why it
// did not see all.
func (o *Outline) gather() {
	sharing := map[string]int{}
	for _, s := range o.Sections {
		sharing[s.State.Reason]++
	}
	silent := func(s Section) bool {
		own := s.State.Reason != "" && sharing[s.State.Reason] == 1
		return s.negative && len(s.Blocks) == 0 && !own && s.State.State != report.Unavailable && slices.Contains(asides, s.Name)
	}
	at := slices.IndexFunc(o.Sections, silent)
	var titles []string
	state := report.Section{State: report.Complete}
	for _, s := range o.Sections {
		if !silent(s) {
			continue
		}
		title := strings.ToLower(s.Title)
		if s.State.State == report.Partial {
			title, state = title+" (seen in part)", s.State
		}
		titles = append(titles, title)
	}
	if len(titles) < 2 {
		return
	}
	all := Section{Name: "nothing", Title: "Nothing in", Headline: said(strings.Join(titles, ", ")), State: state, negative: true}
	all.Found = all.Headline
	kept := slices.DeleteFunc(slices.Clone(o.Sections[at:]), silent)
	o.Sections = append(append(o.Sections[:at], all), kept...)
}

// A symbol is what the report says about an ID somewhere.
type symbol struct {
	name, path string
	line       int
}

// index collects the name and place of every ID in the report. Where several
// places name one, the changed symbols win: they were looked at themselves.
func index(r *report.Report) map[string]symbol {
	n := map[string]symbol{}
	add := func(id, name, path string, line int) {
		if _, ok := n[id]; !ok && id != "" && name != "" {
			n[id] = symbol{name, path, line}
		}
	}
	for _, s := range r.Changes.Symbols {
		add(s.ID, s.Name, s.Path, s.Line)
		if old := formerID(s); old != "" {
			add(old, s.Old.Name, s.Old.Path, s.Old.Line)
		}
	}
	for _, b := range r.Breaks {
		add(b.Symbol, b.Name, b.Path, b.Line)
	}
	for _, s := range r.Impact.Symbols {
		for _, d := range s.Dependents {
			add(d.Symbol, d.Name, d.Path, d.Line)
		}
	}
	for _, t := range r.Tests.ToRun {
		add(t.ID, t.Name, t.Path, t.Line)
	}
	return n
}

// formerID is the ID under which the merge base had a renamed symbol, or "".
func formerID(s report.SymbolChange) string {
	if s.Old == nil || s.Old.Name == "" {
		return ""
	}
	return s.Language + ":" + s.Old.Path + "#" + s.Old.Name + "/" + s.Kind
}

// lookup returns what is known about an ID. An ID that nothing else names is
// taken apart: "<language>:<path>#<name>/<kind>".
func lookup(n map[string]symbol, id string) symbol {
	if s, ok := n[id]; ok {
		return s
	}
	_, rest, ok := strings.Cut(id, ":")
	if !ok {
		return symbol{name: id}
	}
	path, local, ok := strings.Cut(rest, "#")
	if !ok {
		return symbol{name: id}
	}
	if i := strings.LastIndexByte(local, '/'); i > 0 {
		local = local[:i]
	} else if i == 0 {
		local = path
	}
	return symbol{name: local, path: path}
}

// NameOf is what a symbol is called by its ID alone: "<language>:<path>#<name>/<kind>".
func NameOf(id string) string { return lookup(nil, id).name }

// Named takes an ID apart that nothing else in a report names.
func Named(id string) (name, path string) {
	s := lookup(nil, id)
	return s.name, s.path
}

// named returns the names of IDs.
func named(n map[string]symbol, ids []string) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = lookup(n, id).name
	}
	return list
}
