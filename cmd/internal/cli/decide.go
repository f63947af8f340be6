package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/review/memory"
	"github.com/previdence/previdence/worktree"
)

const decideLong = `Decide records what a reviewer decided about code, so that the next review that
touches the code shows it again: whether it still applies, or what has changed.

  accept-risk  a risk is known and lived with
  dismiss      a finding was looked at and is none
  dead-end     a way was tried and does not work
  note         anything else

The decision becomes a file in .previdence/decisions of the worktree, to be
committed and reviewed like code; it counts from the merge that brings it on. With
--local it stays on this machine. It cites the code of HEAD, of --commit, or of the
head of --report, by digest; the graph of that commit must be there. Nothing is
promoted, merged or aged by itself: a decision ends when a file says so.

What has a well-known shape of a secret is written over before the file is written.`

const decideExample = `  previdence decide accept-risk --symbol pay.Client.Send --title "Send retries without backoff" --text "The gateway sheds load itself."
  previdence decide dismiss --symbol parse --title "parse needs no test" --report review.json --valid-until 2027-06-30
  previdence decide dead-end --symbol Cache --title "A cache per tenant ran out of memory" --supersedes cache-per-tenant-1a2b3c4d`

// kindWords are the kinds as the command line says them.
var kindWords = map[string]memory.Kind{
	"accept-risk": memory.AcceptedRisk, "dismiss": memory.Dismissed, "dead-end": memory.DeadEnd, "note": memory.Plain,
}

// A decideCommand holds the flags of one call.
type decideCommand struct {
	app                   *app
	sel                   query.Selection
	symbols               []string
	id, title, text       string
	report                string
	validFrom, validUntil string
	supersedes            string
	local                 bool
}

func newDecide(a *app) *cobra.Command {
	d := &decideCommand{app: a}
	c := &cobra.Command{
		Use:     "decide accept-risk|dismiss|dead-end|note",
		Short:   "Record what a reviewer decided about code",
		Long:    decideLong,
		Example: decideExample,
		GroupID: "review",
		Args:    operands("a kind"),
	}
	f := c.Flags()
	f.StringVar(&d.sel.Root, "repo-root", ".", "worktree `DIR` that gets the file")
	f.StringVar(&d.sel.Commit, "commit", "", "cite the code of `COMMIT` instead of HEAD's")
	f.StringArrayVar(&d.symbols, "symbol", nil, "`SYMBOL` that it is about; may be given up to 64 times")
	f.StringVar(&d.id, "id", "", "`ID` of the decision and name of its file (default: made from the title)")
	f.StringVar(&d.title, "title", "", "what was decided, in one `LINE`")
	f.StringVar(&d.text, "text", "", "why, as `MARKDOWN`")
	f.StringVar(&d.report, "report", "", "the report `FILE` that it answers; the code of its head is cited")
	f.StringVar(&d.validFrom, "valid-from", "", "`WHEN` it begins to be in force: a commit, or a day like 2026-01-31 of the commits that are reviewed")
	f.StringVar(&d.validUntil, "valid-until", "", "`WHEN` it ends: from that commit on, or after that day")
	f.StringVar(&d.supersedes, "supersedes", "", "`ID` of a decision in .previdence/decisions that this one replaces; its file is changed")
	f.BoolVar(&d.local, "local", false, "keep it on this machine, out of the tree")
	c.RunE = func(c *cobra.Command, args []string) error { return d.run(c.Context(), args[0]) }
	return c
}

