package post

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A marker is the first line of a comment of ours: whose comment it is, and what
// it is about. It proves nothing by itself, since anybody can write one; see
// [ours].
type marker struct {
	key  string
	head string // commit
	seq  seq
	sum  string // SHA-256 of the content, hex
}

// A seq orders the runs that make evidence.
type seq struct {
	run     int64
	attempt int
}

func (s seq) compare(o seq) int {
	return cmp.Or(cmp.Compare(s.run, o.run), cmp.Compare(s.attempt, o.attempt))
}

func (m marker) String() string {
	return fmt.Sprintf("<!-- previdence v=1 key=%s head=%s seq=%d.%d sum=%s -->", m.key, m.head, m.seq.run, m.seq.attempt, m.sum)
}

const (
	keyPart = `key=([a-z0-9][a-z0-9-]{0,39})`
	seqPart = `seq=([0-9]{1,18})\.([0-9]{1,9})`
	sumPart = `sum=([0-9a-f]{64})`
)

// line is a marker at the very start of a comment and alone on its line.
var line = regexp.MustCompile(`\A<!-- previdence v=1 ` + keyPart + ` head=([0-9a-f]{40}|[0-9a-f]{64}) ` + seqPart + ` ` + sumPart + ` -->\r?\n`)

// markerOf reads the marker that a comment starts with.
func markerOf(body string) (m marker, ok bool) {
	f := line.FindStringSubmatch(body)
	if f == nil {
		return m, false
	}
	return marker{key: f[1], head: f[2], seq: seqOf(f[3], f[4]), sum: f[5]}, true
}

// seqOf reads numbers that are known to be short digits.
func seqOf(run, attempt string) seq {
	r, _ := strconv.ParseInt(run, 10, 64)
	a, _ := strconv.Atoi(attempt)
	return seq{r, a}
}

func sum(content string) string {
	s := sha256.Sum256([]byte(content))
	return hex.EncodeToString(s[:])
}

// An externalID is what a check run of ours carries.
type externalID struct {
	key string
	seq seq
	sum string
}

func (e externalID) String() string {
	return fmt.Sprintf("previdence v=1 key=%s seq=%d.%d sum=%s", e.key, e.seq.run, e.seq.attempt, e.sum)
}

var external = regexp.MustCompile(`\Aprevidence v=1 ` + keyPart + ` ` + seqPart + ` ` + sumPart + `\z`)

func externalIDOf(s string) (e externalID, ok bool) {
	f := external.FindStringSubmatch(s)
	if f == nil {
		return e, false
	}
	return externalID{key: f[1], seq: seqOf(f[2], f[3]), sum: f[4]}, true
}

// ours reports whether an author is the one that the token belongs to. A name
// alone is not enough: a person can be called as a bot is called without its
// ending.
func ours(login, author, kind string) bool {
	want := "User"
	if strings.HasSuffix(login, "[bot]") {
		want = "Bot"
	}
	return login != "" && strings.EqualFold(login, author) && kind == want
}
