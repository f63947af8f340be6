package cli

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/previdence/previdence/action"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// The token goes to the server of the workflow and to no other, whatever the
// checkout calls origin.
func TestOnlyTheServerOfTheWorkflowGetsTheToken(t *testing.T) {
	for _, c := range []struct{ claim, origin, url string }{
		{"the repository itself", "https://github.test/acme/pay", "https://github.test/acme/pay"},
		{"no origin", "", "https://github.test/acme/pay"},
		{"an ssh address, for which there is no key", "git@github.test:acme/pay.git", "https://github.test/acme/pay"},
		{"another server", "https://evil.test/acme/pay", "https://github.test/acme/pay"},
		{"another server with the name in front", "https://github.test@evil.test/acme/pay", "https://github.test/acme/pay"},
		{"a program", "ext::sh -c evil", "https://github.test/acme/pay"},
		{"this machine", "file:///srv/pay", "file:///srv/pay"},
		{"a path", "/srv/pay", "/srv/pay"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			r := worktreetest.New(t)
			if c.origin != "" {
				r.Git("config", "remote.origin.url", c.origin)
			}
			up, err := upstream(t.Context(), r.Open(), action.Request{ServerURL: "https://github.test", Repository: "acme/pay", Token: "s3cret"})
			if err != nil || up.URL != c.url {
				t.Fatalf("got %q, %v; want %q", up.URL, err, c.url)
			}
			given := strings.HasPrefix(up.URL, "https://github.test/")
			want := ""
			if given {
				want = "basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:s3cret"))
			}
			if up.Authorization != want || strings.Contains(up.URL, "s3cret") {
				t.Errorf("authorization %q, want %q", up.Authorization, want)
			}
		})
	}
}

func TestWithoutATokenNoneIsSent(t *testing.T) {
	up, err := upstream(t.Context(), worktreetest.New(t).Open(), action.Request{ServerURL: "https://github.test", Repository: "acme/pay"})
	if err != nil || up.Authorization != "" {
		t.Errorf("got %q, %v", up.Authorization, err)
	}
}
