// Package report is the one contract of previdence: the evidence about one pull
// request, as plain types with a canonical JSON form.
//
// The command line, the Action and the MCP server receive the same [Report],
// and every reporter is a pure function of it. The report holds no time, host
// or absolute path: the same commits, tool and limits give the same bytes. It
// imports the standard library only. The JSON Schema in docs/schema is
// generated from these types; a change of meaning needs a new [Schema].
package report

// Schema names the version of the contract. "v1" may gain fields; a field never
// changes its meaning.
const Schema = "previdence.evidence/v1"

// A Report is everything previdence has to say about one pull request.
type Report struct {
	Schema       string       `json:"schema"`
	State        State        `json:"state,omitempty"` // "partial" if a deadline ended the work: then nothing was judged, and the same input may give another report; absent if it was done to its end
	Subject      Subject      `json:"subject"`
	Provenance   Provenance   `json:"provenance"`
	Verdict      Verdict      `json:"verdict"`
	Sections     []Section    `json:"sections"`
	Changes      Changes      `json:"changes"`
	Breaks       []Break      `json:"breaks"` // most references first
	Impact       Impact       `json:"impact"`
	Tests        Tests        `json:"tests"`
	API          API          `json:"api"`
	Contracts    []Contract   `json:"contracts"` // breaking first, then by kind and name; capped at 500
	Dependencies Dependencies `json:"dependencies"`
	Groups       Groups       `json:"groups"`
	Documents    []Document   `json:"documents"`
	Decisions    []Decision   `json:"decisions"` // of the merge base, about what this pull request changes; those that apply first
	Owners       []Owned      `json:"owners"`    // changed paths first, then by path; capped at 500
	History      History      `json:"history"`
	Overlap      []Overlap    `json:"overlap"` // with what was reviewed in the same run; by pull request, ref, commits
	Coverage     Coverage     `json:"coverage"`
	Caveats      []Caveat     `json:"caveats"`
	Delta        *Delta       `json:"delta,omitempty"` // if an earlier report of the pull request was given

	ContractsOmitted int `json:"contracts_omitted,omitempty"` // contracts that are not listed: the report was cut to be carried
}

// ContractsTotal counts the contracts, listed or not.
func (r *Report) ContractsTotal() int {
	return max(len(r.Contracts), len(r.Contracts)+r.ContractsOmitted)
}

// A State says how much a section saw. An empty section that is complete means
// that nothing was found; one that is unavailable means that nobody looked.
type State string

// The states.
const (
	Complete    State = "complete"
	Partial     State = "partial"
	Unavailable State = "unavailable"
)

// DeadlineCaveat is the ID of the caveat that a report has which is partial because a
// deadline came first.
const DeadlineCaveat = "review.deadline"

// Cut reports whether a deadline ended the work on the report. Such a report is no
// verdict: it cannot be made again, nor be compared with another.
func (r *Report) Cut() bool { return r.State == Partial }

// A Section names a part of the report and says how much it saw.
type Section struct {
	Name   string `json:"name"` // "changes", "breaks", "impact", "tests", "api", "contracts", "dependencies", "groups", "documents", "decisions", "owners", "history", "coverage"
	State  State  `json:"state"`
	Reason string `json:"reason,omitempty"` // why it is not complete
}

// Subject is what was reviewed.
type Subject struct {
	Repository  string   `json:"repository"`   // "owner/name" of the remote, or "" if it has none
	PullRequest int      `json:"pull_request"` // 0: none
	Base        Revision `json:"base"`
	MergeBase   string   `json:"merge_base"`  // full object ID of the commit that the diff starts from
	MergeBases  []string `json:"merge_bases"` // all best common ancestors, sorted; one unless histories criss-cross
	Head        Revision `json:"head"`
}

// A Revision is a commit as it was asked for and as it was found.
type Revision struct {
	Ref    string `json:"ref"`    // as given: "main", "HEAD", "v1.2.0"
	Commit string `json:"commit"` // full object ID
	Tree   string `json:"tree"`   // full object ID
}

