package conformance

import (
	"context"
	"fmt"
	"io"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addOwnTools registers what the tests of the program need: tools that behave
// badly.
func addOwnTools(s *sdk.Server, log io.Writer) {
	add(s, "own_wait", "Waits until it is cancelled", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(log, "own_wait runs")
		<-ctx.Done()
		fmt.Fprintln(log, "own_wait was cancelled")
		return nil, ctx.Err()
	})
	add(s, "own_stubborn", "Never ends, whoever cancels it", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(log, "own_stubborn runs")
		select {}
	})
	add(s, "own_panic", "Panics", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		panic("own_panic was called")
	})
	add(s, "own_print", "Prints to stdout, which it must not", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_, err := fmt.Fprintln(os.Stdout, "printed to stdout")
		return said(text("printed")), err
	})
	add(s, "own_chatter", "Logs 64 KiB", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for range 1024 {
			fmt.Fprintf(log, "%063d\n", 0)
		}
		return said(text("logged")), nil
	})
}
