"""Which tests run a changed function, and which does previdence name?

    measure.py --previdence PROGRAM --out FILE LANGUAGE DIR [LANGUAGE DIR …]

Each DIR is a clone with a clean work tree whose tests pass here; LANGUAGE is go or
python. Every test is run by itself (Go) or with contexts (coverage.py), which says
which functions it runs. Then functions that some test runs are changed one by one,
each in a commit on no branch, by a statement that does nothing, and reviewed. A
test is right if it runs a line of that function. Three simple ways to pick tests
are scored beside: those whose text names the function (grep), all those that import
its package or module, themselves or through others (importers), and those of its
directory.

- recall: right tests named / right tests, over all functions together
- precision: right tests named / tests named
- first ten: the same of the ten that are named first
- suite: tests named / all tests, on average
"""

import argparse
import ast
import collections
import hashlib
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile

WAYS = ["previdence", "with coverage", "grep", "importers", "directory"]
FUNCTIONS = 40  # changed in each repository


def git(repo, *args, **kw):
    return subprocess.run(["git", "-C", str(repo), *args], check=True, capture_output=True, text=True, **kw).stdout


Function = collections.namedtuple("Function", "path name first last")  # lines of the body
Test = collections.namedtuple("Test", "path name")


class Go:
    """A Go module whose tests are compiled once for each package and run one by one."""

    statement = "\t_ = 0\n"
    changed = staticmethod(lambda f: f.first)

    def __init__(self, repo, _):
        self.repo = repo
        self.module = re.search(r"^module (\S+)", (repo / "go.mod").read_text(), re.M)[1]
        self.functions = self._functions()
        self.imports = json_stream(subprocess.run(["go", "list", "-test", "-json=ImportPath,Imports,ForTest,Dir,GoFiles", "./..."], cwd=repo, capture_output=True, text=True, check=True).stdout)
        self.runs, self.texts = self._run()

    def _functions(self):
        found = []
        for path in git(self.repo, "ls-files", "*.go").splitlines():
            if path.endswith("_test.go") or "/testdata/" in path or "/vendor/" in path:
                continue
            lines = (self.repo / path).read_text().split("\n")
            for i, line in enumerate(lines):
                if (m := re.match(r"func (?:\([^)]*\) )?(\w+)(?:\[[^(]*\])?\(.*\{$", line)) and m[1] not in ("init", "main", "_"):
                    end = next(j for j in range(i, len(lines)) if lines[j] == "}")
                    if end > i + 1:
                        found.append(Function(path, m[1], i + 2, end))
        return found

    def _run(self):
        runs, texts = {}, {}
        directories = sorted({os.path.dirname(p) or "." for p in git(self.repo, "ls-files", "*_test.go").splitlines()})
        with tempfile.TemporaryDirectory() as tmp:
            for d in directories:
                binary, profile = f"{tmp}/t", f"{tmp}/p"
                built = subprocess.run(["go", "test", "-c", "-cover", "-coverpkg=./...", "-o", binary, f"./{d}"], cwd=self.repo, capture_output=True, text=True)
                if built.returncode or not os.path.exists(binary):
                    continue
                names = subprocess.run([binary, "-test.list", "^Test"], cwd=self.repo / d, capture_output=True, text=True).stdout.split()
                where = self._places(d)
                for name in names:
                    done = subprocess.run([binary, "-test.run", f"^{name}$", "-test.coverprofile", profile], cwd=self.repo / d, capture_output=True, timeout=120)
                    if done.returncode or name not in where:
                        continue
                    test = Test(where[name][0], name)
                    runs[test], texts[test] = self._lines(profile), where[name][1]
                os.remove(binary)
        return runs, texts

    def _places(self, d):
        where = {}
        for path in git(self.repo, "ls-files", f"{d}/*_test.go" if d != "." else "*_test.go").splitlines():
            if os.path.dirname(path) == (d if d != "." else ""):
                text = (self.repo / path).read_text()
                for m in re.finditer(r"^func (Test\w+)\(.*?^}", text, re.M | re.S):
                    where[m[1]] = path, m[0]
        return where

    def _lines(self, profile):
        ran = set()
        for row in open(profile).read().splitlines()[1:]:
            m = re.match(r"(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$", row)
            if int(m[4]) and m[1].startswith(self.module):
                ran |= {(m[1][len(self.module) + 1:], n) for n in range(int(m[2]), int(m[3]) + 1)}
        return ran

    def importers(self, f):
        package = self.module if "/" not in f.path else f"{self.module}/{os.path.dirname(f.path)}"
        users = collections.defaultdict(set)
        for p in self.imports:
            for i in p.get("Imports") or []:
                users[i.split(" ")[0]].add(p["ImportPath"].split(" ")[0].removesuffix("_test").removesuffix(".test"))
        reached, todo = {package}, [package]
        while todo:
            for u in users[todo.pop()] - reached:
                reached.add(u)
                todo.append(u)
        return [t for t in sorted(self.runs) if (self.module if "/" not in t.path else f"{self.module}/{os.path.dirname(t.path)}") in reached]

    def coverage(self):
        return []  # a Go cover profile does not tell tests apart


