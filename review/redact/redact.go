// Package redact writes over what looks like a secret in a piece of text.
//
// Input is a text that is to be shown; output is the text with well-known shapes of
// tokens and keys written over, and how many there were. It knows the shapes below
// and no others: a text without a finding may still hold a secret, and nothing here
// says otherwise.
package redact

import (
	"regexp"
	"strings"
)

// Mark stands where a secret stood.
const Mark = "[redacted]"

// shapes are tokens whose issuers gave them a form that is not met by chance, and
// values that are called a secret where they are written.
var shapes = []*regexp.Regexp{
	regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`),
	regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`),                                   // AWS
	regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{36,251}\b`),                               // GitHub
	regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{22,255}\b`),                             // GitHub, fine-grained
	regexp.MustCompile(`\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,}`),            // GitLab
	regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`),                                // Slack
	regexp.MustCompile(`\bhooks\.slack\.com/services/[A-Za-z0-9/]{20,}`),                  // Slack, webhook
	regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`),                                         // Google
	regexp.MustCompile(`\b(?:sk|rk)_(?:live|test)_[0-9a-zA-Z]{10,}\b`),                    // Stripe
	regexp.MustCompile(`\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}`),                          // model providers
	regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`),                                         // npm
	regexp.MustCompile(`\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{20,}`),                        // PyPI
	regexp.MustCompile(`\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),                    // SendGrid
	regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`), // JSON web token
	regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^\s/:@"']+:([^\s/@"']{3,})@`),              // password in an address
	regexp.MustCompile(`(?i)\b(?:[a-z0-9]+[_-])*(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|private[_-]?key)\b["']?\s*[:=]{1,2}\s*["']([^"'\s]{8,})["']`),
}

// Secrets returns a text with what looks like a secret written over, and how many
// there were. Lines keep their numbers. Where a shape has a group, the group is the secret, and what says so
// around it stays.
func Secrets(text string) (string, int) {
	n := 0
	for _, shape := range shapes {
		text = shape.ReplaceAllStringFunc(text, func(found string) string {
			n++
			if shape.NumSubexp() == 0 {
				return Mark + strings.Repeat("\n", strings.Count(found, "\n"))
			}
			at := shape.FindStringSubmatchIndex(found)
			return found[:at[2]] + Mark + found[at[3]:]
		})
	}
	return text, n
}
