package cli

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/previdence/previdence/review/cover"
)

// coverageFiles reads the files that --coverage names. One that cannot be read
// whole is an error: a report without it would look like one with it.
func coverageFiles(files []string) ([]*cover.Profile, error) {
	var profiles []*cover.Profile
	for _, file := range files {
		var err error
		if profiles, err = withFile(profiles, file); err != nil {
			return nil, err
		}
	}
	return profiles, nil
}

func withFile(profiles []*cover.Profile, file string) ([]*cover.Profile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, refused(err, "name a file that exists and can be read")
	}
	defer f.Close()
	return withCoverage(profiles, file, f)
}

// withCoverage adds one file of coverage, unless it was given before.
func withCoverage(profiles []*cover.Profile, name string, r io.Reader) ([]*cover.Profile, error) {
	p, err := cover.Read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if slices.ContainsFunc(profiles, func(q *cover.Profile) bool { return q.Digest == p.Digest }) {
		return profiles, nil
	}
	return append(profiles, p), nil
}
