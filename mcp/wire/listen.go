package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"time"
)

// ErrNoToken means an address that other machines reach, without a token that
// they have to bear.
var ErrNoToken = errors.New("an address that is not of this machine alone needs a bearer token")

// ErrWeakToken means a token that can be guessed.
var ErrWeakToken = errors.New("the bearer token is too short")

// minToken is how many characters a token has at least: 16 random bytes in hex.
const minToken = 32

// Listen opens an address: HOST:PORT, :PORT or PORT. Without a host it is that of
// this machine alone; port 0 takes a free one. An address that others reach needs
// a token.
func Listen(ctx context.Context, address, token string) (net.Listener, error) {
	if token != "" && len(token) < minToken {
		return nil, fmt.Errorf("%d characters, of %d: %w", len(token), minToken, ErrWeakToken)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = "", address
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	// A name may have led anywhere: what counts is where it listens.
	if token == "" && !isLoopback(hostOf(l.Addr().String())) {
		return nil, errors.Join(fmt.Errorf("%s: %w", address, ErrNoToken), l.Close())
	}
	return l, nil
}

// Bounds of one connection. An answer has none: a call may take long, and a
// subscription lasts.
const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = time.Minute
	idleTimeout   = 2 * time.Minute
	headerBytes   = 64 << 10
)

// ServeHTTP answers on a listener until ctx ends, then closes it within a second.
func ServeHTTP(ctx context.Context, l net.Listener, h http.Handler, log io.Writer) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          stdlog.New(log, "", 0),
		BaseContext:       func(net.Listener) context.Context { return base },
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, stop := context.WithTimeout(context.WithoutCancel(ctx), graceCalls)
	defer stop()
	if s.Shutdown(grace) != nil {
		cancel()
		_ = s.Close() // nothing is left to be told
	}
	return context.Cause(ctx)
}
