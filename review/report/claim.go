package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// The rules that claims are made by. The first four are those that a policy can
// let fail.
const (
	RuleBreaks   = "breaks"          // a reference that its symbol no longer fits
	RuleAPI      = "api-breaking"    // an exported symbol that went or changed incompatibly
	RuleUntested = "untested-change" // a changed symbol that no known test reaches
	RuleCycle    = "cycle"           // folders that now import one another
	RuleText     = "named-in-text"   // a place that the graph could not read names what went
	RuleDocument = "stale-document"  // a section of a document names what went or changed
)

// A Claim is one thing that a report says, by what stays the same when lines
// move: two reports that make the same claim have an equal one.
type Claim struct {
	Rule   string `json:"rule"`   // one of the rules above
	Symbol string `json:"symbol"` // ID of what it is about; "path#heading" of a document; the folders of a cycle
	From   string `json:"from"`   // ID of the symbol, or path of the file, that refers to it; "" if there is none
	Nth    int    `json:"nth"`    // from 0: which of those that are the same otherwise
}

// Fingerprint is a name of the claim that holds no line and no commit, so that
// it stays the same over the pushes to a pull request: 32 hex digits.
func (c Claim) Fingerprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", c.Rule, c.Symbol, c.From, c.Nth))
	return hex.EncodeToString(sum[:16])
}
