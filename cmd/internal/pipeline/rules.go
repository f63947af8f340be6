package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/cmd/internal/config"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// rules returns what is in force for a pull request that starts from a tree:
// the options that were asked for, then the tree's configuration file unless it
// is not to be read, then the other options.
func (p *Pipeline) rules(ctx context.Context, objects *worktree.Reader, baseTree worktree.OID) (report.Config, error) {
	e, found, err := objects.Find(ctx, baseTree, config.Path)
	if err != nil {
		return report.Config{}, err
	}
	var file config.Config
	if found && !p.options.NoConfig {
		if file, err = readConfig(ctx, objects, e); err != nil {
			return report.Config{}, err
		}
	}
	limits, failOn := p.options.Limits, p.options.FailOn
	if file.Depth > 0 && !p.options.Given.Depth {
		limits.Depth = file.Depth
	}
	if file.FailOn != nil && !p.options.Given.FailOn {
		failOn = file.FailOn
	}
	return report.Config{
		File: string(e.OID), Unread: p.options.NoConfig, Ignore: set(file.Ignore), Platforms: platforms(file), Types: typesOf(file, p.options.Types), FailOn: set(failOn), Limits: report.Limits(limits),
		Policy: report.Policy{Rules: append([]report.PolicyRule{}, file.Policy.Rules...), Suppress: append([]report.Suppression{}, file.Policy.Suppress...), Layers: file.Policy.Layers},
	}, nil
}

// Asked is what was asked for about a graph in place of the configuration of its tree.
type Asked struct {
	Types    string // "on" or "off"; "" leaves it to the configuration, and is on if that says nothing
	NoConfig bool   // the configuration is not read: the graph ignores nothing
}

// GraphRules returns what the configuration in a tree, or in that of a commit, and
// what was asked for decide about its graph, and the digest of that. Both are empty if
// they decide nothing.
func GraphRules(ctx context.Context, objects *worktree.Reader, tree worktree.OID, asked Asked) (index.Configuration, string, error) {
	var file config.Config
	if !asked.NoConfig {
		var err error
		if file, err = ownRules(ctx, objects, tree); err != nil {
			return index.Configuration{}, "", fmt.Errorf("%s: %w", tree, err)
		}
	}
	c := index.Configuration{Ignore: set(file.Ignore), Platforms: platforms(file), TypesOff: typesOf(file, asked.Types) == config.TypesOff}
	return c, digestOfGraphRules(c), nil
}

// typesOf is "off" if Go is to be linked without types, else "".
func typesOf(file config.Config, asked string) string {
	if cmp.Or(asked, file.Types) == config.TypesOff {
		return config.TypesOff
	}
	return ""
}

// graphRules is what the rules of a report decide about its graphs.
func graphRules(rules report.Config) index.Configuration {
	return index.Configuration{Ignore: rules.Ignore, Platforms: rules.Platforms, TypesOff: rules.Types == config.TypesOff}
}

// platforms is nil if the file names none, so that reports without stay as they are.
func platforms(file config.Config) []string {
	if len(file.Platforms) == 0 {
		return nil
	}
	return set(file.Platforms)
}

// ownRules reads the configuration in a tree, an empty one if there is none.
func ownRules(ctx context.Context, objects *worktree.Reader, tree worktree.OID) (config.Config, error) {
	e, found, err := objects.Find(ctx, tree, config.Path)
	if !found || err != nil {
		return config.Config{}, err
	}
	return readConfig(ctx, objects, e)
}

// digestOfGraphRules is what the stamp of a graph says of its configuration.
func digestOfGraphRules(c index.Configuration) string {
	parts := slices.Clone(c.Ignore)
	if len(c.Platforms) > 0 {
		parts = append(append(parts, "platforms"), c.Platforms...)
	}
	if c.TypesOff {
		parts = append(parts, "types", config.TypesOff)
	}
	if len(parts) == 0 {
		return ""
	}
	return digest(parts...)
}

// set sorts texts and keeps each once. It is never nil, so that it has one JSON.
func set(texts []string) []string {
	sorted := slices.Compact(slices.Sorted(slices.Values(texts)))
	return append([]string{}, sorted...)
}

func limitsOf(rules report.Config) review.Limits { return review.Limits(rules.Limits) }

// digestOf identifies what decides the content of a report beside its commits
// and the program. The number of workers does not.
func digestOf(rules report.Config) string {
	text, err := json.Marshal(rules)
	if err != nil {
		panic(err) // a struct of numbers and texts
	}
	return digest(string(text))
}

