package store

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/previdence/previdence/graph"
)

// An Edges is a graph as a search along its edges sees it: nothing is loaded that the
// search does not touch. Symbols have the numbers of their places in the order of IDs.
// After something could not be read it has no edges; [DB.Follow] says so then.
type Edges struct {
	db  *DB
	err error
}

// Follow lets use search the edges of the graph.
func (d *DB) Follow(use func(*Edges) error) error {
	return guarded(func() error {
		e := &Edges{db: d}
		err := use(e)
		if e.err != nil {
			return e.err
		}
		return err
	})
}

// Symbols is how many symbols there are.
func (e *Edges) Symbols() int { return e.db.body.symbols }

// Number finds a symbol. Without it the error is [ErrNoSymbol].
func (e *Edges) Number(id graph.SymbolID) (int32, error) { return e.db.number(id) }

// Symbol returns the symbol with a number.
func (e *Edges) Symbol(n int32) graph.Symbol {
	s, err := e.db.symbol(n)
	if err != nil {
		e.err = err
	}
	return s
}

// Traits returns what a search asks of a symbol.
func (e *Edges) Traits(n int32) graph.Traits {
	t := e.db.body.bytes(partTraits, int(n), int(n)+1)
	if t == nil {
		e.err = errBody
		return 0
	}
	return graph.Traits(t[0])
}

// Wraps reports whether a symbol is a Python function inside another one.
func (e *Edges) Wraps(n int32) bool {
	s := e.Symbol(n)
	return slices.ContainsFunc(s.Wrapped(), func(id graph.SymbolID) bool {
		_, err := e.db.number(id)
		if err != nil && !errors.Is(err, ErrNoSymbol) {
			e.err = err
		}
		return err == nil
	})
}

// Arrivals counts the edges that reach a symbol.
func (e *Edges) Arrivals(n int32) int {
	from, to, ok := e.db.body.between(partArrivingAt, n)
	if !ok {
		e.err = errBody
		return 0
	}
	return to - from
}

// Arriving appends the edges that reach a symbol to room, in the order of the symbols
// that they come from.
func (e *Edges) Arriving(n int32, room []graph.Arrival) []graph.Arrival {
	b := e.db.body
	list, _, err := b.list(partArriving, partArrivingAt, n)
	for i := 0; err == nil && e.err == nil && i < len(list)/8; i++ {
		a := graph.Arrival{}
		a.From, a.Kind, a.Tier = unpack(binary.LittleEndian.Uint32(list[8*i:]))
		if int(a.From) >= b.symbols {
			err = errBody
			break
		}
		a.Site = int32(binary.LittleEndian.Uint32(list[8*i+4:]))
		room = append(room, a)
	}
	if err != nil {
		e.err = err
	}
	return room
}
