package pipeline_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
)

func TestAReportIsVerifiedByMakingItAgain(t *testing.T) {
	_, clone := remote(t)
	strict := func(o *pipeline.Options) {
		o.Limits.Depth, o.FailOn, o.Given = 2, []string{review.RuleUntested}, pipeline.Given{Depth: true, FailOn: true}
	}
	together := with(t, clone.Dir, strict).ReviewAll(t.Context(), pulls(1, 2, 3), 2)
	r := together[1].Report
	if r.Verdict.Outcome != report.Fail || len(r.Overlap) != 2 {
		t.Fatalf("a poor example: %+v, %+v", r.Verdict, r.Overlap)
	}
	local, err := r.Local()
	if err != nil {
		t.Fatal(err)
	}
	whole := canonical(t, r)
	p := with(t, clone.Dir, nil)
	swap := func(old, new string) []byte {
		t.Helper()
		changed := bytes.Replace(whole, []byte(old), []byte(new), 1)
		if bytes.Equal(changed, whole) {
			t.Fatalf("the report does not hold %s", old)
		}
		return changed
	}
	tests := map[string]struct {
		data    []byte
		pointer string // "same", "reformed", or where it differs
	}{
		"as it was written":                {whole, "same"},
		"with its local binding":           {local, "same"},
		"written in another way":           {bytes.ReplaceAll(whole, []byte("  "), nil), "reformed"},
		"with something after it":          {append(bytes.Clone(whole), '\n'), "reformed"},
		"a better verdict":                 {swap(`"outcome": "fail"`, `"outcome": "pass"`), "/verdict/outcome"},
		"a lost dependent":                 {swap(`"by_distance": [`, `"by_distance": [ 9,`), "/impact/by_distance/0"},
		"a lost overlap":                   {swap(`"other_changes_dependent"`, `"both_change"`), ""},
		"another name of the repository":   {swap(`"repository": ""`, `"repository": "o/r"`), "/subject/repository"},
		"an ignored path that is not":      {swap(`"ignore": []`, `"ignore": ["low/**"]`), "/provenance/config/ignore/0"},
		"a limit that nobody can ask for":  {swap(`"seeds": 500`, `"seeds": 1`), "/provenance/config/limits/seeds"},
		"a rule that does not exist":       {swap(`"untested-change"`, `"untested"`), "/provenance/config_digest"},
		"a depth of nothing":               {swap(`"depth": 2`, `"depth": 0`), "/provenance/config_digest"},
		"a merge base that is none":        {swap(`"merge_base": "`+r.Subject.MergeBase, `"merge_base": "`+r.Subject.Head.Commit), "/subject/merge_base"},
		"another head":                     {bytes.ReplaceAll(whole, []byte(`"commit": "`+r.Subject.Head.Commit), []byte(`"commit": "`+together[0].Report.Subject.Head.Commit)), "/subject/head/tree"},
		"another pull request beside it":   {swap(`"head": "`+together[0].Report.Subject.Head.Commit, `"head": "`+r.Subject.Base.Commit), "/overlap/0/pull_request"},
		"the claim that no other meets it": {withoutOverlap(t, r), "same"}, // as true as the report made alone
	}
	for claim, tt := range tests {
		t.Run(claim, func(t *testing.T) {
			v, err := p.Verify(t.Context(), tt.data, nil)
			if err != nil {
				t.Fatal(err)
			}
			if v.Same != (tt.pointer == "same") || v.Reformed != (tt.pointer == "reformed") {
				t.Errorf("got %+v", v)
			}
			if strings.HasPrefix(tt.pointer, "/") && (v.Pointer != tt.pointer || v.A == v.B) {
				t.Errorf("differs at %s (%s, %s), want %s", v.Pointer, v.A, v.B, tt.pointer)
			}
		})
	}
}

func withoutOverlap(t *testing.T, r *report.Report) []byte {
	t.Helper()
	alone := *r
	alone.Overlap = nil
	return canonical(t, &alone)
}

func TestWhatCannotBeMadeAgainIsNotVerified(t *testing.T) {
	_, clone := remote(t)
	r, err := with(t, clone.Dir, nil).Review(t.Context(), pipeline.Request{Pull: 2})
	if err != nil {
		t.Fatal(err)
	}
	whole := string(canonical(t, r))
	elsewhere, _ := remote(t)
	swap := strings.NewReplacer
	tests := map[string]struct {
		data string
		dir  string
		want error
	}{
		"another tool":              {swap(`"version": "test"`, `"version": "v2"`).Replace(whole), clone.Dir, pipeline.ErrOtherMaker},
		"another engine":            {swap(`"engine_digest": "`, `"engine_digest": "0`).Replace(whole), clone.Dir, pipeline.ErrOtherMaker},
		"another git":               {swap(r.Provenance.GitVersion, "1.0.0").Replace(whole), clone.Dir, pipeline.ErrOtherMaker},
		"another grammar":           {swap(`"go": "1"`, `"go": "2"`).Replace(whole), clone.Dir, pipeline.ErrOtherMaker},
		"one more grammar":          {swap(`"go": "1"`, `"go": "1", "rust": "1"`).Replace(whole), clone.Dir, pipeline.ErrOtherMaker},
		"no report":                 {"{}", clone.Dir, pipeline.ErrNoReport},
		"no JSON":                   {"\x00", clone.Dir, pipeline.ErrNoReport},
		"two reports":               {whole + whole, clone.Dir, pipeline.ErrNoReport},
		"a field of another kind":   {swap(`"breaks": []`, `"breaks": [], "magic": 1`).Replace(whole), clone.Dir, pipeline.ErrNoReport},
		"a commit that is not here": {swap(r.Subject.Head.Commit, strings.Repeat("1", 40)).Replace(whole), clone.Dir, pipeline.ErrCommitAbsent},
		"a name for a commit":       {swap(r.Subject.Head.Commit, "HEAD").Replace(whole), clone.Dir, pipeline.ErrCommitAbsent},
		"an option for a commit":    {swap(r.Subject.Head.Commit, "--all").Replace(whole), clone.Dir, pipeline.ErrCommitAbsent},
		"the start of a commit":     {swap(r.Subject.Head.Commit, r.Subject.Head.Commit[:12]).Replace(whole), clone.Dir, pipeline.ErrCommitAbsent},
	}
	for claim, tt := range tests {
		t.Run(claim, func(t *testing.T) {
			v, err := with(t, tt.dir, nil).Verify(t.Context(), []byte(tt.data), nil)
			if !errors.Is(err, tt.want) || v != (pipeline.Verification{}) {
				t.Errorf("got %+v, %v; want %v", v, err, tt.want)
			}
		})
	}
	t.Run("another clone that has the commits gives the same", func(t *testing.T) {
		v, err := with(t, elsewhere.Dir, nil).Verify(t.Context(), []byte(whole), nil)
		if err != nil || !v.Same {
			t.Errorf("got %+v, %v", v, err)
		}
	})
}
