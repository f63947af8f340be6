// Package worktree reads git repositories that it does not trust.
//
// Input is a folder named by the user; output is commits, trees, changes and
// blobs of that repository. It is the only package that runs git. It never
// runs a program that a repository names (hook, filter, textconv, pager,
// upload-pack, …), and never changes a ref, an object or a file of the
// repository: what it hands out comes from objects, and every object is hashed
// again before anything is made of it. [Repo.Deepen] alone adds to a repository,
// where a build server cloned it without its history.
//
// The repository's own git dir is used for two things only: to find it and to
// turn a revision into a commit. All that follows names full object IDs and
// runs in a [store] of ours, an empty bare repository that borrows the objects.
// So the repository's configuration, attributes, replace refs, grafts and
// promisor remotes are not switched off one by one: they are not there.
//
// What is fetched, which happens only for a pull request that was named, goes
// into the repository's [Store], and so does what is checked out. [Authorize]
// says which folders are worktrees and pins them. Why a store: docs/adr/0009.
//
// A [Repo] is safe for concurrent use.
package worktree