// Provenance says what made the report and from what.
type Provenance struct {
	Tool         Tool              `json:"tool"`
	EngineDigest string            `json:"engine_digest"` // of extractor and linker versions
	ConfigDigest string            `json:"config_digest"` // of Config
	Config       Config            `json:"config"`
	Grammars     map[string]string `json:"grammars"` // language → version of its grammar
	GitVersion   string            `json:"git_version"`
	Graphs       Graphs            `json:"graphs"`
	InputsDigest string            `json:"inputs_digest"`     // of repository, commits, trees, engine, configuration, measured coverage; "" if the report is partial, which they do not decide
	Binding      *Binding          `json:"binding,omitempty"` // in local files only, never in canonical bytes
}

// A Tool is the program that made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Config is what was in force for this report: the configuration of the merge
// base, with what was asked for in its place.
type Config struct {
	File      string   `json:"file"`                // object ID of .previdence.yml at the merge base; "" if it has none
	Unread    bool     `json:"unread"`              // it was asked for that no such file is read; none of its rules are in force
	Ignore    []string `json:"ignore"`              // patterns of paths that were not parsed
	Platforms []string `json:"platforms,omitempty"` // that Go was linked for beside linux/amd64
	Types     string   `json:"types,omitempty"`     // "off": Go was linked from its syntax alone, without types
	FailOn    []string `json:"fail_on"`             // rules that make the outcome fail
	Policy    Policy   `json:"policy"`
	Limits    Limits   `json:"limits"`
}

// A Policy says where rules fail and where they do not, in the order of the file.
type Policy struct {
	Rules    []PolicyRule  `json:"rules"` // the first that a finding fits decides
	Suppress []Suppression `json:"suppress"`
	Layers   []Layer       `json:"layers,omitempty"` // a folder belongs to the first that has it
}

// A Layer is a part of the tree that may import some other layers only.
type Layer struct {
	Name      string   `json:"name"`
	Paths     []string `json:"paths"`      // patterns of folders
	MayImport []string `json:"may_import"` // names of layers
}

// A PolicyRule says whether findings of a rule fail the run where it applies. An empty
// list stands for all.
type PolicyRule struct {
	Rule   string   `json:"rule"`
	Paths  []string `json:"paths"` // patterns of the paths at which findings stand
	Kinds  []string `json:"kinds"` // of symbols
	Tiers  []string `json:"tiers"` // of broken references
	Fail   bool     `json:"fail"`
	Reason string   `json:"reason"`
}

// A Suppression keeps findings out of the verdict because of a recorded decision.
type Suppression struct {
	Rule     string   `json:"rule"`
	Decision string   `json:"decision"` // ID of a decision of the merge base
	Paths    []string `json:"paths"`    // patterns; empty: findings about what the decision cites
	Until    string   `json:"until"`    // commit from which on it does not hold, or the last day on which it does
}

// Limits are the counts at which the work and the lists end.
type Limits struct {
	Depth      int   `json:"depth"`      // edges followed for the blast radius
	Dependents int   `json:"dependents"` // listed for one symbol
	References int   `json:"references"` // listed for one break
	Seeds      int   `json:"seeds"`      // changed symbols whose blast radius is walked
	Steps      int   `json:"steps"`      // edges followed in all walks together
	Names      int   `json:"names"`      // searched in the text of the tree
	Mentions   int   `json:"mentions"`   // listed for one checked claim
	BlobBytes  int64 `json:"blob_bytes"` // of the largest file that is read
}

// Graphs are the two graphs that were compared.
type Graphs struct {
	Base Graph `json:"base"`
	Head Graph `json:"head"`
}

// A Graph identifies one code graph.
type Graph struct {
	Tree    string `json:"tree"`   // object ID of the tree it describes
	Digest  string `json:"digest"` // canonical digest of its rows; "" if it was not built before the deadline
	Symbols int    `json:"symbols"`
	Edges   int    `json:"edges"`
}

// A Binding ties a report to a place on one machine.
type Binding struct {
	RepositoryRoot string `json:"repository_root"`
	CommonDir      string `json:"common_dir"`
	Head           string `json:"head"`
}

// An Outcome is the verdict in one word.
type Outcome string

// The outcomes. Could-not-evaluate is never a pass.
const (
	Pass       Outcome = "pass"
	Fail       Outcome = "fail"
	Incomplete Outcome = "incomplete"
)

// A Verdict is the outcome and why. There is no score.
type Verdict struct {
	Outcome    Outcome      `json:"outcome"`
	Reasons    []Reason     `json:"reasons"`
	Suppressed []Suppressed `json:"suppressed"`
}