class Python:
    """A Python project whose tests run once, with contexts."""

    statement = "pass\n"

    def __init__(self, repo, python):
        self.repo, self.python = repo, python
        self.trees = {p: ast.parse((repo / p).read_text()) for p in git(repo, "ls-files", "*.py").splitlines()}
        self.tests = {p for p in self.trees if re.search(r"(^|/)test_\w+\.py$|_test\.py$", p)}
        self.functions = [f for p in self.trees if p not in self.tests and not re.search(r"(^|/)(tests?|docs|examples|scripts)/", p) for f in self._functions(p)]
        self.runs, self.texts = self._run()

    def _functions(self, path):
        for node in ast.walk(self.trees[path]):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body = node.body
                if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1:
                    body = body[1:]
                if body[0].lineno > node.lineno and not node.name.startswith("__"):
                    yield Function(path, node.name, body[0].lineno, node.end_lineno)

    def _run(self):
        run = lambda *a: subprocess.run([self.python, "-m", *a], cwd=self.repo, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": "src" if (self.repo / "src").is_dir() else ".", "COVERAGE_RCFILE": os.devnull})
        done = run("pytest", "-q", "-p", "no:cacheprovider", "--cov=" + ("src" if (self.repo / "src").is_dir() else self.repo.name.split("+")[-1]), "--cov-context=test", "--cov-report=", "--continue-on-collection-errors")
        print(done.stdout.strip().split("\n")[-1], file=sys.stderr)
        self.json = tempfile.mktemp(suffix=".json")
        run("coverage", "json", "--show-contexts", "-o", self.json)
        runs, texts = collections.defaultdict(set), {}
        for path, f in json.load(open(self.json))["files"].items():
            for line, contexts in f["contexts"].items():
                for c in contexts:
                    if "::" in c:
                        file, _, name = c.split("|")[0].split("[")[0].partition("::")
                        runs[Test(file, name.replace("::", "."))].add((path, int(line)))
        for t in runs:
            texts[t] = self._text(t)
        return dict(runs), texts

    def _text(self, test):
        body = self.trees[test.path].body if test.path in self.trees else []
        node = None
        for part in test.name.split("."):
            node = next((n for n in body if getattr(n, "name", None) == part), None)
            body = getattr(node, "body", [])
        lines = (self.repo / test.path).read_text().split("\n")
        return "\n".join(lines[node.lineno - 1:node.end_lineno]) if node else ""

    def importers(self, f):
        modules = {p: re.sub(r"^src/", "", p)[:-3].removesuffix("/__init__").replace("/", ".") for p in self.trees}
        paths = {m: p for p, m in modules.items()}
        users = collections.defaultdict(set)
        for p, tree in self.trees.items():
            here = modules[p].split(".")
            for node in ast.walk(tree):
                names = []
                if isinstance(node, ast.Import):
                    names = [a.name for a in node.names]
                elif isinstance(node, ast.ImportFrom):
                    base = ".".join(here[:len(here) - node.level + p.endswith("__init__.py")] if node.level else []) + ("." if node.level and node.module else "") + (node.module or "")
                    names = [base] + [f"{base}.{a.name}" for a in node.names]
                for n in names:
                    if n in paths:
                        users[paths[n]].add(p)
        reached, todo = {f.path}, [f.path]
        while todo:
            for u in users[todo.pop()] - reached:
                reached.add(u)
                todo.append(u)
        return [t for t in sorted(self.runs) if t.path in reached]

    def coverage(self):
        return ["--coverage", self.json]


def json_stream(text):
    rows, at, d = [], 0, json.JSONDecoder()
    while at < len(text.rstrip()):
        row, at = d.raw_decode(text, at)
        rows.append(row)
        while at < len(text) and text[at].isspace():
            at += 1
    return rows


def changed(suite, f):
    """A commit in which a line of the function is followed by one that does nothing."""
    file = suite.repo / f.path
    lines = file.read_text().split("\n")
    first = lines[f.first - 1]
    indent = first[:len(first) - len(first.lstrip())]
    # At the end of the line, so that all others keep their numbers and the
    # coverage of the old tree holds for the new one.
    tail = "; _ = 0" if isinstance(suite, Go) else "; pass"
    for n in range(f.first, f.last + 1):
        line = lines[n - 1]
        if isinstance(suite, Go) and re.match(r"^\t(\w[\w.]*(, \w+)* :?= .*[\w)\]}\"]|return( .*[\w)\]}\"])?|\w[\w.]*\(.*\))$", line) and not line.rstrip().endswith("{"):
            lines[n - 1] = line.replace("\t", "\t_ = 0; ", 1)
            break
    else:
        if isinstance(suite, Go):
            return None
        body = lines[f.first - 1].strip()
        if body.startswith(("if ", "for ", "with ", "while ", "try", "def ", "class ", "@", "async ", '"""', "'''", 'r"""')):
            return None
        lines[f.first - 1] = indent + "pass; " + body
    file.write_text("\n".join(lines))
    try:
        git(suite.repo, "add", "-u")
        tree = git(suite.repo, "write-tree").strip()
        return git(suite.repo, "-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit-tree", tree, "-p", "HEAD", "-m", f.name).strip()
    finally:
        git(suite.repo, "checkout", "-q", "-f", "HEAD", "--", ".")


def named(program, suite, head, *flags):
    out = subprocess.run([program, "review", "--repo", str(suite.repo), "--base", "HEAD", "--head", head, "--format", "json", *flags], capture_output=True, text=True)
    if out.returncode != 0:
        raise SystemExit(out.stderr)
    known = set(suite.runs)
    tests = [Test(t["path"], t["name"]) for t in json.loads(out.stdout)["tests"]["to_run"]]
    return [t for t in dict.fromkeys(tests) if t in known]


class Score:
    def __init__(self):
        self.right = self.named = self.truth = self.ten = self.ten_right = self.functions = 0
        self.share = 0.0

    def add(self, picked, truth, suite):
        self.right += len(set(picked) & truth)
        self.named += len(picked)
        self.truth += len(truth)
        self.ten += len(picked[:10])
        self.ten_right += len(set(picked[:10]) & truth)
        self.share += len(picked) / suite
        self.functions += 1

    def row(self):
        rate = lambda a, b: f"{a / b:.2f}" if b else "–"
        return f"{rate(self.right, self.truth)} | {rate(self.right, self.named)} | {rate(self.ten_right, self.ten)} | {rate(self.share, self.functions)}"


def suite_of(args, language, repo):
    """The tests of a repository with what they run, from the last run if it was kept."""
    make = lambda: {"go": Go, "python": Python}[language](repo, args.python)
    if not args.keep:
        return make()
    kept = pathlib.Path(args.keep) / f"{repo.name}-{git(repo, 'rev-parse', 'HEAD')[:12]}.pickle"
    if not kept.exists():
        suite = make()
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(suite))
    suite = pickle.loads(kept.read_bytes())
    suite.repo = repo
    return suite


