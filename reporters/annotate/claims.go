package annotate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/report"
)

// The most places for one symbol that only the text names. One is enough to
// look at; a common word stands everywhere.
const mostMentions = 3

// breaks annotates the references that remain, and the places that nothing here
// can read and that still name what went.
func (l *list) breaks() {
	for _, b := range l.report.Breaks {
		for _, ref := range b.References {
			certain := ref.Tier != "name" && ref.Tier != "import"
			level := Warning
			if !certain {
				level = Notice
			}
			message := fmt.Sprintf("%s in %s, tier %s", begun(spaced(ref.Kind)), named(ref.Name, ref.Path), ref.Tier)
			message = sentence(message, ref.Reason)
			if b.Total > 1 {
				message += fmt.Sprintf(" One of %s to %s that are left.", outline.Count(b.Total, "reference"), quoted(b.Name))
			}
			l.add(l.claim(report.RuleBreaks, b.Symbol, ref.Symbol), ref.Path, ref.Line, level, misses(b, certain), message)
		}
	}
	for _, b := range l.report.Breaks {
		l.mentions(b)
	}
}

// misses says what became of a symbol that is still used.
func misses(b report.Break, certain bool) string {
	is := func(sure, unsure string) string {
		if certain {
			return sure
		}
		return unsure
	}
	what := b.Kind + " " + quoted(b.Name)
	switch b.Change {
	case report.Removed:
		return what + " was removed and " + is("is", "may be") + " still used here"
	case report.Renamed:
		return what + " was renamed and " + is("is", "may be") + " still used by its old name here"
	case report.Moved:
		return what + " was moved and " + is("is", "may be") + " still looked for in its old place here"
	case report.Signature:
		return what + " has another signature, which this use " + is("does", "may") + " not fit"
	}
	return what + " changed, and this use " + is("does", "may") + " not fit it any more"
}

// telling are the reasons of mentions that speak for a use. A comment or a
// document that names a symbol breaks nothing.
var telling = map[string]bool{"file not parsed": true, "in a part that did not parse": true, "reference without target": true}

func (l *list) mentions(b report.Break) {
	if b.Checked != report.Contradicted {
		return
	}
	n := 0
	for _, m := range b.Mentions {
		if !telling[m.Reason] {
			continue
		}
		if n++; n > mostMentions {
			return
		}
		l.add(l.claim(report.RuleText, b.Symbol, m.Path), m.Path, m.Line, Notice,
			fmt.Sprintf("%s was %s, and this text still names it", quoted(b.Name), participle(b.Change)),
			fmt.Sprintf("Found by searching the text (%s): whether it is a use was not seen.", m.Reason))
	}
}

func participle(c report.Change) string {
	switch c {
	case report.Removed, report.Renamed, report.Moved:
		return string(c)
	}
	return "changed"
}

// api annotates what was exported and went, or changed so that it breaks those
// outside who use it. Where references of the repository itself are left, their
// annotations say it already.
func (l *list) api() {
	for _, c := range l.report.API.Changed {
		if c.Effect != report.Breaking {
			continue
		}
		s, ok := l.symbols[c.Symbol]
		if !ok {
			continue
		}
		message := begun(sentence("", c.Reason))
		if c.Reason == "" {
			message = fmt.Sprintf("Was %s, is %s.", c.From, c.To)
		}
		l.add(l.claim(report.RuleAPI, c.Symbol, ""), s.Path, s.Line, Warning,
			fmt.Sprintf("%s %s is exported and changed incompatibly", s.Kind, quoted(s.Name)), message)
	}
	broken := map[string]bool{}
	for _, b := range l.report.Breaks {
		broken[b.Symbol] = broken[b.Symbol] || b.Total > 0
	}
	for _, id := range l.report.API.Removed {
		claim := l.claim(report.RuleAPI, id, "")
		if s, ok := l.renamed[id]; ok {
			l.add(claim, s.Path, s.Line, Warning, fmt.Sprintf("%s %s was exported and is called %s now", s.Kind, quoted(s.Old.Name), quoted(s.Name)),
				"Code outside this repository that uses the old name breaks.")
			continue
		}
		s, ok := l.symbols[id]
		if !ok || broken[id] {
			continue
		}
		path, line := l.where(s)
		l.add(claim, path, line, Warning, fmt.Sprintf("%s %s was exported and is removed", s.Kind, quoted(s.Name)),
			"It stood in this file. Code outside this repository that uses it breaks.")
	}
}

