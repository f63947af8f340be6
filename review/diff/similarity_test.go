package diff

import (
	"bytes"
	"testing"
)

func TestSimilarity(t *testing.T) {
	body := "if x > 0 {\n\treturn send(x)\n}\nreturn nil"
	tests := []struct {
		name      string
		a, b      string
		low, high float64
	}{
		{"equal bodies", body, body, 1, 1},
		{"white space does not count", body, "if x>0 { return   send(x) } return nil", 1, 1},
		{"nothing against nothing is equal", " ", "\n", 1, 1},
		{"nothing against something is unlike", "", body, 0, 0},
		{"bodies without a common token are unlike", "a b c", "d e f", 0, 0},
		{"half of the tokens", "a b c d", "a b x y", 0.5, 0.5},
		{"the order counts", "a b c d e f", "f e d c b a", 0.1, 0.2},
		{"one changed name stays close", body, "if x > 0 {\n\treturn post(x)\n}\nreturn nil", 0.9, 0.99},
		{"letters of other scripts are words", "größe := 1", "größe := 1", 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Similarity([]byte(tt.a), []byte(tt.b))
			if got < tt.low || got > tt.high {
				t.Errorf("got %v, want %v to %v", got, tt.low, tt.high)
			}
			if back := Similarity([]byte(tt.b), []byte(tt.a)); back != got {
				t.Errorf("%v one way, %v the other", got, back)
			}
		})
	}
}

func TestSimilarityIsBounded(t *testing.T) {
	long := bytes.Repeat([]byte("a "), 3*MaxTokens)
	if got := Similarity(long, long); got != 1 {
		t.Errorf("equal long bodies: got %v, want 1", got)
	}
	other := append(append([]byte("x "), long...), 'y')
	if got := Similarity(long, other); got < 0.33 || got > 0.34 {
		t.Errorf("got %v, want a third: only MaxTokens of three times as many are compared", got)
	}
}

// plainCommon is the textbook table that the bit-parallel one must agree with.
func plainCommon(x, y []uint64) int {
	row := make([]int, len(x)+1)
	for _, id := range y {
		diagonal := 0
		for i := range x {
			above := row[i+1]
			if x[i] == id {
				row[i+1] = diagonal + 1
			} else {
				row[i+1] = max(above, row[i])
			}
			diagonal = above
		}
	}
	return row[len(x)]
}

func FuzzSimilarity(f *testing.F) {
	f.Add([]byte("a b c d e"), []byte("a c e"))
	f.Add(bytes.Repeat([]byte("x y "), 70), bytes.Repeat([]byte("y x z "), 50))
	f.Add([]byte("\xff("), []byte("\xff"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		left, right := NewBody(a), NewBody(b)
		x, y := left.tokens, right.tokens
		if len(x) > 2000 || len(y) > 2000 {
			return
		}
		got, want := Similarity(a, b), 1.0
		if ceiling := left.Ceiling(right); got > ceiling || ceiling > 1 {
			t.Errorf("similarity %v above its ceiling %v", got, ceiling)
		}
		if len(x)+len(y) > 0 {
			want = 2 * float64(plainCommon(x, y)) / float64(len(x)+len(y))
		}
		if got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestCeilingIgnoresTheOrder(t *testing.T) {
	a, b := NewBody([]byte("a b c d e f")), NewBody([]byte("f e d c b a"))
	if got := a.Ceiling(b); got != 1 {
		t.Errorf("got %v, want 1", got)
	}
	if got := a.Ceiling(NewBody([]byte("a b x y"))); got != 0.4 {
		t.Errorf("got %v, want 0.4: two of ten tokens on each side", got)
	}
}

func BenchmarkCeiling(b *testing.B) {
	x := NewBody(bytes.Repeat([]byte("if x > 0 {\n\treturn send(x)\n}\nreturn nil\n"), 20))
	y := NewBody(bytes.Repeat([]byte("if y > 0 {\n\treturn post(y)\n}\nreturn nil\n"), 20))
	for b.Loop() {
		x.Ceiling(y)
	}
}

func BenchmarkSimilarity(b *testing.B) {
	body := bytes.Repeat([]byte("if x > 0 {\n\treturn send(x)\n}\nreturn nil\n"), 20)
	other := bytes.Repeat([]byte("if y > 0 {\n\treturn post(y)\n}\nreturn nil\n"), 20)
	for b.Loop() {
		Similarity(body, other)
	}
}
