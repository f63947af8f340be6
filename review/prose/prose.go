// Package prose reads what documents say of the code around them.
//
// Input is the path and the bytes of one document; output is what kind it is, what its
// front matter says it governs and who owns it, and the words of its text that may be
// a path or a flag. What is meant by a word is for the caller, who knows the tree. The
// package opens no file, follows no link and believes no key that it does not know.
package prose

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// MaxBytes is the size of a document up to which it is read.
const MaxBytes = 512 << 10

// A Kind says what a document is for.
type Kind string

// The kinds of documents that govern code. "" is any other.
const (
	ADR        Kind = "adr"        // decided once about the architecture
	RFC        Kind = "rfc"        // proposed to others, and argued
	Runbook    Kind = "runbook"    // what to do in operation
	Postmortem Kind = "postmortem" // what went wrong, and what must not again
	Design     Kind = "design"     // how a part was meant
	Rules      Kind = "rules"      // how to work on the code of a folder
)

// kinds has the words of each kind: the names of folders, and the first or last words
// of the names of files.
var kinds = map[string]Kind{
	"adr": ADR, "adrs": ADR, "decisions": ADR, "architecture-decisions": ADR, "decision-records": ADR, "architecture-decision-records": ADR,
	"rfc": RFC, "rfcs": RFC, "proposals": RFC, "keps": RFC, "enhancements": RFC,
	"runbook": Runbook, "runbooks": Runbook, "playbook": Runbook, "playbooks": Runbook,
	"postmortem": Postmortem, "postmortems": Postmortem, "post-mortem": Postmortem, "post-mortems": Postmortem, "incidents": Postmortem,
	"design": Design, "designs": Design, "design-docs": Design, "design-doc": Design,
}

var indexes = []string{"readme", "index", "template", "_index"}

// KindOf tells the kind of a document by its path. A file that only lists or starts
// others of its folder is none.
func KindOf(file string) Kind {
	base := strings.ToLower(path.Base(file))
	stem, _, _ := strings.Cut(base, ".")
	switch {
	case base == "agents.md", base == "claude.md", strings.HasSuffix(base, ".instructions.md"):
		return Rules
	case slices.Contains(indexes, stem), strings.HasSuffix(stem, "template"):
		return ""
	}
	dir := path.Dir(file)
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if k := kinds[strings.ReplaceAll(strings.ToLower(path.Base(dir)), "_", "-")]; k != "" {
			return k
		}
	}
	words := strings.FieldsFunc(stem, func(r rune) bool { return r == '-' || r == '_' })
	if len(words) < 2 {
		return kindOfWord(stem)
	}
	if k := kindOfWord(words[0]); k != "" {
		return k
	}
	return kindOfWord(words[len(words)-1])
}

// kindOfWord leaves out the words that are only kinds as the name of a folder.
func kindOfWord(word string) Kind {
	switch k := kinds[word]; k {
	case ADR, RFC, Runbook, Postmortem:
		if word == "adr" || word == "rfc" || k == Runbook || k == Postmortem && word != "incidents" {
			return k
		}
	}
	return ""
}

// Home is the folder that a document is about because it lies there: that which holds
// the folders of documents. "" is the root, which says nothing.
func Home(file string) string {
	dir := path.Dir(file)
	for ; dir != "."; dir = path.Dir(dir) {
		base := strings.ReplaceAll(strings.ToLower(path.Base(dir)), "_", "-")
		if kinds[base] == "" && !slices.Contains([]string{"doc", "docs", "documentation", ".github", "instructions"}, base) {
			return dir
		}
	}
	return ""
}

// statuses are the words that a status may be.
var statuses = []string{"proposed", "draft", "accepted", "approved", "active", "implemented", "final", "rejected", "deprecated", "superseded", "withdrawn", "obsolete"}

var (
	statusLine = regexp.MustCompile(`(?i)^[#=*+\s:-]*status[*:\s]*(.*)$`)
	firstWord  = regexp.MustCompile(`[A-Za-z]+`)
)

// Status finds the status that a text states of itself: a line that says so, or a
// heading and what follows. It returns a word in lower case, or "".
func Status(data []byte) string {
	lines := strings.SplitN(string(data[:min(len(data), 16<<10)]), "\n", 200)
	asked := false
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || strings.Trim(line, "-=~") == "" {
			continue
		}
		if asked {
			return status(line)
		}
		if m := statusLine.FindStringSubmatch(line); m != nil {
			if word := status(m[1]); word != "" {
				return word
			}
			asked = m[1] == ""
		}
	}
	return ""
}

func status(text string) string {
	word := strings.ToLower(firstWord.FindString(text))
	if slices.Contains(statuses, word) {
		return word
	}
	return ""
}
