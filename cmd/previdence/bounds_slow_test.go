//go:build slow

package main

const (
	manyFiles = 100_000
	largeBlob = 1536 << 20
)
