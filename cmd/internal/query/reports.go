package query

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
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

// KeepReport keeps the report of a worktree's head. The oldest one goes.
func KeepReport(repo *worktree.Repo, head string, text []byte) error {
	if !fullOID.MatchString(head) {
		return fmt.Errorf("%q: %w", head, ErrBadHead)
	}
	if err := keep(filepath.Join(reportsFolder(repo), head+".json"), text); err != nil {
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

var reportName = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})\.json$`)

// KeptReports lists the reports of a worktree by head.
func KeptReports(repo *worktree.Repo) ([]Kept, error) {
	entries, err := os.ReadDir(reportsFolder(repo))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var kept []Kept
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && reportName.MatchString(e.Name()) {
			kept = append(kept, Kept{strings.TrimSuffix(e.Name(), ".json"), info.Size()})
		}
	}
	return kept, err
}

// KeptReport reads the report about a head.
func KeptReport(repo *worktree.Repo, head string) (*report.Report, error) {
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
	return report.Read(bytes.NewReader(text))
}
