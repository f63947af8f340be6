package review

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/filekind"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// A hit is one place in the text of head that names something.
type hit struct {
	path    string
	line    int
	member  bool // it is written as part of something, such as a.name
	comment bool // it seems to stand in a comment or a string
}

// text is the outcome of one search through every file of head.
type text struct {
	hits     map[string][]hit
	totals   map[string]int // all hits, also those over the cap
	searched int            // files read
	skipped  int            // files that hold no text or could not be read
	names    map[string]bool
	known    map[string]map[place]bool // places that the graph explains, by name
}

type place struct {
	path string
	line int
}

// A common name says nothing: past these bounds a mention in a file that was
// not parsed is no contradiction.
const (
	minTelling  = 4  // letters
	maxMentions = 40 // mentions outside parsed code
)

// checkRemoved checks "nothing else refers to it" for a symbol that is gone.
func (r *reviewer) checkRemoved(b breakage) *report.Check {
	s := r.was(b.change)
	name := searchName(s)
	if b.listed || b.change.kind == report.Signature || name == "" {
		return checkListed()
	}
	if implicit(s) {
		return checkImplicit()
	}
	listed := map[place]bool{}
	for _, ref := range b.refs {
		listed[place{ref.Path, ref.Line}] = true
	}
	if b.change.head != graph.None && r.symbol(b.change).Name == s.Name {
		return r.check(name, "reference to the old place of "+code(s), listed, nil)
	}
	return r.check(name, "other reference to "+code(s), listed, nil)
}

// checkListed is the check of a break whose references the graph proves.
func checkListed() *report.Check {
	return &report.Check{
		Checked:     report.NotConfirmed,
		CheckedText: "The listed references are certain. Uses through values of unknown type were not judged.",
		Mentions:    []report.Mention{},
	}
}

// checkAlone checks "nothing refers to it" for a changed symbol.
func (r *reviewer) checkAlone(s *graph.Symbol) *report.Check {
	if implicit(s) {
		return checkImplicit()
	}
	return r.check(searchName(s), "reference to "+code(s), nil, nil)
}

// CheckAbsent checks "nothing refers to it" for one symbol of a graph by searching
// the text of its tree, as a review checks what it claims.
func CheckAbsent(ctx context.Context, g *graph.Graph, blobs Blobs, symbol graph.SymbolID) (*report.Check, error) {
	i, ok := g.Find(symbol)
	if !ok {
		return nil, fmt.Errorf("%s is not in the graph", symbol)
	}
	r := &reviewer{Input: Input{Head: g, Blobs: blobs, Limits: DefaultLimits}}
	s := &g.Symbols[i]
	if implicit(s) || searchName(s) == "" {
		return r.checkAlone(s), nil
	}
	if err := r.searchNames(ctx, []string{searchName(s)}); err != nil {
		return nil, err
	}
	return r.checkAlone(s), nil
}

// CheckUnknown checks "nothing has this name" for a name that is no symbol of a
// graph.
func CheckUnknown(ctx context.Context, g *graph.Graph, blobs Blobs, name string) (*report.Check, error) {
	r := &reviewer{Input: Input{Head: g, Blobs: blobs, Limits: DefaultLimits}}
	if err := r.searchNames(ctx, []string{name}); err != nil {
		return nil, err
	}
	return r.check(name, "mention of "+name, nil, nil), nil
}

func checkImplicit() *report.Check {
	return &report.Check{Checked: report.NotConfirmed, CheckedText: "The language calls it without naming it.", Mentions: []report.Mention{}}
}

// checkUntested checks "no test reaches it". A use in the code beside the tests
// speaks against it, though no known way leads there from a test.
func (r *reviewer) checkUntested(symbol int32) *report.Check {
	s := &r.Head.Symbols[symbol]
	if implicit(s) {
		return checkImplicit()
	}
	c := r.check(searchName(s), "mention of "+code(s)+" in a test", nil, r.inTests)
	var uses []report.Mention
	for _, i := range r.Head.In(symbol) {
		e := &r.Head.Edges[i]
		if from := &r.Head.Symbols[e.From]; r.inTests(from.Path) && len(e.Lines) > 0 {
			uses = append(uses, report.Mention{Path: from.Path, Line: int(e.Lines[0]), Reason: whyBeside})
		}
	}
	if len(uses) == 0 {
		return c
	}
	slices.SortFunc(uses, func(a, b report.Mention) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line)) })
	uses = slices.Compact(uses)
	c.MentionsTotal += len(uses)
	c.Mentions = append(uses, c.Mentions...)
	c.Mentions = c.Mentions[:min(len(c.Mentions), r.Limits.Mentions)]
	c.Checked, c.CheckedText = report.NotConfirmed, fmt.Sprintf("Code beside the tests uses it in %s that no known way from a test leads to.", places(len(uses)))
	return c
}

