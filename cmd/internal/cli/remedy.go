package cli

import (
	"context"
	"errors"
	"io/fs"

	"github.com/previdence/previdence/cmd/internal/child"
	"github.com/previdence/previdence/cmd/internal/config"
	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/factcache"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/mcp/wire"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/reporters"
	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/cover"
	"github.com/previdence/previdence/review/delta"
	"github.com/previdence/previdence/review/diff"
	"github.com/previdence/previdence/review/manifest"
	"github.com/previdence/previdence/review/memory"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// A remedy is what to do about an error, said for the command line.
type remedy struct {
	err  error
	code int
	hint string
}

// remedies has one line for every exported error of the packages that the
// command line reaches; a test compares it with the source. The first match
// counts, so an error that wraps another stands above it.
var remedies = []remedy{
	{store.ErrNotWritten, ExitUnevaluated, "free some space, or make the folder writable; nothing was written, and an older graph is still there"},
	{store.ErrNotReady, ExitUnevaluated, "run: previdence graph build"},
	{store.ErrNoStamp, ExitUnevaluated, "delete the file by hand and build it again"},
	{store.ErrUnknownVersion, ExitUnevaluated, "another version of previdence wrote it: build it again"},
	{store.ErrTampered, ExitUnevaluated, "delete the file and build it again"},
	{store.ErrCorrupt, ExitUnevaluated, "delete the file and build it again"},
	{store.ErrNoSymbol, ExitUsage, "run: previdence graph search NAME"},
	{store.ErrNoPath, ExitUnevaluated, "ask for more kinds of edges with --kinds"},

	{provenance.ErrUnsafeFolder, ExitUnevaluated, "look at the folder, and delete it by hand if it is not yours"},
	{provenance.ErrBusy, ExitUnevaluated, "try again"},
	{provenance.ErrNotApproved, ExitUsage, "look at what would go with previdence graph status, then say --confirmation approved"},
	{provenance.ErrNoWorktree, ExitUsage, "leave out --bound: a bare repository has no files on disk"},

	{pipeline.ErrBadRequest, ExitUsage, "name a pull request (12), BASE...HEAD, a revision, or the path of a worktree (./DIR)"},
	{pipeline.ErrOtherRepository, ExitUsage, "run it in a clone of that repository, or name another remote with --remote"},
	{pipeline.ErrNoReport, ExitUnevaluated, "give one report as previdence review --format json writes it"},
	{pipeline.ErrOtherMaker, ExitUnevaluated, "verify it with the versions that the report names, or review again"},
	{pipeline.ErrOtherSubject, ExitUsage, "give an earlier report of the same pull request"},
	{pipeline.ErrPartial, ExitUnevaluated, "review again without --deadline, or with more time"},
	{pipeline.ErrOtherCoverage, ExitUnevaluated, "give each file of measured coverage that it was made with, and no other, with --coverage"},
	{pipeline.ErrCommitAbsent, ExitUnevaluated, "fetch it first: run git fetch origin, or previdence review with the number of the pull request"},
	{query.ErrContradictory, ExitUsage, "leave out --bound and --expect-head, or --commit"},
	{query.ErrBadHead, ExitUsage, "want a full object ID, as git rev-parse HEAD prints it"},
	{query.ErrBadKind, ExitUsage, "want some of: call, dispatch, reference, override, inherit, import"},
	{query.ErrNoReport, ExitUsage, "run: previdence review"},
	{memory.ErrInvalid, ExitUsage, "write it as docs/decisions.md says"},
	{child.ErrLost, ExitUnevaluated, "run it again; if it was killed for want of memory, give it more or ignore generated code in .previdence.yml"},
	{query.ErrNoFile, ExitUsage, "run: previdence graph coverage FOLDER --format json, which lists the files of a folder"},
	{config.ErrInvalid, ExitUsage, "mend the file; a pull request starts from that of the branch it goes into\nreview the pull request that mends it with --no-config"},

	{worktree.ErrBadStateDir, ExitUsage, "name with --state-dir, or in PREVIDENCE_STATE_DIR, an absolute path outside every worktree of the repository that only you write to"},
	{worktree.ErrNotNamed, ExitUnevaluated, "if the folder is its worktree, run there: git config core.worktree \"$PWD\""},
	{worktree.ErrUnauthorizedRoot, ExitUnevaluated, "name the top folder of a worktree of this repository, by its absolute path without symlinks"},
	{worktree.ErrStoreUnusable, ExitUnevaluated, "look at what lies in its place; if nothing there is yours, delete the folder"},
	{worktree.ErrStoreInUse, ExitUnevaluated, "try again when no other previdence works with pull requests of this repository"},
	{worktree.ErrNoRemote, ExitUsage, "run: git remote, and name one of those with --remote"},
	{worktree.ErrBadURL, ExitUsage, "give the remote an http, https, ssh or file URL, or an absolute path"},
	{worktree.ErrNoPullRequest, ExitUnevaluated, "look at the number, and at the remote that was asked"},
	{worktree.ErrFetchFailed, ExitUnevaluated, "look at what git said; nothing of the pull request was kept"},
	{worktree.ErrCheckoutFailed, ExitUnevaluated, "review it without a checkout: previdence review --no-worktree"},
	{worktree.ErrCheckoutLost, ExitUnevaluated, "fetch it again: run previdence worktree add with its number, then this again"},
	{worktree.ErrDirty, ExitUnevaluated, "commit it elsewhere, move it away or delete it, then run the command again"},
	{worktree.ErrOccupied, ExitUnevaluated, "name another folder with --worktree-root, or run: previdence worktree remove"},
	{worktree.ErrNoCheckout, ExitUsage, "run: previdence worktree list"},
	{worktree.ErrNoStateFolder, ExitUsage, "name an absolute path outside the repository with --worktree-root"},
	{worktree.ErrGitMissing, ExitUnevaluated, "install git and put it in PATH"},
	{worktree.ErrGitTooOld, ExitUnevaluated, "install a newer git; previdence doctor shows which one is found"},
	{worktree.ErrDubiousOwnership, ExitUnevaluated, "if you trust it, run: git config --global --add safe.directory DIR"},
	{worktree.ErrUnsupportedRepository, ExitUnevaluated, "clone it again in the default format, or install a newer git"},
	{worktree.ErrNotRepository, ExitUnevaluated, "run it inside a git repository, or name one with --repo (review) or --repo-root (graph)"},
	{worktree.ErrBadRevision, ExitUsage, "name one commit: a branch, a tag or an object ID"},
	{worktree.ErrNoCommit, ExitUnevaluated, "commit something first"},
	{worktree.ErrUnknownRevision, ExitUnevaluated, "run: git fetch origin, or name a revision that is here"},
	{worktree.ErrNoDefaultBase, ExitUnevaluated, "name the base with --base"},
	{worktree.ErrNotCommit, ExitUsage, "name a commit, not a tree or a blob"},
	{worktree.ErrShallow, ExitUnevaluated, "run: git fetch --unshallow"},
	{worktree.ErrNoMergeBase, ExitUnevaluated, "the two share no history here: name another base, or run: git fetch origin"},
	{worktree.ErrTreeTooLarge, ExitUnevaluated, "a tree this large is not read, since a part of it would be arbitrary"},
	{worktree.ErrObjectMissing, ExitUnevaluated, "in a partial clone run: git fetch --refetch --no-filter; else run: git fsck"},
	{worktree.ErrObjectCorrupt, ExitUnevaluated, "run: git fsck, and fetch the object again from a clone that you trust"},
	{worktree.ErrTooLarge, ExitUnevaluated, "the object is above the limit"},
	{worktree.ErrGitFailed, ExitUnevaluated, "run: previdence doctor"},

	{index.ErrBadPattern, ExitUsage, "write the pattern as in .gitignore, with ** for any folders"},
	{factcache.ErrUnusable, ExitUnevaluated, "delete the file; facts are extracted again"},
	{factcache.ErrInUse, ExitUnevaluated, "try again when no other previdence runs in this repository"},
	{factcache.ErrFormat, ExitUnevaluated, "delete the file; facts are extracted again"},

	{cover.ErrFormat, ExitUsage, "give " + cover.Formats},
	{cover.ErrTooLarge, ExitUsage, "leave files out of the measurement that nobody reviews"},
	{delta.ErrUnreadable, ExitUnevaluated, "leave the earlier claims out: everything then counts as it stands"},
	{diff.ErrSyntax, ExitUnevaluated, "give the diff as git diff writes it"},
	{diff.ErrCombined, ExitUnevaluated, "give a diff against one parent: git diff BASE...HEAD"},
	{manifest.ErrTooLarge, ExitUnevaluated, "look at the file by hand: it is above the limit"},
	{manifest.ErrFormat, ExitUnevaluated, "mend the file, or look at its changes by hand"},
	{report.ErrUnknownSchema, ExitUnevaluated, "read it with the version of previdence that wrote it"},
	{reporters.ErrUnknownFormat, ExitUsage, "run: previdence review --help"},
	{reporters.ErrNoBudget, ExitUsage, "leave --budget out"},
	{outline.ErrBudget, ExitUsage, "give a larger --budget"},

	{wire.ErrNoToken, ExitUsage, "name this machine alone, or give a token in PREVIDENCE_MCP_TOKEN or with --token-file"},
	{wire.ErrWeakToken, ExitUsage, "make one of 32 characters or more: openssl rand -hex 32"},

	{fs.ErrPermission, ExitUnevaluated, "look at who may read and write it; a repository that is only read is reviewed with --state-dir"},
	{context.DeadlineExceeded, ExitUnevaluated, "run again with more time"},
}

// remedyFor finds the remedy of the first known error in err's chain. A graph
// that does not answer brings its own.
func remedyFor(err error) (remedy, bool) {
	if refusal, ok := provenance.AsRefusal(err); ok {
		return remedy{refusal, ExitUnevaluated, refusal.Remedy}, true
	}
	for _, r := range remedies {
		if errors.Is(err, r.err) {
			return r, true
		}
	}
	return remedy{}, false
}