def measure(args, language, repo):
    repo = pathlib.Path(repo).resolve()
    if git(repo, "status", "--porcelain", "-uno").strip():
        raise SystemExit(f"{repo} has changes")
    suite = suite_of(args, language, repo)
    scores = {w: Score() for w in WAYS if w != "with coverage" or suite.coverage()}
    order = sorted(suite.functions, key=lambda f: hashlib.sha1(f"{f.path}#{f.name}".encode()).hexdigest())
    tests = sorted(suite.runs)
    for f in order:
        if scores["grep"].functions == args.functions:
            break
        truth = {t for t in tests if any((f.path, n) in suite.runs[t] for n in range(f.first, f.last + 1))}
        if not truth or not (head := changed(suite, f)):
            continue
        scores["previdence"].add(named(args.previdence, suite, head), truth, len(tests))
        if suite.coverage():
            scores["with coverage"].add(named(args.previdence, suite, head, *suite.coverage()), truth, len(tests))
        scores["grep"].add([t for t in tests if re.search(rf"\b{f.name}\b", suite.texts[t])], truth, len(tests))
        scores["importers"].add(suite.importers(f), truth, len(tests))
        scores["directory"].add([t for t in tests if os.path.dirname(t.path) == os.path.dirname(f.path)], truth, len(tests))
    commit = git(repo, "rev-parse", "HEAD").strip()[:12]
    name = repo.name.replace("+", "/")
    return [f"| {name} {commit} | {len(tests)} | {s.functions} | {way} | {s.row()} |" for way, s in scores.items()]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--previdence", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--keep", help="a directory where what the tests ran is kept for the next time")
    p.add_argument("--functions", type=int, default=FUNCTIONS)
    p.add_argument("repositories", nargs="+")
    args = p.parse_args()
    rows = []
    for language, repo in zip(args.repositories[::2], args.repositories[1::2]):
        rows += measure(args, language, repo)
        head = ["# Tests that run a changed function", "", "Made by `bench/tests/measure.py`; what is counted stands at its head.", "",
                "| repository | tests | functions | way | recall | precision | first ten | suite |", "|---|---|---|---|---|---|---|---|"]
        pathlib.Path(args.out).write_text("\n".join(head + rows) + "\n")
        print("\n".join(rows), flush=True)


if __name__ == "__main__":
    import measure  # what --keep holds must not be classes of __main__, which other scripts have not

    measure.main()
