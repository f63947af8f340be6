package cli

import (
	"os"
	"os/signal"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/previdence/previdence/mcp/wire"
)

const mcpLong = `Mcp answers agents over the Model Context Protocol: on stdin and stdout, for a
client that starts it, until stdin ends.

It speaks 2026-07-28, which needs no handshake, and 2025-11-25, 2025-06-18,
2025-03-26 and 2024-11-05, which start with initialize.`

func newMCP(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "mcp",
		Short:   "Answer agents over the Model Context Protocol",
		Long:    mcpLong,
		GroupID: "mcp",
		Args:    operands(),
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		// A pipe that nobody reads is an error of the write, not a signal that
		// ends the program. Caught, not ignored: children inherit what is ignored.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		// Stdout carries messages. Whoever prints to it by mistake shall not break
		// the stream.
		os.Stdout = os.Stderr
		server := sdk.NewServer(&sdk.Implementation{Name: "previdence", Version: toolVersion()},
			&sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{}})
		return wire.ServeStdio(c.Context(), server, os.Stdin, a.Out, wire.NewLog(a.Err), wire.Options{})
	}
	return c
}
