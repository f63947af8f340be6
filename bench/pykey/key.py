"""Writes the answer key of a Python repository: what pyright resolves each call to.

Input is a work tree; output, on stdout, is a key as package bench/score reads
it. Every call, decorator and attribute in the tracked .py files is found with
the standard library's own parser, and its definition is asked of pyright, which
runs as a language server. Nothing of the repository is run, and nothing of the
product is used. What counts as an edge and what is left open: bench/README.md.
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

from server import Server, settings

# Special methods that source calls by name. All others run behind operators
# and statements, where pyright names no definition: they are not judged.
NAMED = {"__init__", "__new__", "__post_init__", "__attrs_post_init__"}
CONSTRUCTORS = ("__init__", "__new__", "__post_init__", "__attrs_post_init__")
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


class Source:
    """One parsed file: its definitions by line, and what encloses what."""

    def __init__(self, root, path):
        self.path = path
        self.uri = (root / path).as_uri()
        self.text = (root / path).read_text(encoding="utf-8")
        self.lines = self.text.split("\n")
        self.tree = ast.parse(self.text)
        self.parent = {}
        self.definitions = collections.defaultdict(list)  # line → nodes
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parent[child] = node
            if isinstance(node, (*FUNCTION, ast.ClassDef)):
                self.definitions[node.lineno].append(node)

    def around(self, node):
        while node := self.parent.get(node):
            yield node

    def caller(self, node):
        """The outermost function that a node is part of. Decorators and defaults are parts of theirs."""
        found = None
        for outer in self.around(node):
            if isinstance(outer, FUNCTION):
                found = outer
        return found

    def character(self, line, column):
        """The position of a byte column, in the UTF-16 units that the protocol counts."""
        text = self.lines[line - 1].encode()[:column].decode()
        return {"line": line - 1, "character": len(text.encode("utf-16-le")) // 2}


class Site:
    """A place in the source that may lead to a definition."""

    def __init__(self, source, node, form, decorates=False):
        self.source, self.node, self.form, self.decorates = source, node, form, decorates
        self.name_at = None
        if isinstance(node, ast.Name):
            self.name, self.line, self.name_at = node.id, node.lineno, node.col_offset
        elif isinstance(node, ast.Attribute):
            self.name, self.line = node.attr, node.end_lineno
            self.name_at = node.end_col_offset - len(node.attr.encode())
        else:
            self.name, self.line = "", node.end_lineno

    def request(self, method="definition"):
        return ("textDocument/" + method, {
            "textDocument": {"uri": self.source.uri}, "position": self.source.character(self.line, self.name_at)})


def decorator_name(node):
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def decorated(node, names):
    return any(decorator_name(d) in names for d in node.decorator_list)


def is_property(node):
    return any("property" in decorator_name(d) or decorator_name(d) == "getter" for d in node.decorator_list)


def sites_of(source):
    called = set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call):
            called.add(node.func)
            decorates = node in getattr(source.parent.get(node), "decorator_list", [])
            yield Site(source, node.func, "call", decorates)
        for d in getattr(node, "decorator_list", []):
            if not isinstance(d, ast.Call):
                called.add(d)
                yield Site(source, d, "decorator", True)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node not in called:
            yield Site(source, node, "attribute")


class Key:
    def __init__(self, root, server):
        self.root, self.server = root, server
        self.sources = {}
        self.edges = {}  # (caller, callee) → kind
        self.virtual = set()  # edges whose target an override may replace
        self.outside = collections.Counter()
        self.open_lines, self.closed_lines = set(), set()
        self.bases = collections.defaultdict(set)  # class place → places of its bases
        self.classes = {}  # place → (source, node)
        self.methods = collections.defaultdict(dict)  # class place → name → place
        self.special = {}  # class place → name → place
        self.answering = set()  # methods that replace one of a class outside the repository
        self.decorators = set()  # functions that decorate; what they return stands for the decorated
        self.stubs = {}  # path of a stub in the repository → name → what the module beside it binds
        self.unparsed = []
        self.unresolved = collections.Counter()

    def read(self):
        listed = subprocess.run(["git", "-C", self.root, "ls-files", "-z", "*.py", "*.pyi"], check=True, capture_output=True).stdout
        for name in sorted(filter(None, listed.decode().split("\0"))):
            if name.endswith(".pyi"):
                self.stubs[name] = {}
                continue
            try:
                self.sources[name] = Source(self.root, name)
            except (SyntaxError, UnicodeDecodeError, FileNotFoundError):
                self.unparsed.append(name)
        for source in self.sources.values():
            for nodes in source.definitions.values():
                for node in nodes:
                    self.file_definition(source, node)

    def file_definition(self, source, node):
        at = (source.path, node.lineno)
        if isinstance(node, ast.ClassDef):
            self.classes[at] = (source, node)
        elif isinstance(owner := source.parent[node], ast.ClassDef):
            self.methods[(source.path, owner.lineno)].setdefault(node.name, at)

    def open(self, source, text=None):
        self.server.tell("textDocument/didOpen", {"textDocument": {
            "uri": source.uri, "languageId": "python", "version": 1, "text": source.text if text is None else text}})

    def shut(self, source):
        self.server.tell("textDocument/didClose", {"textDocument": {"uri": source.uri}})

    def path_of(self, uri):
        path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(uri).path))
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return None

    def target(self, location):
        """What a location is: ("outside", module), ("node", source, node) or ("other", source, line)."""
        path = self.path_of(location["uri"])
        if path in self.stubs:
            return self.behind_stub(path, location)
        source = self.sources.get(path)
        if source is None:
            return ("outside", module_of(location["uri"]))
        line = location["range"]["start"]["line"] + 1
        column = location["range"]["start"]["character"]
        for node in source.definitions.get(line, []):
            text = source.lines[line - 1][column:]
            if text.startswith(node.name):
                return ("node", source, implementation(source, node))
        return ("other", source, line)

    def targets(self, locations):
        """What several locations are. A stub and the module beside it mean one thing, which the module says."""
        found = [self.target(l) for l in locations or []]
        if any(t[0] == "node" for t in found):
            found = [t for t in found if t[0] != "stub" and not (t[0] == "other" and t[1].path + "i" in self.stubs)]
        return [] if ("stub",) in found else found

    # Of a module with a stub, what runs is in the module.

    def read_stubs(self):
        for path, names in self.stubs.items():
            source = self.sources.get(path[:-1])
            if source is None:
                continue
            self.open(source)
            for statement in source.tree.body:
                if isinstance(statement, (*FUNCTION, ast.ClassDef)):
                    names[statement.name] = ("node", source, statement)
                elif isinstance(statement, ast.ImportFrom):
                    self.imported_names(source, statement, names)
                elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Name):
                    for name in statement.targets:
                        if isinstance(name, ast.Name) and statement.value.id in names:
                            names[name.id] = names[statement.value.id]
            self.shut(source)

    def imported_names(self, source, statement, names):
        asked = [("textDocument/definition", {"textDocument": {"uri": source.uri}, "position": source.character(a.lineno, a.col_offset)})
                 for a in statement.names]
        for alias, found in zip(statement.names, self.server.ask_all(asked)):
            targets = [self.target(l) for l in found or []]
            if len(targets) == 1 and targets[0][0] == "node":
                names[alias.asname or alias.name] = targets[0]

    def behind_stub(self, path, location):
        start = location["range"]["start"]
        line = (self.root / path).read_text(encoding="utf-8").split("\n")[start["line"]]
        name = re.match(r"\w*", line[start["character"]:])[0]
        indented = line[:1].isspace()
        return (not indented and self.stubs[path].get(name)) or ("stub",)

    # Class hierarchy and what constructing or calling an object runs.

    def read_classes(self):
        for source in self.sources.values():
            places = [(p, n) for p, (s, n) in self.classes.items() if s is source]
            if not places:
                continue
            self.open(source)
            asked = []
            for place, node in places:
                for base in node.bases:
                    base = base.value if isinstance(base, ast.Subscript) else base
                    if isinstance(base, (ast.Name, ast.Attribute)):
                        asked.append((place, Site(source, base, "base")))
            for (place, _), found in zip(asked, self.server.ask_all([s.request() for _, s in asked])):
                for location in found or []:
                    t = self.target(location)
                    if t[0] == "node" and isinstance(t[2], ast.ClassDef):
                        self.bases[place].add((t[1].path, t[2].lineno))
            self.shut(source)
            self.probe(source, places)

    def probe(self, source, places):
        """Asks for methods by naming them below each class, in a copy of the text.

        C.__init__ tells what C() runs; super(C, C).m whether m replaces a method
        of a class outside the repository, whose code may then call it.
        """
        below = {}  # last line of a class → the expressions that are put below it
        for place, node in places:
            indent = source.lines[node.lineno - 1][:node.col_offset]
            if indent.strip():
                continue  # it stands behind a colon or a semicolon
            probes = [(place, name, f"{indent}{node.name}.{name}") for name in CONSTRUCTORS + ("__call__",)]
            probes += [(place, name, f"{indent}super({node.name}, {node.name}).{name}") for name in self.methods[place] if node.bases]
            below.setdefault(node.end_lineno, []).extend(probes)
        text, origin, asked = [], [], []  # origin: line of the source for each line of the copy
        for number, line in enumerate(source.lines, 1):
            text.append(line)
            origin.append(number)
            for place, name, probe in below.get(number, []):
                asked.append((place, name, probe, len(text)))
                text.append(probe)
                origin.append(0)
        self.open(source, "\n".join(text))
        requests = [("textDocument/definition", {"textDocument": {"uri": source.uri}, "position": {
            "line": line, "character": len(probe.encode("utf-16-le")) // 2 - 1}}) for _, _, probe, line in asked]
        for (place, name, probe, _), found in zip(asked, self.server.ask_all(requests)):
            for location in found or []:
                if self.path_of(location["uri"]) == source.path:
                    location = at_line(location, origin[location["range"]["start"]["line"]])
                self.probed(place, name, "super(" in probe, self.target(location))
        self.shut(source)

    def probed(self, place, name, above, target):
        if above and target[0] == "outside":
            self.answering.add(self.methods[place][name])
        elif not above and target[0] == "node" and isinstance(target[2], FUNCTION):
            self.special.setdefault(place, {})[name] = (target[1].path, target[2].lineno)

    def overriding(self, place):
        """The methods in subclasses that may run instead of the one at place."""
        source = self.sources[place[0]]
        for node in source.definitions.get(place[1], []):
            owner = source.parent.get(node)
            if not isinstance(node, FUNCTION) or not isinstance(owner, ast.ClassDef):
                continue
            above = {(source.path, owner.lineno)}
            grew = True
            while grew:
                grew = False
                for c, bases in self.bases.items():
                    if c not in above and bases & above:
                        above.add(c)
                        grew = True
            for c in above:
                at = self.methods[c].get(node.name)
                if at and at != place:
                    yield at

    # Sites.

    def resolve_file(self, source):
        sites = list(sites_of(source))
        self.open(source)
        named = [s for s in sites if s.name_at is not None]
        found = dict(zip(named, self.server.ask_all([s.request() for s in named])))
        second = []
        for s in sites:
            targets = self.targets(found.get(s))
            if any(t[0] == "other" for t in targets) and s.form != "attribute":
                second.append((s, targets))
            else:
                self.settle(s, targets)
        hovers = self.server.ask_all([s.request("hover") for s, _ in second])
        types = self.server.ask_all([s.request("typeDefinition") for s, _ in second])
        for (s, targets), hover, kinds in zip(second, hovers, types):
            self.settle(s, self.of_variable(targets, hover, kinds))
        self.shut(source)

    def of_variable(self, targets, hover, types):
        """What calling a variable runs, where its type alone says it: a class, or an object with __call__."""
        out = [t for t in targets if t[0] != "other"]
        if all(imported(t[1], t[2]) for t in targets if t[0] == "other"):
            return out + [("outside", "not installed")]
        declared = (hover or {}).get("contents", {}).get("value", "")
        declared = declared.split(":", 1)[1].split("\n")[0].strip() if ":" in declared else ""
        classes = [t for t in map(self.target, types or []) if t[0] == "outside" or t[0] == "node" and isinstance(t[2], ast.ClassDef)]
        if not classes or "->" in declared or not declared:
            return []
        if declared.startswith("type["):
            return out + classes
        for c in classes:
            if c[0] == "outside":
                out.append(c)
                continue
            at = self.special.get((c[1].path, c[2].lineno), {}).get("__call__")
            if at is None:
                return []
            out.append(("node", self.sources[at[0]], node_at(self.sources[at[0]], at[1])))
        return out

    def settle(self, site, targets):
        line = (site.source.path, site.line)
        if site.form == "attribute":
            # A read runs something only if it leads to a property.
            if not targets:
                self.open_lines.add(line)
            targets = [t for t in targets if t[0] == "node" and not isinstance(t[2], ast.ClassDef) and is_property(t[2])]
            for _, source, node in targets:
                self.edge(site, "property", source, node)
            return
        if not targets:
            self.open_lines.add(line)
            self.unresolved["computed callee" if site.name_at is None else self.form(site)] += 1
            return
        self.closed_lines.add(line)
        for t in targets:
            if t[0] == "outside":
                self.outside[t[1]] += 1
                continue
            _, source, node = t
            if isinstance(node, ast.ClassDef):
                self.edge(site, "class", source, node)
                for name in CONSTRUCTORS:
                    at = self.special.get((source.path, node.lineno), {}).get(name)
                    if at:
                        self.edge(site, "initializer", self.sources[at[0]], node_at(self.sources[at[0]], at[1]))
                continue
            if site.decorates:
                self.decorators.add((source.path, node.lineno))
            kind = "decorator" if site.form == "decorator" else self.form(site)
            self.edge(site, kind, source, node)

    def form(self, site):
        """How the callee is written: what a linker must know to find it."""
        node = site.node
        if isinstance(node, ast.Name):
            return "name"
        base = node.value
        if isinstance(base, ast.Call) and getattr(base.func, "id", "") == "super":
            return "super"
        if isinstance(base, ast.Name) and base.id in ("self", "cls"):
            return "self.m"
        if isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name) and base.value.id == "self":
            return "self.x.m"
        if isinstance(base, ast.Name):
            return "x.m"
        if isinstance(base, ast.Call):
            return "f().m"
        return "other.m"

    def edge(self, site, kind, source, node):
        caller = site.source.caller(site.node)
        if caller is None:
            return
        edge = ((site.source.path, caller.lineno), (source.path, node.lineno))
        self.edges.setdefault(edge, kind)
        if kind == "property" or isinstance(site.node, ast.Attribute) and kind not in ("super", "class", "initializer"):
            self.virtual.add(edge)

    def write(self, out, header):
        rows = [f"# {header}"]
        rows += [f"# not parsed: {p}" for p in self.unparsed]
        for ((a, i), (b, j)), kind in sorted(self.edges.items()):
            rows.append(f"E\t{a}\t{i}\t{b}\t{j}\tstatic\t{kind}")
        rows += [f"C\t{p}\t{n}" for p, n in sorted(self.callers())]
        rows += [f"F\t{p}" for p in sorted(self.sources)]
        rows += [f"L\t{p}\t{n}" for p, n in sorted(self.closed_lines - self.open_lines)]
        possible = {(e[0], at) for e in self.virtual for at in self.overriding(e[1])} - set(self.edges)
        rows += [f"P\t{a}\t{i}\t{b}\t{j}" for (a, i), (b, j) in sorted(possible)]
        rows += [f"R\t{k}\t{n}" for k, n in sorted(self.unresolved.items())]
        rows += [f"U\t{p}\t{n}" for p, n in sorted(set(self.implicit()))]
        rows += [f"X\t{m}\t{n}" for m, n in sorted(self.outside.items())]
        out.write("\n".join(rows) + "\n")

    def callers(self):
        for source in self.sources.values():
            for nodes in source.definitions.values():
                for node in nodes:
                    if isinstance(node, FUNCTION) and source.caller(node) is None:
                        yield (source.path, node.lineno)

    def implicit(self):
        """Functions that run without a call in the source: special methods, setters, fixtures,
        what code outside calls, and what stands for a decorated function."""
        yield from self.answering
        for source in self.sources.values():
            for nodes in source.definitions.values():
                for node in filter(lambda n: isinstance(n, FUNCTION), nodes):
                    special = node.name.startswith("__") and node.name.endswith("__") and node.name not in NAMED
                    wraps = any((source.path, n.lineno) in self.decorators for n in source.around(node) if isinstance(n, FUNCTION))
                    if special or wraps or decorated(node, {"fixture", "setter", "deleter"}):
                        yield (source.path, node.lineno)


def at_line(location, line):
    start = location["range"]["start"]
    return {"uri": location["uri"], "range": {"start": {"line": line - 1, "character": start["character"]}}}


def node_at(source, line):
    return source.definitions[line][0]


def imported(source, line):
    return any(isinstance(n, (ast.Import, ast.ImportFrom)) and n.lineno <= line <= n.end_lineno for n in ast.walk(source.tree))


def implementation(source, node):
    """The definition behind an overload signature: the next one of its name that is none."""
    if isinstance(node, ast.ClassDef) or not decorated(node, {"overload"}):
        return node
    owner = source.parent[node]
    for nodes in (source.definitions[n] for n in sorted(source.definitions)):
        for other in nodes:
            if other.name == node.name and source.parent[other] is owner and other.lineno > node.lineno and not decorated(other, {"overload"}):
                return other
    return node


def module_of(uri):
    """The top-level module that a file outside the repository belongs to."""
    parts = pathlib.PurePosixPath(urllib.parse.unquote(urllib.parse.urlparse(uri).path)).parts
    for i in range(len(parts) - 2, -1, -1):  # the innermost folder of packages
        if parts[i] in ("stdlib", "site-packages") or parts[i].startswith("python3."):
            return parts[i + 1].split(".")[0]
    if "stubs" in parts:
        return parts[parts.index("stubs") + 2].split(".")[0]
    return "elsewhere"


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("repository")
    a.add_argument("--pyright", required=True, help="langserver.index.js of pyright")
    a.add_argument("--python", default=sys.executable, help="interpreter that has the repository's dependencies")
    a.add_argument("--roots", nargs="*", default=["src"], help="folders that imports start at, besides the repository")
    a = a.parse_args()
    root = pathlib.Path(a.repository).resolve()
    version = json.loads((pathlib.Path(a.pyright).parent / "package.json").read_text())["version"]
    key = Key(root, Server(["node", a.pyright, "--stdio"], root, settings(root, a.python, a.roots)))
    key.read()
    key.read_stubs()
    key.read_classes()
    for source in key.sources.values():
        key.resolve_file(source)
    key.server.close()
    key.write(sys.stdout, f"pyright {version} as a language server")


main()
