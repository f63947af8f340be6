package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/review/blast"
	"github.com/previdence/previdence/worktree"
)

const benchLong = `Bench builds the graph of a repository's HEAD twice, asks it, and says what each
phase cost: time that passed, processor time, files and bytes a second, and the most
memory. The first build starts from nothing; the second has the facts of every blob.

Nothing is written into the repository, and no graph or fact that lies there is used.
The figures are of this machine and this moment: they are no evidence, and two runs
differ. Processor time says more than the clock on a machine that has other work.`

func newBench(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "bench [DIR]",
		Short:   "Measure what the graph of a repository costs here",
		Long:    benchLong,
		GroupID: "tool",
		Args:    cobra.MaximumNArgs(1),
	}
	jobs := jobsFlag(c)
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *jobs < 1 {
			return usage(fmt.Errorf("--jobs is %d", *jobs), "want 1 or more")
		}
		b, err := a.bench(c.Context(), append(args, ".")[0], *jobs)
		if err != nil {
			return err
		}
		return a.write(f, b, func() *strings.Builder { return benchText(b) })
	}
	return c
}

// benched is the answer of bench.
type benched struct {
	Schema     string          `json:"schema"` // previdence.bench/v1
	Repository string          `json:"repository_root"`
	Head       string          `json:"head"`
	Jobs       int             `json:"jobs"`
	Files      int             `json:"files"`
	Parsed     int             `json:"parsed"` // whole or in part
	Bytes      int64           `json:"bytes"`  // read from the repository by the first build
	Symbols    int             `json:"symbols"`
	Edges      int             `json:"edges"`
	Stored     int64           `json:"stored_bytes"` // size of the graph's file
	Memory     int64           `json:"peak_memory_bytes"`
	Phases     []benchPhase    `json:"phases"`
	Questions  []benchQuestion `json:"questions"`
}

// A benchPhase is one part of a build.
type benchPhase struct {
	Build string  `json:"build"` // cold or warm
	Phase string  `json:"phase"`
	Wall  float64 `json:"wall_seconds"`
	CPU   float64 `json:"cpu_seconds"`
}

// A benchQuestion is one kind of question, asked about symbols from all over the graph.
type benchQuestion struct {
	Question string  `json:"question"`
	Asked    int     `json:"asked"`
	Median   float64 `json:"median_ms"`
	P95      float64 `json:"p95_ms"`
}

// A stopwatch cuts the time that passes, and that of the processors, into phases.
type stopwatch struct {
	build, phase string
	wall         time.Time
	cpu          time.Duration
	laps         []benchPhase
}

// lap ends the phase before and begins another; "" begins none.
func (s *stopwatch) lap(phase string) {
	if phase == s.phase {
		return
	}
	now, used := time.Now(), processorTime()
	if s.phase != "" {
		s.laps = append(s.laps, benchPhase{s.build, s.phase, now.Sub(s.wall).Seconds(), (used - s.cpu).Seconds()})
	}
	s.phase, s.wall, s.cpu = phase, now, used
}

func (a *app) bench(ctx context.Context, dir string, jobs int) (benched, error) {
	b := benched{Schema: "previdence.bench/v1", Jobs: jobs}
	repo, err := query.OpenRoot(ctx, a.state, dir)
	if err != nil {
		return b, err
	}
	_, head, err := repo.Head(ctx)
	if err != nil {
		return b, err
	}
	tree, err := repo.TreeOf(ctx, head)
	if err != nil {
		return b, err
	}
	b.Repository, b.Head = repo.Root(), string(head)
	folder, err := os.MkdirTemp("", "previdence-bench-")
	if err != nil {
		return b, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "graph.db")
	watch := &stopwatch{build: "cold"}
	if err := a.benchBuilds(ctx, repo, tree, file, &b, watch); err != nil {
		return b, err
	}
	watch.lap("")
	b.Phases = watch.laps
	b.Questions, err = benchQuestions(ctx, file)
	b.Memory = peakMemory()
	return b, err
}

// benchBuilds builds and stores the graph twice; the second build remembers the facts
// of the first.
func (a *app) benchBuilds(ctx context.Context, repo *worktree.Repo, tree worktree.OID, file string, b *benched, watch *stopwatch) error {
	bar := a.progress()
	defer bar.end()
	builder := index.New(index.Options{Workers: b.Jobs, Progress: func(p index.Progress) {
		watch.lap(p.Phase)
		bar.show(p)
	}})
	objects := repo.Reader()
	defer objects.Close()
	for _, watch.build = range []string{"cold", "warm"} {
		g, stats, err := builder.Build(ctx, objects, tree)
		if err != nil {
			return err
		}
		watch.lap("store")
		if err := store.Write(ctx, file, g, store.Stamp{Tree: string(tree), Engine: builder.EngineDigest()}); err != nil {
			return err
		}
		watch.lap("")
		if watch.build == "cold" {
			b.Files, b.Parsed, b.Bytes, b.Symbols, b.Edges = stats.Files, stats.Parsed, stats.Bytes, len(g.Symbols), len(g.Edges)
		}
	}
	info, err := os.Stat(file)
	if err == nil {
		b.Stored = info.Size()
	}
	return err
}

// benchAsked is how many symbols are asked about.
const benchAsked = 101

