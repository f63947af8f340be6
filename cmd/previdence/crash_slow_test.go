//go:build slow

package main

const crashRounds = 200
