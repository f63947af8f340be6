package github

import (
	"encoding/base64"
	"errors"
	"testing"
)

func TestSARIFIsMeasuredAsItIsSent(t *testing.T) {
	log := []byte(`{"version":"2.1.0","runs":[]}`)
	text, err := pack(log, MostSARIF)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := pack(log, len(packed)); err != nil || same != text {
		t.Errorf("exactly the limit: %v", err)
	}
	if _, err := pack(log, len(packed)-1); !errors.Is(err, ErrRefused) {
		t.Errorf("one byte above the limit: %v", err)
	}
}
