package delta

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/previdence/previdence/review/report"
)

// Longest is how many bytes [Claims.Encode] gives at most. A comment carries
// them beside 60,000 bytes of its own.
const Longest = 4000

// version begins the text. Version 1: the JSON of [packed], deflated, in base64
// for addresses without padding. Version 2: more rules, so that their places in the
// order are others.
const version = "2."

// Bounds of what [Decode] accepts. A text of [Longest] bytes can be made to
// unpack to a thousand times as much.
const (
	mostBytes  = 1 << 20
	mostClaims = 20_000
	mostNth    = 1_000_000
)

// ErrUnreadable means that a text is not what [Claims.Encode] writes, or is of
// another version.
var ErrUnreadable = errors.New("unreadable claims")

// A packed is the claims as they are written: short names, and rules by their
// place in the order.
type packed struct {
	Commit string   `json:"c"`
	Engine string   `json:"e"`
	Config string   `json:"g"`
	Total  int      `json:"t"`
	Unsure []int    `json:"u"`
	Rules  []int    `json:"r"`
	Symbol []string `json:"s"`
	From   []string `json:"f"`
	Nth    []int    `json:"n"`
}

// Encode writes claims as at most [Longest] bytes of letters, digits and the
// signs . - _ alone. What does not fit is left out from the end of the list; the
// total stays, and the rules of what was left out become unsure.
func (c Claims) Encode() string {
	whole := c.first(min(len(c.List), mostClaims)).encode()
	if len(whole) <= Longest {
		return whole
	}
	best := c.first(0).encode()
	sort.Search(min(len(c.List), mostClaims), func(i int) bool {
		text := c.first(i + 1).encode()
		if len(text) > Longest {
			return true
		}
		best = text
		return false
	})
	return best
}

// first returns the claims with only the first n listed.
func (c Claims) first(n int) Claims {
	cut := slices.Clone(c.Unsure)
	for _, claim := range c.List[n:] {
		if !slices.Contains(cut, claim.Rule) {
			cut = append(cut, claim.Rule)
		}
	}
	slices.SortFunc(cut, func(a, b string) int { return rank(a) - rank(b) })
	c.List, c.Unsure = c.List[:n], cut
	return c
}

func (c Claims) encode() string {
	p := packed{Commit: c.Commit, Engine: c.Engine, Config: c.Config, Total: c.Total, Unsure: []int{},
		Rules: []int{}, Symbol: []string{}, From: []string{}, Nth: []int{}}
	for _, rule := range c.Unsure {
		p.Unsure = append(p.Unsure, rank(rule))
	}
	for _, claim := range c.List {
		p.Rules, p.Nth = append(p.Rules, rank(claim.Rule)), append(p.Nth, claim.Nth)
		p.Symbol, p.From = append(p.Symbol, claim.Symbol), append(p.From, claim.From)
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err == nil {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		err = errors.Join(e.Encode(p), w.Close())
	}
	if err != nil {
		panic(err) // numbers and texts, at a level that exists, into a buffer
	}
	return version + base64.RawURLEncoding.EncodeToString(out.Bytes())
}

// Decode reads what [Claims.Encode] wrote. The text may come from anybody: it is
// refused, with [ErrUnreadable], if anything in it is not as Encode writes it.
func Decode(text string) (Claims, error) {
	if len(text) > Longest {
		return Claims{}, fmt.Errorf("%w: %d bytes", ErrUnreadable, len(text))
	}
	body, ok := strings.CutPrefix(text, version)
	if !ok {
		return Claims{}, fmt.Errorf("%w: not of version %s", ErrUnreadable, strings.TrimSuffix(version, "."))
	}
	p, err := unpack(body)
	if err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	c, err := p.claims()
	if err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return c, nil
}

func unpack(body string) (p packed, err error) {
	deflated, err := base64.RawURLEncoding.Strict().DecodeString(body)
	if err != nil {
		return p, err
	}
	in := bytes.NewReader(deflated)
	unpacked, err := io.ReadAll(io.LimitReader(flate.NewReader(in), mostBytes+1))
	switch {
	case err != nil:
		return p, err
	case len(unpacked) > mostBytes:
		return p, errors.New("too large")
	case in.Len() > 0:
		return p, errors.New("bytes after the end")
	}
	d := json.NewDecoder(bytes.NewReader(unpacked))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return p, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return p, errors.New("data after the claims")
	}
	return p, nil
}

// claims checks everything that a reader of claims relies on.
func (p packed) claims() (c Claims, err error) {
	n := len(p.Rules)
	switch {
	case len(p.Symbol) != n || len(p.From) != n || len(p.Nth) != n:
		return c, errors.New("lists of different lengths")
	case n > mostClaims || p.Total < n:
		return c, errors.New("wrong number of claims")
	case !object(p.Commit) || !digits(p.Engine) || !digits(p.Config):
		return c, errors.New("not an object ID or a digest")
	}
	c = Claims{Commit: p.Commit, Engine: p.Engine, Config: p.Config, Total: p.Total}
	for i, r := range p.Unsure {
		if r < 0 || r >= len(order) || i > 0 && r <= p.Unsure[i-1] {
			return c, errors.New("rules out of order")
		}
		c.Unsure = append(c.Unsure, order[r])
	}
	seen := map[report.Claim]bool{}
	for i, r := range p.Rules {
		if r < 0 || r >= len(order) || i > 0 && r < p.Rules[i-1] {
			return c, errors.New("claims out of order")
		}
		claim := report.Claim{Rule: order[r], Symbol: p.Symbol[i], From: p.From[i], Nth: p.Nth[i]}
		if !operand(claim.Symbol) || !operand(claim.From) || claim.Nth < 0 || claim.Nth > mostNth || seen[claim] {
			return c, errors.New("not a claim")
		}
		seen[claim] = true
		c.List = append(c.List, claim)
	}
	return c, nil
}

func operand(s string) bool { return len(s) <= report.LongestOperand && utf8.ValidString(s) }

// object reports whether s is a full object ID.
func object(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && (len(s) == 40 || len(s) == 64)
}

// digits reports whether s is what [short] gives.
func digits(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) <= 16
}
