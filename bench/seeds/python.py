"""Breaks a Python repository in known ways, and says what pyright then finds: one
JSON object per line, as bench/seeds/README.md describes.

    python3 python.py REPOSITORY FOLDER --pyright FILE [--number N] [--python FILE] > seeds.jsonl

Of the functions and methods below FOLDER, N are broken in each way, spread evenly
over the files. Truth is every line on which pyright, as a language server in its
basic mode, finds an error that it did not find before. Nothing of the repository is
run and nothing is written into it.
"""

import argparse
import ast
import collections
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "pykey"))
from server import Server, settings  # noqa: E402

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
TEST = re.compile(r"(^|/)(tests?|docs|examples)/|(^|/)(test_[^/]*|conftest)\.py$")
# Rules under which a name, a member or a call does not fit what it refers to.
# Others follow from types that are lost on the way.
RULES = {"reportUndefinedVariable", "reportAttributeAccessIssue", "reportCallIssue", "reportMissingImports"}

# What keeps a checker silent about a line: a name that is gone is gone there, too.
SILENCING = re.compile(r"#\s*(type|pyright):\s*ignore")


class Checker:
    """Pyright with all files of a tree open."""

    def __init__(self, root, command, configuration):
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "*.py", "*.pyi"], check=True, capture_output=True).stdout
        self.texts = {}
        for path in filter(None, listed.decode().split("\0")):
            try:
                text = (root / path).read_text(encoding="utf-8")
                ast.parse(text)
            except (SyntaxError, UnicodeDecodeError, FileNotFoundError):
                continue
            self.texts[path] = text
        self.root, self.version = root, 1
        self.server = Server(command, root, configuration, {"textDocument": {"diagnostic": {"dynamicRegistration": True}}})
        for path, text in self.texts.items():
            self.server.tell("textDocument/didOpen", {"textDocument": {"uri": self.uri(path), "languageId": "python", "version": 1, "text": spoken(text)}})
        self.before, self.known = {}, set()

    def uri(self, path):
        return (self.root / path).as_uri()

    def path(self, uri):
        return pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(uri).path)).relative_to(self.root).as_posix()

    def change(self, files):
        self.version += 1
        for path, text in files.items():
            self.server.tell("textDocument/didChange", {"textDocument": {"uri": self.uri(path), "version": self.version}, "contentChanges": [{"text": spoken(text)}]})

    def errors(self, texts, asked):
        """How often each error stands where, by what stays the same when lines move."""
        found = collections.defaultdict(list)
        answers = self.server.ask_all(("textDocument/diagnostic", {"textDocument": {"uri": self.uri(p)}}) for p in asked)
        for path, answer in zip(asked, answers):
            lines = texts[path].split("\n")
            for d in (answer or {}).get("items", []):
                if d.get("severity") == 1 and d.get("code") in RULES:
                    at = d["range"]["start"]["line"]
                    found[path, d["code"], lines[at].strip(), d["message"]].append(at + 1)
        return found

    def truth(self, files, name):
        """The files that change or in which the name stands, and the lines there with
        errors that come with the change."""
        asked = sorted(p for p, text in self.texts.items() if p in files or name in text)
        if new := [p for p in asked if p not in self.known]:
            self.before |= self.errors(self.texts, new)
            self.known |= set(new)
        self.change(files)
        after = self.errors(self.texts | files, asked)
        self.change({path: self.texts[path] for path in files})
        new = {}
        for key, lines in after.items():
            for line in lines[len(self.before.get(key, [])):]:
                new.setdefault((key[0], line), key[3].split("\n")[0][:160])
        return asked, complete(new, self.texts | files)


def spoken(text):
    """The text without the comments that silence the checker; all positions stay."""
    return SILENCING.sub(lambda m: "#" * len(m[0]), text)


def complete(new, texts):
    """The errors as the seeds list them: without those that are types alone and those
    that a test expects, and with the uses of what a failing import would bind, for which
    pyright has no error."""
    lines = {}
    for (path, line), message in new.items():
        if message.startswith(("Cannot assign to attribute", "No overloads", "Argument of type")) or "raises(TypeError" in texts[path].split("\n")[line - 1]:
            continue
        lines[path, line] = message
        if "unknown import symbol" in message:
            names = imported(texts[path], line, message.split('"')[1])
            found = [(path, n) for n in uses(texts[path], names)]
            if path.endswith("/__init__.py"):
                found += [(p, n) for p, text in texts.items() for n in members(text, path.split("/")[-2], names)]
            for use in found:
                lines.setdefault(use, "a name that an import does not bind")
    return [{"path": p, "line": n, "message": m} for (p, n), m in sorted(lines.items())]


def imported(text, line, name):
    """What the import of a name on a line binds."""
    return {a.asname or a.name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom) for a in n.names if a.lineno == line and a.name == name}


def members(text, package, names):
    """The lines on which one of these names of a package stands, as package.name."""
    return {n.end_lineno for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Attribute) and n.attr in names and isinstance(n.value, ast.Name) and n.value.id == package}


