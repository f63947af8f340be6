package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/serve"
	"github.com/previdence/previdence/mcp"
	"github.com/previdence/previdence/mcp/conformance"
	"github.com/previdence/previdence/mcp/wire"
)

const mcpLong = `Mcp answers agents over the Model Context Protocol: on stdin and stdout, for a
client that starts it, until stdin ends; or over streamable HTTP with --http.

It speaks 2026-07-28, which needs no handshake, and 2025-11-25, 2025-06-18,
2025-03-26 and 2024-11-05, which start with initialize. It reads commits, as every
command does, and takes the root of a worktree with each question, so one server
answers about many.

Over HTTP it listens on this machine alone unless ADDR names another address. That
needs a bearer token of at least 32 characters, in $` + tokenVariable + ` or in a file
that only you read. Put TLS in front of it: the token travels as it is.`

const mcpExample = `  previdence mcp config claude-code             how to add it to a client
  previdence mcp                                on stdin and stdout
  previdence mcp --http 8931                    on http://127.0.0.1:8931/
  previdence mcp --http 10.0.0.5:8931 --token-file ~/.config/previdence/token`

// tokenVariable holds the bearer token if no file does.
const tokenVariable = "PREVIDENCE_MCP_TOKEN"

// mcpFlags are what the command line says about a server.
type mcpFlags struct {
	http        string
	tokenFile   string
	hosts       []string
	origins     []string
	conformance bool
}

func newMCP(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "mcp",
		Short:   "Answer agents over the Model Context Protocol",
		Long:    mcpLong,
		Example: mcpExample,
		GroupID: "mcp",
		Args:    subcommandOnly,
	}
	var f mcpFlags
	c.Flags().StringVar(&f.http, "http", "", "serve streamable HTTP on `ADDR`: PORT, :PORT or HOST:PORT")
	c.Flags().StringVar(&f.tokenFile, "token-file", "", "`FILE` with the bearer token that requests must carry (default: $"+tokenVariable+")")
	c.Flags().StringSliceVar(&f.hosts, "allow-host", nil, "further host `NAME` that requests may be for, such as that of a proxy")
	c.Flags().StringSliceVar(&f.origins, "allow-origin", nil, "web `ORIGIN` that may ask, such as https://ide.example")
	c.Flags().BoolVar(&f.conformance, "conformance", false, "serve the fixtures of the conformance suite")
	if err := c.Flags().MarkHidden("conformance"); err != nil {
		panic(err) // the flag was defined above
	}
	c.AddCommand(newMCPConfig(a))
	c.RunE = func(c *cobra.Command, _ []string) error { return a.serveMCP(c.Context(), f) }
	return c
}

// serveMCP answers until its client goes away. To be told to end is no failure.
func (a *app) serveMCP(ctx context.Context, f mcpFlags) error {
	// A pipe that nobody reads is an error of the write, not a signal that ends
	// the program. It is caught, not ignored: children inherit what is ignored.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	// Stdout carries messages. What is printed to it by mistake must not.
	os.Stdout = os.Stderr
	log := wire.NewLog(a.Err)
	server := a.newServer(f.conformance, log)
	var err error
	if f.http == "" {
		if len(f.hosts)+len(f.origins) > 0 || f.tokenFile != "" {
			return usage(errors.New("--token-file, --allow-host and --allow-origin need --http"), "run: previdence mcp --help")
		}
		err = wire.ServeStdio(ctx, server, os.Stdin, a.Out, log, wire.Options{})
	} else {
		err = a.serveHTTP(ctx, server, f, log)
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// newServer makes the server that is asked for.
func (a *app) newServer(fixtures bool, log io.Writer) *sdk.Server {
	if fixtures {
		return conformance.NewServer(toolVersion(), log)
	}
	engine := serve.New(serve.Options{
		State: a.state, StateDir: a.stateDir, Folders: []string{"."},
		Advise: func(err error) string {
			r, _ := remedyFor(err)
			return strings.ReplaceAll(r.hint, "\n", "; ")
		},
	})
	return mcp.NewServer(engine, mcp.Options{Version: toolVersion(), Log: func(format string, args ...any) { fmt.Fprintf(log, format+"\n", args...) }})
}

func (a *app) serveHTTP(ctx context.Context, server *sdk.Server, f mcpFlags, log io.Writer) error {
	token, err := a.bearerToken(f.tokenFile)
	if err != nil {
		return err
	}
	handler, err := wire.Handler(ctx, server, wire.HTTPOptions{Token: token, Hosts: f.hosts, Origins: f.origins, Log: log})
	if err != nil {
		return err
	}
	l, err := wire.Listen(ctx, f.http, token)
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "listening on http://%s/\n", l.Addr())
	return wire.ServeHTTP(ctx, l, handler, log)
}

// errOpenToken means a token that others on this machine can read.
var errOpenToken = errors.New("others may read the file with the token")

// bearerToken reads the token from a file, or else from the environment; "" if
// there is none. It never comes from the command line, which everybody sees.
func (a *app) bearerToken(file string) (string, error) {
	if file == "" {
		return a.Env(tokenVariable), nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if exposed(info.Mode()) {
		return "", refused(fmt.Errorf("%s: %w", file, errOpenToken), "run: chmod 600 "+file)
	}
	const most = 4096
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" || len(token) > most || strings.ContainsAny(token, " \t\r\n") {
		return "", usage(fmt.Errorf("%s holds no token", file), "write one line into it: openssl rand -hex 32")
	}
	return token, nil
}
