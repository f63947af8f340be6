package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/review/report"
)

// graphSchema names the version of the JSON answers below. Fields may be added
// to it; a field never changes its meaning.
const graphSchema = "previdence.graph/v1"

// A header says what an answer is about. Every answer begins with it.
type header struct {
	Schema         string  `json:"schema"`
	RepositoryRoot string  `json:"repository_root"` // absolute
	Head           string  `json:"head"`            // commit that the answer is about
	Tree           string  `json:"tree"`
	GraphDigest    string  `json:"graph_digest"`
	Coverage       summary `json:"coverage"`
}

// A summary counts the files of the tree by how much of them was seen.
type summary struct {
	Files     int `json:"files"`
	Parsed    int `json:"parsed"`
	Partial   int `json:"partial"`
	NotParsed int `json:"not_parsed"`
}

func summarize(c store.Coverage) summary {
	s := summary{Files: len(c.Files)}
	for _, f := range c.Files {
		switch f.State {
		case graph.FileParsed:
			s.Parsed++
		case graph.FilePartial:
			s.Partial++
		default:
			s.NotParsed++
		}
	}
	return s
}

func (r *reading) header() header {
	return header{
		Schema: graphSchema, RepositoryRoot: r.Root, Head: string(r.Commit), Tree: string(r.Tree),
		GraphDigest: r.DB.Stamp().Digest, Coverage: summarize(r.coverage),
	}
}

// footer is the header as the last lines of a text.
func (r *reading) footer() string {
	return fmt.Sprintf("\nat %s, graph %s, from %s\n", short(string(r.Commit)), short(r.DB.Stamp().Digest), r.seen())
}

// A symbolAnswer is one symbol.
type symbolAnswer struct {
	ID        string `json:"id"`
	Name      string `json:"name"` // with its containers
	Kind      string `json:"kind"`
	Language  string `json:"language"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
	EndLine   int    `json:"end_line"`
	Exported  bool   `json:"exported"`
	Test      bool   `json:"test"`
	Signature string `json:"signature"`
}

func describe(s graph.Symbol) symbolAnswer {
	return symbolAnswer{
		ID: string(s.ID), Name: s.Qualified(), Kind: s.Kind.String(), Language: s.Language, Path: s.Path,
		Line: s.Line, EndLine: s.EndLine, Exported: s.Exported, Test: s.Test, Signature: s.Signature,
	}
}

func describeAll(symbols []graph.Symbol) []symbolAnswer {
	out := make([]symbolAnswer, len(symbols))
	for i, s := range symbols {
		out[i] = describe(s)
	}
	return out
}

// title is a symbol in one line of a text: what it is, then where.
func (s symbolAnswer) title() string {
	name := s.Name
	if name == "" {
		name = s.Path // a file has no other name
	}
	return fmt.Sprintf("%s %s  %s:%d", s.Kind, inert(name), inert(s.Path), s.Line)
}

// An edgeAnswer is one edge seen from one of its ends.
type edgeAnswer struct {
	Symbol symbolAnswer `json:"symbol"` // at the other end
	Kind   string       `json:"kind"`
	Tier   string       `json:"tier"`
	Lines  []int32      `json:"lines"` // of the sites, in the file of the symbol that refers
}

func describeEdges(refs []store.Reference) []edgeAnswer {
	out := make([]edgeAnswer, len(refs))
	for i, r := range refs {
		out[i] = edgeAnswer{Symbol: describe(r.Symbol), Kind: r.Kind.String(), Tier: r.Tier.String(), Lines: r.Lines}
	}
	return out
}

// joinLines writes line numbers with commas between them.
func joinLines(lines []int32) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(lines), " ", ","), "[]")
}

// candidatesAnswer is the JSON answer to a name that means several symbols.
type candidatesAnswer struct {
	header
	Query      string         `json:"query"`
	Candidates []symbolAnswer `json:"candidates"`
}

// candidates answers an ambiguous name: a list in JSON, hints for people.
func (a *app) candidates(r *reading, f *format, many *ambiguous) error {
	if f.value == "json" {
		answer := candidatesAnswer{header: r.header(), Query: many.text, Candidates: describeAll(many.candidates)}
		if err := writeJSON(a.Out, answer); err != nil {
			return err
		}
	}
	return usage(many, many.hint())
}

// languages counts files and calls by language.
func languages(c store.Coverage) []report.LanguageCoverage {
	byName := map[string]*report.LanguageCoverage{}
	at := func(name string) *report.LanguageCoverage {
		if byName[name] == nil {
			byName[name] = &report.LanguageCoverage{Language: name}
		}
		return byName[name]
	}
	for _, f := range c.Files {
		if f.Language == "" {
			continue
		}
		l := at(f.Language)
		l.Files++
		switch f.State {
		case graph.FileParsed:
			l.Parsed++
		case graph.FilePartial:
			l.Partial++
		default:
			l.Skipped++
		}
	}
	for _, n := range c.Counts {
		at(n.Language).Calls = report.Calls{
			Compiler: n.Compiler, Exact: n.Exact, Dispatch: n.Dispatch, Import: n.Import, Name: n.Name,
			Unresolved: n.Unresolved, External: n.External,
		}
	}
	out := []report.LanguageCoverage{}
	for _, name := range sortedKeys(byName) {
		out = append(out, *byName[name])
	}
	return out
}

// writeText writes a whole text answer at once.
func writeText(w io.Writer, b *strings.Builder) error {
	_, err := io.WriteString(w, b.String())
	return err
}
