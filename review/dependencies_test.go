package review

import (
	"reflect"
	"testing"
)

func links(pairs ...string) map[link]string {
	m := map[link]string{}
	for _, p := range pairs {
		m[link{p[:1], p[1:]}] = p[:1] + "/x.go:1"
	}
	return m
}

func TestNewCycles(t *testing.T) {
	tests := []struct {
		claim      string
		base, head map[link]string
		want       [][]string
	}{
		{"two folders that now import each other", links("ab"), links("ab", "ba"), [][]string{{"a", "b"}}},
		{"a cycle that was there is not new", links("ab", "ba"), links("ab", "ba", "bc"), [][]string{}},
		{"a cycle that grew is new", links("ab", "ba"), links("ab", "bc", "ca"), [][]string{{"a", "b", "c"}}},
		{"a cycle that shrank is not", links("ab", "bc", "ca"), links("ab", "ba"), [][]string{}},
		{"a chain is no cycle", links(), links("ab", "bc"), [][]string{}},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			if got := newCycles(tt.base, tt.head); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
