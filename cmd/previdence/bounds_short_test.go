//go:build !slow

package main

// Sizes of what a pull request may hold to make a review take all memory. With the
// tag slow they are what a hostile one would take.
const (
	manyFiles = 4_000
	largeBlob = 160 << 20
)
