package golang

import (
	"go/build/constraint"
	"strconv"
	"strings"
)

// newestGo is the highest go1.N that counts as satisfied. It is fixed, not that
// of the running program, so that the same tree selects the same files.
const newestGo = 26

var knownOS = set("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos")

var knownArch = set("386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm")

var unixOS = set("aix android darwin dragonfly freebsd hurd illumos ios linux netbsd openbsd solaris")

// String is the platform as the go command writes it: "linux/amd64".
func (p Platform) String() string { return p.OS + "/" + p.Arch }

// ParsePlatform is the inverse of [Platform.String]; ok is false if Go knows no
// such system or architecture.
func ParsePlatform(s string) (p Platform, ok bool) {
	p.OS, p.Arch, ok = strings.Cut(s, "/")
	return p, ok && knownOS[p.OS] && knownArch[p.Arch]
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// selects reports whether a build for p contains the file: its name and its
// constraint must both agree.
func (p Platform) selects(name string, c constraint.Expr) bool {
	return p.selectsName(name) && (c == nil || c.Eval(p.tag))
}

// tag says which build tags are set: those of the platform, gc, cgo and the
// language versions. Custom tags are not.
func (p Platform) tag(tag string) bool {
	switch tag {
	case p.OS, p.Arch, "gc", "cgo":
		return true
	case "unix":
		return unixOS[p.OS]
	case "linux":
		return p.OS == "android"
	case "solaris":
		return p.OS == "illumos"
	case "darwin":
		return p.OS == "ios"
	}
	if v, ok := strings.CutPrefix(tag, "go1."); ok {
		n, err := strconv.Atoi(v)
		return err == nil && n <= newestGo
	}
	return false
}

// selectsName reads the suffixes _GOOS, _GOARCH and _GOOS_GOARCH of a file
// name. What stands before the first underscore is no suffix.
func (p Platform) selectsName(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	_, name, ok := strings.Cut(name, "_")
	if !ok {
		return true
	}
	parts := strings.Split(name, "_")
	if n := len(parts); parts[n-1] == "test" {
		parts = parts[:n-1]
	}
	n := len(parts)
	if n >= 2 && knownOS[parts[n-2]] && knownArch[parts[n-1]] {
		return p.tag(parts[n-2]) && p.tag(parts[n-1])
	}
	if n >= 1 && (knownOS[parts[n-1]] || knownArch[parts[n-1]]) {
		return p.tag(parts[n-1])
	}
	return true
}
