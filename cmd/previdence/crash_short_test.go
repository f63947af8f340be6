//go:build !slow

package main

// crashRounds is how often four processes are killed. With the tag slow it is
// more often.
const crashRounds = 20
