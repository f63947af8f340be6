package score_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/previdence/previdence/bench/score"
)

// key knows all that a.go:1 calls and all that is called on line 30 of a.go; it
// knows something of what a.go:20 calls.
const key = `# by hand
E	a.go	1	b.go	10	static	function
E	a.go	1	b.go	20	dynamic	interface
E	a.go	20	b.go	10	static	function
E	a.go	20	b.go	30	static	method
E	a.go	1	gone.go	5	static	function
F	a.go
F	b.go
J	a.go	1
L	a.go	30
P	a.go	1	b.go	40
U	b.go	50
X	fmt	7
R	x.m	2
`

func compare(t *testing.T, edges ...string) *score.Result {
	t.Helper()
	k, err := score.ReadKey(strings.NewReader(key))
	if err != nil {
		t.Fatal(err)
	}
	found, err := score.ReadFound(strings.NewReader(strings.ReplaceAll(strings.Join(edges, "\n"), " ", "\t")))
	if err != nil {
		t.Fatal(err)
	}
	return score.Compare(k, found)
}

func TestEdgesAreJudgedByWhatTheKeyKnows(t *testing.T) {
	for _, c := range []struct {
		name string
		edge string
		want string // matched, contradicted, possible, unjudged
	}{
		{"a call of the key matches", "a.go 1 b.go 10 call exact 3", "1 0 0 0"},
		{"a dispatch matches like a call", "a.go 1 b.go 20 dispatch dispatch 3", "1 0 0 0"},
		{"what the key lacks is wrong where it knows the caller", "a.go 1 b.go 11 call exact 3", "0 1 0 0"},
		{"what the key lacks is open where it does not", "a.go 20 b.go 11 call exact 21", "0 0 0 1"},
		{"it is wrong where the key knows the line", "a.go 20 b.go 11 call exact 30", "0 1 0 0"},
		{"one line that the key does not know leaves it open", "a.go 20 b.go 11 call exact 30,31", "0 0 0 1"},
		{"a method that overrides a known one counts neither way", "a.go 1 b.go 40 dispatch dispatch 3", "0 0 1 0"},
		{"what runs without a call is not judged", "a.go 1 b.go 50 call exact 3", "0 0 0 1"},
		{"an end outside the key's files takes no part", "a.go 1 c.go 1 call exact 3", "0 0 0 0"},
		{"even if the key has the edge", "a.go 1 gone.go 5 call exact 3", "0 0 0 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := compare(t, c.edge)
			if got := fmt.Sprint(r.Matched, r.Contradicted, r.Possible, r.Unjudged); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestFigures(t *testing.T) {
	r := compare(t,
		"a.go 1 b.go 10 call name 3",
		"a.go 1 b.go 10 dispatch exact 4", // the same edge, and stronger
		"a.go 1 b.go 11 call exact 5",     // wrong
		"a.go 1 b.go 40 dispatch dispatch 5",
		"a.go 20 b.go 10 call name 21",
		"a.go 20 b.go 11 call name 22") // not judged
	if r.Edges != 5 || r.Calls != 4 {
		t.Errorf("%d edges and %d calls, want 5 and 4", r.Edges, r.Calls)
	}
	if r.Recall() != (score.Ratio{Of: 2, All: 4}) || r.Precision() != (score.Ratio{Of: 2, All: 3}) || r.UnjudgedShare() != (score.Ratio{Of: 1, All: 5}) {
		t.Errorf("recall %v, precision %v, unjudged %v", r.Recall(), r.Precision(), r.UnjudgedShare())
	}
	if r.Static != (score.Ratio{Of: 2, All: 3}) || r.Dynamic != (score.Ratio{Of: 0, All: 1}) {
		t.Errorf("static %v, dynamic %v", r.Static, r.Dynamic)
	}
	tiers := []score.TierScore{{"compiler", 0, 0, 0}, {"exact", 2, 1, 1}, {"dispatch", 1, 0, 0}, {"import", 0, 0, 0}, {"name", 2, 1, 0}, {"test", 0, 0, 0}, {"latent", 0, 0, 0}}
	if !reflect.DeepEqual(r.Tiers, tiers) {
		t.Errorf("tiers %v, want %v", r.Tiers, tiers)
	}
	if want := []score.Count{{"interface", 1}, {"method", 1}}; !reflect.DeepEqual(r.LostKinds, want) {
		t.Errorf("lost %v, want %v", r.LostKinds, want)
	}
	if want := []score.Edge{{score.Place{"a.go", 1}, score.Place{"b.go", 20}}, {score.Place{"a.go", 20}, score.Place{"b.go", 30}}}; !reflect.DeepEqual(r.Lost, want) {
		t.Errorf("lost %v, want %v", r.Lost, want)
	}
	if want := []score.Edge{{score.Place{"a.go", 1}, score.Place{"b.go", 11}}}; !reflect.DeepEqual(r.Wrong, want) {
		t.Errorf("wrong %v, want %v", r.Wrong, want)
	}
}

// The values are from E. B. Wilson's formula, worked out by hand.
func TestTiersBeyondTheKeyAreSetApart(t *testing.T) {
	k, err := score.ReadKey(strings.NewReader(key))
	if err != nil {
		t.Fatal(err)
	}
	k.Beyond = []string{"test", "latent"}
	edge := func(from, to int, tier string) score.Found {
		return score.Found{Edge: score.Edge{Caller: score.Place{Path: "a.go", Line: from}, Callee: score.Place{Path: "b.go", Line: to}}, Tier: tier}
	}
	r := score.Compare(k, []score.Found{
		edge(1, 10, "exact"), edge(1, 10, "latent"), // the stronger counts
		edge(1, 20, "test"), edge(1, 11, "latent"), edge(20, 11, "latent"),
	})
	if r.Edges != 1 || r.Matched != 1 || r.Contradicted != 0 || r.Recall() != (score.Ratio{Of: 1, All: 4}) {
		t.Errorf("%d edges, %d matched, %d contradicted, recall %v", r.Edges, r.Matched, r.Contradicted, r.Recall())
	}
	if want := []score.TierScore{{"test", 1, 1, 0}, {"latent", 2, 0, 1}}; !reflect.DeepEqual(r.Beyond, want) {
		t.Errorf("apart %v, want %v", r.Beyond, want)
	}
}

func TestWilsonInterval(t *testing.T) {
	for _, c := range []struct {
		ratio     score.Ratio
		low, high float64
	}{
		{score.Ratio{Of: 8, All: 10}, 0.4902, 0.9433},
		{score.Ratio{Of: 0, All: 10}, 0, 0.2775},
		{score.Ratio{Of: 10, All: 10}, 0.7225, 1},
		{score.Ratio{Of: 500, All: 1000}, 0.4691, 0.5309},
		{score.Ratio{}, 0, 0},
	} {
		low, high := c.ratio.Wilson()
		if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%v gives [%.4f, %.4f], want [%.4f, %.4f]", c.ratio, low, high, c.low, c.high)
		}
	}
}

func TestMalformedLinesAreRefused(t *testing.T) {
	for _, line := range []string{
		"E\ta.go\t1\tb.go\t10\tsometimes\tfunction",
		"E\ta.go\tone\tb.go\t10\tstatic\tfunction",
		"E\ta.go\t1\tb.go\t10\tstatic",
		"Q\ta.go\t1", "J\ta.go\tx", "F", "a",
	} {
		if _, err := score.ReadKey(strings.NewReader("F\ta.go\n" + line + "\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("key %q: %v, want an error that names line 2", line, err)
		}
	}
	if _, err := score.ReadFound(strings.NewReader("a.go\t1\tb.go\t10\tcall\texact\n")); !errors.Is(err, score.ErrMalformed) {
		t.Errorf("six fields: %v", err)
	}
}

// What is read is what was written: the oracle is the printed form.
func FuzzReadFound(f *testing.F) {
	f.Add("a.go\t1\tb.go\t10\tcall\texact\t3,4")
	f.Add("a.go\t-1\tb.go\t+10\tcall\texact\t3")
	f.Fuzz(func(t *testing.T, text string) {
		found, err := score.ReadFound(strings.NewReader(text))
		if err != nil {
			return
		}
		var b strings.Builder
		for _, e := range found {
			lines := strings.ReplaceAll(strings.Trim(fmt.Sprint(e.Lines), "[]"), " ", ",")
			fmt.Fprintf(&b, "%s\t%d\t%s\t%d\t%s\t%s\t%s\n", e.Caller.Path, e.Caller.Line, e.Callee.Path, e.Callee.Line, e.Kind, e.Tier, lines)
		}
		again, err := score.ReadFound(strings.NewReader(b.String()))
		if err != nil || !reflect.DeepEqual(again, found) {
			t.Errorf("%q is read as %v and, printed, as %v (%v)", text, found, again, err)
		}
	})
}
