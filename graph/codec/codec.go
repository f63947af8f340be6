// Package codec writes values compactly, and reads them by the same description of
// their fields, so that both directions cannot differ.
//
// Whoever keeps a type writes one function that shows each of its fields to a [Coder].
// Numbers are varints, and every text stands once in a table and by its place there
// afterwards. Reading allocates no more than a fixed multiple of the bytes given, and
// gives zeros after the first thing that does not fit. Versions and checksums are up to
// who keeps the bytes.
package codec

import "encoding/binary"

// A Coder goes through a value once and either writes or reads what it is shown.
type Coder struct {
	writing bool
	bad     bool
	body    []byte // written so far, or left to read

	places         map[string]int // writing: text → place
	lengths, texts []byte         // writing: the table

	table []string // reading
	free  []int32  // reading: numbers of many short lists in one allocation
}

// NewWriter returns a coder that writes.
func NewWriter() *Coder { return &Coder{writing: true, places: map[string]int{"": 0}} }

// NewReader returns a coder that reads what [Coder.Bytes] gave, without its first byte.
func NewReader(data []byte) *Coder {
	c := &Coder{body: data}
	c.readTable()
	return c
}

// Bytes returns what was written: a byte of the caller, the table, all else.
func (c *Coder) Bytes(version byte) []byte {
	out := append(make([]byte, 0, len(c.lengths)+len(c.texts)+len(c.body)+16), version)
	out = binary.AppendUvarint(out, uint64(len(c.places)-1))
	out = append(out, c.lengths...)
	out = append(out, c.texts...)
	return append(out, c.body...)
}

// readTable reads the table of texts, which share one string.
func (c *Coder) readTable() {
	n := c.count(1)
	c.table = make([]string, 1, n+1) // place 0 is the empty text
	lengths := make([]int, n)
	total := 0
	for i := range lengths {
		lengths[i] = int(c.uvarint())
		if lengths[i] < 0 || lengths[i] > len(c.body)-total {
			c.Fail()
			return
		}
		total += lengths[i]
	}
	if total > len(c.body) {
		c.Fail()
		return
	}
	all := string(c.body[:total])
	c.body = c.body[total:]
	for _, l := range lengths {
		c.table = append(c.table, all[:l])
		all = all[l:]
	}
}

// Writing reports whether the coder writes what it is shown.
func (c *Coder) Writing() bool { return c.writing }

// Fail says that what was read makes no sense to the caller.
func (c *Coder) Fail() { c.bad, c.body = true, nil }

// Failed reports whether something did not fit so far.
func (c *Coder) Failed() bool { return c.bad }

// Done reports whether everything that was read fitted and nothing is left.
func (c *Coder) Done() bool { return !c.bad && len(c.body) == 0 }

func (c *Coder) uvarint() uint64 {
	if len(c.body) > 0 && c.body[0] < 0x80 { // most are small
		n := c.body[0]
		c.body = c.body[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(c.body)
	if size <= 0 {
		c.Fail()
		return 0
	}
	c.body = c.body[size:]
	return n
}

// count reads the length of a list whose items take at least min bytes each.
func (c *Coder) count(min int) int {
	n := c.uvarint()
	if n > uint64(len(c.body)/min) {
		c.Fail()
		return 0
	}
	return int(n)
}

// Number codes integers; those that are small and never below -1 take least space.
func (c *Coder) Number(ps ...*int32) {
	for _, p := range ps {
		if c.writing {
			c.body = binary.AppendUvarint(c.body, uint64(uint32(*p+1)))
			continue
		}
		n := c.uvarint()
		if n > 1<<32-1 {
			c.Fail()
			return
		}
		*p = int32(uint32(n)) - 1
	}
}

// Signed codes an integer that is as often below zero as above.
func (c *Coder) Signed(p *int32) {
	n := *p<<1 ^ *p>>31
	n-- // what Number adds
	c.Number(&n)
	n++
	*p = int32(uint32(n)>>1) ^ -(n & 1)
}

// Int codes integers that fit into an int32, as [Coder.Number] does.
func (c *Coder) Int(ps ...*int) {
	for _, p := range ps {
		n := int32(*p)
		c.Number(&n)
		*p = int(n)
	}
}

// Text codes texts.
func (c *Coder) Text(ps ...*string) {
	for _, p := range ps {
		if c.writing {
			c.body = binary.AppendUvarint(c.body, uint64(c.place(*p)))
			continue
		}
		at := c.uvarint()
		if at >= uint64(len(c.table)) {
			c.Fail()
			return
		}
		*p = c.table[at]
	}
}

// place finds a text in the table that is being written, or puts it there.
func (c *Coder) place(text string) int {
	at, ok := c.places[text]
	if !ok {
		at = len(c.places)
		c.places[text] = at
		c.lengths = binary.AppendUvarint(c.lengths, uint64(len(text)))
		c.texts = append(c.texts, text...)
	}
	return at
}

// Raw codes bytes whose number is known, such as those of a digest.
func (c *Coder) Raw(p []byte) {
	switch {
	case c.writing:
		c.body = append(c.body, p...)
	case len(c.body) < len(p):
		c.Fail()
	default:
		c.body = c.body[copy(p, c.body):]
	}
}

// Small codes a value of one byte.
func Small[T ~uint8](c *Coder, p *T) {
	if c.writing {
		c.body = append(c.body, byte(*p))
		return
	}
	if len(c.body) == 0 {
		c.Fail()
		return
	}
	*p = T(c.body[0])
	c.body = c.body[1:]
}

// Yes codes up to eight truths in one byte.
func (c *Coder) Yes(ps ...*bool) {
	var bits uint8
	for i, p := range ps {
		if c.writing && *p {
			bits |= 1 << i
		}
	}
	Small(c, &bits)
	for i, p := range ps {
		*p = bits&(1<<i) != 0
	}
}

// List codes a slice whose items take at least min bytes each. An empty one comes back
// as nil.
func List[T any](c *Coder, p *[]T, min int, item func(*T)) {
	n := len(*p)
	if c.writing {
		c.body = binary.AppendUvarint(c.body, uint64(n))
	} else if n = c.count(min); n > 0 {
		*p = make([]T, n)
	}
	for i := range *p {
		item(&(*p)[i])
	}
}

// Numbers codes a list of what [Coder.Number] codes. What is read shares memory with
// other lists and has no room to grow.
func (c *Coder) Numbers(p *[]int32) {
	if c.writing {
		c.body = binary.AppendUvarint(c.body, uint64(len(*p)))
	} else if n := c.count(1); n > 0 {
		if n > len(c.free) {
			c.free = make([]int32, max(n, min(1024, len(c.body))))
		}
		*p, c.free = c.free[:n:n], c.free[n:]
	}
	for i := range *p {
		c.Number(&(*p)[i])
	}
}
