//go:build !slow

package main

// mcpCalls is how often each of many worktrees is asked. With the tag slow it is
// more often.
const mcpCalls = 6
