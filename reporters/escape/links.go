package escape

import (
	"regexp"
	"strings"
)

// gap is a zero-width space. It is put inside what a renderer or a mail client
// would turn into a link, and is the only invisible character that this package
// writes. Its price: a copied path with /@scope/ in it carries the gap along.
const gap = "\u200b"

// word reports whether r is a letter or digit of ASCII.
func word(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

var (
	mention = regexp.MustCompile(`(^|[^0-9A-Za-z_])@([0-9A-Za-z_])`)
	issue   = regexp.MustCompile(`#([0-9])`)
	scheme  = regexp.MustCompile(`(?i)(https?|ftp|mailto|xmpp):`)
	www     = regexp.MustCompile(`(?i)www\.`)
	at      = regexp.MustCompile(`@([0-9A-Za-z_])`)
	gh      = regexp.MustCompile(`(?i)\bgh-([0-9])`)
	hash    = regexp.MustCompile(`\b[0-9a-fA-F]{7,}\b`)
	six     = regexp.MustCompile(`.{6}`) // of a hash: seven are the fewest that are looked up
	emoji   = regexp.MustCompile(`:([0-9A-Za-z_+-]+:)`)
)

// breakMentions breaks what notifies people or marks an issue if a reply by
// mail loses the code span around it. Everything else in a code span is inert,
// and stays as it is so that it can be copied.
func breakMentions(s string) string {
	s = mention.ReplaceAllString(s, "$1@"+gap+"$2")
	return issue.ReplaceAllString(s, "#"+gap+"$1")
}

// breakLinks also breaks addresses: one of the parsers links them inside an
// HTML code element.
func breakLinks(s string) string {
	s = at.ReplaceAllString(s, "@"+gap+"$1")
	s = issue.ReplaceAllString(s, "#"+gap+"$1")
	s = scheme.ReplaceAllString(s, "$1:"+gap)
	return www.ReplaceAllStringFunc(s, func(m string) string { return m[:3] + gap + "." })
}

// breakWords breaks what only prose is searched for: GH-12, commits, :emoji:.
func breakWords(s string) string {
	s = gh.ReplaceAllStringFunc(s, func(m string) string { return strings.Replace(m, "-", "-"+gap, 1) })
	s = hash.ReplaceAllStringFunc(s, func(m string) string { return six.ReplaceAllString(m, "$0"+gap) })
	// One colon can end a word and start the next, so it takes two rounds.
	s = emoji.ReplaceAllString(s, ":"+gap+"$1")
	return emoji.ReplaceAllString(s, ":"+gap+"$1")
}