def uses(text, names):
    """The lines on which one of these names of the file stands."""
    tree = ast.parse(text)
    local = set()  # nodes inside a function that binds the name itself
    for f in ast.walk(tree):
        if isinstance(f, FUNCTION):
            bound = {x.arg for x in ast.walk(f.args) if isinstance(x, ast.arg)} | {x.id for x in ast.walk(f) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
            if bound & names:
                local |= set(ast.walk(f))
    return sorted({n.lineno for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in names and n not in local})


class Definition:
    def __init__(self, path, node, owner):
        self.path, self.node, self.owner = path, node, owner


def definitions(texts, folder):
    """Functions of modules and methods of classes outside tests, of which the file has
    only one of the name."""
    for path in sorted(texts):
        if not path.startswith(folder) or TEST.search(path) or path.endswith(".pyi"):
            continue
        found = []
        for node in ast.parse(texts[path]).body:
            if isinstance(node, FUNCTION):
                found.append(Definition(path, node, None))
            if isinstance(node, ast.ClassDef):
                found += [Definition(path, n, node) for n in node.body if isinstance(n, FUNCTION)]
        times = collections.Counter(d.node.name for d in found)
        for d in found:
            if times[d.node.name] == 1 and not d.node.name.startswith("__"):
                yield d


def lines_of(text):
    return text.split("\n")


def name_position(text, node):
    """Line and column, both from 0, where the name of a definition stands."""
    line = node.lineno - 1
    return line, re.search(r"\bdef\s+", lines_of(text)[line][node.col_offset:]).end() + node.col_offset


def edited(text, line, column, length, by):
    lines = lines_of(text)
    lines[line] = lines[line][:column] + by + lines[line][column + length:]
    return "\n".join(lines)


def delete(checker, d, _):
    if d.owner and len(d.owner.body) == 1:
        return None
    lines = lines_of(checker.texts[d.path])
    first = min([d.node.lineno] + [x.lineno for x in d.node.decorator_list])
    return {d.path: "\n".join(lines[:first - 1] + lines[d.node.end_lineno:])}


def rename(checker, d, _):
    text = checker.texts[d.path]
    return {d.path: edited(text, *name_position(text, d.node), len(d.node.name), d.node.name + "_renamed")}


def plain(d):
    """The parameters, if all of them take one argument each that must be given."""
    a = d.node.args
    if a.vararg or a.kwarg or a.kwonlyargs or a.defaults or a.posonlyargs or d.node.decorator_list:
        return None
    return a.args


def add(checker, d, _):
    params = plain(d)
    if not params:
        return None
    last = params[-1]
    return {d.path: edited(checker.texts[d.path], last.end_lineno - 1, column(checker, d, last), 0, ", seeded")}


def drop(checker, d, _):
    params = plain(d)
    if not params or len(params) < (3 if d.owner else 2) or params[-2].end_lineno != params[-1].lineno or params[-1].lineno != params[-1].end_lineno:
        return None
    start, end = column(checker, d, params[-2]), column(checker, d, params[-1])
    return {d.path: edited(checker.texts[d.path], params[-1].lineno - 1, start, end - start, "")}


def column(checker, d, node):
    """Where a node ends, in characters."""
    return len(lines_of(checker.texts[d.path])[node.end_lineno - 1].encode()[:node.end_col_offset].decode())


def stale(checker, d, i):
    """Renamed everywhere but in one place."""
    line, at = name_position(checker.texts[d.path], d.node)
    answer, = checker.server.ask_all([("textDocument/rename", {
        "textDocument": {"uri": checker.uri(d.path)}, "position": {"line": line, "character": at}, "newName": d.node.name + "_renamed"})])
    places = []
    for change in (answer or {}).get("documentChanges", []):
        places += [(checker.path(change["textDocument"]["uri"]), e["range"]["start"]) for e in change.get("edits", [])]
    for uri, edits in ((answer or {}).get("changes") or {}).items():
        places += [(checker.path(uri), e["range"]["start"]) for e in edits]
    places.sort(key=lambda p: (p[0], -p[1]["line"], -p[1]["character"]))
    others = [p for p in places if p != (d.path, {"line": line, "character": at})]
    if not others or any(p[0] not in checker.texts for p in places):
        return None
    left = others[i % len(others)]
    files = {}
    for path, start in places:
        if (path, start) != left:
            files[path] = edited(files.get(path, checker.texts[path]), start["line"], start["character"], len(d.node.name), d.node.name + "_renamed")
    return files


def spread(all_, n):
    return all_ if len(all_) <= n else [all_[i * len(all_) // n] for i in range(n)]


def parses(files):
    try:
        for text in files.values():
            ast.parse(text)
    except SyntaxError:
        return False
    return True


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("repository")
    a.add_argument("folder")
    a.add_argument("--pyright", required=True, help="langserver.index.js of pyright")
    a.add_argument("--number", type=int, default=8)
    a.add_argument("--python", default=sys.executable, help="interpreter that has the repository's dependencies")
    a.add_argument("--roots", nargs="*", default=["src"], help="folders that imports start at, besides the repository")
    a = a.parse_args()
    root = pathlib.Path(a.repository).resolve()
    configuration = settings(root, a.python, a.roots)
    configuration["python.analysis"]["typeCheckingMode"] = "basic"
    checker = Checker(root, ["node", a.pyright, "--stdio"], configuration)
    version = json.loads((pathlib.Path(a.pyright).parent / "package.json").read_text())["version"]
    print(json.dumps({"made_by": f"pyright {version}"}))
    everything = list(definitions(checker.texts, a.folder))
    for kind, way in {"delete": delete, "rename": rename, "add": add, "drop": drop, "stale": stale}.items():
        able = [d for d in everything if way is stale or way(checker, d, 0)]
        done, tried = 0, spread(able, 2 * a.number)
        # More than asked for, every second first, since some changes break nothing.
        for i, d in enumerate(tried[::2] + tried[1::2]):
            if done == a.number:
                break
            files = way(checker, d, i)
            if not files or not parses(files):
                continue
            asked, errors = checker.truth(files, d.node.name)
            if errors:
                done += 1
                owner = d.owner.name + "." if d.owner else ""
                print(json.dumps({"kind": kind, "name": f"{d.path}:{d.node.lineno} {owner}{d.node.name}", "files": files, "asked": asked, "errors": errors}), flush=True)
    checker.server.close()


main()
