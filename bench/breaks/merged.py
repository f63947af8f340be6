"""Reviews merged changes and checks every row of `breaks`.

    merged.py --previdence PROGRAM --out FILE [--count N] LANGUAGE DIR [LANGUAGE DIR …]

Each DIR is a clone with a clean work tree. The last N changes of its default branch
(first parents that take away or rewrite the head of a definition outside tests) are
reviewed as they were merged. Merged code was built and tested, so a row is expected to be wrong: it
is right only if the checker of seeds.py has something against the line that it
names, and had nothing against it before. Of changes without a row nothing is
checked, which says nothing about what was missed: seeds.py does.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import seeds

# The files of each language, and how a line that is the head of a definition looks.
SOURCE = {"go": ["*.go"], "typescript": ["*.ts", "*.tsx"], "python": ["*.py"]}
HEAD = {
    "go": r"(func|type) ",
    "typescript": r"\s*(export .*)?(function|class|interface|type|const|enum) +\w",
    "python": r"\s*(async def|def|class) +\w",
}
TEST = r"(^|/)(tests?|__tests__)/|_test\.go$|\.(test|spec)\.|(^|/)(test_|conftest)"


def changes(repo, language, count):
    """The last changes that take a head of a definition away, newest first."""
    found = []
    for line in seeds.git(repo, "rev-list", "--first-parent", "--parents", "--max-count=4000", "HEAD").splitlines():
        commit, *parents = line.split()
        if not parents or len(found) == count:
            break
        if takes_away(repo, language, parents[0], commit):
            found.append((parents[0], commit))
    return found


def takes_away(repo, language, base, head):
    """Whether a line that was the head of a definition outside tests is not there any more."""
    path = ""
    for line in seeds.git(repo, "diff-tree", "-p", "-r", "-U0", "--no-renames", base, head, "--", *SOURCE[language]).splitlines():
        if line.startswith("--- "):
            path = line[4:].removeprefix("a/")
        elif re.match("-" + HEAD[language], line) and not re.search(TEST, path):
            return True
    return False


def references(program, repo, base, head):
    out = subprocess.run([program, "review", "--repo", repo, "--base", base, "--head", head, "--format", "json"], capture_output=True, text=True)
    if out.returncode != 0:
        raise SystemExit(out.stderr)
    return [(b["name"], b["change"], r["path"], r["line"], r["tier"], r["reason"]) for b in json.loads(out.stdout)["breaks"] or [] for r in b["references"]]


def errors(args, language, repo, commit):
    at = seeds.git(repo, "rev-parse", "--abbrev-ref", "HEAD").strip()
    seeds.git(repo, "checkout", "-q", "--detach", commit)
    try:
        return seeds.check(language, repo, args.python)
    finally:
        seeds.git(repo, "checkout", "-q", at)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--previdence", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--count", type=int, default=5)
    p.add_argument("repositories", nargs="+")
    args = p.parse_args()
    table, wrong, right, total = [], [], [], 0
    for language, repo in zip(args.repositories[::2], args.repositories[1::2]):
        repo = pathlib.Path(repo).resolve()
        rows = 0
        picked = changes(repo, language, args.count)
        for base, head in picked:
            found = references(args.previdence, repo, base, head)
            rows += len(found)
            if not found:
                continue
            bad = seeds.broken(errors(args, language, repo, base), errors(args, language, repo, head))
            for name, change, path, line, tier, reason in found:
                text = f"{repo.name.replace('+', '/')} {head[:12]} `{name}` {change}: {path}:{line} ({tier}; {reason})"
                (right if (path, line) in bad else wrong).append(text)
        total += len(picked)
        oldest, newest = (picked[-1][1][:12], picked[0][1][:12]) if picked else ("", "")
        table.append(f"| {repo.name.replace('+', '/')} | {language} | {len(picked)} | {oldest}…{newest} | {rows} |")
        print(table[-1], flush=True)
    lines = ["# Broken references in merged changes", "", "Made by `bench/breaks/merged.py`; what is counted stands at its head.", "",
             "| repository | language | changes | commits | rows |", "|---|---|---|---|---|", *table, "",
             f"{total} changes, {len(right) + len(wrong)} rows: {len(right)} that the checker confirms, {len(wrong)} that it does not."]
    lines += [f"- confirmed: {t}" for t in right] + [f"- not confirmed: {t}" for t in wrong]
    pathlib.Path(args.out).write_text("\n".join(lines) + "\n")
    print("\n".join(lines[-len(right) - len(wrong) - 1:]))


if __name__ == "__main__":
    main()
