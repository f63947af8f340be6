package worktreetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/worktree"
)

// A Source says which file gives a hostile repository its configuration.
type Source string

// The sources. All but the first are read by git on behalf of one that looks
// harmless.
const (
	ConfigFile     Source = "config"          // the repository's own
	IncludedFile   Source = "include.path"    // a file of the commit itself
	IncludedIf     Source = "includeIf"       // the same, on a condition
	WorktreeConfig Source = "config.worktree" // extensions.worktreeConfig
)

// Sources lists all sources.
func Sources() []Source { return []Source{ConfigFile, IncludedFile, IncludedIf, WorktreeConfig} }

// A Hostile is a repository that names a program everywhere git would run one.
// Each program leaves a marker with the name of its vector.
type Hostile struct {
	*Repo
	Base    worktree.OID // has a merge base with Head
	Head    worktree.OID // checked out; its commit claims a signature
	Missing worktree.OID // a blob of Head that only a fetch could bring
	Inner   string       // a bare repository that is part of the tree

	programs string
	markers  string
	names    []string
}

// hooks are the names under which git looks for programs in core.hooksPath.
var hooks = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit",
	"prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge",
	"pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update",
	"reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate",
	"fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist", "p4-post-changelist",
	"p4-pre-submit", "post-index-change",
}

// settings are the configuration keys that name a program, each with what
// comes before the program's path in the value.
var settings = []struct{ key, prefix string }{
	{"filter.marker.clean", ""},
	{"filter.marker.smudge", ""},
	{"filter.process.process", ""},
	{"filter.a=b.clean", ""},
	{"filter.a=b.smudge", ""},
	{"filter.lfs.clean", ""},
	{"filter.lfs.smudge", ""},
	{"diff.conv.textconv", ""},
	{"diff.prog.command", ""},
	{"diff.external", ""},
	{"merge.marker.driver", ""},
	{"core.fsmonitor", ""},
	{"core.sshCommand", ""},
	{"core.gitProxy", ""},
	{"core.askPass", ""},
	{"core.editor", ""},
	{"core.pager", ""},
	{"core.alternateRefsCommand", ""},
	{"sequence.editor", ""},
	{"pager.log", ""},
	{"pager.diff", ""},
	{"pager.cat-file", ""},
	{"pager.rev-parse", ""},
	{"gpg.program", ""},
	{"gpg.ssh.program", ""},
	{"gpg.x509.program", ""},
	{"gpg.ssh.defaultKeyCommand", ""},
	{"credential.helper", "!"},
	{"credential.https://example.com.helper", "!"},
	{"remote.origin.uploadpack", ""},
	{"remote.origin.receivepack", ""},
	{"remote.ext.url", "ext::"},
	{"alias.marker", "!"},
	{"alias.cat-file", "!"},
	{"alias.diff-tree", "!"},
	{"alias.rev-parse", "!"},
	{"interactive.diffFilter", ""},
	{"difftool.marker.cmd", ""},
	{"mergetool.marker.cmd", ""},
	{"trailer.marker.command", ""},
	{"trailer.other.cmd", ""},
	{"tar.marker.command", ""},
	{"submodule.sub.update", "!"},
	{"uploadpack.packObjectsHook", ""},
	{"gc.recentObjectsHook", ""},
	{"sendemail.smtpServer", ""},
	{"sendemail.toCmd", ""},
	{"imap.tunnel", ""},
	{"browser.marker.cmd", ""},
	{"man.marker.cmd", ""},
	{"guitool.marker.cmd", ""},
}

// flags make git use what settings name.
var flags = []string{
	"diff.tool=marker", "merge.tool=marker", "log.showSignature=true", "difftool.prompt=false",
	"web.browser=marker", "commit.gpgSign=false", "protocol.allow=always", "protocol.ext.allow=always",
	"remote.origin.promisor=true", "remote.origin.partialclonefilter=blob:none",
	"diff.noprefix=true", "diff.renames=false", "core.untrackedCache=true",
}

// NewHostile makes a hostile repository that is configured through source.
func NewHostile(t testing.TB, source Source) *Hostile {
	t.Helper()
	origin := New(t)
	origin.Commit(map[string]string{"origin.txt": "origin\n"})
	top := tempDir(t)
	h := &Hostile{Repo: New(t), programs: filepath.Join(top, "programs"), markers: filepath.Join(top, "markers")}
	for _, dir := range []string{h.programs, h.markers} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.Git("remote", "add", "origin", "file://"+origin.Dir)
	h.commit(source)
	h.plant(source)
	return h
}

// Vectors lists the names of all programs.
func (h *Hostile) Vectors() []string { return slices.Clone(h.names) }

// Ran lists the programs that have run so far, sorted.
func (h *Hostile) Ran() []string {
	h.t.Helper()
	files, err := os.ReadDir(h.markers)
	if err != nil {
		h.t.Fatal(err)
	}
	var ran []string
	for _, f := range files {
		ran = append(ran, strings.ReplaceAll(f.Name(), "%", "/"))
	}
	return ran
}

// program writes the program of one vector and returns its path. It leaves its
// marker and, where git would stop otherwise, passes through what it is given.
func (h *Hostile) program(name string) string {
	h.t.Helper()
	h.names = append(h.names, name)
	file := strings.ReplaceAll(name, "/", "%")
	path := filepath.Join(h.programs, strings.Map(plain, file))
	h.script(path, filepath.Join(h.markers, file))
	return path
}

// plain keeps the path of a program free of what a shell or git would split.
func plain(c rune) rune {
	if strings.ContainsRune("%=: ", c) {
		return '_'
	}
	return c
}

