"""Which tests fail when a function is wrong, and does previdence name them first?

    mutate.py --previdence PROGRAM --out FILE [--functions N] DIR [DIR …]

Each DIR is a clone of a Go module with a clean work tree whose tests pass here; they
are run, which runs code of the repository. Functions that some test runs are made
wrong one by one: they return zero values, return at once, or do the opposite at
their first plain condition. The tests that run the function are run each by itself;
those that fail are right. A mutant that does not compile, or that no test notices,
is left out and counted.

- recall: failing tests named / failing tests, over all mutants together
- precision: failing tests named / tests named
- first ten: the same of the ten that are named first
- caught by ten: mutants of which one of the first ten fails
"""

import argparse
import hashlib
import pathlib
import re
import subprocess
import tempfile

import measure


def mutants(lines, f):
    """The function made wrong, in up to two ways: the lines of its file."""
    start = next(n for n in range(f.first - 2, -1, -1) if lines[n].startswith("func "))
    results = re.search(r"\)\s*(\([^()]*\)|[^(){}]*)\s*\{$", " ".join(lines[start:f.first - 1]))
    if results:
        types = [t.strip().split(" ")[-1] for t in results[1].strip(" ()").split(",") if t.strip()]
        give = "\treturn " + ", ".join(f"*new({t})" for t in types)
        yield lines[:f.first - 1] + ["\tif true {", "\t" + give.rstrip(), "\t}"] + lines[f.first - 1:]
    for n in range(f.first - 1, f.last):
        if m := re.match(r"^(\t+if )([^;{}]+)( \{)$", lines[n]):
            yield lines[:n] + [f"{m[1]}!({m[2]}){m[3]}"] + lines[n + 1:]
            break


def failing(suite, tests):
    """The tests that fail in the work tree as it is; None if it does not compile."""
    failed = set()
    with tempfile.TemporaryDirectory() as tmp:
        for d in sorted({str(pathlib.PurePosixPath(t.path).parent) for t in tests}):
            if subprocess.run(["go", "test", "-c", "-o", f"{tmp}/t", f"./{d}"], cwd=suite.repo, capture_output=True).returncode:
                return None
            for t in tests:
                if str(pathlib.PurePosixPath(t.path).parent) != d:
                    continue
                try:
                    done = subprocess.run([f"{tmp}/t", "-test.run", f"^{t.name}$"], cwd=suite.repo / d, capture_output=True, timeout=60)
                    wrong = done.returncode != 0
                except subprocess.TimeoutExpired:
                    wrong = True
                if wrong:
                    failed.add(t)
    return failed


def commit(suite):
    measure.git(suite.repo, "add", "-u")
    tree = measure.git(suite.repo, "write-tree").strip()
    return measure.git(suite.repo, "-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit-tree", tree, "-p", "HEAD", "-m", "mutant").strip()


def run(args, repo):
    if measure.git(repo, "status", "--porcelain", "-uno").strip():
        raise SystemExit(f"{repo} has changes")
    suite = measure.suite_of(args, "go", repo)
    tests = sorted(suite.runs)
    scores = {w: measure.Score() for w in ("previdence", "grep", "directory")}
    caught, unnoticed, broken = dict.fromkeys(scores, 0), 0, 0
    for f in sorted(suite.functions, key=lambda f: hashlib.sha1(f"mutate {f.path}#{f.name}".encode()).hexdigest()):
        if scores["previdence"].functions >= args.functions:
            break
        ran = [t for t in tests if any((f.path, n) in suite.runs[t] for n in range(f.first, f.last + 1))]
        if not ran:
            continue
        file = repo / f.path
        text = file.read_text()
        for lines in mutants(text.split("\n"), f):
            try:
                file.write_text("\n".join(lines))
                truth = failing(suite, ran)
                head = commit(suite)
            finally:
                measure.git(repo, "checkout", "-q", "-f", "HEAD", "--", ".")
            broken += truth is None
            unnoticed += truth == set()
            if not truth:
                continue
            ways = {
                "previdence": measure.named(args.previdence, suite, head),
                "grep": [t for t in tests if re.search(rf"\b{f.name}\b", suite.texts[t])],
                "directory": [t for t in tests if pathlib.PurePosixPath(t.path).parent == pathlib.PurePosixPath(f.path).parent],
            }
            for way, picked in ways.items():
                scores[way].add(picked, truth, len(tests))
                caught[way] += bool(set(picked[:10]) & truth)
            print(f.path, f.name, len(truth), "fail", len(set(ways["previdence"]) & truth), "named", flush=True)
    commit_id = measure.git(repo, "rev-parse", "HEAD").strip()[:12]
    print(f"{repo.name}: {broken} mutants do not compile, {unnoticed} are not noticed", flush=True)
    return [f"| {repo.name.replace('+', '/')} {commit_id} | {len(tests)} | {s.functions} | {w} | {s.row()} | {caught[w]} |" for w, s in scores.items()]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--previdence", required=True)
    p.add_argument("--out", required=True, type=pathlib.Path)
    p.add_argument("--keep", help="as of measure.py")
    p.add_argument("--functions", type=int, default=30, help="mutants that some test notices")
    p.add_argument("repositories", nargs="+", type=pathlib.Path)
    p.set_defaults(python=None)  # a Go module needs no interpreter
    args = p.parse_args()
    rows = [r for repo in args.repositories for r in run(args, repo.resolve())]
    head = ["# Tests that notice a wrong function", "", "Made by `bench/tests/mutate.py`; what is counted stands at its head.", "",
            "| repository | tests | mutants | way | recall | precision | first ten | suite | caught by ten |", "|---|---|---|---|---|---|---|---|---|"]
    args.out.write_text("\n".join(head + rows) + "\n")


if __name__ == "__main__":
    main()
