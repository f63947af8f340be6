package github

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v62/github"
)

var (
	// ErrReadOnly means that the token may not do this. Tokens of pull requests
	// from forks never may.
	ErrReadOnly = errors.New("the token may not do this")

	// ErrGone means that a thing is not there, is there no longer, or is hidden
	// from the token.
	ErrGone = errors.New("not there, or hidden from the token")

	// ErrRefused means that GitHub understood a call and will not do it: a line
	// outside the diff, a body that is too long.
	ErrRefused = errors.New("refused by GitHub")

	// ErrLimited means that GitHub asks to wait longer than the run may. No call
	// follows such an answer: going on may get the token banned.
	ErrLimited = errors.New("rate limit of GitHub")

	// ErrTooManyWrites means that the run has written as often as it may.
	ErrTooManyWrites = errors.New("no writes left in this run")

	// ErrServer means that GitHub failed or could not be reached. Whether a write
	// was done is then unknown.
	ErrServer = errors.New("no answer from GitHub")
)

// named puts what was tried before an error, and gives it one of the errors of
// this package.
func named(what string, err error) error {
	var sent *url.Error
	if errors.As(err, &sent) {
		err = sent.Err // without the address of the server
	}
	var answer *gh.ErrorResponse
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrLimited), errors.Is(err, ErrTooManyWrites), errors.Is(err, ErrServer):
		return fmt.Errorf("%s: %w", what, err)
	case errors.As(err, &answer):
		return fmt.Errorf("%s: %w", what, refusal(answer))
	}
	return fmt.Errorf("%s: %w", what, err)
}

// refusal is the kind of an answer, with GitHub's own words cut short.
func refusal(answer *gh.ErrorResponse) error {
	said := fmt.Sprintf("%d %.200s", answer.Response.StatusCode, answer.Message)
	for i, e := range answer.Errors {
		if i == 3 {
			break
		}
		said += fmt.Sprintf("; %.200s", e.Message)
	}
	status := answer.Response.StatusCode
	if status == http.StatusForbidden && !strings.Contains(answer.Message, "Resource not accessible") {
		// A locked conversation, code scanning that is off: no permission would help.
		return fmt.Errorf("%w: %s", ErrRefused, said)
	}
	return fmt.Errorf("%w: %s", kind(status), said)
}

func kind(status int) error {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return ErrReadOnly
	case status == http.StatusNotFound || status == http.StatusGone:
		return ErrGone
	case status >= 500:
		return ErrServer
	}
	return ErrRefused
}