// Suppressed counts the findings that stand in the report and not in the verdict.
type Suppressed struct {
	Rule     string `json:"rule"`
	Decision string `json:"decision"` // ID of the decision that allows it
	Until    string `json:"until"`    // commit or day
	Count    int    `json:"count"`
}

// A Reason is one cause of the outcome.
type Reason struct {
	Rule    string `json:"rule"`    // "breaks", "api-breaking", "contract-breaking", "untested-change", "cycle", "layer", "stale-document", "decision-drifted", "incomplete"
	Text    string `json:"text"`    // one sentence
	Section string `json:"section"` // the section that holds the evidence
	Fails   bool   `json:"fails"`   // policy makes the run fail for it
}

// Changes is what the pull request did.
type Changes struct {
	Files   []FileChange   `json:"files"`   // by path
	Symbols []SymbolChange `json:"symbols"` // removed first, then by path and line
}

// A FileChange is one changed entry of the tree.
type FileChange struct {
	Path      string `json:"path"`
	OldPath   string `json:"old_path,omitempty"` // if it was renamed or copied
	Status    string `json:"status"`             // added, removed, modified, renamed, copied, type_changed, mode_changed
	Kind      string `json:"kind"`               // source, test, generated, vendored, docs, config, lockfile, binary, submodule, symlink, lfs_pointer, other
	Language  string `json:"language,omitempty"`
	Additions int    `json:"additions"` // lines; 0 for files without lines
	Deletions int    `json:"deletions"`
	Analysed  bool   `json:"analysed"`         // its symbols were compared
	Reason    string `json:"reason,omitempty"` // why not
}

// A Change says what happened to a symbol.
type Change string

// The changes, the ones that matter most first.
const (
	Removed    Change = "removed"
	Signature  Change = "signature"
	Body       Change = "body"
	Attributes Change = "attributes"
	Renamed    Change = "renamed"
	Moved      Change = "moved"
	Added      Change = "added"
	Doc        Change = "doc"
	Formatting Change = "formatting"
)

// An Effect says what a changed signature does to those who use it.
type Effect string

// The effects.
const (
	Compatible    Effect = "compatible"
	Breaking      Effect = "breaking"
	UnknownEffect Effect = "unknown"
)

// A SymbolChange is one changed symbol.
type SymbolChange struct {
	ID              string   `json:"id"`   // at head; of the merge base if it was removed
	Name            string   `json:"name"` // with its containers: "Client.Send"
	Kind            string   `json:"kind"`
	Language        string   `json:"language"`
	Path            string   `json:"path"`
	Line            int      `json:"line"`
	EndLine         int      `json:"end_line"`
	Exported        bool     `json:"exported"`
	Test            bool     `json:"test"`
	Change          Change   `json:"change"`
	SignatureEffect Effect   `json:"signature_effect,omitempty"`
	EffectReason    string   `json:"effect_reason,omitempty"` // "parameter amount: int → int64"
	Old             *Version `json:"old,omitempty"`
	New             *Version `json:"new,omitempty"`
}

// A Version is a symbol as one of the two commits has it.
type Version struct {
	Name      string `json:"name,omitempty"` // with its containers, if the symbol has another one now
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Signature string `json:"signature,omitempty"`
	Blob      string `json:"blob"` // object ID of the file's content
}

// A Check says what searching the text of the tree made of a negative claim. Its
// fields stand beside those of the claim; without a check they are absent.
type Check struct {
	Checked       string    `json:"checked"`        // confirmed, contradicted, not_confirmed
	CheckedText   string    `json:"checked_text"`   // one sentence: what was searched, what was found
	Mentions      []Mention `json:"mentions"`       // at most ten, unparsed files first
	MentionsTotal int       `json:"mentions_total"` // mentions outside what the graph knows
}

// The states of a [Check].
const (
	Confirmed    = "confirmed"
	Contradicted = "contradicted"
	NotConfirmed = "not_confirmed"
)

// A Mention is a place in the text that names a symbol without the graph
// knowing why.
type Mention struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Reason string `json:"reason"` // "file not parsed", "comment or string", "unresolved", …
}

