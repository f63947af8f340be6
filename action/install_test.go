package action_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// program stands for a released program.
const program = "#!/bin/sh\necho started\n"

// An installer is the script of the action in a folder of its own, with releases
// from a server of this test.
type installer struct {
	t       *testing.T
	dir     string
	url     string
	asked   []string
	release string // content of scripts/action-release
}

func newInstaller(t *testing.T, served string) *installer {
	in := &installer{t: t, dir: t.TempDir()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in.asked = append(in.asked, r.URL.Path)
		if served == "" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, served)
	}))
	t.Cleanup(server.Close)
	in.url = server.URL
	sum := sha256.Sum256([]byte(program))
	in.release = fmt.Sprintf("# comment\nversion v1.2.3\nlinux-amd64 %[1]s\nlinux-arm64 %[1]s\ndarwin-amd64 %[1]s\ndarwin-arm64 %[1]s\n", hex.EncodeToString(sum[:]))
	return in
}

// run starts the script and returns its log, the outputs, and the exit code.
func (in *installer) run(env ...string) (log, outputs string, code int) {
	in.t.Helper()
	script, err := os.ReadFile("../scripts/action-install")
	if err != nil {
		in.t.Fatal(err)
	}
	scripts := filepath.Join(in.dir, "scripts")
	for _, f := range []struct {
		path, text string
		mode       os.FileMode
	}{{scripts + "/action-install", string(script), 0o755}, {scripts + "/action-release", in.release, 0o644}, {in.dir + "/output", "", 0o644}} {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			in.t.Fatal(err)
		}
		if err := os.WriteFile(f.path, []byte(f.text), f.mode); err != nil {
			in.t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(in.t.Context(), scripts+"/action-install")
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "RUNNER_TEMP=" + in.dir, "GITHUB_OUTPUT=" + in.dir + "/output", "PREVIDENCE_RELEASES=" + in.url}, env...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		in.t.Fatal(err)
	}
	written, err := os.ReadFile(in.dir + "/output")
	if err != nil {
		in.t.Fatal(err)
	}
	return string(out), string(written), cmd.ProcessState.ExitCode()
}

// left lists what the script leaves in the folder for temporary files.
func (in *installer) left() []string {
	found, err := filepath.Glob(filepath.Join(in.dir, "previdence-install*", "*"))
	if err != nil {
		in.t.Fatal(err)
	}
	return found
}

func TestThePinnedProgramIsInstalled(t *testing.T) {
	in := newInstaller(t, program)
	log, outputs, code := in.run("PREVIDENCE_VERSION=v1.2.3")
	path, ok := strings.CutPrefix(strings.TrimSpace(outputs), "binary=")
	if code != 0 || !ok {
		t.Fatalf("code %d, outputs %q, log %s", code, outputs, log)
	}
	if want := fmt.Sprintf("/v1.2.3/previdence-%s-%s", runtime.GOOS, runtime.GOARCH); len(in.asked) != 1 || in.asked[0] != want {
		t.Errorf("asked for %q, want %q", in.asked, want)
	}
	if out, err := exec.CommandContext(t.Context(), path).Output(); err != nil || string(out) != "started\n" {
		t.Errorf("the program says %q, %v", out, err)
	}
}

