package worktree

import "sync"

// maxKnown bounds what is remembered of each kind.
const maxKnown = 256

// A known remembers what objects of a repository have said. They are named by what
// they hold, and were hashed when they were read, so they never say another thing.
type known struct {
	mu      sync.Mutex
	trees   map[OID]OID // by commit
	entries map[inTree]foundEntry
}

// An inTree is a path in a tree, or in the tree of a commit.
type inTree struct {
	tree OID
	path string
}

type foundEntry struct {
	entry Entry
	ok    bool
}

func (k *known) treeOf(commit OID) (tree OID, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	tree, ok = k.trees[commit]
	return tree, ok
}

func (k *known) setTree(commit, tree OID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.trees == nil || len(k.trees) == maxKnown {
		k.trees = map[OID]OID{}
	}
	k.trees[commit] = tree
}

func (k *known) entry(tree OID, path string) (e Entry, ok, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, known := k.entries[inTree{tree, path}]
	return f.entry, f.ok, known
}

func (k *known) setEntry(tree OID, path string, e Entry, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.entries == nil || len(k.entries) == maxKnown {
		k.entries = map[inTree]foundEntry{}
	}
	k.entries[inTree{tree, path}] = foundEntry{e, ok}
}