// A Break is a symbol that was removed or changed while something still uses it
// in the old way.
type Break struct {
	Symbol     string      `json:"symbol"` // ID
	Name       string      `json:"name"`
	Kind       string      `json:"kind"`
	Path       string      `json:"path"` // where it was defined
	Line       int         `json:"line"`
	Change     Change      `json:"change"`     // removed, renamed, moved or signature; body, added where no name says it
	Total      int         `json:"total"`      // all remaining references
	References []Reference `json:"references"` // certain ones first, then by path and line; capped at 200
	Check
}

// A Reference is a use that still stands at head.
type Reference struct {
	Symbol string `json:"symbol"` // ID of the symbol that holds it
	Name   string `json:"name"`
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Tier   string `json:"tier"`
	Kind   string `json:"kind"`   // edge kind
	Reason string `json:"reason"` // how it is known to be broken
	Blob   string `json:"blob"`
}

// Impact is the blast radius.
type Impact struct {
	Depth       int            `json:"depth"`       // edges followed at most
	Total       int            `json:"total"`       // distinct symbols reached from all changes together
	Tests       int            `json:"tests"`       // those of them that are tests
	ByDistance  []int          `json:"by_distance"` // [0] is distance 1; of each symbol to its nearest change
	Symbols     []SymbolImpact `json:"symbols"`     // largest radius first
	EntryPoints []EntryPoint   `json:"entry_points"`
}

// A SymbolImpact is the blast radius of one changed symbol.
type SymbolImpact struct {
	Symbol     string      `json:"symbol"` // ID
	Name       string      `json:"name"`
	Change     Change      `json:"change"`
	Total      int         `json:"total"`
	Tests      int         `json:"tests"`       // those of them that are tests
	ByDistance []int       `json:"by_distance"` // [0] is distance 1
	Dependents []Dependent `json:"dependents"`  // nearest first; capped at 200
	Omitted    int         `json:"omitted"`     // dependents not listed
	*Check                 // if there are none
}

// A Dependent is a symbol that can reach a change.
type Dependent struct {
	Symbol      string   `json:"symbol"`
	Name        string   `json:"name"`
	Path        string   `json:"path"`
	Line        int      `json:"line"` // of its declaration
	Site        int      `json:"site"` // first line that refers to the next symbol of the path
	Distance    int      `json:"distance"`
	Kind        string   `json:"kind"` // edge kind of its own step
	Tier        string   `json:"tier"` // weakest tier on the path
	Test        bool     `json:"test"`
	PathThrough []string `json:"path_through"` // IDs between the dependent and the change, nearest to the dependent first
	Blob        string   `json:"blob"`         // object ID of the file's content
}

// An EntryPoint is a way in from outside that reaches a change.
type EntryPoint struct {
	Kind     string `json:"kind"`         // main, http_route, cli_command, exported_api, handler
	As       string `json:"as,omitempty"` // what calls it, as the registration says: "GET /users", "git"
	Symbol   string `json:"symbol"`
	Name     string `json:"name"`
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Distance int    `json:"distance"`
}

// Tests are the tests that reach the changes and the changes that none reaches.
type Tests struct {
	ToRun    []Test   `json:"to_run"`   // changed ones, then those that ran the change, then the most likely to run it (docs/adr/0029); capped at 2,000
	Total    int      `json:"total"`    // tests that reach the change, listed or not
	Commands []string `json:"commands"` // few command lines that run all of them
	Gaps     []Gap    `json:"gaps"`

	GapsOmitted int `json:"gaps_omitted,omitempty"` // gaps that are not listed: the report was cut to be carried

	Measured *Measured `json:"measured,omitempty"` // if measured coverage was given
}

// Untested counts the gaps, listed or not.
func (t *Tests) Untested() int { return max(len(t.Gaps), len(t.Gaps)+t.GapsOmitted) }

// Measured is what measured coverage says about the changed lines of head.
type Measured struct {
	Inputs []CoverageInput `json:"inputs"` // as they were given, by digest
	Lines  int             `json:"lines"`  // changed lines that were measured
	Ran    int             `json:"ran"`    // those of them that ran
	Files  int             `json:"files"`  // changed files of source code that were measured
	Of     int             `json:"of"`     // changed files of source code
	Missed []MissedLines   `json:"missed"` // measured, and nothing ran them; by path; capped at 500 files
	Unrun  int             `json:"unrun"`  // tests that the graph names and that were measured to run none of the change; not to run
}

