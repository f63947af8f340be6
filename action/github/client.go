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
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"
)

// Options say whom to talk to, and how patiently.
type Options struct {
	APIURL     string // GITHUB_API_URL: "https://api.github.com"
	GraphQLURL string // GITHUB_GRAPHQL_URL; "" means APIURL + "/graphql"
	Token      string
	Owner      string // of the repository that all calls are about
	Repository string // its name without the owner
	UserAgent  string // "" means "previdence"

	Writes int           // writes at most; 0 means [DefaultWrites]
	Wait   time.Duration // waited at most because GitHub asks to, all calls together; 0 means [DefaultWait]

	Transport http.RoundTripper // nil means the network
	Clock     Clock             // nil means the real one
}

// The limits of one run. A run that needs more writes than this posts noise; one
// that waits longer costs more than its answer is worth.
const (
	DefaultWrites = 10
	DefaultWait   = 2 * time.Minute
)

// A Clock tells the time and waits. Tests give one that does not.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error // returns early with the error of ctx
}

// A Client talks to GitHub about one repository. Its calls are serial.
type Client struct {
	api         *gh.Client
	gate        *gate
	graphql     string
	owner, repo string
}

// ErrBadAddress means that the address of the server cannot be used.
var ErrBadAddress = errors.New("unusable address of GitHub")

// New makes a client. It calls nothing yet.
func New(o Options) (*Client, error) {
	base, err := url.Parse(strings.TrimSuffix(o.APIURL, "/") + "/")
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return nil, fmt.Errorf("%w: %q", ErrBadAddress, o.APIURL)
	}
	if o.Owner == "" || o.Repository == "" {
		return nil, fmt.Errorf("%w: repository %q of %q", ErrBadAddress, o.Repository, o.Owner)
	}
	g := newGate(o, base)
	// WithEnterpriseURLs would put /api/v3/ after any other host, and a token
	// given to go-github follows redirects to other hosts; so neither is used.
	api := gh.NewClient(&http.Client{Transport: g})
	api.BaseURL = base
	api.UserAgent = "previdence"
	if o.UserAgent != "" {
		api.UserAgent = o.UserAgent
	}
	graphql := o.GraphQLURL
	if graphql == "" {
		graphql = base.String() + "graphql"
	}
	return &Client{api: api, gate: g, graphql: graphql, owner: o.Owner, repo: o.Repository}, nil
}

// Writes returns how many calls have changed something, or tried to.
func (c *Client) Writes() int { return c.gate.written() }

// Login asks who the token is: "github-actions[bot]". The REST call for it is
// closed to the token of a workflow.
func (c *Client) Login(ctx context.Context) (string, error) {
	query := map[string]string{"query": "query { viewer { login } }"}
	req, err := c.api.NewRequest(http.MethodPost, c.graphql, query)
	if err != nil {
		return "", fmt.Errorf("login: %w", err)
	}
	var answer struct {
		Data struct {
			Viewer struct {
				Login string `json:"login"`
			} `json:"viewer"`
		} `json:"data"`
		Errors []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	if _, err := c.api.Do(reads(ctx), req, &answer); err != nil {
		return "", named("login", err)
	}
	if len(answer.Errors) > 0 {
		return "", fmt.Errorf("login: %w: %.200s", ErrRefused, answer.Errors[0].Message)
	}
	if answer.Data.Viewer.Login == "" {
		return "", fmt.Errorf("login: %w: no name in the answer", ErrRefused)
	}
	return answer.Data.Viewer.Login, nil
}

// mostPages ends a list that never ends: 100 pages of 100.
const mostPages = 100

// all reads the pages of a list until the last, or until most pages are read.
// It reports whether there were more.
func all[T any](most int, page func(gh.ListOptions) ([]T, *gh.Response, error)) (list []T, more bool, err error) {
	o := gh.ListOptions{PerPage: 100}
	for n := 0; n < most; n++ {
		items, response, err := page(o)
		if err != nil {
			return nil, false, err
		}
		list = append(list, items...)
		if response.NextPage == 0 {
			return list, false, nil
		}
		o.Page = response.NextPage
	}
	return list, true, nil
}