func (h *Hostile) script(path, marker string) {
	h.t.Helper()
	text := fmt.Sprintf("#!/bin/sh\n: > '%s'\n", marker)
	switch base := filepath.Base(path); {
	case strings.HasPrefix(base, "filter"):
		text += "exec cat\n"
	case strings.HasPrefix(base, "diff."):
		text += "cat \"$1\"\n"
	case strings.HasPrefix(base, "remote."):
		// To wait for the other side, which waits too, would never end.
		text += "exit 1\n"
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		h.t.Fatal(err)
	}
}

// commit makes the history while nothing is configured yet.
func (h *Hostile) commit(source Source) {
	h.t.Helper()
	h.Commit(map[string]string{
		".gitattributes": "*.txt filter=marker diff=conv merge=marker\n*.proc filter=process\n*.eq filter=a=b\n" +
			"*.cmd diff=prog\n*.lfs filter=lfs\n*.id ident\n*.crlf text eol=crlf\n*.u16 working-tree-encoding=UTF-16\n" +
			"*.hidden export-ignore\n",
		"a.txt": "one\ntwo\nthree\n", "b.cmd": "one\n", "c.plain": "one\n", "d.proc": "one\n", "e.eq": "one\n",
		"f.lfs": "one\n", "g.id": "$Id$\n", "h.crlf": "one\n", "i.hidden": "one\n", "old/name.txt": strings.Repeat("line\n", 20),
	})
	h.Checkout("base", "main")
	h.Base = h.Commit(map[string]string{"base.txt": "base\n", "a.txt": "zero\none\ntwo\nthree\n"})
	h.Checkout("head", "main")
	files := map[string]string{
		"a.txt": "one\ntwo\nthree\nfour\n", "b.cmd": "two\n", "c.plain": "two\n", "d.proc": "two\n", "e.eq": "two\n",
		"f.lfs": "two\n", "missing.plain": "never fetched\n", "new/name.txt": strings.Repeat("line\n", 20) + "more\n",
		".gitmodules":           "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n",
		"fixtures/in.git/HEAD":  "ref: refs/heads/main\n",
		"fixtures/in.git/refs/": "",
	}
	delete(files, "fixtures/in.git/refs/")
	files["fixtures/in.git/refs/keep"], files["fixtures/in.git/objects/keep"] = "", ""
	files["fixtures/in.git/config"] = "[core]\n\tbare = true\n\tfsmonitor = \"" + h.program("embedded bare repository") + "\"\n"
	for _, hook := range hooks {
		path := filepath.Join(h.Dir, ".husky", hook)
		h.script(path, filepath.Join(h.markers, "hook "+hook))
		h.names = append(h.names, "hook "+hook)
	}
	if source == IncludedFile || source == IncludedIf {
		files["hostile.gitconfig"] = h.config()
	}
	h.Inner = filepath.Join(h.Dir, "fixtures", "in.git")
	sub := h.At(filepath.Join(h.Dir, "sub"))
	if err := os.Mkdir(sub.Dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	sub.Git("init", "-q", "-b", "main")
	sub.Commit(map[string]string{"sub.txt": "sub\n"})
	sub.Git("config", "core.fsmonitor", h.program("submodule fsmonitor"))
	unsigned := h.Commit(files, "old/name.txt")
	h.Missing = h.Rev("HEAD:missing.plain")
	h.Head = h.sign(unsigned)
	h.Git("update-ref", "refs/heads/head", string(h.Head))
}

// sign makes a copy of a commit that claims to be signed.
func (h *Hostile) sign(commit worktree.OID) worktree.OID {
	h.t.Helper()
	content := h.Git("cat-file", "commit", string(commit)) + "\n"
	signature := "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----\n"
	return h.Object("commit", strings.Replace(content, "\n\n", "\n"+signature+"\n", 1))
}

// config returns the configuration file that names all programs.
func (h *Hostile) config() string {
	h.t.Helper()
	var text strings.Builder
	for _, s := range settings {
		text.WriteString(line(s.key, s.prefix+h.program(s.key)))
	}
	for _, f := range flags {
		key, value, _ := strings.Cut(f, "=")
		text.WriteString(line(key, value))
	}
	text.WriteString(line("core.hooksPath", filepath.Join(h.Dir, ".husky")))
	return text.String()
}

// line writes one setting as git config would.
func line(key, value string) string {
	first, last := strings.Index(key, "."), strings.LastIndex(key, ".")
	section := key[:first]
	if first != last {
		section += ` "` + key[first+1:last] + `"`
	}
	return fmt.Sprintf("[%s]\n\t%s = \"%s\"\n", section, key[last+1:], value)
}

// plant puts the configuration in place and takes away the blob that is to be
// missing. From here on every naive git may run something.
func (h *Hostile) plant(source Source) {
	h.t.Helper()
	path := filepath.Join(h.Dir, ".git", "config")
	before, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	// An extension counts only in the repository's own file.
	text := string(before) + "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"
	switch source {
	case ConfigFile:
		text += h.config()
	case IncludedFile:
		text += line("include.path", "../hostile.gitconfig")
	case IncludedIf:
		text += line("includeIf.gitdir:**.path", "../hostile.gitconfig")
	case WorktreeConfig:
		text += line("extensions.worktreeConfig", "true")
		if err := os.WriteFile(filepath.Join(h.Dir, ".git", "config.worktree"), []byte(h.config()), 0o600); err != nil {
			h.t.Fatal(err)
		}
	default:
		h.t.Fatalf("unknown source %q", source)
	}
	h.RemoveObject(h.Missing)
	// A changed file, so that a diff with the worktree has something to show.
	h.Write(map[string]string{"a.txt": "changed\n", "c.plain": "changed\n", "b.cmd": "changed\n", "e.eq": "changed\n"})
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}
