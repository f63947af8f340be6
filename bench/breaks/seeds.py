"""Breaks repositories on purpose and asks which of it previdence finds.

    seeds.py --previdence PROGRAM --out FILE LANGUAGE DIR [LANGUAGE DIR …]

Each DIR is a clone with a clean work tree; LANGUAGE is go, typescript or python.
In each, ten functions that are used elsewhere are deleted, renamed with one file
left as it was, or given a parameter that one file does not pass. A checker that
knows nothing of the product says which lines are broken by that: go/types, tsc or
pyright. The seed is found if `breaks` names one of these lines for the function; a
reference that it names and the checker does not is wrong. The choice depends on
names only. The clones are left as they were; each seed is a commit on no branch. A
checker that gave up on a value says nothing about what is called on it afterwards: a
reference behind a broken line of the same file that names the function is unjudged.
That is so of pyright alone: tscheck.mjs also lists the names that lead to nothing
where tsc reports an import or an `export … from` once and is silent about those who
import from there.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ["deleted", "renamed", "re-signed"]
SEEDS = 10

# How each language writes a function, with its name as group "name"; what ends
# it; and what a new parameter looks like.
Language = collections.namedtuple("Language", "suffixes skip definition parameter argument")
LANGUAGES = {
    "go": Language((".go",), r"(^|/)(vendor|testdata)/|_test\.go$", r"^func (?:\([^)]*\) )?(?P<name>[A-Za-z]\w*)\(", "seeded int", "0"),
    "typescript": Language((".ts", ".tsx"), r"(^|/)(node_modules|dist|test)/|\.test\.|\.d\.ts$", r"^export (?:(?:async )?function |const (?=\w+ = ))(?P<name>\w+)(?: = (?:async )?)?(?:<[^(]*>)?\(", "seeded: number", "0"),
    "python": Language((".py",), r"(^|/)(tests?|docs)/", r"^ *def (?P<name>[a-z]\w*)\(", "seeded", "0"),
}


def git(repo, *args, **kw):
    return subprocess.run(["git", "-C", repo, *args], check=True, capture_output=True, text=True, **kw).stdout


class Tree:
    """The tracked source files of a clone."""

    def __init__(self, repo, language):
        self.repo, self.language = pathlib.Path(repo), LANGUAGES[language]
        names = [n for n in git(repo, "ls-files").splitlines() if n.endswith(self.language.suffixes)]
        self.files = {n: (self.repo / n).read_text(errors="replace") for n in names if (self.repo / n).is_file()}

    def candidates(self):
        """Functions defined once that two other files or more call."""
        defined, uses = collections.defaultdict(list), collections.defaultdict(set)
        for name, text in self.files.items():
            for m in re.finditer(r"(?<![\w\"'-])([A-Za-z_]\w*)\s*\(", text):
                uses[m[1]].add(name)
            for m in re.finditer(self.language.definition, text, re.M):
                defined[m["name"]].append((name, m))
        for function, places in defined.items():
            path, m = places[0]
            others = uses[function] - {path}
            if len(places) == 1 and len(others) >= 2 and len(function) > 4 and not re.search(self.language.skip, path) and len(others) <= 12:
                yield function, path, m, sorted(others)


def end_of(text, start, language):
    """The index behind a definition that starts at start."""
    head = text.rfind("\n", 0, start) + 1
    indent = len(text[head:]) - len(text[head:].lstrip(" "))
    at = closing(text, text.index("(", start))
    lines = text[at:].split("\n")
    done = at + len(lines[0]) + 1
    if language == "typescript":
        # An arrow function may end anywhere: the next statement says where.
        after = re.compile(r"^[^\s)}\]]", re.M).search(text, done)
        return after.start() if after else len(text)
    if language != "python" and lines[0].rstrip().endswith("}") and lines[0].count("{") == lines[0].count("}"):
        return done
    for line in lines[1:]:
        inner = line.strip() == "" or len(line) - len(line.lstrip(" \t")) > indent
        if language == "python" and not inner:
            return done
        done += len(line) + 1
        if language != "python" and line.rstrip() == "}":
            return done
    return done


def closing(text, at):
    """The index of the bracket that closes the one at at."""
    depth = 0
    for i in range(at, len(text)):
        depth += text[i] in "([{"
        depth -= text[i] in ")]}"
        if depth == 0:
            return i
    raise ValueError("unbalanced")


def with_more(text, at, what):
    """Adds an item to the list in brackets that opens at at."""
    end = closing(text, at)
    inside = text[at + 1:end].rstrip()
    sep = "" if inside.strip() == "" else " " if inside.endswith(",") else ", "
    return text[:at + 1] + inside + sep + what + ("," if inside.endswith(",") else "") + text[end:]


def break_it(tree, kind, language, function, path, m, others):
    """Returns the changed files and the file that was left as it was."""
    stale = others[-1]
    out = {}
    if kind == "deleted":
        text = tree.files[path]
        out[path] = text[:m.start()] + text[end_of(text, m.start(), language):]
        return out, None
    for name, text in tree.files.items():
        if name == stale or not re.search(rf"\b{function}\b", text):
            continue
        if kind == "renamed":
            out[name] = re.sub(rf"\b{function}\b", function + "Seeded", text)
            continue
        at = 0
        while call := re.compile(rf"(?<![\w\"'-]){function}(?: = (?:async )?)?(?:<[^(]*>)?\(").search(text, at):
            opens = call.end() - 1
            is_definition = name == path and re.search(tree.language.definition, text[text.rfind("\n", 0, call.start()) + 1:opens + 1])
            text = with_more(text, opens, tree.language.parameter if is_definition else tree.language.argument)
            at = opens + 1
        out[name] = text
    return out, stale


def tool(path):
    """The path of a checker of bench/package.json; one that is not there would find nothing wrong."""
    at = HERE.parent / "node_modules" / path
    if not at.is_file():
        raise SystemExit(f"{path} is missing: run npm ci --prefix bench")
    return at


def check(language, repo, python):
    """What the checker has against the tree: the lines of each (path, message)."""
    repo = str(repo)
    if language == "go":
        command = ["go", "run", ".", repo]
        text = subprocess.run(command, cwd=HERE / "gocheck", capture_output=True, text=True, check=True).stdout
        pattern = r"^(.+?):(\d+): (.*)$"
    elif language == "typescript":
        tool("typescript/bin/tsc")
        files = "\n".join(n for n in git(repo, "ls-files").splitlines() if re.search(r"\.[cm]?[jt]sx?$", n))
        text = subprocess.run(["node", HERE / "tscheck.mjs", repo], input=files, capture_output=True, text=True, check=True).stdout
        pattern = r"^(.+?)\((\d+),\d+\): (.*)$"
    else:
        pyright = tool("pyright/index.js")
        text = subprocess.run(["node", pyright, "--outputjson", "--pythonpath", python, "."], cwd=repo, capture_output=True, text=True).stdout
        rows = json.loads(text)["generalDiagnostics"]
        text = "\n".join(f"{os.path.relpath(d['file'], repo)}:{d['range']['start']['line'] + 1}: {d['message']}".replace("\n", " ") for d in rows if d["severity"] == "error")
        pattern = r"^(.+?):(\d+): (.*)$"
    found = collections.defaultdict(list)
    for path, line, message in re.findall(pattern, text, re.M):
        found[path, message].append(int(line))
    return found


def broken(before, after):
    """The lines of errors that were not there before."""
    lines = set()
    for (path, message), at in after.items():
        had = len(before.get((path, message), []))
        if len(at) > had:
            lines |= {(path, n) for n in (at if had == 0 else at[had:])}
    return lines


def commit(repo, files, function, kind):
    for name, text in files.items():
        (repo / name).write_text(text)
    git(repo, "add", "-u")
    tree = git(repo, "write-tree").strip()
    return git(repo, "-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit-tree", tree, "-p", "HEAD", "-m", f"{kind} {function}").strip()


def review(program, repo, head):
    """References of all broken symbols: (symbol, path, line)."""
    out = subprocess.run([program, "review", "--repo", repo, "--base", "HEAD", "--head", head, "--format", "json"], capture_output=True, text=True)
    if out.returncode != 0:
        raise SystemExit(out.stderr)
    rows = json.loads(out.stdout)["breaks"] or []
    return {(b["name"].split(".")[-1], r["path"], r["line"]) for b in rows for r in b["references"]}


def seed(args, language, repo):
    repo = pathlib.Path(repo).resolve()
    if git(repo, "status", "--porcelain", "-uno").strip():
        raise SystemExit(f"{repo} has changes")
    tree = Tree(repo, language)
    before = check(language, repo, args.python)
    order = sorted(tree.candidates(), key=lambda c: hashlib.sha1(c[0].encode()).hexdigest())
    made = 0
    for function, path, m, others in order:
        if made == args.seeds:
            break
        kind = KINDS[made % len(KINDS)]
        try:
            files, stale = break_it(tree, kind, language, function, path, m, others)
            head = commit(repo, files, function, kind)
            truth = broken(before, check(language, repo, args.python))
        except ValueError:
            continue
        finally:
            git(repo, "checkout", "-q", "-f", "HEAD", "--", ".")
        named = {t for t in truth if re.search(rf"\b{function}\b", line_of(repo, head, *t))}
        if not named or kind != "deleted" and any(p != stale for p, _ in truth):
            continue  # nothing broke, or the rewriting itself did
        made += 1
        said = review(args.previdence, repo, head)
        ours = {(p, n) for name, p, n in said if name.removesuffix("Seeded") == function}
        every = {(p, n) for _, p, n in said}
        silent = {(p, n) for p, n in every - truth if any(p == q and m < n for q, m in truth) and re.search(rf"\b{function}\b", line_of(repo, head, p, n))}
        yield {
            "repository": repo.name.replace("+", "/"), "language": language, "kind": kind, "function": function, "broken": len(named),
            "named": len(named & every), "found": bool(ours & truth), "wrong": sorted(f"{p}:{n}" for p, n in every - truth - silent), "unjudged": len(every & silent),
            "lost": sorted(f"{p}:{n}" for p, n in named - every),
        }


def line_of(repo, commit, path, line):
    lines = git(repo, "show", f"{commit}:{path}").split("\n")
    return " ".join(lines[line - 1:line + 1])


def write(rows, out):
    lines = ["# Seeded breakages", "", "Made by `bench/breaks/seeds.py`; what is counted stands at its head.", "",
             "| repository | language | function | what | lines broken | named | found | wrong | unjudged |", "|---|---|---|---|---|---|---|---|---|"]
    for r in rows:
        lines.append(f"| {r['repository']} | {r['language']} | `{r['function']}` | {r['kind']} | {r['broken']} | {r['named']} | {'yes' if r['found'] else '**no**'} | {len(r['wrong'])} | {r['unjudged']} |")
    lines += ["", f"Found {sum(r['found'] for r in rows)} of {len(rows)}; {sum(r['named'] for r in rows)} of {sum(r['broken'] for r in rows)} broken lines named, {sum(len(r['wrong']) for r in rows)} wrong."]
    for r in rows:
        for word in ("lost", "wrong"):
            if r[word]:
                lines.append(f"- {word}, `{r['function']}` {r['kind']} in {r['repository']}: " + ", ".join(r[word][:8]))
    pathlib.Path(out).write_text("\n".join(lines) + "\n")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--previdence", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--seeds", type=int, default=SEEDS)
    p.add_argument("repositories", nargs="+")
    args = p.parse_args()
    rows = []
    for language, repo in zip(args.repositories[::2], args.repositories[1::2]):
        for row in seed(args, language, repo):
            rows.append(row)
            print(json.dumps(row), flush=True)
            write(rows, args.out)


if __name__ == "__main__":
    main()
