// Package wire carries MCP messages between clients and one [sdk.Server]: over
// stdio with [ServeStdio], over streamable HTTP with [Handler].
//
// Input is bytes from a client, which are untrusted; output is what the server
// answers, as the revision of the protocol that the client speaks wants it.
// Clients of 2026-07-28 describe themselves in every request and need no
// handshake; those of 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05 start
// with initialize. Both work at once, in one process, in any order.
//
// The SDK has sessions, schemas and types, and its streams end at the first line
// that they cannot read. So wire reads and judges each message itself, answers
// what must not reach a session, and feeds the rest to two sessions of the same
// server, a modern and a legacy one. It knows the protocol and nothing of what
// the server offers, reads no file, starts no program and never blocks on a
// client that does not read stderr. Why: docs/adr/0013.
package wire
