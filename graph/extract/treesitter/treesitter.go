// Package treesitter turns source text into a flat syntax tree.
//
// Input is the bytes of one file and a grammar; output is a [Tree]: an array of
// nodes in preorder that lives in Go memory and needs no closing. Walking it
// calls no C. Parsing is bounded by counts, never by time, so that the same
// bytes always give the same tree: too large or too hard a file is refused
// with [ErrBudget], nesting deeper than [MaxDepth] is cut and listed as a gap.
//
// The package knows no language, reads no files and keeps nothing but idle
// parsers.
package treesitter

/*
#cgo CFLAGS: -std=gnu11 -O2
#include <stdlib.h>
#include "flatten.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	// The runtime that flatten.c calls.
	_ "github.com/tree-sitter/go-tree-sitter"
)

// The limits of one parse.
const (
	MaxBytes = 8 << 20 // source bytes
	MaxNodes = 8 << 20 // nodes of the tree
	MaxDepth = 2000    // levels of nesting; recursion over a tree stays within the stack
)

// ErrBudget means that a file is too large to parse or that the parser would
// need far more steps for it than source of its size needs.
var ErrBudget = errors.New("parse budget exceeded")

func init() { C.pv_init() }

// A Language is a grammar with the names of its node kinds and fields, and the
// idle parsers for it. It is safe for concurrent use.
type Language struct {
	pointer unsafe.Pointer
	kinds   []string
	fields  []string

	mu   sync.Mutex
	idle []*C.pv_parser
}

// NewLanguage wraps what the Language function of a grammar's Go binding
// returns.
func NewLanguage(pointer unsafe.Pointer) *Language {
	l := &Language{pointer: pointer}
	for i := range C.pv_kind_count(pointer) {
		l.kinds = append(l.kinds, C.GoString(C.pv_kind_name(pointer, C.uint16_t(i))))
	}
	l.fields = append(l.fields, "")
	for i := range C.pv_field_count(pointer) {
		l.fields = append(l.fields, C.GoString(C.pv_field_name(pointer, C.uint16_t(i+1))))
	}
	return l
}

// take returns an idle parser or a new one, nil if there is no memory.
func (l *Language) take() *C.pv_parser {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.idle); n > 0 {
		p := l.idle[n-1]
		l.idle = l.idle[:n-1]
		return p
	}
	return C.pv_new(l.pointer)
}

func (l *Language) put(p *C.pv_parser) {
	C.pv_reset(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, p)
}

// Parse parses src. It fails only with [ErrBudget] or with the error of ctx:
// source with syntax errors gives a tree with gaps. The tree refers to src,
// which must not change.
func Parse(ctx context.Context, l *Language, src []byte) (*Tree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(src) > MaxBytes {
		return nil, fmt.Errorf("%d bytes: %w", len(src), ErrBudget)
	}
	p := l.take()
	if p == nil {
		return nil, fmt.Errorf("new parser: %w", ErrBudget)
	}
	defer l.put(p)
	// Stopped is waited for, so that a late cancellation cannot hit the next
	// file that this parser reads.
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		C.pv_cancel(p)
		close(done)
	})
	outcome := C.pv_parse(p, (*C.char)(unsafe.Pointer(unsafe.SliceData(src))), C.uint32_t(len(src)),
		C.uint64_t(steps(len(src))), MaxNodes, MaxDepth)
	if !stop() {
		<-done
	}
	switch outcome {
	case C.PV_OK:
		return newTree(l, src, p), nil
	case C.PV_CANCELLED:
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("%d bytes: %w", len(src), ErrBudget)
}

// steps is how often the parser may report progress for a file of n bytes. A
// report comes every hundred operations; ordinary source takes well under one
// operation per byte, broken source some ten.
func steps(n int) int { return 10_000 + n }

func newTree(l *Language, src []byte, p *C.pv_parser) *Tree {
	var n C.uint32_t
	first := C.pv_nodes(p, &n)
	t := &Tree{Source: src, language: l, nodes: make([]node, n)}
	copy(t.nodes, unsafe.Slice((*node)(unsafe.Pointer(first)), n))
	return t
}
