package worktree

import "context"

// GitVersion is the version of the git that [Open] would use, with the same
// errors if there is none or if it is too old.
func GitVersion(ctx context.Context) (string, error) {
	g, err := findGit(ctx)
	return g.version, err
}