// A CoverageInput is one file of measured coverage. Its name belongs to a machine,
// so it is known by its digest.
type CoverageInput struct {
	Format string `json:"format"`           // go, lcov, cobertura, jacoco, coverage.py, llvm-cov
	Digest string `json:"digest"`           // SHA-256 of its bytes, hex
	State  string `json:"state"`            // used or unknown
	Reason string `json:"reason,omitempty"` // why it says nothing about this head, or about some files of it
	Files  int    `json:"files"`            // that it names
	Found  int    `json:"found"`            // those of them that the tree of head has
	Tests  int    `json:"tests"`            // that it names as having run a line; 0 if it does not tell them apart
}

// MissedLines are changed lines of one file that were measured and did not run.
type MissedLines struct {
	Path   string  `json:"path"`
	Ranges []Range `json:"ranges"`
	Blob   string  `json:"blob"` // object ID of the file's content
}

// A Test is one test to run.
type Test struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Path     string   `json:"path"`
	Line     int      `json:"line"`
	Command  string   `json:"command"`  // runs just this test, from the root of the tree; "" if unknown
	Covers   []string `json:"covers"`   // IDs of changed symbols it reaches
	Distance int      `json:"distance"` // to the nearest of them; 0: the test itself changed
	Basis    string   `json:"basis"`    // static, or measured: coverage of this head says that it runs the change
	Tier     string   `json:"tier"`     // weakest tier on the path
}

// A Gap is a changed symbol that no known test reaches or, if it was measured, that
// no test ran.
type Gap struct {
	Symbol string `json:"symbol"`
	Name   string `json:"name"`
	Path   string `json:"path"`
	Line   int    `json:"line"`
	State  string `json:"state"`           // uncovered or unknown
	Basis  string `json:"basis,omitempty"` // "measured" if coverage of this head says so, and not the graph
	Reason string `json:"reason"`
	Check
}

// API is the change of the exported surface outside tests.
type API struct {
	Added   []string    `json:"added"` // IDs
	Removed []string    `json:"removed"`
	Changed []APIChange `json:"changed"`
}

// An APIChange is one exported symbol with another signature.
type APIChange struct {
	Symbol string `json:"symbol"`
	From   string `json:"from"`
	To     string `json:"to"`
	Effect Effect `json:"effect"`
	Reason string `json:"reason"`
}

// A Contract is something that those outside the code rely on by its name: a
// route, a flag, a variable of the environment, a field on the wire. Two places
// that offer the same contract are one; it is removed if no place of head that
// was looked at offers it.
type Contract struct {
	Kind   string `json:"kind"`   // http_route, http_prefix, cli_command, cli_flag, environment_variable, config_key, json_field, feature_flag, openapi, proto, sql
	Name   string `json:"name"`   // "GET /users/{id}", "--output", "DATABASE_URL", "User.name"
	Change Change `json:"change"` // removed, signature, renamed or added
	Path   string `json:"path"`   // at head; where the merge base has it if it was removed
	Line   int    `json:"line"`
	Old    string `json:"old,omitempty"` // how the merge base declares it, or its former name
	New    string `json:"new,omitempty"` // how head declares it
	Effect Effect `json:"effect"`
	Reason string `json:"reason,omitempty"` // "field number 3: string → int64"
	Blob   string `json:"blob"`             // object ID of the file's content at Path
}

// Groups are the independent changes of the pull request: sets of changed files
// that nothing known connects.
type Groups struct {
	List    []Group  `json:"list"`    // largest first; empty if there are fewer than two; capped at 50
	Total   int      `json:"total"`   // groups, listed or not
	Bridges []Bridge `json:"bridges"` // what is not changed and depends on several groups; capped at 50
	Rest    []string `json:"rest"`    // changed files that belong to no group: nothing about them can be compared; capped at 200
}

// A Group is one independent change.
type Group struct {
	Files   []string `json:"files"`   // paths at head; capped at 200
	Total   int      `json:"total"`   // files, listed or not
	Symbols []string `json:"symbols"` // IDs of its changed symbols, those that matter most first; capped at 20
}

// A Bridge is an unchanged symbol that refers to changes of several groups.
type Bridge struct {
	Symbol string `json:"symbol"` // ID
	Name   string `json:"name"`
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Groups []int  `json:"groups"` // indexes of the groups in their list
}

