package provenance

import (
	"encoding/json"
	"errors"
	"testing"
)

// Whatever is taken for a record is one that would be written again as it is.
func FuzzARecordIsReadAsItWasWrittenOrRefused(f *testing.F) {
	whole, err := json.Marshal(Review{Schema: reviewSchema, Head: "0123", Base: "ma\x00in <&>\u2028", Outcome: outcomeFail, Failing: 2})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(whole, '\n'))
	f.Add(whole)
	f.Add([]byte(`{"schema":"previdence.reviewed/v1","outcome":"pass"}` + "\n"))
	f.Add([]byte(`{"Schema":"previdence.reviewed/v1"}`))
	f.Add([]byte("null\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseReview(text)
		if err != nil {
			if !errors.Is(err, errNoReview) {
				t.Errorf("refused without a name: %v", err)
			}
			return
		}
		again, err := json.Marshal(r)
		if err != nil || string(again)+"\n" != string(text) {
			t.Errorf("%q was read, and is written as %q, %v", text, again, err)
		}
	})
}
