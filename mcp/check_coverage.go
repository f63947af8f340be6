package mcp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph/answer"
)

type checkCoverageArgs struct {
	common
	bound
	Paths      []string `json:"paths,omitempty" jsonschema:"files, relative to the top folder, at most 128"`
	Scopes     []string `json:"scopes,omitempty" jsonschema:"folders, at most 32"`
	Generation *int64   `json:"generation,omitempty" jsonschema:"generation of the answer that is to be relied on: refuse if the graph is another by now"`
}

const (
	mostPaths  = 128
	mostScopes = 32
)

// A covered is a coverage with what was asked for and is not there.
type covered struct {
	answer.Coverage
	Unknown []string `json:"unknown"` // paths and scopes at or under which there is no file
}

func checkCoverage() tool {
	return define[checkCoverageArgs, covered]("check_coverage", "Check what the graph has seen",
		`Use this before you rely on an absence ("nobody calls it", "no test covers it"): it says how much of files and folders the graph has seen. `+
			`Per file: parsed, partial with the lines that were not understood, or not parsed and why; per language: calls by tier, unresolved and external. `+
			`Without paths and scopes: all files of the tree that were not seen whole. unknown lists what is not in the tree at all.`,
		reads, false, func(ctx context.Context, c *call, in *checkCoverageArgs) (reply, error) {
			if len(in.Paths) > mostPaths || len(in.Scopes) > mostScopes {
				return reply{}, refuse("bad_arguments", "ask in parts", "%d paths and %d scopes; at most %d and %d are taken", len(in.Paths), len(in.Scopes), mostPaths, mostScopes)
			}
			asked := slices.Concat(in.Paths, in.Scopes)
			for i, p := range asked {
				if asked[i] = strings.Trim(strings.TrimPrefix(p, "./"), "/"); asked[i] == "" || asked[i] == "." {
					return reply{}, refuse("bad_arguments", "leave paths and scopes out to ask about the whole tree", "%q is no path in the tree", p)
				}
			}
			var a answer.Coverage
			err := c.server.router.read(ctx, in.RepoRoot, func(ctx context.Context, w Worktree) (err error) {
				a, err = w.Coverage(ctx, At{in.ExpectHead, in.Bound}, asked)
				return err
			})
			if err != nil {
				return reply{}, err
			}
			if in.Generation != nil && *in.Generation != a.Generation {
				return reply{}, refuse("stale_graph: generation", "ask again what you want to rely on", "the graph is generation %d, not %d", a.Generation, *in.Generation)
			}
			unknown := unknown(asked, a.Files)
			shorten(&a)
			slices.SortStableFunc(a.Files, func(x, y answer.File) int { return cmp.Compare(coverageRank(x, asked), coverageRank(y, asked)) })
			return reply{about: a.Header, head: covered{a, unknown}, list: "files", items: items(a.Files)}, nil
		})
}

// What a result shows of the caveats of the whole tree.
const (
	mostCaveats  = 8
	mostExamples = 2
)

// shorten leaves room for the files.
func shorten(a *answer.Coverage) {
	a.Paths = []string{} // the caller knows them
	a.Caveats = slices.Clone(a.Caveats[:min(len(a.Caveats), mostCaveats)])
	for i := range a.Caveats {
		c := &a.Caveats[i]
		c.Examples = c.Examples[:min(len(c.Examples), mostExamples)]
	}
}

// coverageRank puts the files that were named first, then those not seen whole.
func coverageRank(f answer.File, asked []string) int {
	switch {
	case slices.Contains(asked, f.Path):
		return 0
	case f.State != "parsed":
		return 1
	}
	return 2
}

func unknown(asked []string, files []answer.File) []string {
	missing := []string{}
	for _, p := range asked {
		if !slices.ContainsFunc(files, func(f answer.File) bool { return f.Path == p || strings.HasPrefix(f.Path, p+"/") }) {
			missing = append(missing, cut(p, maxText))
		}
	}
	return missing
}