// Dependencies are the changed edges between packages or folders.
type Dependencies struct {
	Added       []Dependency  `json:"added"`
	Removed     []Dependency  `json:"removed"`
	CyclesAdded [][]string    `json:"cycles_added"` // each a ring of folders, smallest name first
	Layers      []LayerBreach `json:"layers"`       // imports that came against the layers that the configuration states
	Manifests   []Manifest    `json:"manifests"`
}

// A LayerBreach is a new import that the layers of the configuration forbid.
type LayerBreach struct {
	Layer   string `json:"layer"`   // name of the layer that imports
	On      string `json:"on"`      // name of the layer that is imported
	From    string `json:"from"`    // folder
	To      string `json:"to"`      // folder
	Site    string `json:"site"`    // path:line
	Allowed string `json:"allowed"` // what the rule lets it import: "store, wire"; "" if nothing
}

// A Dependency is an edge between two folders of the tree.
type Dependency struct {
	From      string `json:"from"`
	To        string `json:"to"`
	FirstSite string `json:"first_site"` // path:line
}

// A Manifest is a changed file that declares dependencies.
type Manifest struct {
	Path     string     `json:"path"`
	Changes  []string   `json:"changes"`  // "golang.org/x/mod v0.1.0 → v0.2.0"
	Packages []Required `json:"packages"` // the same one by one, by name; of a lockfile those that moved; capped at 500
	Total    int        `json:"total"`    // packages that changed, listed or not
}

// A Required is one package that a manifest asks for in another way than before.
type Required struct {
	Name    string   `json:"name"`           // as the manifest has it: "golang.org/x/mod", "@scope/name"
	Part    string   `json:"part,omitempty"` // "dev", "replace"; absent for the main part
	Change  string   `json:"change"`         // added, dropped, bumped, lowered, pinned, loosened, changed
	From    string   `json:"from,omitempty"`
	To      string   `json:"to,omitempty"`
	Imports []string `json:"imports,omitempty"` // changed files of the pull request that import it; capped at 20
	Symbols []string `json:"symbols,omitempty"` // IDs of changed symbols there that use what they import; capped at 20

	Importers *int     `json:"importers,omitempty"` // files of head that import it, changed or not; absent if nobody looked, as in languages that are not parsed
	Elsewhere []string `json:"elsewhere,omitempty"` // those of them that did not change: beside changed files first, then by path; capped at 20
}

// A Document is a heading whose text names something that changed, or a document
// that governs code of the pull request.
type Document struct {
	Path     string   `json:"path"`    // at head; at the merge base if it governs
	Heading  string   `json:"heading"` // that the line stands under; "" above the first
	Line     int      `json:"line"`
	Relation string   `json:"relation"`        // mentions_removed, mentions_changed, governs
	Symbols  []string `json:"symbols"`         // IDs of what it names
	Names    []Named  `json:"names,omitempty"` // what it names that is gone, by kind and name; capped at 50

	Governs *Governance `json:"governs,omitempty"` // of the relation governs
	Blob    string      `json:"blob,omitempty"`    // object ID of its content
}

// A Named is what a document still calls by a name that is gone.
type Named struct {
	Kind string `json:"kind"`          // symbol, file, folder, cli_flag, environment_variable
	Name string `json:"name"`          // at the merge base
	Now  string `json:"now,omitempty"` // at head; "" if nothing took its place
}

// A Governance says by what right a document of the merge base governs changed files.
type Governance struct {
	SourceType string   `json:"source_type"`      // adr, rfc, runbook, postmortem, design, rules; document for what only its front matter makes one
	By         string   `json:"by"`               // the strongest of front_matter, file, folder, symbol, directory
	Status     string   `json:"status,omitempty"` // "accepted", "superseded"; "" if it states none
	Owners     []string `json:"owners,omitempty"` // of its front matter, else of the owners file of the merge base
	Files      []string `json:"files"`            // changed files, at the merge base, that it governs; capped at 20
	Total      int      `json:"total"`            // such files, listed or not
	Last       string   `json:"last,omitempty"`   // newest commit that changed one of them; absent if none of those read did
}

