package reporterstest

import "testing"

func TestHostileNamesAreManyAndDifferent(t *testing.T) {
	names := HostileNames()
	if len(names) < 60 {
		t.Errorf("%d names, want 60 at least", len(names))
	}
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			t.Errorf("twice: %q", n)
		}
		seen[n] = true
	}
}
