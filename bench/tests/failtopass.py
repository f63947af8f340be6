"""Which test files fail before a fix and pass after it, and does previdence name them?

    failtopass.py --previdence PROGRAM --suite DIR --out FILE [--instances N] REPOSITORY DIR [REPOSITORY DIR …]

--suite is a clone of scaleapi/SWE-bench_Pro-os (MIT), bare or not: every
run_scripts/*/instance_info.txt in it names a repository, a base commit and the tests
that a fix made pass (FAIL_TO_PASS); the commit of the fix stands in the folder's name.
REPOSITORY is flipt-io/flipt or NodeBB/NodeBB, DIR a clone of it. Nothing of either
is run. N instances are taken of each, spread evenly over their names.

What is reviewed is the source alone: the base has the test files of the fix already,
so that a test file that the fix edits or adds has to be found like any other. Test
files count, not tests. Apart are those that the fix leaves alone and those that it
edits or adds, and Go files that it leaves alone beside one that it edits: a package's
tests compile together, so they fail without reaching anything. A Go test is known by
its name: a file that defines it counts; of several, those in a folder that the fix
touches, else none. A JavaScript test counts for the file in whose text its title
stands, of those that the list names: its runner puts some under another file. Three simple ways are
scored beside: files whose text names a changed symbol (grep), those that import a
changed file or package, themselves or through others (importers), and those of a
folder with a changed file (directory).

- recall: fail-to-pass files named / fail-to-pass files, over all fixes together
- suite: test files named / all test files, on average
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile

WAYS = ["previdence", "first ten", "grep", "importers", "directory"]

Instance = collections.namedtuple("Instance", "repository base fix tests")


def git(repo, *args, **kw):
    return subprocess.run(["git", "-C", str(repo), *args], check=True, capture_output=True, text=True, errors="replace", **kw).stdout


def instances(suite, repository):
    """The fixes of one repository, in the order of their names."""
    names = [n for n in git(suite, "ls-tree", "-r", "--name-only", "HEAD", "run_scripts").splitlines()
             if n.endswith("/instance_info.txt") and "/instance_" + repository.replace("/", "__") + "-" in n]
    for name in names:
        text = git(suite, "show", "HEAD:" + name)
        row = lambda key: re.search(rf"^{key}: (.*)$", text, re.M)[1]
        yield Instance(repository, row("Base Commit"), re.search(r"-([0-9a-f]{40})", name)[1], json.loads(row("FAIL_TO_PASS")))


class Tree:
    """The files of a commit."""

    def __init__(self, repo, commit):
        self.repo = repo
        rows = (r.split("\t", 1) for r in git(repo, "ls-tree", "-r", "-z", commit).split("\0") if r)
        self.blobs = {path: head.split()[2] for head, path in rows if head.split()[1] == "blob"}

    def read(self, paths):
        """The text of some files, by path."""
        paths = list(paths)
        out = subprocess.run(["git", "-C", str(self.repo), "cat-file", "--batch"], input="\n".join(self.blobs[p] for p in paths).encode() + b"\n", check=True, capture_output=True).stdout
        texts, at = {}, 0
        for p in paths:
            end = out.index(b"\n", at)
            size = int(out[at:end].split()[2])
            texts[p] = out[end + 1:end + 1 + size].decode(errors="replace")
            at = end + size + 2
        return texts


class Go:
    def __init__(self, tree):
        self.code = {p for p in tree.blobs if p.endswith(".go")}
        self.tests = {p for p in self.code if p.endswith("_test.go")}
        self.texts = tree.read(self.code)
        self.modules = {re.search(r"^module (\S+)", t, re.M)[1]: os.path.dirname(p)
                        for p, t in tree.read(p for p in tree.blobs if os.path.basename(p) == "go.mod").items()}
        self.defined = collections.defaultdict(list)
        for p in sorted(self.tests):
            for name in re.findall(r"^func (Test\w*)\(", self.texts[p], re.M):
                self.defined[name].append(p)
            # A suite of testify runs the methods of its type.
            for name in re.findall(r"^func \([^)]*\) (Test\w*)\(\)", self.texts[p], re.M):
                self.defined[name].append(p)

    def is_test(self, path):
        return path.endswith("_test.go") or "/testdata/" in path

    def together(self, path, touched):
        """Whether a test file compiles with one that was touched."""
        return any(p in self.tests and os.path.dirname(p) == os.path.dirname(path) for p in touched)

    def truth(self, names, touched):
        folders, found, unclear = {os.path.dirname(p) for p in touched}, set(), 0
        for name in {n.split("/")[0] for n in names}:
            files = self.defined[name]
            if len(files) > 1:
                files = [p for p in files if os.path.dirname(p) in folders]
            found.update(files)
            unclear += not files
        return found, unclear

    def importers(self, changed):
        users = collections.defaultdict(set)
        for p in self.code:
            head = self.texts[p].split("\nfunc ", 1)[0]
            for path in re.findall(r'^(?:import )?\s*(?:[\w.]+ )?"([^"\n]+)"', head, re.M):
                for module, folder in self.modules.items():
                    if path == module or path.startswith(module + "/"):
                        users[os.path.normpath(os.path.join(folder, path[len(module) + 1:]))].add(p)
        reached, todo, files = set(), [os.path.dirname(p) or "." for p in changed if p.endswith(".go")], set()
        while todo:
            folder = todo.pop()
            if folder in reached:
                continue
            reached.add(folder)
            for p in users[folder]:
                if p in self.tests:
                    files.add(p)  # nobody imports a test
                else:
                    todo.append(os.path.dirname(p) or ".")
        return files | {p for p in self.tests if (os.path.dirname(p) or ".") in reached}


class JavaScript:
    def __init__(self, tree):
        self.code = {p for p in tree.blobs if re.search(r"\.(js|json|ts|mjs|cjs)$", p) and not re.match(r"(public/vendor|node_modules|public/language|build)/", p)}
        self.tests = {p for p in self.code if re.match(r"test/", p) and p.endswith(".js") and not re.match(r"test/(mocks|helpers|files)/", p)}
        self.texts = tree.read(p for p in self.code if p.endswith("s"))

    def is_test(self, path):
        return path.startswith("test/")

    def together(self, path, touched):
        return False

    def truth(self, names, touched):
        found, unclear = set(), 0
        for n in names:
            # A title may hold the file that it is required from.
            files = {f for f in re.findall(r"test/[\w./-]+\.js", n) if f in self.tests and titled(n, self.texts[f])}
            found |= files
            unclear += not files
        return found, unclear

    def importers(self, changed):
        users = collections.defaultdict(set)
        for p, text in self.texts.items():
            for target in re.findall(r"""(?:require|import|proxyquire)\s*\(?\s*['"](\.[^'"]*)['"]""", text) + re.findall(r"""\bfrom\s+['"](\.[^'"]*)['"]""", text):
                at = os.path.normpath(os.path.join(os.path.dirname(p), target))
                for q in (at, at + ".js", at + ".json", at + "/index.js"):
                    if q in self.code:
                        users[q].add(p)
                        break
        reached, todo = set(changed), list(changed)
        while todo:
            for u in users[todo.pop()] - reached:
                reached.add(u)
                todo.append(u)
        return reached & self.tests


def titled(name, text):
    """Whether the end of a test's full title stands in a text: five words of it, or all."""
    title = re.sub(r"^.* \| |test/[\w./-]+::", "", name).split()
    return " ".join(title[-min(5, len(title)):]) in re.sub(r"\\(['\"`\\])", r"\1", text)


def commit_of(repo, tree, parents, message):
    who = {f"GIT_{w}_{k}": v for w in ("AUTHOR", "COMMITTER") for k, v in (("NAME", "bench"), ("EMAIL", "bench@example.com"), ("DATE", "2000-01-01T00:00:00Z"))}
    return git(repo, "commit-tree", tree, "-m", message, *(a for p in parents for a in ("-p", p)), env={**os.environ, **who}).strip()


def source_alone(repo, base, fix, is_test):
    """Two commits that differ in what the fix does to files other than tests."""
    rows = git(repo, "diff-tree", "-r", "-z", "--no-renames", base, fix).split("\0")
    with tempfile.TemporaryDirectory() as tmp:
        env = {**os.environ, "GIT_INDEX_FILE": os.path.join(tmp, "index")}
        git(repo, "read-tree", fix, env=env)
        for head, path in zip(rows[::2], rows[1::2]):
            mode, _, oid = head[1:].split()[:3]
            if is_test(path):
                continue
            if mode == "000000":
                git(repo, "update-index", "--force-remove", "--", path, env=env)
            else:
                git(repo, "update-index", "--add", "--cacheinfo", f"{mode},{oid},{path}", env=env)
        before = commit_of(repo, git(repo, "write-tree", env=env).strip(), [], "before " + fix)
    after = commit_of(repo, fix + "^{tree}", [before], "after " + fix)
    return before, after, rows[1::2]


def review(program, repo, before, after):
    out = subprocess.run([program, "review", "--repo", str(repo), "--base", before, "--head", after, "--format", "json"], capture_output=True, text=True)
    if out.returncode != 0:
        raise SystemExit(out.stderr)
    return json.loads(out.stdout)


class Score:
    def __init__(self):
        self.found, self.truth, self.share, self.of = [0, 0, 0], [0, 0, 0], 0.0, 0

    def add(self, picked, truths, suite):
        for i, truth in enumerate(truths):
            self.found[i] += len(picked & truth)
            self.truth[i] += len(truth)
        self.share += len(picked) / suite
        self.of += 1

    def row(self):
        rate = lambda i: f"{self.found[i] / self.truth[i]:.2f} ({self.found[i]}/{self.truth[i]})" if self.truth[i] else "–"
        return f"{rate(0)} | {rate(1)} | {rate(2)} | {self.share / self.of:.2f}" if self.of else "– | – | – | –"


def measure(args, repository, repo):
    language = {"flipt-io/flipt": Go, "NodeBB/NodeBB": JavaScript}[repository]
    every = list(instances(args.suite, repository))
    step = max(1, len(every) / args.instances)
    chosen = [every[int(i * step)] for i in range(min(args.instances, len(every)))]
    scores, missed, unclear, absent = {w: Score() for w in WAYS}, [], 0, 0
    for n in chosen:
        if any(subprocess.run(["git", "-C", str(repo), "cat-file", "-e", c + "^{commit}"], capture_output=True).returncode for c in (n.base, n.fix)):
            absent += 1
            continue
        suite = language(Tree(repo, n.fix))
        before, after, touched = source_alone(repo, n.base, n.fix, suite.is_test)
        changed = [p for p in touched if not suite.is_test(p)]
        truth, lost = suite.truth(n.tests, touched)
        unclear += lost
        beside = {p for p in truth - set(touched) if suite.together(p, touched)}
        truths = truth - set(touched) - beside, beside, truth & set(touched)
        if not truth or not changed:
            continue
        out = review(args.previdence, repo, before, after)
        files = list(dict.fromkeys(t["path"] for t in out["tests"]["to_run"]))
        names = {s["name"].split(".")[-1] for s in out["changes"]["symbols"]} - {""}
        word = re.compile(r"\b(?:%s)\b" % "|".join(map(re.escape, sorted(names))) if names else r"(?!)")
        picked = {
            "previdence": set(files), "first ten": set(files[:10]),
            "grep": {p for p in suite.tests if word.search(suite.texts[p])},
            "importers": suite.importers(changed),
            "directory": {p for p in suite.tests if os.path.dirname(p) in {os.path.dirname(c) for c in changed}},
        }
        for way, files in picked.items():
            scores[way].add(files & suite.tests, truths, len(suite.tests))
        missed += [(n.fix[:12], p) for p in sorted(truth - picked["previdence"])]
        print(repository, n.fix[:12], len(picked["previdence"] & truth), "of", len(truth), flush=True)
    for fix, path in missed:
        print("missed:", fix, path)
    print(repository, "tests without a clear file:", unclear, "commits absent:", absent, flush=True)
    return [f"| {repository} | {scores['previdence'].of} | {way} | {s.row()} |" for way, s in scores.items()]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--previdence", required=True)
    p.add_argument("--suite", required=True, type=pathlib.Path)
    p.add_argument("--out", required=True, type=pathlib.Path)
    p.add_argument("--instances", type=int, default=20)
    p.add_argument("repositories", nargs="+")
    args = p.parse_args()
    rows = []
    for repository, repo in zip(args.repositories[::2], args.repositories[1::2]):
        rows += measure(args, repository, pathlib.Path(repo).resolve())
        head = ["# Test files that fail before a fix", "", "Made by `bench/tests/failtopass.py`; what is counted stands at its head.", "",
                "| repository | fixes | way | recall, files left alone | the same, beside an edited one | recall, files edited | suite |", "|---|---|---|---|---|---|---|"]
        args.out.write_text("\n".join(head + rows) + "\n")


if __name__ == "__main__":
    main()
