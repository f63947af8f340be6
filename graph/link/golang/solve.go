package golang

// Function values and the types of interfaces both flow from variable to variable, and
// are followed in the same way: until nothing new arrives anywhere.

// An origin says where what a variable holds comes from.
type origin[V comparable] struct {
	values []V
	vars   []place // whatever these hold
	more   bool    // and what is not known
}

// A holding is what a variable may hold.
type holding[V comparable] struct {
	values map[V]bool
	more   bool // and what is not known
}

// add reports whether h has grown.
func (h *holding[V]) add(o *holding[V]) bool {
	grown := o.more && !h.more
	h.more = h.more || o.more
	for v := range o.values {
		grown = h.put(v) || grown
	}
	return grown
}

func (h *holding[V]) put(v V) bool {
	if h.values[v] {
		return false
	}
	if h.values == nil {
		h.values = map[V]bool{}
	}
	h.values[v] = true
	return true
}

// begin adds what an origin names itself.
func (h *holding[V]) begin(o origin[V]) {
	h.more = h.more || o.more
	for _, v := range o.values {
		h.put(v)
	}
}

// A solution knows what every variable may hold.
type solution[V comparable] struct {
	number map[place]int32
	holds  []holding[V]
	next   [][]int32 // the variables that what one holds flows to
}

// solve follows what flows into variables.
func solve[F any, V comparable](flows []F, of func(*F) (place, origin[V])) *solution[V] {
	s := &solution[V]{number: map[place]int32{}}
	var work []int32
	for i := range flows {
		to, from := of(&flows[i])
		n := s.at(to)
		s.holds[n].begin(from)
		for _, v := range from.vars {
			from := s.at(v)
			s.next[from] = append(s.next[from], n)
		}
		work = append(work, n)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range s.next[v] {
			if s.holds[to].add(&s.holds[v]) {
				work = append(work, to)
			}
		}
	}
	return s
}

func (s *solution[V]) at(v place) int32 {
	n, ok := s.number[v]
	if !ok {
		n = int32(len(s.holds))
		s.number[v] = n
		s.holds, s.next = append(s.holds, holding[V]{}), append(s.next, nil)
	}
	return n
}

// of is what an expression may be that has this origin. The caller must not change it.
func (s *solution[V]) of(o origin[V]) holding[V] {
	if len(o.vars) == 1 && len(o.values) == 0 && !o.more {
		if n, ok := s.number[o.vars[0]]; ok {
			return s.holds[n] // most are one variable
		}
	}
	var h holding[V]
	h.begin(o)
	for _, v := range o.vars {
		if n, ok := s.number[v]; ok {
			h.add(&s.holds[n])
		}
	}
	return h
}
