package serve

import (
	"slices"
	"testing"

	"github.com/previdence/previdence/provenance"
)

func TestEveryStateHasARemedyForAgents(t *testing.T) {
	for _, state := range provenance.Names() {
		if remedies[state] == "" {
			t.Errorf("%s has none", state)
		}
	}
	for state := range remedies {
		if !slices.Contains(provenance.Names(), state) {
			t.Errorf("%s is no state", state)
		}
	}
}
