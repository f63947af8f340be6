package actiontest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Serve runs a hub behind [Validate] for one test and returns its address. A
// request or an answer that GitHub's description does not allow fails the test.
func Serve(t testing.TB, h *Hub) string {
	t.Helper()
	s := httptest.NewServer(Validate(h, func(text string) { t.Errorf("not as GitHub describes it: %s", text) }))
	t.Cleanup(s.Close)
	return s.URL
}

// Elsewhere runs another server for one test, which shows what it is asked and
// knows nothing, and returns its address.
func Elsewhere(t testing.TB, seen func(*http.Request)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen(r)
		notFound(w)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