// implicit is true for what a language calls by a rule: Python's __eq__, Go's
// init and main.
func implicit(s *graph.Symbol) bool {
	switch s.Language {
	case "python":
		return strings.HasPrefix(s.Name, "__") && strings.HasSuffix(s.Name, "__")
	case "go":
		return s.Container == "" && (s.Name == "init" || s.Name == "main")
	}
	return s.Kind == graph.KindConstructor
}

// code names a symbol in a sentence of the report. Renderers escape it.
func code(s *graph.Symbol) string { return display(s) }

// searchName is the identifier whose absence is searched. A file is searched by
// its stem, and not at all if the stem says nothing.
func searchName(s *graph.Symbol) string {
	if s.Kind != graph.KindModule {
		if s.Kind == graph.KindTest || s.Kind == graph.KindPackage || s.Kind == graph.KindLiteral {
			return ""
		}
		if s.Language == "go" && (s.Name == "init" || s.Name == "_") {
			return "" // nothing can refer to it
		}
		if s.Kind == graph.KindReexport && (s.Name == "default" || passesAll(s)) {
			return "" // a keyword or a sign, not a name
		}
		return s.Name
	}
	if s.Language == "go" {
		return "" // a file of a package has no name there
	}
	stem := strings.TrimSuffix(path.Base(s.Path), path.Ext(s.Path))
	if stem == "index" || strings.HasPrefix(stem, "__") {
		stem = path.Base(path.Dir(s.Path))
	}
	if strings.ContainsFunc(stem, func(r rune) bool { return r == '.' || r == '-' || r == '/' }) {
		return ""
	}
	return stem
}

