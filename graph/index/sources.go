package index

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"sync"

	"github.com/previdence/previdence/worktree"
)

// keptTotal bounds the content that is kept in memory for linkers. What does
// not fit is read again when it is asked for.
const (
	keptTotal    = 256 << 20
	keptManifest = 1 << 20 // bytes of one manifest
)

// sources gives linkers the other files of the tree. It is a [link.Tree].
type sources struct {
	objects Objects
	paths   []string       // plain files, in order
	blobs   []worktree.OID // of the paths

	mu   sync.Mutex
	kept map[worktree.OID][]byte
	size int
}

func newSources(objects Objects, units []unit) *sources {
	s := &sources{objects: objects, kept: map[worktree.OID][]byte{}}
	for i := range units {
		if units[i].plain {
			s.paths = append(s.paths, units[i].file.Path)
			s.blobs = append(s.blobs, worktree.OID(units[i].file.Blob))
		}
	}
	return s
}

// Paths lists the plain files of the tree in order.
func (s *sources) Paths() []string { return s.paths }

// Read returns the content of a plain file of at most [MaxFile] bytes.
func (s *sources) Read(ctx context.Context, p string) ([]byte, error) {
	i := sort.SearchStrings(s.paths, p)
	if i == len(s.paths) || s.paths[i] != p {
		return nil, &fs.PathError{Op: "read", Path: p, Err: fs.ErrNotExist}
	}
	s.mu.Lock()
	data, ok := s.kept[s.blobs[i]]
	s.mu.Unlock()
	if ok {
		return data, nil
	}
	err := s.objects.Blobs(ctx, s.blobs[i:i+1], MaxFile, func(_ int, content []byte, err error) error {
		data = bytes.Clone(content)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", p, err)
	}
	return data, nil
}

// keep stores content that a linker is going to ask for, while there is room.
func (s *sources) keep(oid worktree.OID, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size+len(data) <= keptTotal {
		s.kept[oid] = data
		s.size += len(data)
	}
}

// isManifest reports whether linkers read files of this name: they say where
// imports lead.
func isManifest(p string, size int64) bool {
	base := path.Base(p)
	if size > keptManifest {
		return false
	}
	for _, pattern := range manifests {
		if ok, err := path.Match(pattern, base); err == nil && ok {
			return true
		}
	}
	return false
}