// A Decision is what reviewers decided earlier, in a file of the merge base, about
// code that this pull request changes. It is held against head.
type Decision struct {
	ID           string         `json:"id"`
	Kind         string         `json:"kind"` // accepted_risk, dismissed, dead_end, decision
	Title        string         `json:"title"`
	Path         string         `json:"path"`                    // its file
	Blob         string         `json:"blob"`                    // object ID of its content
	State        DecisionState  `json:"state"`                   // the weakest of its cites
	Validity     Validity       `json:"validity"`                // at head
	Reason       string         `json:"reason,omitempty"`        // why it is not in force, or why that is unknown
	SupersededBy string         `json:"superseded_by,omitempty"` // ID of a later decision
	Cites        []DecisionCite `json:"cites"`                   // as the file lists them
	At           string         `json:"at"`                      // commit that it is held against: head
}

// A DecisionState says what became of the code that a decision is about.
type DecisionState string

// The states of a [Decision], the weakest last.
const (
	DecisionApplies DecisionState = "applies"        // it is what it was
	DecisionDrifted DecisionState = "drifted"        // it has changed since
	SourceMissing   DecisionState = "source_missing" // it is gone
)

// A Validity says whether a decision is in force at a commit.
type Validity string

// The validities of a [Decision].
const (
	InForce         Validity = "in_force"
	NotYet          Validity = "not_yet"    // the commit that it is valid from is no ancestor
	Expired         Validity = "expired"    // the commit or the day that it is valid until has come
	Superseded      Validity = "superseded" // a later decision stands in its place
	UnknownValidity Validity = "unknown"    // a commit that it names is not here
)

// A DecisionCite is code that a decision is about, as it was and as it is.
type DecisionCite struct {
	Symbol  string        `json:"symbol"` // ID when it was decided
	State   DecisionState `json:"state"`
	Changed bool          `json:"changed"`           // this pull request changes it
	Drifted string        `json:"drifted,omitempty"` // since when it differs: "here", or "earlier" if the merge base does already
	Now     string        `json:"now,omitempty"`     // ID at head, if this pull request renames or moves it
	Body    string        `json:"body"`              // digest of its body when it was decided
	Blob    string        `json:"blob"`              // object ID of its file then
	NowBody string        `json:"now_body"`          // digest at head; "" if it is gone or has none
	NowBlob string        `json:"now_blob"`
	Path    string        `json:"path"` // at head
	Line    int           `json:"line"`
	Lines   []DriftedLine `json:"lines"` // what differs, if the cited blob is here; secrets are written over; capped at 20
	Omitted int           `json:"omitted"`
}

// A DriftedLine is one line in which cited code differs from what it was.
type DriftedLine struct {
	Added bool   `json:"added"` // else it was taken away
	Line  int    `json:"line"`  // at head if it was added, else of the cited blob
	Text  string `json:"text"`
}

// Owned says who owns a path, as the CODEOWNERS of the merge base has it.
type Owned struct {
	Path   string   `json:"path"`
	Owners []string `json:"owners"` // as written there, mail addresses as "name@…"; empty: nobody
	Why    string   `json:"why"`    // changed, or impacted: it can reach a change and is not changed itself
	Rule   string   `json:"rule"`   // path:line of the pattern that decides; "" if none matches
	Blob   string   `json:"blob"`   // object ID of that file
}

// History is what the commits before the merge base say about the changed files.
// It is no score: a count says how often, and of how many.
type History struct {
	Commits       int           `json:"commits"`   // read: the newest 1,000 that the merge base has, or all
	Merges        int           `json:"merges"`    // of those; they are left out of co-change
	Mass          int           `json:"mass"`      // and those that change more than 30 files, which are left out too
	Cut           []string      `json:"cut"`       // commits at which a shallow clone ends; empty: the history is whole
	CoChange      []CoChange    `json:"co_change"` // usually changed together, absent here; most often together first; capped at 50
	CoChangeTotal int           `json:"co_change_total"`
	Files         []FileHistory `json:"files"`   // changed files that the merge base has, by path; capped at 500
	Reverts       []Revert      `json:"reverts"` // earlier commits that this pull request takes back, or applies again; capped at 50
}

// A CoChange is a file that most commits of a changed one, and at least three, change
// as well, and that this pull request leaves alone.
type CoChange struct {
	Path     string `json:"path"`     // the absent one
	With     string `json:"with"`     // the changed one
	Together int    `json:"together"` // commits that change both
	Of       int    `json:"of"`       // commits that change With
	Last     string `json:"last"`     // the newest that changes both
}

// FileHistory is how often a file changed before, and who changed it last.
type FileHistory struct {
	Path    string   `json:"path"`
	Commits int      `json:"commits"` // of [History.Commits]
	Authors []string `json:"authors"` // names of the last three who changed it, newest first
	Last    string   `json:"last"`    // the newest commit that changes it
}