// check judges a negative claim by the places in the text that name the symbol
// without the graph knowing why. Only, if given, limits the search to files.
func (r *reviewer) check(name, claim string, listed map[place]bool, only func(string) bool) *report.Check {
	c := &report.Check{Mentions: []report.Mention{}}
	if r.text == nil || name == "" || !r.text.names[name] {
		c.Checked, c.CheckedText = report.NotConfirmed, "The text of the tree was not searched for this name."
		return c
	}
	var mentions []report.Mention
	unread, outside := 0, 0
	known := r.knownPlaces(name)
	for _, h := range r.text.hits[name] {
		at := place{h.path, h.line}
		if listed[at] || known[at] || only != nil && !only(h.path) {
			continue
		}
		reason, parsed := r.whyUnknown(h)
		if !parsed {
			unread++
		}
		outside++
		mentions = append(mentions, report.Mention{Path: h.path, Line: h.line, Reason: reason})
	}
	slices.SortStableFunc(mentions, func(a, b report.Mention) int {
		return cmp.Or(cmp.Compare(mentionRank(a.Reason), mentionRank(b.Reason)), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	c.MentionsTotal = outside
	if len(mentions) > r.Limits.Mentions {
		mentions = mentions[:r.Limits.Mentions]
	}
	c.Mentions = append(c.Mentions, mentions...)
	r.judge(c, name, claim, unread, outside)
	return c
}

// judge puts the counts of a search into a state and a sentence.
func (r *reviewer) judge(c *report.Check, name, claim string, unread, outside int) {
	searched := fmt.Sprintf("%d files searched as text", r.text.searched)
	switch {
	case r.text.totals[name] > len(r.text.hits[name]):
		c.Checked = report.NotConfirmed
		c.CheckedText = fmt.Sprintf("%s: the name stands in %d places, too many to tell apart.", searched, r.text.totals[name])
	case outside == 0 && r.text.skipped == 0:
		c.Checked, c.CheckedText = report.Confirmed, fmt.Sprintf("%s: no %s.", searched, claim)
	case outside == 0:
		c.Checked = report.Confirmed
		c.CheckedText = fmt.Sprintf("%s, %d hold no text: no %s.", searched, r.text.skipped, claim)
	case unread > 0 && unread <= maxMentions && len(name) >= minTelling:
		c.Checked = report.Contradicted
		c.CheckedText = fmt.Sprintf("%s: named in %s that the graph could not read.", searched, places(unread))
	default:
		c.Checked = report.NotConfirmed
		c.CheckedText = fmt.Sprintf("%s: %s that the graph does not explain.", searched, mentionsOf(outside))
	}
}

func places(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}

func mentionsOf(n int) string {
	if n == 1 {
		return "1 mention"
	}
	return fmt.Sprintf("%d mentions", n)
}

// Reasons of a mention, the ones that weigh most first.
const (
	whyNotParsed  = "file not parsed"
	whyGap        = "in a part that did not parse"
	whyUnresolved = "reference without target"
	whyBeside     = "code beside the tests"
	whyCode       = "code that the graph did not link to it"
	whyComment    = "comment or string"
	whyDerived    = "lockfile, generated or vendored file"
	whySetting    = "setting or package of that name"
	whyDocument   = "document"
)

func mentionRank(reason string) int {
	return slices.Index([]string{whyGap, whyNotParsed, whyUnresolved, whyBeside, whyCode, whyComment, whyDerived, whySetting, whyDocument}, reason)
}

// whyUnknown says what kind of place a mention stands in, and whether the graph
// has read that place.
func (r *reviewer) whyUnknown(h hit) (string, bool) {
	f, ok := r.Head.File(h.path)
	if !ok || f.State != graph.FileParsed && f.State != graph.FilePartial {
		if isProse(h.path) {
			return whyDocument, true
		}
		switch filekind.Of(h.path, string(worktree.ModeFile), nil, nil) {
		case filekind.Lockfile, filekind.Generated, filekind.Vendored:
			return whyDerived, true
		case filekind.Config:
			// There a word of its own is a setting, the name of a package, a key:
			// what means code says where it lies.
			if !h.member {
				return whySetting, true
			}
		}
		return whyNotParsed, false
	}
	if graph.IsDocument(f.Language) {
		return whyDocument, true
	}
	for _, gap := range f.Gaps {
		if h.line >= gap.Start && h.line <= gap.End {
			return whyGap, false
		}
	}
	switch {
	case r.unresolvedAt(h):
		return whyUnresolved, true
	case h.comment:
		return whyComment, true
	}
	return whyCode, true
}

// isProse is true for text that is read by people only: to name a symbol there
// breaks nothing.
func isProse(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".markdown", ".rst", ".adoc", ".txt":
		return true
	}
	switch base := strings.ToUpper(strings.TrimSuffix(path.Base(p), path.Ext(p))); base {
	case "CHANGELOG", "CHANGES", "HISTORY", "NEWS", "AUTHORS", "LICENSE", "NOTICE":
		return true
	}
	return false
}

func (r *reviewer) unresolvedAt(h hit) bool {
	if r.unresolvedPlaces == nil {
		r.unresolvedPlaces = map[place]bool{}
		for i := range r.Head.Unresolved {
			u := &r.Head.Unresolved[i]
			r.unresolvedPlaces[place{r.Head.Symbols[u.From].Path, int(u.Line)}] = true
		}
	}
	return r.unresolvedPlaces[place{h.path, h.line}]
}

// knownPlaces are the lines on which the graph itself has the name: definitions
// of that name and references that it resolved to one.
func (r *reviewer) knownPlaces(name string) map[place]bool {
	if k, ok := r.text.known[name]; ok {
		return k
	}
	k := map[place]bool{}
	for _, i := range r.byName()[name] {
		s := &r.Head.Symbols[i]
		k[place{s.Path, s.Line}] = true
		for _, e := range r.Head.In(i) {
			edge := &r.Head.Edges[e]
			for _, l := range edge.Lines {
				k[place{r.Head.Symbols[edge.From].Path, int(l)}] = true
			}
		}
	}
	r.text.known[name] = k
	return k
}

// byName indexes the symbols of head; files stand under their search name.
func (r *reviewer) byName() map[string][]int32 {
	if r.named == nil {
		r.named = map[string][]int32{}
		for i := range r.Head.Symbols {
			if n := searchName(&r.Head.Symbols[i]); n != "" {
				r.named[n] = append(r.named[n], int32(i))
			}
		}
	}
	return r.named
}
