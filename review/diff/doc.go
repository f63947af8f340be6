// Package diff says which lines differ: between two blobs ([Lines]), in a
// unified diff that git wrote ([Parse]), and how much two bodies have in
// common ([Similarity]).
//
// Input is bytes; output is hunks that count lines the way git does, without
// context. The package reads no files and runs nothing, the same input gives
// the same hunks whatever the machine's speed, and a diff that holds one line
// it cannot read is refused whole: hunks attributed to the wrong file are worse
// than none.
package diff
