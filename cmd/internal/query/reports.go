package query

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// keptReports is how many reports stay beside a worktree's graph, each the latest
// about one head.
const keptReports = 8

// ErrNoReport means that no report about a commit is kept.
var ErrNoReport = errors.New("no report of this commit is kept")

// A Kept report lies beside the graph of a worktree.
type Kept struct {
	Head string
	Size int64
}

func reportsFolder(repo *worktree.Repo) string {
	return filepath.Join(repo.WorktreeStateDir(), "reports")
}

// KeepReport keeps the report of a worktree's head. The oldest one goes. The first
// line of the file names the folder that the root is: a git directory that came
// from somewhere else may bring reports, and they are not ours.
func KeepReport(repo *worktree.Repo, root worktree.Root, head string, text []byte) error {
	if !fullOID.MatchString(head) {
		return fmt.Errorf("%q: %w", head, ErrBadHead)
	}
	if err := keep(filepath.Join(reportsFolder(repo), head+".json"), append([]byte(rootLine(root)), text...)); err != nil {
		return err
	}
	entries, err := os.ReadDir(reportsFolder(repo))
	if err != nil {
		return err
	}
	var infos []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && reportName.MatchString(e.Name()) {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, old := range infos[min(len(infos), keptReports):] {
		if err := os.Remove(filepath.Join(reportsFolder(repo), old.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func rootLine(root worktree.Root) string {
	return fmt.Sprintf("%s %d:%d\n", hexOf(root.Path, root.GitDir), root.Device, root.Inode)
}

var reportName = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})\.json$`)

// KeptReports lists the reports that were made for a worktree, by head.
func KeptReports(repo *worktree.Repo, root worktree.Root) ([]Kept, error) {
	entries, err := os.ReadDir(reportsFolder(repo))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var kept []Kept
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && reportName.MatchString(e.Name()) && begins(filepath.Join(reportsFolder(repo), e.Name()), rootLine(root)) {
			kept = append(kept, Kept{strings.TrimSuffix(e.Name(), ".json"), info.Size() - int64(len(rootLine(root)))})
		}
	}
	return kept, err
}

// begins reports whether a file begins with a text.
func begins(file, text string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close() // it was only read
	start := make([]byte, len(text))
	_, err = io.ReadFull(f, start)
	return err == nil && string(start) == text
}

// KeptReport reads the report about a head.
func KeptReport(repo *worktree.Repo, root worktree.Root, head string) (*report.Report, error) {
	if !fullOID.MatchString(head) {
		return nil, fmt.Errorf("%q: %w", head, ErrBadHead)
	}
	text, err := os.ReadFile(filepath.Join(reportsFolder(repo), head+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", head, ErrNoReport)
	}
	if err != nil {
		return nil, err
	}
	text, ours := bytes.CutPrefix(text, []byte(rootLine(root)))
	if !ours {
		return nil, fmt.Errorf("%s, one was made for another folder: %w", head, ErrNoReport)
	}
	return report.Read(bytes.NewReader(text))
}
