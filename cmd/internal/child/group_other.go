//go:build !unix

package child

import "os/exec"

// These do nothing where there are no process groups: a child ends with its stdin.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}

func lowerPriority() {}
