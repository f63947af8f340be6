// Package answer is the contract of answers about one code graph, as plain types
// with one JSON form each.
//
// The command line and the MCP server give the same answers, and a renderer is a
// pure function of one. An answer names the worktree, the commit and the graph
// that it is about and how much of the tree that graph has seen, so that an empty
// list is never taken for more than it is. The package imports the standard
// library only; docs/graph.md describes the JSON, and a test compares the two.
package answer

// Schema names the version of the contract. Fields may be added to it; a field
// never changes its meaning.
const Schema = "previdence.graph/v1"

// A Header says what an answer is about. Every answer begins with it.
type Header struct {
	Schema         string  `json:"schema"`
	RepositoryRoot string  `json:"repository_root"` // absolute
	Head           string  `json:"head"`            // commit that the answer is about
	Tree           string  `json:"tree"`
	GraphDigest    string  `json:"graph_digest"`
	Generation     int64   `json:"generation"` // builds of this worktree's graph so far; 0: a graph that is kept by tree
	Coverage       Summary `json:"coverage"`
}

// A Summary counts the files of the tree by how much of them was seen.
type Summary struct {
	Files     int `json:"files"`
	Parsed    int `json:"parsed"`
	Partial   int `json:"partial"`
	NotParsed int `json:"not_parsed"`
	// Types is [TypesOff] if Go was linked from its syntax alone, else "".
	Types string `json:"types,omitempty"`
}

// TypesOff is what [Summary.Types] says of a graph without types.
const TypesOff = "off"

