package cli

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/dustin/go-humanize"

	"github.com/previdence/previdence/cmd/internal/child"
	"github.com/previdence/previdence/graph/factcache"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

// growth is by how much the heap may grow during a build before it is collected, in
// percent: most of what a build allocates is needed until it ends. Below the memory
// limit that costs a quarter more memory and saves a fifth of the work.
const growth = 200

// withBuilder lets use build graphs with the facts that all worktrees of the
// repository share. If they cannot be used, it builds without them and says so:
// facts can always be extracted again.
func (a *app) withBuilder(ctx context.Context, repo *worktree.Repo, jobs int, until *deadline, use func(*index.Builder) error) error {
	bar := a.progress()
	defer bar.end()
	if a.Env("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(growth))
	}
	options := index.Options{Workers: jobs, Progress: func(p index.Progress) {
		until.saw(p)
		bar.show(p)
	}}
	if a.verbose {
		options.Built = func(tree worktree.OID, s index.Stats) {
			bar.end()
			a.note(fmt.Sprintf("graph of tree %s: %d files, %d blobs parsed, %d remembered; %d checks of Go packages, %d remembered; %s read",
				short(string(tree)), s.Files, s.Extracted, s.Remembered, s.Linked, s.Recalled, humanize.IBytes(uint64(s.Bytes))))
		}
	}
	if a.unaided {
		return use(index.New(options))
	}
	facts, err := factcache.Open(ctx, provenance.FactsFile(repo), factcache.DefaultLimit)
	if err == nil {
		options.Facts = facts
	}
	built := use(index.New(options))
	if facts != nil {
		err = facts.Close(ctx)
	}
	if err != nil && ctx.Err() == nil {
		bar.end()
		a.note("facts are not kept, the next build extracts them again: " + err.Error())
	}
	return built
}

// note tells people what does not change the answer.
func (a *app) note(text string) {
	a.notes.Lock()
	defer a.notes.Unlock()
	if a.child {
		child.Say(a.Err, child.Line{Note: text})
		return
	}
	fmt.Fprintln(a.Err, "note: "+inert(text))
}
