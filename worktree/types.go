package worktree

// An OID is a full git object ID in lower-case hex: 40 digits, or 64 in a
// SHA-256 repository.
type OID string

// A Mode is the type and permission of a tree entry, as git writes it.
type Mode string

// The modes that git stores.
const (
	ModeFile       Mode = "100644"
	ModeExecutable Mode = "100755"
	ModeSymlink    Mode = "120000"
	ModeSubmodule  Mode = "160000"
)

// An Entry is one file of a commit's tree.
type Entry struct {
	Path string // slash-separated; may hold any byte but NUL
	Mode Mode
	OID  OID
	Size int64 // bytes; 0 for a submodule, -1 if the object is not present
}

// A Status says what became of an entry between two trees.
type Status string

// The statuses.
const (
	Added       Status = "added"
	Removed     Status = "removed"
	Modified    Status = "modified"
	Renamed     Status = "renamed"
	Copied      Status = "copied"
	TypeChanged Status = "type_changed"
	ModeChanged Status = "mode_changed" // same content, another permission
)

// A Change is one entry that differs between two trees.
type Change struct {
	Status        Status
	OldPath       string // differs from Path if renamed or copied; empty if added
	Path          string // the old path if removed
	OldMode, Mode Mode   // empty where there is no such side
	OldOID, OID   OID
	Similarity    int // percent, for renames and copies
}