func (d *decideCommand) run(ctx context.Context, word string) error {
	kind, known := kindWords[word]
	switch {
	case !known:
		return usage(fmt.Errorf("no kind of decision %q", word), "want one of: accept-risk, dismiss, dead-end, note")
	case len(d.symbols) == 0:
		return usage(errors.New("it is about nothing"), "name the code with --symbol")
	case d.title == "":
		return usage(errors.New("it has no title"), "say in one line what was decided with --title")
	case d.local && d.supersedes != "":
		return usage(errors.New("--supersedes does not go with --local"), "a decision of the tree is replaced by another one in the tree")
	}
	decision := memory.Decision{ID: d.id, Kind: kind, Title: d.title, Text: d.text}
	for _, s := range d.symbols {
		decision.Cites = append(decision.Cites, memory.Cite{Symbol: s})
	}
	if err := d.answer(&decision); err != nil {
		return err
	}
	repo, err := query.OpenRoot(ctx, d.app.state, d.sel.Root)
	if err != nil {
		return err
	}
	if decision.ValidFrom, err = moment(ctx, repo, d.validFrom); err != nil {
		return err
	}
	if decision.ValidUntil, err = moment(ctx, repo, d.validUntil); err != nil {
		return err
	}
	secrets := 0
	err = d.app.ask(ctx, &d.sel, &format{value: "text"}, func(r *query.Reading) (err error) {
		decision, secrets, err = r.Decide(ctx, decision)
		return err
	})
	if err != nil {
		return err
	}
	file, err := d.write(repo, decision)
	if err != nil {
		return err
	}
	if secrets > 0 {
		d.app.note(fmt.Sprintf("%d times something looked like a secret and was written over", secrets))
	}
	fmt.Fprintf(d.app.Out, "%s\n", inert(file))
	return nil
}

// answer takes the commit from the report that is answered.
func (d *decideCommand) answer(decision *memory.Decision) error {
	r, err := d.app.earlierReport(d.report)
	if r == nil || err != nil {
		return err
	}
	if d.sel.Commit != "" {
		return usage(errors.New("--commit does not go with --report"), "give one of them: a report names its head")
	}
	text, err := r.Canonical()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	decision.Report, d.sel.Commit = hex.EncodeToString(sum[:]), r.Subject.Head.Commit
	return nil
}

// moment reads a day, or a revision as its commit.
func moment(ctx context.Context, repo *worktree.Repo, text string) (string, error) {
	if _, err := time.Parse(time.DateOnly, text); err == nil || text == "" {
		return text, nil
	}
	commit, err := repo.Resolve(ctx, text)
	return string(commit), err
}

// write puts a decision where it belongs and returns the file.
func (d *decideCommand) write(repo *worktree.Repo, decision memory.Decision) (string, error) {
	if d.local {
		return query.KeepDecision(repo, decision)
	}
	if repo.Root() == "" {
		return "", usage(errors.New("a bare repository has no tree to write to"), "say --local, or run it in a worktree")
	}
	data, err := memory.Format(decision)
	if err != nil {
		return "", err
	}
	tree, err := os.OpenRoot(repo.Root()) // no link in the tree leads out of it
	if err != nil {
		return "", err
	}
	defer tree.Close() // nothing is written through it any more
	file := path.Join(memory.Folder, decision.ID+".md")
	if err := tree.MkdirAll(memory.Folder, 0o755); err != nil {
		return "", err
	}
	if d.supersedes != "" {
		if err := supersede(tree, d.supersedes, decision.ID); err != nil {
			return "", err
		}
	}
	if old, err := tree.ReadFile(file); err == nil && slices.Equal(old, data) {
		return filepath.FromSlash(file), nil
	}
	out, err := tree.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", usage(fmt.Errorf("%s is there and says something else", file), "edit it by hand, or give another title")
	}
	if err != nil {
		return "", err
	}
	_, err = out.Write(data)
	return filepath.FromSlash(file), errors.Join(err, out.Close())
}

// supersede writes into an earlier decision which one stands in its place.
func supersede(tree *os.Root, old, id string) error {
	file := path.Join(memory.Folder, strings.TrimSuffix(old, ".md")+".md")
	data, err := tree.ReadFile(file)
	if err != nil {
		return usage(fmt.Errorf("no decision %q in %s", old, memory.Folder), "run: previdence decisions")
	}
	d, err := memory.Parse(file, data)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	d.SupersededBy = id
	if data, err = memory.Format(d); err != nil {
		return err
	}
	return tree.WriteFile(file, data, 0o644)
}
