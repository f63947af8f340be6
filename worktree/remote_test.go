package worktree_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestRemoteURLIsWhatTheConfigurationSays(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	for name, url := range map[string]string{
		"web": "https://example.com/o/r.git", "short": "git@example.com:o/r.git", "path": "/srv/r.git", "near": "../near.git",
		"program": "ext::sh -c id", "dash": "--upload-pack=id", "helper": "transport::https://example.com/o/r",
	} {
		r.Git("config", "remote."+name+".url", url)
	}
	r.Git("config", "--add", "remote.web.url", "https://example.com/second")
	r.Git("config", "remote.web.pushurl", "https://example.com/push")
	r.Git("config", "url.ext::sh -c id .insteadOf", "https://example.com/")
	repo := r.Open()
	for name, want := range map[string]string{
		"web": "https://example.com/o/r.git", "short": "git@example.com:o/r.git", "path": "/srv/r.git",
		"near": filepath.Join(filepath.Dir(r.Dir), "near.git"),
	} {
		if got, err := worktree.RemoteURL(ctx, repo, name); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"program", "dash", "helper"} {
		if got, err := worktree.RemoteURL(ctx, repo, name); !errors.Is(err, worktree.ErrBadURL) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "none", "-x", "a\nb", "web.url\x00"} {
		if got, err := worktree.RemoteURL(ctx, repo, name); !errors.Is(err, worktree.ErrNoRemote) {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}
