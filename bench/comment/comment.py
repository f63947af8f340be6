#!/usr/bin/env python3
"""Measures what a person sees of comments before unfolding anything.

    bench/comment/comment.py BINARY DIR...     writes a table

DIR are clones that have the commits of pulls.tsv; they stay as they are. Each pull
request is reviewed in a copy whose merge base also has a CODEOWNERS file, a
.previdence.yml and a decision about a function that changes, so that every section
has something to say. With KEEP=FOLDER the comments, pages and terminal texts stay.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WORDS_PER_MINUTE = 240
HERE = pathlib.Path(__file__).parent
CONFIG = """fail-on: [breaks, api-breaking, contract-breaking]
rules:
  - rule: untested-change
    paths: ['**']
    fail: true
    reason: What changes is tested
"""
OWNERS = "* @octo/core\n*.md @octo/docs\n"
ENVIRONMENT = {
    **os.environ,
    **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
       (("NAME", "bench"), ("EMAIL", "bench@example.com"), ("DATE", "2026-01-01T00:00:00Z"))},
}


def run(*arguments, cwd=None, ok=(0,), **options):
    out = subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, env=ENVIRONMENT, **options)
    if out.returncode not in ok:
        sys.exit(f"error: {' '.join(map(str, arguments))}: {out.stderr}")
    return out.stdout


def commit(tree, revision, files, parent):
    """The tree of a revision with more files, as a commit on top of parent."""
    run("git", "read-tree", revision, cwd=tree)
    for path, text in files.items():
        blob = run("git", "hash-object", "-w", "--stdin", cwd=tree, input=text).strip()
        run("git", "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", cwd=tree)
    return run("git", "commit-tree", run("git", "write-tree", cwd=tree).strip(), "-p", parent, "-m", "bench", cwd=tree).strip()


def decision(binary, tree, base, report):
    """A decision about a changed function, as `decide` writes it at the base."""
    changed = [s for s in report["changes"]["symbols"] if s["change"] in ("body", "signature") and not s.get("test")]
    if not changed:
        return {}
    run("git", "update-ref", "--no-deref", "HEAD", base, cwd=tree) # no checkout: a clone may lack large files
    run(binary, "graph", "build", cwd=tree)
    run(binary, "decide", "accept-risk", "--symbol", changed[0]["id"], "--title", "Stays as it is until the next release", cwd=tree)
    folder = tree / ".previdence" / "decisions"
    return {f".previdence/decisions/{f.name}": f.read_text() for f in folder.glob("*.md")}


def review(binary, tree, base, head, form):
    return run(binary, "review", "--base", base, "--head", head, "--format", form, cwd=tree, ok=(0, 1))


def visible(comment):
    """The lines that stand before any fold, without what no one sees."""
    comment = re.sub(r"<!--.*?-->", "", comment, flags=re.S)
    lines, depth = [], 0
    for line in comment.splitlines():
        depth += line.count("<details")
        summary = re.search(r"<summary>(.*)</summary>", line)
        if summary and depth == 1:
            lines.append(summary[1])
        elif depth == 0:
            lines.append(line)
        depth -= line.count("</details>")
    return lines


def words(lines):
    text = re.sub(r"<[^>]*>", " ", "\n".join(lines))
    return sum(1 for w in text.split() if re.search(r"\w", w))


def measure(binary, name, folder, base, head, work, keep):
    tree = work / name
    run("git", "clone", "-q", "--no-checkout", folder, tree)
    base, head = (run("git", "rev-parse", r, cwd=tree).strip() for r in (base, head))
    files = {".previdence.yml": CONFIG, ".github/CODEOWNERS": OWNERS}
    files |= decision(binary, tree, base, json.loads(review(binary, tree, base, head, "json")))
    below = commit(tree, base, files, base)
    above = commit(tree, head, files, below)
    report = json.loads(review(binary, tree, below, above, "json"))
    comment = review(binary, tree, below, above, "markdown")
    if keep:
        for form, ending in (("markdown", "md"), ("html", "html"), ("terminal", "txt")):
            (keep / f"{name}-{head[:8]}.{ending}").write_text(review(binary, tree, below, above, form))
    lines = visible(comment)
    rows = [l for l in lines if re.match(r" *- |\|", l)]
    n = words(lines)
    return (f"{name} {head[:8]}", len(report["changes"]["files"]), len(report["changes"]["symbols"]), n,
            round(60 * n / WORDS_PER_MINUTE), len(rows), len(comment.encode()))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    binary, keep = pathlib.Path(sys.argv[1]).resolve(), os.environ.get("KEEP")
    clones = {pathlib.Path(d).resolve().name: pathlib.Path(d).resolve() for d in sys.argv[2:]}
    keep = keep and pathlib.Path(keep).resolve()
    print("| pull request | files | symbols | words before folds | seconds to read | rows before folds | bytes of all |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for line in (HERE / "pulls.tsv").read_text().splitlines():
        name, base, head = line.split("\t")
        if name not in clones:
            sys.exit(f"error: give a clone of {name}")
        with tempfile.TemporaryDirectory() as work:
            row = measure(binary, name, clones[name], base, head, pathlib.Path(work).resolve(), keep)
        print("| " + " | ".join(f"{c:,}" if isinstance(c, int) else c for c in row) + " |", flush=True)


main()
