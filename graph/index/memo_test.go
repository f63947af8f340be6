package index

import (
	"fmt"
	"testing"
)

func TestPartsThatWereNotUsedForLongestGoFirst(t *testing.T) {
	s := newPartShelf(100)
	for n := range 40 {
		s.put(map[string][]byte{fmt.Sprint(n): make([]byte, 10)})
		if s.size > 100 || s.size != 10*len(s.parts) {
			t.Fatalf("%d bytes of %d parts under a limit of 100", s.size, len(s.parts))
		}
		if found := s.get([]string{"0", "absent"}); len(found) != 1 {
			t.Fatalf("of what is used in every round and what is not there, %d are found in round %d", len(found), n)
		}
	}
	if found := s.get([]string{"0", "1", "30", "38", "39"}); found["1"] != nil || found["30"] != nil || found["38"] == nil || found["39"] == nil {
		t.Errorf("%d of the oldest and the newest are left: %v", len(found), found)
	}
}

func TestAPartThatIsPutTwiceCountsOnce(t *testing.T) {
	s := newPartShelf(100)
	for range 30 {
		s.put(map[string][]byte{"a": make([]byte, 40)})
	}
	if s.size != 40 || len(s.get([]string{"a"})) != 1 {
		t.Errorf("%d bytes, %d parts", s.size, len(s.parts))
	}
	s.put(map[string][]byte{"b": make([]byte, 200)}) // more than there is room for
	if s.size > 100 {
		t.Errorf("%d bytes under a limit of 100", s.size)
	}
}