// readConfig reads a configuration file. One that cannot be read is an error,
// since nobody knows which rules it would have set.
func readConfig(ctx context.Context, objects *worktree.Reader, e worktree.Entry) (c config.Config, err error) {
	if e.Mode != worktree.ModeFile && e.Mode != worktree.ModeExecutable {
		return c, fmt.Errorf("%w: not a file but a link or another repository", config.ErrInvalid)
	}
	if e.Size > config.MaxBytes {
		return c, fmt.Errorf("%w: more than %d bytes", config.ErrInvalid, config.MaxBytes)
	}
	var text []byte
	err = objects.Blobs(ctx, []worktree.OID{e.OID}, config.MaxBytes, func(_ int, data []byte, err error) error {
		text = bytes.Clone(data)
		return err
	})
	if err != nil {
		return c, fmt.Errorf("read %s: %w", config.Path, err)
	}
	if c, err = config.Parse(text); err != nil {
		return c, err
	}
	for _, p := range c.Platforms {
		if !index.KnownPlatform(p) {
			return config.Config{}, fmt.Errorf("%w: no platform %q: want an operating system and an architecture of Go, as in windows/amd64", config.ErrInvalid, p)
		}
	}
	return c, nil
}

// sayUnread puts into a report that the merge base has rules which nobody read.
// Whether they would have failed the pull request is not known, so it does not
// pass.
func sayUnread(r *report.Report) {
	c := r.Provenance.Config
	if !c.Unread || c.File == "" {
		return
	}
	const text = "The configuration of the merge base was not read, as was asked for; none of its rules are in force."
	r.Caveats = slices.Insert(r.Caveats, 0, report.Caveat{
		ID: "rules.not_read", Section: "changes", Count: 1, Examples: []string{config.Path}, Text: text,
	})
	fails := slices.Contains(c.FailOn, review.RuleIncomplete)
	r.Verdict.Reasons = append(r.Verdict.Reasons, report.Reason{Rule: review.RuleIncomplete, Section: "changes", Text: text, Fails: fails})
	switch {
	case r.Cut(): // nothing was judged
	case fails:
		r.Verdict.Outcome = report.Fail
	case r.Verdict.Outcome == report.Pass:
		r.Verdict.Outcome = report.Incomplete
	}
}

// A ruleKind is a kind of file that says how pull requests are judged, by this
// program or by others.
type ruleKind struct {
	id   string
	name string
	is   func(file string) bool
}

// ruleKinds lists them, the ones that weigh most first.
var ruleKinds = []ruleKind{
	{"rules.configuration", "the configuration of this program", func(f string) bool { return f == config.Path }},
	{"rules.decisions", "recorded decisions", func(f string) bool {
		return strings.HasPrefix(f, ".previdence/decisions/") || f == ".previdence/decisions"
	}},
	{"rules.owners", "code owners", func(f string) bool {
		return slices.Contains([]string{"CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"}, f)
	}},
	{"rules.workflows", "workflows", func(f string) bool { return strings.HasPrefix(f, ".github/workflows/") || f == ".github/workflows" }},
	{"rules.attributes", "git attributes", func(f string) bool { return path.Base(f) == ".gitattributes" }},
	{"rules.ignored", "ignore rules", func(f string) bool { return path.Base(f) == ".gitignore" }},
}

// editedRules says which rules a pull request edits. It is judged by the old
// ones, so the edit itself is what a reviewer has to look at.
func editedRules(changes []worktree.Change, rules report.Config) []report.Caveat {
	var caveats []report.Caveat
	for _, kind := range ruleKinds {
		judged := "it was judged by the rules of the merge base."
		if kind.id == "rules.configuration" && rules.Unread {
			judged = "it was judged by neither the old one nor the new one."
		}
		var edited []string
		for _, c := range changes {
			switch {
			case kind.is(c.Path):
				edited = append(edited, c.Path)
			case c.OldPath != "" && kind.is(c.OldPath):
				edited = append(edited, c.OldPath)
			}
		}
		if len(edited) > 0 {
			caveats = append(caveats, report.Caveat{
				ID: kind.id, Section: "changes", Count: len(edited), Examples: edited[:min(len(edited), 5)],
				Text: "The pull request edits " + kind.name + "; " + judged,
			})
		}
	}
	return caveats
}
