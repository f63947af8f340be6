package mcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/previdence/previdence/graph/answer"
)

// A cursor is the place where a page begins, bound to the tool, its arguments, the
// worktree and the graph: it means nothing anywhere else. Its bytes are a version,
// three digests, the generation, the position and a MAC. Clients cannot make one,
// and the key dies with the process, as the order of a list may with its program.
type cursor struct {
	tool, args, graph [8]byte
	generation        int64
	position          int64
}

const cursorVersion = 1

var errCursor = &Refusal{State: "INVALID_CURSOR", Reason: "the cursor belongs to another call, another server process, or was changed",
	Remedy: "call again without cursor"}

// A signer makes and reads cursors.
type signer struct{ key [32]byte }

func newSigner() *signer {
	s := &signer{}
	rand.Read(s.key[:]) // never fails
	return s
}

func (s *signer) write(c cursor) string {
	b := []byte{cursorVersion}
	b = append(b, c.tool[:]...)
	b = append(b, c.args[:]...)
	b = append(b, c.graph[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.generation))
	b = binary.BigEndian.AppendUint64(b, uint64(c.position))
	return base64.RawURLEncoding.EncodeToString(append(b, s.sum(b)...))
}

func (s *signer) read(text string) (c cursor, err error) {
	const size = 1 + 3*8 + 2*8
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != size+16 || b[0] != cursorVersion || !hmac.Equal(b[size:], s.sum(b[:size])) {
		return c, errCursor
	}
	copy(c.tool[:], b[1:])
	copy(c.args[:], b[9:])
	copy(c.graph[:], b[17:])
	c.generation = int64(binary.BigEndian.Uint64(b[25:]))
	c.position = int64(binary.BigEndian.Uint64(b[33:]))
	return c, nil
}

func (s *signer) sum(b []byte) []byte {
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write(b)
	return mac.Sum(nil)[:16]
}

// absent reports whether a client means that it has no cursor. Models fill the
// argument in with these.
func absent(text string) bool {
	switch strings.TrimSpace(text) {
	case "", "0", "start", "null", "none":
		return true
	}
	return false
}

// cursorFor is the place at the beginning of a list.
func cursorFor(tool string, args any, about answer.Header) cursor {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err) // arguments were read from JSON
	}
	return cursor{tool: short(tool), args: short(string(text)), graph: short(about.RepositoryRoot + "\x00" + about.Head + "\x00" + about.GraphDigest),
		generation: about.Generation}
}

// follow compares a cursor that a client gave with the place it must belong to.
func (c cursor) follow(given cursor, about answer.Header) (position int, err error) {
	switch {
	case given.tool != c.tool || given.args != c.args:
		return 0, errCursor
	case given.graph != c.graph || given.generation != c.generation:
		return 0, refuse("STALE_CURSOR", "call again without cursor",
			"the cursor was made for generation %d; now it is generation %d of graph %.12s at %.12s", given.generation, about.Generation, about.GraphDigest, about.Head)
	}
	return int(given.position), nil
}

func short(text string) (d [8]byte) {
	sum := sha256.Sum256([]byte(text))
	copy(d[:], sum[:])
	return d
}

// digest names a text in a few letters.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
