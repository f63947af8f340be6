package escape

import "regexp"

// The two forms of a workflow command: a line that begins with ::, and ##[
// anywhere in a line. Sequences that only colour may precede the first.
var (
	command    = regexp.MustCompile(`(?m)^((?:[ \t]|\x1b\[[0-9;]*m)*:):`)
	oldCommand = regexp.MustCompile(`##\[`)
)

// Log keeps lines that may end in the log of a GitHub workflow from being read
// as commands to it: a name that begins a line with ::error:: would otherwise
// become an annotation.
func Log(lines []byte) []byte {
	lines = command.ReplaceAll(lines, []byte("${1}"+gap+":"))
	return oldCommand.ReplaceAll(lines, []byte("#"+gap+"#["))
}