// A Symbol is a named thing at the place where the commit defines it.
type Symbol struct {
	ID        string `json:"id"`
	Name      string `json:"name"` // with its containers; "" for a file
	Kind      string `json:"kind"`
	Language  string `json:"language"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
	EndLine   int    `json:"end_line"`
	Exported  bool   `json:"exported"`
	Test      bool   `json:"test"`
	Signature string `json:"signature"`
}

// An Edge is one edge seen from one of its ends.
type Edge struct {
	Symbol Symbol  `json:"symbol"` // at the other end
	Kind   string  `json:"kind"`
	Tier   string  `json:"tier"`
	Lines  []int32 `json:"lines"` // of the sites, in the file of the symbol that refers
}

// Candidates answer a name that means several symbols, or none.
type Candidates struct {
	Header
	Query      string   `json:"query"`
	Candidates []Symbol `json:"candidates"`
	Check      *Check   `json:"check"` // if there are none, else null
}

// Symbols are what a search has found.
type Symbols struct {
	Header
	Query   string   `json:"query"`
	More    bool     `json:"more"` // others match as well
	Symbols []Symbol `json:"symbols"`
	Check   *Check   `json:"check"` // if there are none, else null
}

// A Check says what searching the text of the tree made of an empty answer. An
// empty list comes from a graph that has not seen everything.
type Check struct {
	Checked       string    `json:"checked"`        // confirmed, contradicted, not_confirmed
	CheckedText   string    `json:"checked_text"`   // one sentence: what was searched, what was found
	Mentions      []Mention `json:"mentions"`       // at most ten, those that weigh most first
	MentionsTotal int       `json:"mentions_total"` // mentions outside what the graph knows
}

// A Mention is a place in the text that names a symbol without the graph knowing
// why.
type Mention struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// Neighbours are the symbols at the other ends of a symbol's edges.
type Neighbours struct {
	Header
	Symbol Symbol   `json:"symbol"`
	Kinds  []string `json:"kinds"` // kinds of edges that were followed
	Edges  []Edge   `json:"edges"`
	Check  *Check   `json:"check"` // if there are none, else null
}

// A Radius is the blast radius of one symbol: everything that can reach it.
type Radius struct {
	Header
	Symbol     Symbol      `json:"symbol"`
	Kinds      []string    `json:"kinds"`
	Depth      int         `json:"depth"` // edges followed at most
	Total      int         `json:"total"`
	Tests      int         `json:"tests"`       // those of them that are tests
	ByDistance []int       `json:"by_distance"` // [0] is distance 1
	Dependents []Dependent `json:"dependents"`  // nearest first, then stronger tier, tests last
	Check      *Check      `json:"check"`       // if there are none, else null
}

// A Dependent is a symbol that can reach another.
type Dependent struct {
	Symbol      string   `json:"symbol"` // ID
	Name        string   `json:"name"`
	Path        string   `json:"path"`
	Line        int      `json:"line"` // of its declaration
	Site        int      `json:"site"` // first line that refers to the next symbol of the way
	Distance    int      `json:"distance"`
	Kind        string   `json:"kind"` // edge kind of its own step
	Tier        string   `json:"tier"` // weakest tier on the way
	Test        bool     `json:"test"`
	PathThrough []string `json:"path_through"` // IDs between the two, nearest to the dependent first
}

// A Path is a shortest way from one symbol to another.
type Path struct {
	Header
	From  Symbol   `json:"from"`
	To    Symbol   `json:"to"`
	Kinds []string `json:"kinds"`
	Found bool     `json:"found"` // false: no edges of these kinds lead there
	Steps []Step   `json:"steps"`
	Check *Check   `json:"check"` // if there is no way, else null
}

// A Step is one edge of a way.
type Step struct {
	From  Symbol  `json:"from"`
	To    Symbol  `json:"to"`
	Kind  string  `json:"kind"`
	Tier  string  `json:"tier"`
	Lines []int32 `json:"lines"` // of the sites, in the file of From
}

// A Source is a definition, or some lines of a file, as the commit has them. The
// bytes were hashed and are those of the blob.
type Source struct {
	Header
	Symbol *Symbol `json:"symbol"` // null if lines were asked for
	Path   string  `json:"path"`
	Blob   string  `json:"blob"`  // object ID of the file's content
	Line   int     `json:"line"`  // of the first line of Text
	Lines  int     `json:"lines"` // of the whole file
	State  string  `json:"state"` // how much of the file the graph has seen: parsed, partial, …
	Reason string  `json:"reason"`
	Gaps   []Range `json:"gaps"` // lines of Text that the graph did not understand
	Text   string  `json:"text"` // invalid UTF-8 is replaced
}

// A Coverage says how much of some files the graph has seen.
type Coverage struct {
	Header
	Paths     []string   `json:"paths"`     // as asked for; empty: the whole tree
	Languages []Language `json:"languages"` // of the files asked for; calls are those of the whole tree
	Files     []File     `json:"files"`     // all files under Paths; of the whole tree those not seen whole
	Caveats   []Caveat   `json:"caveats"`   // of the whole tree
}

// A Language counts the files and calls of one language.
type Language struct {
	Language string `json:"language"`
	Files    int    `json:"files"`
	Parsed   int    `json:"parsed"`
	Partial  int    `json:"partial"`
	Skipped  int    `json:"skipped"`
	Calls    Calls  `json:"calls"`
}

// Calls are call sites by the tier that resolved them.
type Calls struct {
	Compiler   int `json:"compiler"`
	Exact      int `json:"exact"`
	Dispatch   int `json:"dispatch"`
	Import     int `json:"import"`
	Name       int `json:"name"`
	Unresolved int `json:"unresolved"`
	External   int `json:"external"`
}

// A File says how much of one file was seen.
type File struct {
	Path      string  `json:"path"`
	Blob      string  `json:"blob"`
	Language  string  `json:"language"`
	State     string  `json:"state"`
	Reason    string  `json:"reason"`
	Ranges    []Range `json:"ranges"` // lines that were not understood
	Generated bool    `json:"generated"`
}

// A Range is an inclusive range of lines, from 1.
type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// A Caveat is something that the graph could not see.
type Caveat struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Count    int      `json:"count"`
	Of       int      `json:"of"` // 0: there is no population
	Examples []string `json:"examples"`
}

// Edges are all edges of some kinds.
type Edges struct {
	Header
	Kinds []string `json:"kinds"`
	Edges []Places `json:"edges"`
}

// Places are one edge by the places of its ends.
type Places struct {
	CallerPath string  `json:"caller_path"`
	CallerLine int     `json:"caller_line"` // of the declaration
	CalleePath string  `json:"callee_path"`
	CalleeLine int     `json:"callee_line"`
	Kind       string  `json:"kind"`
	Tier       string  `json:"tier"`
	Lines      []int32 `json:"lines"` // of the sites, in the caller's file
}

// Ready is the state of a graph that answers.
const Ready = "ready"

// A Status says whether a graph answers, and what it says of itself.
type Status struct {
	Header
	State      string `json:"state"`  // [Ready], or one of the states in docs/graph.md
	Reason     string `json:"reason"` // why it is not ready
	Remedy     string `json:"remedy"` // what to do then
	Stamp      *Stamp `json:"stamp"`  // what the graph says of itself; null if there is none
	Dirty      []Dirt `json:"dirty"`  // how the files on disk differ from HEAD, at most 50; null if not asked
	Engine     string `json:"engine"` // in use now
	Symbols    int    `json:"symbols"`
	Edges      int    `json:"edges"`
	Unresolved int    `json:"unresolved"` // references without a target
}

// A Stamp is what a graph says of itself.
type Stamp struct {
	RepositoryRoot string `json:"repository_root"`
	RootID         string `json:"root_id"` // device and inode
	CommonDir      string `json:"common_dir"`
	Head           string `json:"head"`
	Tree           string `json:"tree"`
	Engine         string `json:"engine"`
	Config         string `json:"config"`
	Generation     int64  `json:"generation"`
	Digest         string `json:"digest"`
	ToolVersion    string `json:"tool_version"`
}

// A Dirt is one way in which the files on disk are not those of HEAD.
type Dirt struct {
	Case string `json:"case"`
	Path string `json:"path"`
}

// Worktrees are the worktrees of a repository and the pull requests that are
// checked out beside it. The header is about the graph of the one that was asked.
type Worktrees struct {
	Header
	Worktrees []Worktree `json:"worktrees"` // the primary one first, then by root
}

// A Worktree is one checked-out tree with its own graph.
type Worktree struct {
	Root        string `json:"root"`
	Head        string `json:"head"`         // "" if it was not looked at
	PullRequest int    `json:"pull_request"` // 0: it is none of a pull request
	State       string `json:"state"`        // of its graph: [Ready] or why it does not answer; "" if it was not looked at
}

// Deleted is what became of a graph that was to go.
type Deleted struct {
	Header
	Removed []Removed `json:"removed"`
}

// A Removed is one file that is no more.
type Removed struct {
	Path  string `json:"path"`
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
}

// Decisions are what reviewers decided about code earlier.
type Decisions struct {
	Header
	Base      string     `json:"base"`      // commit whose files were read
	Decisions []Decision `json:"decisions"` // those that apply first, then by ID
	Unread    []Unread   `json:"unread"`    // files of decisions that say nothing that can be read
	Check     *Check     `json:"check"`     // if there are no decisions, else null
}

// A Decision is one thing that was decided, held against the code as it is now.
type Decision struct {
	ID           string `json:"id"`
	Kind         string `json:"kind"` // accepted_risk, dismissed, dead_end, decision
	Title        string `json:"title"`
	Text         string `json:"text"`
	Origin       string `json:"origin"`        // repository: a file of the base commit; local: only on this machine
	State        string `json:"state"`         // applies, drifted, source_missing
	Validity     string `json:"validity"`      // in_force, not_yet, expired, superseded, unknown: at the commit that was read
	Reason       string `json:"reason"`        // why it is not in force; "" if it is
	ValidFrom    string `json:"valid_from"`    // commit or day; "" if it does not say
	ValidUntil   string `json:"valid_until"`   // the same
	SupersededBy string `json:"superseded_by"` // ID of a later decision
	DecidedAt    string `json:"decided_at"`    // commit whose code it cites; "" if it does not say
	Cites        []Cite `json:"cites"`
}

// A Cite is code that a decision is about.
type Cite struct {
	Symbol string `json:"symbol"` // ID
	Body   string `json:"body"`   // digest of its body when it was decided
	Blob   string `json:"blob"`   // of its file then
	State  string `json:"state"`  // applies, drifted, source_missing
	Now    string `json:"now"`    // digest of its body now; "" if it is gone
	Path   string `json:"path"`   // where it is now
	Line   int    `json:"line"`
}

// An Unread is a file that cannot be read as a decision.
type Unread struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}
