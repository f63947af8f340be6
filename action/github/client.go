// Package github is the only client of GitHub.
//
// Input is a token, the addresses of the server, and one call after the other;
// output is plain values of this package. Every call waits for its turn: calls
// are serial, writes lie at least a second apart and are counted, and what
// GitHub asks to wait is waited for within a stated budget. A call that GitHub
// refuses comes back as one of a few errors, so that the caller can degrade
// instead of parsing texts.
//
// The package never decides what to say: it knows no report. It sends the token
// to the one server only, never to where a download is redirected.
package github

import (
	"context"
	"net/http"
	"time"
)

// Options say whom to talk to, and how patiently.
type Options struct {
	APIURL     string // GITHUB_API_URL: "https://api.github.com"
	GraphQLURL string // GITHUB_GRAPHQL_URL; "" means APIURL + "/graphql"
	Token      string
	Owner      string // of the repository that all calls are about
	Repository string
	UserAgent  string

	Writes int           // writes at most; 0 means 10
	Wait   time.Duration // waited at most because GitHub asks to, all calls together; 0 means two minutes

	Transport http.RoundTripper // nil means http.DefaultTransport
	Clock     Clock             // nil means the real one
}

// A Clock tells the time and waits. Tests give one that does not.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

// A Client talks to GitHub about one repository. Its calls are serial.
type Client struct {
	options Options
}

// New makes a client. It calls nothing yet.
func New(o Options) (*Client, error) {
	return &Client{options: o}, nil
}
