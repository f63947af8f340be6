package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"unicode/utf8"
)

// The rules that claims are made by. A policy can let those fail that review.Rules
// lists.
const (
	RuleBreaks   = "breaks"            // a reference that its symbol no longer fits
	RuleAPI      = "api-breaking"      // an exported symbol that went or changed incompatibly
	RuleUntested = "untested-change"   // a changed symbol that no known test reaches
	RuleCycle    = "cycle"             // folders that now import one another
	RuleText     = "named-in-text"     // text that the graph could not read names what went
	RuleDocument = "stale-document"    // a section of a document names what went or changed
	RuleContract = "contract-breaking" // a route, flag, variable or other contract that went or changed incompatibly
	RuleLayer    = "layer"             // an import that the layers of the configuration forbid
	RuleDecision = "decision-drifted"  // code that a decision in force is about changes here, or goes
	RuleOwner    = "owner"             // somebody owns a changed file
)

// A Claim is one thing that a report says, by what stays the same when lines
// move: two reports that say the same have an equal one.
type Claim struct {
	Rule   string `json:"rule"`   // one of the rules above
	Symbol string `json:"symbol"` // ID of what it is about; "path#heading" of a document; the folders of a cycle; kind and name of a contract
	From   string `json:"from"`   // ID of the symbol, or path of the file, that refers to it; "" if there is none
	Nth    int    `json:"nth"`    // from 0: which of those that are the same otherwise
}

// LongestOperand is how many bytes the symbol and the reference of a claim have
// at most. Of longer ones the start stays, with a digest of the whole.
const LongestOperand = 300

// NewClaim makes the first of the claims with these operands. They are cut to
// [LongestOperand], and written as the report's JSON writes them, so that a claim
// is the same before and after the report was a file.
func NewClaim(rule, symbol, from string) Claim {
	return Claim{Rule: rule, Symbol: operand(symbol), From: operand(from)}
}

func operand(s string) string {
	s = legible(s)
	if len(s) <= LongestOperand {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	end := LongestOperand - len("…") - 16
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…" + hex.EncodeToString(sum[:8])
}

// Fingerprint is a name of the claim that holds no line and no commit, so that
// it stays the same over the pushes to a pull request: 32 hex digits.
func (c Claim) Fingerprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", c.Rule, c.Symbol, c.From, c.Nth))
	return hex.EncodeToString(sum[:16])
}

// A Delta is what became of the claims of an earlier report of the same pull
// request. It is made from that report, which the repository does not hold, so
// nothing in the provenance covers it.
type Delta struct {
	Since         Since   `json:"since"`
	State         State   `json:"state"`            // partial if it could not be told of all claims
	Reason        string  `json:"reason,omitempty"` // why it is not complete
	Added         []Claim `json:"added"`            // made now and not then, by rule; capped at 200
	AddedTotal    int     `json:"added_total"`
	Resolved      []Claim `json:"resolved"` // made then and not now; capped at 200
	ResolvedTotal int     `json:"resolved_total"`
	Unchanged     int     `json:"unchanged"` // made by both
}

// Since is the earlier report.
type Since struct {
	Commit string `json:"commit"` // its head
	Head   Past   `json:"head"`   // what became of that commit
}

// A Past says whether the head of an earlier report is a part of the head of now.
type Past string

// The pasts.
const (
	Follows     Past = "follows"   // commits were added to it
	Rewritten   Past = "rewritten" // it is no part of the head any more: somebody pushed by force
	UnknownPast Past = "unknown"   // it is not here, or the history between is not
)
