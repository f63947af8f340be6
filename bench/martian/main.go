// Command martian asks how many review comments that people wrote name something that
// a report names as well.
//
// Input is the golden comments of the Code Review Benchmark of Martian (MIT), as its
// folder offline/golden_comments holds them, and a folder of reports, one for each
// pull request that could be reviewed, named like the repository and the number:
// grafana-79265.json. Output is a table: of the comments that name code, the share
// whose names stand in the report as Markdown within 2,000 and 8,000 tokens, four bytes
// each; and apart from these, of those that name none of the changed symbols, and so
// speak of other code. A pull request without a report is counted, never left out of
// sight. The program fetches nothing and reviews nothing.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/previdence/previdence/reporters"
	"github.com/previdence/previdence/review/report"
)

// bytesOfToken is how many bytes of English and code models take for one token.
const bytesOfToken = 4

var budgets = []int{2000, 8000} // tokens

func main() {
	set := flag.String("set", "", "folder of golden comments, one JSON file for each repository")
	reports := flag.String("reports", "", "folder of reports")
	flag.Parse()
	if err := run(*set, *reports, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// A pull is one pull request of the set.
type pull struct {
	URL      string `json:"url"`
	Comments []struct {
		Comment string `json:"comment"`
	} `json:"comments"`
}

// A tally counts comments.
type tally struct {
	pulls, reviewed         int
	comments, naming, other int         // of all; that name code; of those of reviewed pull requests, that name no changed symbol
	judged                  int         // that name code, of reviewed pull requests
	found, foundOther       map[int]int // by budget
}

func run(set, reports string, out io.Writer) error {
	files, err := filepath.Glob(filepath.Join(set, "*.json"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no golden comments in %q", set)
	}
	fmt.Fprintln(out, "| repository | pull requests | reviewed here | comments | that name code | judged | within 2,000 | within 8,000 | of other code | within 2,000 | within 8,000 |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|---|---|")
	sum := newTally()
	for _, file := range files {
		t, err := tallyOf(file, reports)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		row(out, strings.TrimSuffix(filepath.Base(file), ".json"), t)
		sum.add(t)
	}
	row(out, "all", sum)
	return nil
}

func newTally() tally { return tally{found: map[int]int{}, foundOther: map[int]int{}} }

func (t *tally) add(o tally) {
	t.pulls, t.reviewed, t.comments, t.naming = t.pulls+o.pulls, t.reviewed+o.reviewed, t.comments+o.comments, t.naming+o.naming
	t.judged, t.other = t.judged+o.judged, t.other+o.other
	for _, b := range budgets {
		t.found[b] += o.found[b]
		t.foundOther[b] += o.foundOther[b]
	}
}

func row(out io.Writer, name string, t tally) {
	fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %d | %s | %s | %d | %s | %s |\n", name, t.pulls, t.reviewed, t.comments, t.naming, t.judged,
		share(t.found[2000], t.judged), share(t.found[8000], t.judged), t.other, share(t.foundOther[2000], t.other), share(t.foundOther[8000], t.other))
}

// share is a part of a whole; of nothing it is not known.
func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d (%.2f)", n, float64(n)/float64(of))
}

func tallyOf(file, reports string) (tally, error) {
	t := newTally()
	data, err := os.ReadFile(file)
	if err != nil {
		return t, err
	}
	var pulls []pull
	if err := json.Unmarshal(data, &pulls); err != nil {
		return t, err
	}
	for _, p := range pulls {
		t.pulls++
		r, err := reportOf(reports, p.URL)
		if err != nil {
			return t, err
		}
		var shown map[int]string
		if r != nil {
			t.reviewed++
			if shown, err = pages(r); err != nil {
				return t, err
			}
		}
		for _, c := range p.Comments {
			t.comment(c.Comment, r, shown)
		}
	}
	return t, nil
}

// comment counts one comment.
func (t *tally) comment(text string, r *report.Report, shown map[int]string) {
	t.comments++
	names := namesIn(text)
	if len(names) == 0 {
		return
	}
	t.naming++
	if r == nil {
		return
	}
	t.judged++
	other := !slices.ContainsFunc(names, func(n string) bool { return changes(r, n) })
	if other {
		t.other++
	}
	for budget, page := range shown {
		if slices.ContainsFunc(names, func(n string) bool { return stands(page, n) }) {
			t.found[budget]++
			if other {
				t.foundOther[budget]++
			}
		}
	}
}

// reportOf reads the report of a pull request; nil if there is none.
func reportOf(folder, url string) (*report.Report, error) {
	parts := strings.Split(url, "/")
	if len(parts) < 3 {
		return nil, fmt.Errorf("%q is no address of a pull request", url)
	}
	f, err := os.Open(filepath.Join(folder, parts[len(parts)-3]+"-"+parts[len(parts)-1]+".json"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	return report.Read(f)
}

// pages are the report as Markdown, by budget.
func pages(r *report.Report) (map[int]string, error) {
	all := map[int]string{}
	for _, tokens := range budgets {
		var page bytes.Buffer
		if err := reporters.Render(&page, r, "markdown", reporters.Options{Budget: tokens * bytesOfToken}); err != nil {
			return nil, err
		}
		all[tokens] = page.String()
	}
	return all, nil
}

// name is a word of code: with a capital inside, an underscore, a dot between letters,
// a path, or brackets behind.
var name = regexp.MustCompile(`[A-Za-z_$][A-Za-z0-9_$]*(?:[./][A-Za-z_$][A-Za-z0-9_$]*)*(?:\(\))?`)

var code = regexp.MustCompile(`[a-z0-9][A-Z]|_|[A-Za-z0-9_]\.[A-Za-z_]|/|\(\)$`)

// namesIn are the names of code in a comment, each by its last part: prose names a
// method without its type.
func namesIn(text string) []string {
	var names []string
	for _, word := range name.FindAllString(text, -1) {
		if !code.MatchString(word) || word == "e.g" || word == "i.e" || word == "and/or" {
			continue
		}
		word = strings.TrimSuffix(word, "()")
		if i := strings.LastIndexAny(word, "./"); i >= 0 && !strings.Contains(word, "/") {
			word = word[i+1:]
		}
		if len(word) > 2 && !slices.Contains(names, word) {
			names = append(names, word)
		}
	}
	return names
}

// changes reports whether a pull request changes a symbol of that name.
func changes(r *report.Report, name string) bool {
	return slices.ContainsFunc(r.Changes.Symbols, func(s report.SymbolChange) bool {
		return s.Name == name || strings.HasSuffix(s.Name, "."+name) || strings.HasSuffix(s.Path, name)
	})
}

// stands reports whether a page has a name as a whole word. Markdown escapes what
// means something to it.
func stands(page, name string) bool {
	page = strings.NewReplacer("&#95;", "_", `\`, "").Replace(page)
	for rest := page; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		end := i + len(name)
		if (i == 0 || !word(rest[i-1])) && (end == len(rest) || !word(rest[end])) {
			return true
		}
		rest = rest[i+1:]
	}
}

func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
