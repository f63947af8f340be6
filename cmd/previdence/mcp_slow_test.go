//go:build slow

package main

const mcpCalls = 200
