// Package html renders a report as one page that opens from a file.
//
// Input is a report and a budget in bytes; output is one HTML document that
// holds its own style, script and picture. It asks for nothing over the
// network, keeps nothing, and a policy in its head forbids all that is not part
// of it: nothing from the repository can become markup, a link or a script.
// Without the script all of it can still be read; with it the tables sort and
// the blast radius zooms, filters and shows the proof of each box. If it does
// not fit, the lowest ranked rows are left out whole and their block says "12
// of 340 shown"; a caveat is never left out. The package writes no time and
// knows no server.
package html

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/report"
)

// limits keep a page loading at once where a report names ten thousand symbols.
// The whole is in the JSON form.
var limits = outline.Limits{10, 40, 200, 1000}

// The boxes of the blast radius: of a page that is whole, and of one that had to
// be cut, where rows say more than a picture.
const (
	mostBoxes = 200
	fewBoxes  = 30
)

//go:embed page
var files embed.FS

var (
	style  = embedded("page/style.css")
	script = embedded("page/page.js")
	pages  = template.Must(template.New("").Funcs(functions).ParseFS(files, "page/*.html"))
)

// functions are what the templates call.
var functions = template.FuncMap{
	"pieces": pieces, "steps": steps, "words": words, "number": outline.Number, "count": outline.Count,
	"sentence": func(s string) string { return words(strings.TrimSuffix(s, ".")) },
	"spaced":   func(s string) string { return words(strings.ReplaceAll(s, "_", " ")) },
	"strong":   func(p outline.Part) bool { return p.Style == outline.Strong },
	"name":     func(p outline.Part) bool { return p.Style == outline.Name },
	"place":    func(p outline.Part) bool { return p.Style == outline.Place },
}

// policy lets the page use the style and the script that are part of it, and
// nothing else: no address, no other script, no form, no frame.
var policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'; "+
	"require-trusted-types-for 'script'; trusted-types 'none'", digest(style), digest(script))

func embedded(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is compiled in
	}
	return string(b)
}

// digest names a text in the way of a content security policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Render writes r as a page of at most budget bytes; 0 means no limit. A budget
// below [Least] is refused with [outline.ErrBudget].
func Render(w io.Writer, r *report.Report, budget int) error {
	s, err := newSheet(r)
	if err != nil {
		return err
	}
	out, err := s.outline.Fit(budget, s.draw)
	if err = cmp.Or(s.err, err); err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// Least returns the smallest budget that [Render] accepts for r, or 0 if it
// cannot be rendered.
func Least(r *report.Report) int {
	s, err := newSheet(r)
	if err != nil {
		return 0
	}
	return len(s.draw(0))
}

// render executes one of the page's templates. What it returns is HTML because
// the template made it so, with everything in data escaped for its place.
func render(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("html: %w", err)
	}
	return template.HTML(b.String()), nil
}
