// Package conformance has the server that the official conformance suite of the
// Model Context Protocol wants to talk to: tools, resources and prompts with fixed
// names and answers, and nothing of previdence.
//
// It goes through the same transports as the real server, so a suite that passes
// with it has tested these. The program serves it for a hidden flag; the scripts
// beside this file run the suite and other clients that nobody here wrote, and
// keep what they said under results.
package conformance
