package provenance

// What names the state of a file.
var (
	Changed  = changed
	Identity = identity
)
