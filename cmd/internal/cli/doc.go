// Package cli is the command line: arguments in, one answer on stdout, an exit
// code out.
//
// Every subcommand has a file of its own. A command parses its flags, calls one
// function that does the work, and renders what it returns. Errors become
// "error:" and "hint:" on stderr here and nowhere else; stdout holds nothing
// but the answer. The package never ends the process and reads the environment
// through [Streams] only.
package cli
