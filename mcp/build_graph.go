package mcp

import (
	"context"

	"github.com/previdence/previdence/graph/answer"
)

type buildGraphArgs struct {
	common
	Job string `json:"job,omitempty" jsonschema:"handle from a call that returned while the build went on: wait for that build"`
}

// A building is a build that has ended, or one that goes on.
type building struct {
	answer.Status
	Job string `json:"job"` // "" unless it goes on
}

func buildGraph() tool {
	return define[buildGraphArgs, building]("build_graph", "Build the graph of HEAD",
		`Use this once when a call was refused with graph_not_ready or stale_graph. `+
			`Builds the graph of HEAD's commit and puts it in place of the one before; unchanged files are not parsed again. `+
			`Meanwhile this worktree refuses with graph_updating and all others answer. Reports progress. `+
			`If it takes longer than a call may, the result has state running and a job: call again with it to wait for the end. It writes into the git directory only, never into the tree.`,
		effects{writes: true, repeats: true}, false, func(ctx context.Context, c *call, in *buildGraphArgs) (reply, error) {
			return c.server.build(ctx, c.told, in)
		})
}

func (s *server) build(ctx context.Context, told Progress, in *buildGraphArgs) (r reply, err error) {
	err = s.router.with(ctx, in.RepoRoot, func(rt *route) error {
		_, head, err := rt.worktree.Subject(ctx, "HEAD")
		if err != nil {
			return err
		}
		if in.ExpectHead != "" && in.ExpectHead != head {
			return refuse("stale_graph: head_moved", "expect that commit", "HEAD is %.12s, expected is %.12s", head, in.ExpectHead)
		}
		key := "build-" + digest(in.RepoRoot, head)
		if in.Job != "" && (in.Job != key || !s.jobs.find(key)) {
			return refuse("unknown_job", "call graph_status to see whether the graph is ready", "%q is no build of this worktree's HEAD that goes on", in.Job)
		}
		built, done, err := s.jobs.run(ctx, key, s.wait, told, func(ctx context.Context, told Progress) (any, error) {
			return rt.worktree.Build(ctx, told)
		})
		if err != nil {
			return err
		}
		b := building{Job: key}
		if done {
			s.jobs.forget(key) // it was told: the next call builds again
			b = building{Status: built.(answer.Status)}
		} else {
			b.Schema, b.RepositoryRoot, b.Head = answer.Schema, in.RepoRoot, head
			b.State, b.Reason, b.Remedy = "running", "the build goes on", "call build_graph again with this job"
		}
		r = reply{about: b.Header, head: b, list: "dirty", items: items(b.Dirty)}
		return nil
	})
	return r, err
}