// A Revert is an earlier commit whose change this pull request takes back or
// applies again.
type Revert struct {
	Commit   string   `json:"commit"`
	Title    string   `json:"title"`    // first line of its message
	Relation string   `json:"relation"` // reverts, or reapplies what was reverted since
	Basis    string   `json:"basis"`    // content: files go back to the blobs that they had; message: a commit of the pull request says so
	Files    []string `json:"files"`    // by content; capped at 20
	Of       int      `json:"of"`       // files that the commit changes
}

// An Overlap is another pull request that was reviewed in the same run and
// touches what this one touches. A report made alone has none.
type Overlap struct {
	PullRequest int            `json:"pull_request"` // 0: none
	Ref         string         `json:"ref"`          // its head as it was asked for
	Base        string         `json:"base"`         // commit that it goes into
	Head        string         `json:"head"`         // commit
	Symbols     []string       `json:"symbols"`      // IDs of the symbols of Shared, each once; capped at 200
	Total       int            `json:"total"`        // all such symbols
	Shared      []SharedSymbol `json:"shared"`       // those that both change first, then by ID
	Files       []string       `json:"files"`        // paths that both change; capped at 200
}

// A Sharing says how two pull requests meet in a symbol.
type Sharing string

// The sharings.
const (
	BothChange            Sharing = "both_change"
	OtherChangesDependent Sharing = "other_changes_dependent" // the other changes what refers to a change of this one
	ThisChangesDependent  Sharing = "this_changes_dependent"  // this one changes what refers to a change of the other
)

// A SharedSymbol is a symbol in which two pull requests meet.
type SharedSymbol struct {
	Symbol   string  `json:"symbol"` // ID
	Name     string  `json:"name"`
	Path     string  `json:"path"`
	Line     int     `json:"line"` // at the head of the pull request that changes it
	Sharing  Sharing `json:"sharing"`
	RefersTo string  `json:"refers_to"` // ID of the changed symbol that it refers to; "" if both change it
}

// Coverage is what the graph of head has seen.
type Coverage struct {
	Languages []LanguageCoverage `json:"languages"`
	Files     []FileCoverage     `json:"files"`      // those not parsed whole: the pull request's own first; capped at 500
	Total     int                `json:"total"`      // files of the tree
	NotParsed int                `json:"not_parsed"` // files not parsed whole

	Folders []FolderCoverage `json:"folders"` // those of changed code, by path and language; capped at 100
	Own     OwnCoverage      `json:"own"`
}

// FolderCoverage counts the calls in one folder that the pull request touches, in
// the files of one language. Calls that leave the repository are counted for the
// language only.
type FolderCoverage struct {
	Path     string `json:"path"` // "." for the root
	Language string `json:"language"`
	Files    int    `json:"files"` // with code
	Calls    Calls  `json:"calls"` // each line and callee once, by the strongest tier; External is 0
}

// OwnCoverage is what the changed files of code lack.
type OwnCoverage struct {
	Files      int              `json:"files"`      // changed files of code at head that were parsed
	Calls      int              `json:"calls"`      // in them, calls that leave the repository left out
	Unresolved int              `json:"unresolved"` // those of them whose target was not found
	Sites      []UnresolvedSite `json:"sites"`      // of these, by path and line; capped at 50
}

// An UnresolvedSite is a call whose target was not found.
type UnresolvedSite struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Name   string `json:"name"` // of what is called
	Reason string `json:"reason"`
}

// LanguageCoverage counts the files and calls of one language.
type LanguageCoverage struct {
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

// FileCoverage is one file that was not seen whole.
type FileCoverage struct {
	Path    string  `json:"path"`
	State   string  `json:"state"`
	Reason  string  `json:"reason"`
	Ranges  []Range `json:"ranges"`
	Changed bool    `json:"changed"` // the pull request touches it
}

// A Range is an inclusive range of lines, from 1.
type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// A Caveat is something that could not be seen.
type Caveat struct {
	ID       string   `json:"id"`
	Section  string   `json:"section"` // the section that it weakens
	Text     string   `json:"text"`
	Count    int      `json:"count"`
	Of       int      `json:"of"` // 0: there is no population
	Examples []string `json:"examples"`
}
