package golang

import (
	"context"
)

// Parts of earlier builds stand in for steps whose key is the same. What is
// checked all the same needs the types of what it imports (declare.go).

// recall fetches the parts that are kept and loads what the other steps need
// from outside the tree.
func (b *build) recall(ctx context.Context) error {
	var keys []string
	for _, u := range b.units {
		for _, k := range u.keys {
			if k != "" {
				keys = append(keys, k)
			}
		}
	}
	b.fresh, b.outer = map[string][]byte{}, map[string]*dependency{}
	if b.in.Memo != nil {
		b.memory = b.in.Memo.Recall(ctx, keys)
	}
	needed := map[*unit]bool{}
	imports := map[string]bool{}
	for _, u := range b.units {
		for step := range u.keys {
			if b.filesOf(u, step) != nil && !b.isRecalled(u, step) {
				b.needs(u, step == stepTests || u.kind == external, needed, imports)
			}
		}
	}
	return b.load(ctx, imports)
}

func (b *build) filesOf(u *unit, step int) []*file {
	if step == stepTests {
		return u.tests
	}
	return u.files
}

// isRecalled reports whether a kept part stands in for a step.
func (b *build) isRecalled(u *unit, step int) bool {
	return b.memory[u.keys[step]] != nil && !u.unsound && !b.unsoundBelow(u, step)
}

func (b *build) unsoundBelow(u *unit, step int) bool {
	for _, d := range u.below(step == stepTests || u.kind == external) {
		if b.units[d].unsound {
			return true
		}
	}
	return false
}

// needs notes what the types of a unit are made of: packages of the tree, and
// import paths outside.
func (b *build) needs(u *unit, tests bool, units map[*unit]bool, outside map[string]bool) {
	for imp, s := range u.imports {
		if s.outside && (tests || !s.test) {
			outside[imp] = true
		}
	}
	for _, d := range u.below(tests) {
		if on := b.units[d]; !units[on] {
			units[on] = true
			b.needs(on, on == u.self, units, outside)
		}
	}
}

// load loads packages from outside the tree.
func (b *build) load(ctx context.Context, imports map[string]bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var missing []string
	for _, imp := range sortedKeys(imports) {
		if _, ok := b.outer[imp]; !ok {
			missing = append(missing, imp)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	found, err := b.shelf.get(ctx, missing, b.modules, b.workers)
	for _, imp := range missing {
		b.outer[imp] = found[imp] // nil if it is not here
	}
	return err
}

func (b *build) loaded(imp string) *dependency {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.outer[imp]
}

// step recalls the part of a step or checks it.
func (b *build) step(ctx context.Context, u *unit, step int) {
	files := b.filesOf(u, step)
	tests := step == stepTests || u.kind == external
	u.unsound = u.unsound || b.unsoundBelow(u, step)
	if b.isRecalled(u, step) {
		if p := b.decode(files, b.memory[u.keys[step]]); p != nil {
			u.parts = append(u.parts, p)
			u.recalled[step] = true
			u.tainted = u.tainted || p.tainted
			b.finish(u, step, p)
			return
		}
	}
	b.require(ctx, u, tests)
	if step == stepTests {
		b.need(ctx, u)
	}
	n := len(u.parts)
	b.check(ctx, u, files)
	u.unsound = u.unsound || u.failed
	p := &part{standIns: b.standInsOf(u, tests)}
	if len(u.parts) > n {
		p = u.parts[n]
		p.standIns, p.tainted = b.standInsOf(u, tests), u.tainted
	}
	b.finish(u, step, p)
	if u.keys[step] != "" && !u.unsound && len(u.parts) > n && p.isClean() && b.in.Memo != nil {
		data := b.encode(files, p)
		b.mu.Lock()
		b.fresh[u.keys[step]] = data
		b.mu.Unlock()
	}
}

// finish takes over what a step says besides its part.
func (b *build) finish(u *unit, step int, p *part) {
	if step == stepFiles {
		u.exported = u.tainted
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, imp := range p.standIns {
		b.standIns[imp] = true
	}
}

func (b *build) standInsOf(u *unit, tests bool) []string {
	var out []string
	for _, imp := range sortedKeys(u.imports) {
		if s := u.imports[imp]; s.outside && (tests || !s.test) && b.loaded(imp) == nil {
			out = append(out, imp)
		}
	}
	return out
}

// require makes the types of what a unit imports.
func (b *build) require(ctx context.Context, u *unit, tests bool) {
	imports := map[string]bool{}
	for imp, s := range u.imports {
		if tests || !s.test {
			imports[imp] = true
		}
	}
	b.requireOnly(ctx, u, imports)
}

// keepParts hands the fresh parts over for later builds.
func (b *build) keepParts(ctx context.Context) {
	if b.in.Memo != nil && len(b.fresh) > 0 {
		b.in.Memo.Keep(ctx, b.fresh)
	}
	b.fresh, b.memory = nil, nil
}
