"""A pytest plugin that writes the answer key of what really ran: who called whom.

    RECORD_ROOT=DIR RECORD_OUT=FILE python -m pytest -p record …

Every call between two functions of the tracked files below RECORD_ROOT is an
edge, seen by sys.setprofile in all threads. The caller is the outermost function
around the code that ran, a lambda or comprehension belongs to what it stands in,
and what libraries call or are called by is no edge. Neither is resuming a generator
or coroutine: who resumes it is rarely who called it. The key judges every function
that ran, so its precision is a lower bound: what the tests did not do is no error.
It does not judge calls of classes, generators and coroutines, which it cannot see.
This runs the repository's tests: use it on repositories that you trust.
"""

import ast
import inspect
import os
import pathlib
import subprocess
import sys
import threading

ROOT = pathlib.Path(os.environ["RECORD_ROOT"]).resolve()
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

pairs = set()  # (caller code, callee code)
ran = set()
ours = {}  # code → whether it lies below the root


def is_ours(code):
    known = ours.get(code)
    if known is None:
        known = ours[code] = code.co_filename.startswith(str(ROOT) + os.sep) and "site-packages" not in code.co_filename
    return known


def profile(frame, event, _):
    if event != "call" or not is_ours(frame.f_code):
        return
    ran.add(frame.f_code)
    caller = frame.f_back
    if caller is not None and is_ours(caller.f_code) and not frame.f_code.co_flags & RESUMED:
        pairs.add((caller.f_code, frame.f_code))


def pytest_configure(config):
    threading.setprofile(profile)
    sys.setprofile(profile)


def pytest_unconfigure(config):
    sys.setprofile(None)
    threading.setprofile(None)
    write(os.environ["RECORD_OUT"])


class Source:
    """Finds the function that a code object belongs to."""

    def __init__(self, path):
        self.functions = {}  # first line of the code → (line of the definition, line of the outermost one, node)
        self.spans = []  # (first line, last line, line of the outermost function)
        self.visit(ast.parse((ROOT / path).read_text(encoding="utf-8")), None, None)

    def visit(self, node, outermost, holder):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, FUNCTION):
                first = min([child.lineno] + [d.lineno for d in child.decorator_list])
                top = outermost or child.lineno
                self.functions[first, child.name] = (child.lineno, top, child, holder)
                self.spans.append((first, child.end_lineno, top))
                self.visit(child, top, None)
            else:
                self.visit(child, outermost, child if isinstance(child, ast.ClassDef) else holder)

    def definition(self, code):
        return self.functions.get((code.co_firstlineno, code.co_name))

    def outermost(self, code):
        found = self.definition(code)
        if found:
            return found[1]
        around = [s for s in self.spans if s[0] <= code.co_firstlineno <= s[1]]
        return max(around)[2] if around else None


def kind(node, holder):
    names = {d.attr if isinstance(d, ast.Attribute) else getattr(d, "id", "") for d in node.decorator_list}
    if node.name.startswith("__") and node.name.endswith("__"):
        return "constructor" if node.name in ("__init__", "__new__") else "special method"
    if any("property" in n or n in ("setter", "deleter") for n in names):
        return "property"
    return "method" if holder else "function"


def unseen(path):
    """The lines of definitions that no pair can have as its callee."""
    try:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.AsyncFunctionDef)):
            yield node.lineno
        elif isinstance(node, ast.FunctionDef) and yields(node):
            yield node.lineno


def yields(node):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(child, (*FUNCTION, ast.ClassDef, ast.Lambda)) and yields(child):
            return True
    return False


def write(out):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "*.py"], check=True, capture_output=True).stdout
    files = sorted(filter(None, listed.decode().split("\0")))
    sources = {}

    def source(code):
        path = pathlib.Path(code.co_filename).relative_to(ROOT).as_posix()
        if path not in sources:
            sources[path] = Source(path) if path in files else None
        return path, sources[path]

    rows, edges, judged = ["# calls between functions, seen by sys.setprofile while the tests ran"], {}, set()
    for caller, callee in pairs:
        path, s = source(caller)
        to, t = source(callee)
        line, found = s and s.outermost(caller), t and t.definition(callee)
        if line and found:
            edges[path, line, to, found[0]] = kind(found[2], found[3])
    for code in ran:
        path, s = source(code)
        if s and s.outermost(code):
            judged.add((path, s.outermost(code)))
    rows += [f"E\t{a}\t{i}\t{b}\t{j}\tdynamic\t{k}" for (a, i, b, j), k in sorted(edges.items())]
    rows += [f"F\t{f}" for f in files]
    rows += [f"J\t{p}\t{n}" for p, n in sorted(judged)]
    rows += [f"U\t{f}\t{n}" for f in files for n in sorted(unseen(f))]
    pathlib.Path(out).write_text("\n".join(rows) + "\n")
