// Package actiontest is GitHub as far as previdence talks to it: a server with
// state, for tests and rigs.
package actiontest
