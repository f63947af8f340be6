package review

import (
	"context"
	"fmt"
)

// A step looks at one thing. What it finds is written to the report at its end, so
// that a step which is cut off leaves nothing behind.
type step struct {
	name    string // of what it looks at
	section string // that it makes; "" if it only prepares others
	linked  bool   // it rests on the edges of the graphs, or on the text of the whole tree
	do      func(context.Context) error
}

// steps are what a review does, in order. Those that are linked share what they
// find on the way.
func (r *reviewer) steps() []step {
	var broken []breakage
	var reached *reach
	var gaps []gap
	quick := func(do func()) func(context.Context) error {
		return func(context.Context) error { do(); return nil }
	}
	return []step{
		{name: "changed files", do: r.fileChanges},
		{name: "changed symbols", do: r.symbolChanges},
		{name: "packages", linked: true, do: r.readPackages},
		{name: "measured coverage", linked: true, do: r.readCoverage},
		{name: "types of the exported surface", section: "changes", linked: true, do: r.compareSurfaces},
		{name: "list of changes", do: quick(r.reportChanges)},
		{name: "breaks", linked: true, do: func(ctx context.Context) (err error) { broken, err = r.findBreaks(ctx); return err }},
		{name: "blast radius", linked: true, do: func(ctx context.Context) (err error) { reached, err = r.walk(ctx); return err }},
		{name: "gaps", linked: true, do: quick(func() { gaps = r.findGaps(reached) })},
		{name: "search of the text", linked: true, do: func(ctx context.Context) error { return r.searchText(ctx, broken, reached, gaps) }},
		{name: "list of breaks", section: "breaks", linked: true, do: quick(func() { r.reportBreaks(broken) })},
		{name: "entry points", linked: true, do: func(ctx context.Context) error { return r.findDoors(ctx, reached) }},
		{name: "impact", section: "impact", linked: true, do: quick(func() { r.reportImpact(reached, broken) })},
		{name: "tests", section: "tests", linked: true, do: quick(func() { r.reportTests(reached, gaps) })},
		{name: "surface", section: "api", linked: true, do: quick(r.reportAPI)},
		{name: "dependencies", section: "dependencies", linked: true, do: quick(r.reportDependencies)},
		{name: "manifests", do: r.reportManifests},
		{name: "contracts", do: r.reportContracts},
		{name: "documents", section: "documents", linked: true, do: r.reportDocuments},
		{name: "governing documents", do: r.reportGoverning},
		{name: "decisions", do: r.reportDecisions},
		{name: "owners", do: r.reportOwners},
		{name: "history", do: quick(r.reportHistory)},
		{name: "independent changes", section: "groups", linked: true, do: r.reportGroups},
	}
}

// take takes the steps one after the other. Those that are linked end with Until.
func (r *reviewer) take(ctx context.Context, steps []step) error {
	until, end := Within(ctx, r.Until)
	defer end()
	if r.Sketched {
		end()
	}
	for _, s := range steps {
		within := ctx
		if s.linked {
			select {
			case <-r.Until:
				end()
			default:
			}
			within = until
		}
		err := within.Err()
		if err == nil {
			err = s.do(within)
		}
		switch {
		case err != nil && s.linked && until.Err() != nil && ctx.Err() == nil:
			r.late = true
		case err != nil:
			return fmt.Errorf("%s: %w", s.name, err)
		case s.section != "":
			r.made[s.section] = true
		}
	}
	return nil
}

// Within returns a context that also ends once until is closed.
func Within(ctx context.Context, until <-chan struct{}) (context.Context, context.CancelFunc) {
	within, end := context.WithCancel(ctx)
	if until != nil {
		go func() {
			select {
			case <-until:
				end()
			case <-within.Done():
			}
		}()
	}
	return within, end
}