func TestInstallingFailsClosed(t *testing.T) {
	for _, c := range []struct {
		claim, served, release string
		env                    []string
		code                   int
		says                   string
		asks                   bool
	}{
		{"another program under the name", program + "rm -rf /\n", "", nil, 3, "It was not started", true},
		{"part of the program", program[:5], "", nil, 3, "It was not started", true},
		{"no such release", "", "", nil, 3, "could not be downloaded", true},
		{"a commit before the first release", program, "version none\n", nil, 3, "names no release", false},
		{"no version", program, "linux-amd64 abc\n", nil, 3, "names no release", false},
		{"the newest, whatever it is", program, "version latest\n", nil, 3, "names no release", false},
		{"a version that is a path", program, "version ../../evil\n", nil, 3, "names no release", false},
		{"no program for this machine", program, "version v1.2.3\nplan9-386 abc\n", nil, 3, "has no program", false},
		{"a sum that is too short", program, "version v1.2.3\nlinux-amd64 abc\nlinux-arm64 abc\ndarwin-arm64 abc\n", nil, 3, "has no program", false},
		{"another version than that of the commit", program, "", []string{"PREVIDENCE_VERSION=v1.2.4"}, 2, "version is not v1.2.3", false},
		{"a version that is a command", program, "", []string{"PREVIDENCE_VERSION=\n::set-output name=binary::/bin/true"}, 2, "version is not v1.2.3", false},
		{"a word for a truth", program, "", []string{"PREVIDENCE_BUILD_FROM_SOURCE=yes"}, 2, "want true or false", false},
		{"another word for a truth", program, "", []string{"PREVIDENCE_ATTESTATION=1"}, 2, "want true or false", false},
	} {
		t.Run(c.claim, func(t *testing.T) {
			in := newInstaller(t, c.served)
			if c.release != "" {
				in.release = c.release
			}
			log, outputs, code := in.run(c.env...)
			if code != c.code || !strings.Contains(log, c.says) || !strings.Contains(log, "::error title=previdence::") {
				t.Errorf("code %d, want %d; log %q, want %q in it", code, c.code, log, c.says)
			}
			if outputs != "" || len(in.left()) > 0 {
				t.Errorf("outputs %q, left behind %v", outputs, in.left())
			}
			if got := len(in.asked) > 0; got != c.asks {
				t.Errorf("asked for %q", in.asked)
			}
			if strings.Contains(log, "set-output") {
				t.Errorf("the log holds an input: %q", log)
			}
		})
	}
}

// An attestation is asked for with gh, which says by its exit code what it found.
func TestAnAttestationIsCheckedIfAskedFor(t *testing.T) {
	for _, c := range []struct {
		claim, asked string
		exit, code   int
		checks       bool
	}{
		{"attested", "true", 0, 0, true},
		{"not attested", "true", 1, 3, true},
		{"not asked for", "false", 1, 0, false},
	} {
		t.Run(c.claim, func(t *testing.T) {
			in := newInstaller(t, program)
			bin := t.TempDir()
			gh := fmt.Sprintf("#!/bin/sh\necho \"$@\" >%s/args\nexit %d\n", bin, c.exit)
			if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(gh), 0o755); err != nil {
				t.Fatal(err)
			}
			log, outputs, code := in.run("PREVIDENCE_ATTESTATION="+c.asked, "PATH="+bin+":"+os.Getenv("PATH"))
			if code != c.code || (outputs != "") != (code == 0) {
				t.Errorf("code %d, outputs %q, log %s", code, outputs, log)
			}
			args, err := os.ReadFile(filepath.Join(bin, "args"))
			if (err == nil) != c.checks {
				t.Fatalf("gh was asked: %v", err)
			}
			if c.checks && !strings.Contains(string(args), "--signer-workflow previdence/previdence/.github/workflows/release.yml --deny-self-hosted-runners") {
				t.Errorf("gh was asked: %s", args)
			}
		})
	}
}

// The file that a release commits is the one that the action reads.
func TestTheFileOfAReleaseIsRead(t *testing.T) {
	in := newInstaller(t, program)
	dist := t.TempDir()
	for _, name := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64.exe"} {
		if err := os.WriteFile(filepath.Join(dist, "previdence-"+name), []byte(program), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	scripts := t.TempDir()
	for _, name := range []string{"write-release", "action-release"} {
		text, err := os.ReadFile("../scripts/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(scripts, name), text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), filepath.Join(scripts, "write-release"), "v2.0.0-rc.1", dist).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(scripts, "action-release"))
	if err != nil {
		t.Fatal(err)
	}
	in.release = string(text)
	if log, outputs, code := in.run(); code != 0 || !strings.HasPrefix(outputs, "binary=") {
		t.Errorf("code %d, outputs %q, log %s, release\n%s", code, outputs, log, text)
	}
	if !strings.Contains(in.release, "\nversion v2.0.0-rc.1\n") || !strings.Contains(in.release, "\nwindows-amd64 ") || strings.Contains(in.release, "version none") {
		t.Errorf("release file\n%s", in.release)
	}
}
