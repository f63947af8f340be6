// Package graph is the vocabulary of the code graph: what a file says by
// itself ([Facts]), what the files say together ([Symbol], [Edge]), and what
// could not be seen ([File], [Unresolved], [Caveat]).
//
// It holds plain types, their order and their encoding. It reads nothing, runs
// nothing and imports nothing else of this module: the stages extract, link,
// store and index meet only here. Why facts are kept apart from places:
// docs/adr/0003-facts-by-blob.md.
package graph