// contracts annotates what those outside rely on by its name and what breaks for
// them.
func (l *list) contracts() {
	for _, c := range l.report.Contracts {
		if c.Effect != report.Breaking {
			continue
		}
		claim := l.claim(report.RuleContract, c.Kind+" "+c.Name, c.Path)
		path, line := c.Path, c.Line
		what := map[report.Change]string{report.Removed: "is removed", report.Renamed: "has another name", report.Signature: "changed incompatibly", report.Added: "demands more than before"}[c.Change]
		if c.Change == report.Removed && c.Kind != "sql" { // a migration removes where it stands
			line = 1
			if now, ok := l.now[path]; ok {
				path = now
			}
			if l.gone[path] {
				path, line = "", 0
			}
		}
		message := begun(sentence("", c.Reason))
		if message == "" {
			message = "Whoever uses it from outside breaks."
		}
		name := c.Name
		if c.Change == report.Renamed {
			name = c.Old
		}
		l.add(claim, path, line, Warning, fmt.Sprintf("%s %s %s", begun(spaced(c.Kind)), quoted(name), what), message)
	}
}

// where is the place of head that is nearest to a symbol that was removed: what
// contained it if that is known, else the top of its file. It is none if the
// file went too.
func (l *list) where(s report.SymbolChange) (path string, line int) {
	if l.gone[s.Path] {
		return "", 0
	}
	path = s.Path
	if now, ok := l.now[path]; ok {
		path = now
	}
	container := s.Name
	for {
		at := strings.LastIndexByte(container, '.')
		if at < 0 {
			return path, 1
		}
		container = container[:at]
		if line, ok := l.lines[[2]string{path, container}]; ok {
			return path, line
		}
	}
}

// cycles annotates the import that closes a ring of folders.
func (l *list) cycles() {
	d := &l.report.Dependencies
	for _, ring := range d.CyclesAdded {
		in := map[string]bool{}
		for _, folder := range ring {
			in[folder] = true
		}
		claim := l.claim(report.RuleCycle, strings.Join(ring, " "), "")
		for _, e := range d.Added {
			if !in[e.From] || !in[e.To] {
				continue
			}
			path, line := site(e.FirstSite)
			l.add(claim, path, line, Warning, "This import closes a cycle between folders",
				fmt.Sprintf("New cycle: %s.", ringOf(ring)))
			break
		}
	}
}

// ringOf writes a cycle so that it closes.
func ringOf(folders []string) string {
	var names []string
	for _, f := range append(slices.Clone(folders), folders[:min(1, len(folders))]...) {
		names = append(names, quoted(f))
	}
	return strings.Join(names, " → ")
}

// site takes "path:line" apart.
func site(s string) (path string, line int) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 1
	}
	line, err := strconv.Atoi(s[i+1:])
	if err != nil {
		return s, 1
	}
	return s[:i], line
}

// gaps annotates changed symbols that surely no test reaches. Where that is
// unknown there is nothing to say beside a line.
func (l *list) gaps() {
	for _, g := range l.report.Tests.Gaps {
		claim := l.claim(report.RuleUntested, g.Symbol, "")
		if g.State != "uncovered" || l.symbols[g.Symbol].Change == report.Removed {
			continue
		}
		message := begun(sentence("", g.Reason))
		if message != "" && g.CheckedText != "" {
			message += " "
		}
		l.add(claim, g.Path, g.Line, Notice, fmt.Sprintf("No test reaches %s, which changed", quoted(g.Name)), message+g.CheckedText)
	}
}

// documents annotates the sections that name what is not there any more, or not
// as they say.
func (l *list) documents() {
	for _, d := range l.report.Documents {
		claim := l.claim(report.RuleDocument, d.Path+"#"+d.Heading, "")
		level, what := Notice, ""
		switch d.Relation {
		case "mentions_removed":
			level, what = Warning, "what was removed or renamed"
		case "mentions_changed":
			what = "what has another signature now"
		default:
			continue
		}
		section := "This document"
		if d.Heading != "" {
			section = "Section " + quoted(d.Heading)
		}
		var names []string
		for i, id := range d.Symbols {
			if i == 5 {
				names = append(names, fmt.Sprintf("%d more", len(d.Symbols)-i))
				break
			}
			names = append(names, quoted(l.name(id)))
		}
		l.add(claim, d.Path, d.Line, level, "This text names "+what, fmt.Sprintf("%s names %s.", section, strings.Join(names, ", ")))
	}
}

// sentence makes one of a clause and its reason, or of either alone.
func sentence(clause, reason string) string {
	switch {
	case clause == "" && reason == "":
		return ""
	case clause == "":
		clause = reason
	case reason != "":
		clause += ": " + reason
	}
	return strings.TrimSuffix(clause, ".") + "."
}

// begun is a sentence that begins with a capital letter, if it begins with one
// of ASCII at all.
func begun(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

// named is a symbol, or the file if the symbol is all of it.
func named(name, path string) string {
	if name == path {
		return "the file itself"
	}
	return quoted(name)
}

// quoted is a name that is not so long that it hides the sentence around it.
func quoted(name string) string { return escape.Quoted(escape.Shorten(escape.Visible(name), 80)) }

func spaced(s string) string { return strings.ReplaceAll(s, "_", " ") }