// benchQuestions asks a stored graph, opened anew for each question as a reader does.
func benchQuestions(ctx context.Context, file string) ([]benchQuestion, error) {
	spread, hubs, err := benchSymbols(ctx, file)
	if err != nil {
		return nil, err
	}
	calls := blast.Of(graph.EdgeCall, graph.EdgeDispatch)
	radius := func(db *store.DB, s *graph.Symbol, depth int) error {
		return db.Follow(func(e *store.Edges) error {
			n, err := e.Number(s.ID)
			if err == nil {
				blast.Along(e).Radius(n, blast.Flow{First: calls, Then: calls}, depth)
			}
			return err
		})
	}
	var out []benchQuestion
	for _, q := range []struct {
		name  string
		about []graph.Symbol
		ask   func(db *store.DB, i int) error // about symbol i
	}{
		{"open", spread, func(*store.DB, int) error { return nil }},
		{"search", spread, func(db *store.DB, i int) error { _, _, err := db.Search(ctx, spread[i].Name, 20); return err }},
		{"callers", spread, func(db *store.DB, i int) error { _, err := db.Callers(ctx, spread[i].ID); return err }},
		{"radius, depth 3", spread, func(db *store.DB, i int) error { return radius(db, &spread[i], 3) }},
		{"radius, depth 5", spread, func(db *store.DB, i int) error { return radius(db, &spread[i], 5) }},
		{"radius of hubs, depth 5", hubs, func(db *store.DB, i int) error { return radius(db, &hubs[i], 5) }},
		{"coverage of 10 files", spread, func(db *store.DB, i int) error {
			_, err := db.Coverage(ctx, pathsFrom(spread, i, 10)...)
			return err
		}},
		{"coverage of all", spread, func(db *store.DB, _ int) error { _, err := db.Coverage(ctx); return err }},
	} {
		var took []float64
		for i := range q.about {
			start := time.Now()
			db, err := store.Open(ctx, file)
			if err != nil {
				return nil, err
			}
			err = q.ask(db, i)
			took = append(took, time.Since(start).Seconds()*1000)
			if closed := db.Close(); err != nil || closed != nil {
				return nil, fmt.Errorf("%s: %w", q.name, errors.Join(err, closed))
			}
		}
		slices.Sort(took)
		if n := len(took); n > 0 {
			out = append(out, benchQuestion{q.name, n, took[n/2], took[n*95/100]})
		}
	}
	return out, nil
}

// pathsFrom returns the files of n symbols, the i-th first.
func pathsFrom(symbols []graph.Symbol, i, n int) []string {
	var paths []string
	for k := range min(n, len(symbols)) {
		paths = append(paths, symbols[(i+k)%len(symbols)].Path)
	}
	return paths
}

// benchSymbols takes callable symbols from all over a graph, and the hubs: those that
// the most edges reach.
func benchSymbols(ctx context.Context, file string) (spread, hubs []graph.Symbol, err error) {
	db, err := store.Open(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	defer db.Close() // it was only read
	err = db.Follow(func(e *store.Edges) error {
		var callable []int32
		for k := range int32(e.Symbols()) {
			if s := e.Symbol(k); s.Kind.Callable() {
				callable = append(callable, k)
			}
		}
		n := min(benchAsked, len(callable))
		for i := range n {
			spread = append(spread, e.Symbol(callable[len(callable)*i/n]))
		}
		slices.SortStableFunc(callable, func(a, b int32) int { return cmp.Compare(e.Arrivals(b), e.Arrivals(a)) })
		for _, k := range callable[:n] {
			hubs = append(hubs, e.Symbol(k))
		}
		return nil
	})
	return spread, hubs, err
}

func benchText(b benched) *strings.Builder {
	var t strings.Builder
	fmt.Fprintf(&t, "repository  %s at %s, %d jobs\n", inert(b.Repository), short(b.Head), b.Jobs)
	fmt.Fprintf(&t, "files       %d, %d of them parsed, %.1f MB read\n", b.Files, b.Parsed, float64(b.Bytes)/1e6)
	fmt.Fprintf(&t, "graph       %d symbols, %d edges, %.1f MB stored\n", b.Symbols, b.Edges, float64(b.Stored)/1e6)
	if b.Memory > 0 {
		fmt.Fprintf(&t, "memory      %.0f MB at most\n", float64(b.Memory)/1e6)
	}
	fmt.Fprintf(&t, "\n%-6s%-10s%10s%10s%12s%10s\n", "build", "phase", "wall s", "CPU s", "files/s", "MB/s")
	for _, p := range b.Phases {
		fmt.Fprintf(&t, "%-6s%-10s%10.2f%10.2f%12.0f%10.1f\n", p.Build, p.Phase, p.Wall, p.CPU, rate(float64(b.Files), p.Wall), rate(float64(b.Bytes)/1e6, p.Wall))
	}
	fmt.Fprintf(&t, "\n%-24s%8s%12s%10s\n", "question", "asked", "median ms", "p95 ms")
	for _, q := range b.Questions {
		fmt.Fprintf(&t, "%-24s%8d%12.2f%10.2f\n", q.Question, q.Asked, q.Median, q.P95)
	}
	return &t
}

// rate is what is done in a second; 0 if that cannot be told.
func rate(done, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return done / seconds
}
