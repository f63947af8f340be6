package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/reporters"
	"github.com/previdence/previdence/review/report"
)

// extensions are the ends of the names of files in each format.
var extensions = map[string]string{
	reporters.Terminal: ".txt", reporters.Markdown: ".md", reporters.JSON: ".json", reporters.SARIF: ".sarif", reporters.HTML: ".html",
}

// deliver renders the reports, all before the first is written.
func (r *reviewCommand) deliver(results []pipeline.Result) error {
	var all bytes.Buffer
	var files []outputFile
	names := map[string]int{}
	for _, result := range results {
		if result.Err != nil {
			continue
		}
		var one bytes.Buffer
		if err := reporters.Render(&one, result.Report, r.format.value, r.rendering()); err != nil {
			return err
		}
		name := reportName(result.Report.Subject)
		if names[name]++; names[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, names[name])
		}
		files = append(files, outputFile{name + extensions[r.format.value], one.Bytes()})
		all.Write(one.Bytes())
	}
	switch {
	case r.outputDir != "":
		return writeFiles(r.outputDir, files)
	case r.output != "":
		return writeFile(r.output, all.Bytes())
	}
	return r.app.writeWhole(all.Bytes())
}

func (r *reviewCommand) rendering() reporters.Options {
	toScreen := r.output == "" && r.outputDir == ""
	return reporters.Options{Budget: r.budget, Color: toScreen && r.app.colour(r.app.Out), Width: width(r.app.Out)}
}

// An outputFile is one report as it is going to lie in a folder.
type outputFile struct {
	name string
	text []byte
}

func writeFiles(dir string, files []outputFile) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return refused(err, "choose a folder that can be made")
	}
	for _, f := range files {
		if err := writeFile(filepath.Join(dir, f.name), f.text); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes the whole file, or nothing. What is no regular file, such as
// /dev/null or a pipe, is written to: a rename would put a file in its place.
func writeFile(path string, text []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeInto(path, text)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".previdence-*")
	if err != nil {
		return refused(err, "choose a folder that exists and can be written")
	}
	defer os.Remove(tmp.Name()) // gone already if all went well
	err = tmp.Chmod(0o644)
	if err == nil {
		_, err = tmp.Write(text)
	}
	if err == nil {
		err = tmp.Sync()
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return refused(err, "nothing was written to this file; check the free space and the permissions")
	}
	return nil
}

// writeInto writes to a device or a pipe that is there.
func writeInto(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return refused(err, "name a file, or a device or pipe that can be written")
	}
	return nil
}

// longestName is how much of a branch's name goes into a file's name, in bytes.
const longestName = 80

// reportName is the name of a report's file without its end: "pr-12", or the
// head that was asked for with its commit. Names of branches come from the
// repository, so only letters, digits and a few signs of them stay.
func reportName(s report.Subject) string {
	if s.PullRequest != 0 {
		return fmt.Sprintf("pr-%d", s.PullRequest)
	}
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' {
			return c
		}
		return '-'
	}, s.Head.Ref)
	name = strings.Trim(name[:min(len(name), longestName)], "-.")
	commit := short(s.Head.Commit)
	if name == "" || strings.HasPrefix(s.Head.Commit, name) {
		return commit
	}
	return name + "-" + commit
}
