// Package actiontest is GitHub as far as previdence talks to it: one repository
// with state, for tests and rigs.
//
// Input is requests and a [State]; output is answers that GitHub's own OpenAPI
// description allows, and the state after them. A [Hub] enforces what the real
// server was seen to enforce: pages, limits, lines inside hunks, scopes of the
// token. [Validate] stands before it and checks every request and every answer
// against the description, so that neither previdence nor the hub can drift from
// it unseen. GraphQL and downloads are not part of that description.
//
// The hub knows no previdence: it imports nothing of this module.
package actiontest
