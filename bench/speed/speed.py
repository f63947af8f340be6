#!/usr/bin/env python3
"""Measures what previdence costs, and what other tools cost beside it.

    speed.py tree OUT FILES DIR...       make a repository of FILES files from real trees
    speed.py run BINARY NAME=DIR...      measure clones; results go to bench/results
    speed.py peers BINARY NAME=DIR...    the same beside other tools, named by
                                         CBM, CODEGRAPH, CRG, OPTAVE and REPOWISE: paths
                                         of their programs
    speed.py report                      write tables and plots of the results again

A measurement is made RUNS times (3), each in a clone of its own below a temporary
folder; nothing is fetched, and no clone that was given is written to. Results are kept
by corpus, so a run of one leaves those of others as they are. What is reported is the
median and the spread, (largest - smallest) / median. Processor time and memory hold on
a busy machine; the clock does not. Needs git and Python 3.9 or newer, on Linux.
"""

import datetime
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

BENCH = pathlib.Path(__file__).resolve().parent.parent
RESULTS = BENCH / "results" / "speed.json"
RUNS = int(os.environ.get("RUNS", "3"))
ONLY = [step for step in os.environ.get("STEPS", "").split(",") if step]  # all and the questions, if none is named
PATIENCE = int(os.environ.get("PATIENCE", "900"))  # seconds that another tool is given
COMMENT = {".go": "// ", ".js": "// ", ".ts": "// ", ".tsx": "// ", ".jsx": "// ", ".mjs": "// ", ".py": "# ", ".java": "// ", ".rs": "// ", ".c": "// ", ".h": "// "}
OFFLINE = {
    "DO_NOT_TRACK": "1", "CODEGRAPH_TELEMETRY": "0", "CODEGRAPH_DISABLE_TELEMETRY": "1", "CBM_TELEMETRY": "0", "NO_UPDATE_NOTIFIER": "1",
    # Whoever tries to leave the machine meets a closed port.
    "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9",
}


def git(folder, *arguments):
    return subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=bench", "-c", "user.email=bench@localhost", *arguments],
        check=True, capture_output=True, text=True,
    ).stdout


# Trees of any size.


def tree(out, count, sources):
    """Copies real files until there are count of them. Each copy of a source lies in a
    folder of its own and says so in its first line, so that no two blobs are equal; a
    Go module gets a name of its own."""
    files = []
    for source in map(pathlib.Path, sources):
        for name in sorted(git(source, "ls-files", "-z").split("\0")):
            path = source / name
            if name and path.is_file() and not path.is_symlink():
                files.append((source.resolve().name, source, name))
    out = pathlib.Path(out)
    made, copy = 0, 0
    while made < count:
        for label, source, name in files:
            if made == count:
                break
            target = out / f"copy{copy:03}" / label / name
            target.parent.mkdir(parents=True, exist_ok=True)
            data = (source / name).read_bytes()
            mark = COMMENT.get(target.suffix)
            if mark and not data.startswith(b"#!"):
                data = f"{mark}copy {copy}\n".encode() + data
            elif target.name == "go.mod":
                data = re.sub(rb"(?m)^module (\S+)", rb"module copy%03d.invalid/\1" % copy, data)
            target.write_bytes(data)
            made += 1
        copy += 1
    git(out, "init", "-q", "-b", "main")
    git(out, "add", "-A", "-f")
    git(out, "commit", "-q", "-m", f"{count} files")


# One command, measured.


def children(pid):
    """The processes below one, itself included."""
    found = [pid]
    for parent in found:
        try:
            for task in os.listdir(f"/proc/{parent}/task"):
                found += map(int, pathlib.Path(f"/proc/{parent}/task/{task}/children").read_text().split())
        except OSError:
            pass
    return found


def resident(pids):
    total = 0
    for pid in pids:
        try:
            total += int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            pass
    return total


def processor(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0


def daemons(name):
    """The processes that run a program of this name, and what they have used."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if name in os.readlink(f"/proc/{entry}/exe"):
                    found[int(entry)] = processor(int(entry))
            except OSError:
                pass
    return found


def end(pid):
    try:
        os.kill(pid, 15)
    except OSError:
        pass


def measure(command, folder, environment=None, daemon=None, limit=None):
    """Wall and CPU seconds and the most memory of a command with all its children, and
    of a daemon that it starts or asks. The memory is sampled, so a short peak is missed;
    that of the largest process is not. After limit seconds it is ended, which is an error."""
    before = daemons(daemon) if daemon else {}
    peak, done = 0, threading.Event()
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})

    def watch():
        nonlocal peak
        while not done.wait(0.05):
            if limit and time.monotonic() - started > limit:
                for pid in children(process.pid):
                    end(pid)
            peak = max(peak, resident(set(children(process.pid)) | (set(daemons(daemon)) if daemon else set())))

    watcher = threading.Thread(target=watch)
    watcher.start()
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - started
    done.set()
    watcher.join()
    cpu = used.ru_utime + used.ru_stime
    if daemon:
        cpu += sum(now - before.get(pid, 0) for pid, now in daemons(daemon).items())
    if limit and wall > limit:
        raise RuntimeError(f"had not ended after {limit} s, with {cpu:.0f} CPU s and {max(peak, used.ru_maxrss * 1024) / 1e6:.0f} MB")
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(map(str, command))}: exit code {process.returncode}: {said.decode(errors='replace')[-400:]}")
    return {"wall": wall, "cpu": cpu, "memory": max(peak, used.ru_maxrss * 1024)}


def summary(runs):
    out = {}
    for key in ("wall", "cpu", "memory"):
        values = [r[key] for r in runs]
        out[key] = round(statistics.median(values), 3)
        out[key + "_spread"] = round((max(values) - min(values)) / statistics.median(values), 3) if statistics.median(values) else 0
    out["runs"] = len(runs)
    return out


# What is measured of previdence.


def edit(clone, count, step):
    """Changes one statement in each of count source files: in Go a body, elsewhere a
    line at the end. The files are spread over the tree."""
    names = [n for n in git(clone, "ls-files", "-z").split("\0") if pathlib.Path(n).suffix in (".go", ".ts", ".js", ".py") and "test" not in n]
    for i in range(count):
        path = clone / names[len(names) * (2 * i + 1) // (2 * count)]
        text = path.read_text(errors="surrogateescape")
        if path.suffix == ".go":
            text = re.sub(r"(?m)^(func .*\{)$", rf"\1\n\t_ = {step}", text, count=1)
        else:
            text += f"\nmeasured_{step} = {step}{'' if path.suffix == '.py' else ';'}\n"
        path.write_text(text, errors="surrogateescape")
    git(clone, "commit", "-q", "-a", "--allow-empty", "-m", f"step {step}")


def steps(binary, source, work):
    """One measurement of each kind, in a fresh clone."""
    clone, second = work / "clone", work / "second"
    for folder in clone, second:
        shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", str(source), str(clone)], check=True)
    build = [binary, "graph", "build"]
    off = [*build, "--types=off", "--state-dir", str(work / "off")]
    review = [binary, "review", "--base", "HEAD~1", "--head", "HEAD", "--output", str(work / "report")]
    found = {}

    def step(name, command, folder):
        if not ONLY or name in ONLY:
            found[name] = measure(command, folder)

    step("cold without types", off, clone)
    shutil.rmtree(work / "off", ignore_errors=True)
    step("cold", build, clone)
    git(clone, "commit", "-q", "--allow-empty", "-m", "the same tree")
    step("next commit", build, clone)
    edit(clone, 1, 1)
    step("one file", build, clone)
    git(clone, "worktree", "add", "-q", "--detach", str(second), "HEAD~1")
    edit(second, 10, 2)
    step("second worktree, ten files", build, second)
    if not ONLY or "review of ten files" in ONLY:
        measure(review, clone)  # keeps the graph of what will be the merge base
    edit(clone, 10, 3)
    step("review of ten files", review, clone)
    return found, clone


def corpus(source):
    names = git(source, "ls-files", "-z").split("\0")[:-1]
    return {"files": len(names), "bytes": sum((pathlib.Path(source) / n).lstat().st_size for n in names if (pathlib.Path(source) / n).exists())}


def version(binary):
    return subprocess.run([binary, "--version"], capture_output=True, text=True).stdout.strip()


def run(binary, corpora):
    binary = str(pathlib.Path(binary).resolve())
    results = load()
    with tempfile.TemporaryDirectory(prefix="speed-") as work:
        for name, source in pairs(corpora):
            rounds = []
            for i in range(RUNS):
                print(f"{name}, round {i + 1} of {RUNS}", file=sys.stderr)
                found, clone = steps(binary, source, pathlib.Path(work))
                rounds.append(found)
            bench = {"questions": []} if ONLY else json.loads(subprocess.run([binary, "bench", "--format", "json", str(clone)], capture_output=True, text=True, check=True).stdout)
            results["corpora"][name] = {
                **corpus(source), "symbols": bench.get("symbols"), "edges": bench.get("edges"), "stored": bench.get("stored_bytes"),
                "steps": {k: summary([r[k] for r in rounds]) for k in rounds[0]}, "questions": bench["questions"], "load": round(os.getloadavg()[0], 1),
                "date": datetime.date.today().isoformat(), "version": version(binary),
            }
            save(results)


# Peers.


def peers_of(environment):
    """The tools that are here: how each indexes the folder that it is run in, the files
    that it leaves there, and its daemon."""
    found = {}
    if environment.get("CBM"):
        cbm = environment["CBM"]
        found["codebase-memory-mcp"] = (lambda folder: [cbm, "cli", "index_repository", json.dumps({"repo_path": str(folder)})], "codebase-memory-mcp")
    if environment.get("CODEGRAPH"):
        found["CodeGraph"] = (lambda _: [environment["CODEGRAPH"], "init", "-y"], None)
    if environment.get("CRG"):
        found["code-review-graph"] = (lambda _: [environment["CRG"], "build"], None)
    if environment.get("OPTAVE"):
        found["optave codegraph"] = (lambda _: [environment["OPTAVE"], "build", "."], None)
    if environment.get("REPOWISE"):
        # Its index alone: no documents, no editor is set up, no hook.
        quiet = ["--no-prose", "--no-editor-setup", "--no-hook", "--no-claude-md", "--no-agents"]
        found["repowise, fast mode"] = (lambda _: [environment["REPOWISE"], "init", "-y", "--mode", "fast", *quiet], None)
    return found


def end_daemons(name, before):
    for pid in set(daemons(name)) - before:
        end(pid)


def peers(binary, corpora):
    """Cold builds, previdence and the others in turn, so that what else the machine does
    falls on all of them."""
    binary = str(pathlib.Path(binary).resolve())
    tools = {"previdence": (lambda _: [binary, "graph", "build"], None), **peers_of(os.environ)}
    results = load()
    for name, source in pairs(corpora):
        rounds = {tool: [] for tool in tools}
        failed = {}
        for i in range(RUNS):
            for tool, (command, daemon) in tools.items():
                if tool in failed:
                    continue
                print(f"{name}, round {i + 1} of {RUNS}: {tool}", file=sys.stderr)
                with tempfile.TemporaryDirectory(prefix="speed-") as work:
                    clone = pathlib.Path(work) / "clone"
                    subprocess.run(["git", "clone", "-q", str(source), str(clone)], check=True)
                    home = pathlib.Path(work) / "home"
                    home.mkdir()
                    running = set(daemons(daemon)) if daemon else set()
                    environment = {**OFFLINE, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "CBM_CACHE_DIR": str(home / "cbm")}
                    try:
                        rounds[tool].append(measure(command(clone), clone, environment, daemon, PATIENCE))
                    except (RuntimeError, OSError) as e:
                        failed[tool] = str(e)
                    finally:
                        if daemon:
                            end_daemons(daemon, running)
        results["peers"][name] = {
            **corpus(source), "tools": {t: summary(r) for t, r in rounds.items() if r}, "failed": failed,
            "ratios": {t: ratios(r, rounds["previdence"]) for t, r in rounds.items() if r and t != "previdence"},
            "load": round(os.getloadavg()[0], 1), "date": datetime.date.today().isoformat(), "version": version(binary),
        }
        save(results)


def ratios(theirs, ours):
    """How many times as much the other tool takes, round by round."""
    return {key: [round(t[key] / o[key], 2) for t, o in zip(theirs, ours)] for key in ("wall", "cpu", "memory")}


# Results.


def pairs(corpora):
    for text in corpora:
        name, found, folder = text.partition("=")
        if not found:
            sys.exit(f"error: {text} is no NAME=DIR")
        yield name, pathlib.Path(folder).resolve()


def load():
    found = {"corpora": {}, "peers": {}}
    if RESULTS.exists():
        found.update(json.loads(RESULTS.read_text()))
    return found


def save(results):
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    report(results)


def growth(results, step, key):
    """Sizes of synthetic trees and what a step cost, by size; and the exponent of the
    line through their logarithms, None with fewer than two."""
    points = sorted(
        (c["files"], c["steps"][step][key]) for n, c in results["corpora"].items() if n.startswith("synthetic") and step in c["steps"]
    )
    if len(points) < 2:
        return points, None
    x, y = zip(*((math.log(a), math.log(b)) for a, b in points))
    mx, my = statistics.mean(x), statistics.mean(y)
    return points, sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


STEPS = ("cold", "cold without types", "next commit", "one file", "second worktree, ten files", "review of ten files")

# What is asked for: of which corpus, the text of the bound, what was measured as (value,
# half its spread, unit), and the bound.
ASKED = (
    ("cold build, types checked: wall", "goroot", "cold", "wall", 30, "s"),
    ("cold build, types checked: CPU", "goroot", "cold", "cpu", 55, "s"),
    ("cold build, types checked: memory", "goroot", "cold", "memory", 1.5 * 2**30, "MB"),
    ("cold build without types: wall", "goroot", "cold without types", "wall", 6, "s"),
    ("cold build without types: memory", "goroot", "cold without types", "memory", 500e6, "MB"),
    ("cold build: wall", "vuejs-core", "cold", "wall", 4, "s"),
    ("cold build: wall", "flask", "cold", "wall", 1.5, "s"),
    ("next commit, no blob changed: wall", "vuejs-core", "next commit", "wall", 0.5, "s"),
    ("one file edited: CPU", "goroot", "one file", "cpu", 3, "s"),
    ("second worktree, ten files changed: wall", "goroot", "second worktree, ten files", "wall", 1, "s"),
    ("review of ten files: wall", "goroot", "review of ten files", "wall", 2, "s"),
    ("100,000 files, cold: memory", "synthetic 100000", "cold", "memory", 4 * 2**30, "MB"),
    ("search, median", "goroot", "search", "median_ms", 10, "ms"),
    ("radius, depth 3, median", "goroot", "radius, depth 3", "median_ms", 10, "ms"),
    ("coverage of 10 files, median", "goroot", "coverage of 10 files", "median_ms", 5, "ms"),
    ("coverage of all, median", "goroot", "coverage of all", "median_ms", 50, "ms"),
    ("open, p95", "synthetic 50000", "open", "p95_ms", 10, "ms"),
    ("radius, depth 5, p95", "synthetic 50000", "radius, depth 5", "p95_ms", 1, "ms"),
    ("radius of hubs, depth 5, p95", "synthetic 50000", "radius of hubs, depth 5", "p95_ms", 35, "ms"),
)


def cell(s, key, scale=1.0, digits=2):
    return f"{s[key] / scale:.{digits}f} ±{100 * s[key + '_spread'] / 2:.0f} %"


def asked(results):
    """The table of what is asked for beside what was measured."""
    rows = ["## What is asked for\n", "| what | corpus | asked | measured | |", "|---|---|---|---|---|"]
    for what, name, of, key, bound, unit in ASKED:
        c = results["corpora"].get(name)
        if c and of in c["steps"]:
            value, spread = c["steps"][of][key], c["steps"][of][key + "_spread"]
        elif c and any(q["question"] == of for q in c["questions"]):
            value, spread = next(q[key] for q in c["questions"] if q["question"] == of), None
        else:
            rows.append(f"| {what} | {name} | ≤ {amount(bound, unit)} | not measured | |")
            continue
        around = "" if spread is None else f" ±{100 * spread / 2:.0f} %"
        rows.append(f"| {what} | {name} | ≤ {amount(bound, unit)} | {amount(value, unit)}{around} | {'met' if value <= bound else 'missed'} |")
    return rows + [""]


def amount(value, unit):
    return f"{value / 1e6:,.0f} MB" if unit == "MB" else f"{value:.3g} {unit}"


def report(results):
    out = ["# Speed\n", "Written by `make bench` and `make bench-peers` (bench/speed/speed.py). Medians of the runs and",
           "half their spread. CPU seconds are user and system time of the command and all it starts; memory is",
           "the most that all of them had at once. The load is that of the machine when the runs ended: where it is",
           "above the number of processors (2), the clock says little.\n"]
    out += asked(results)
    for name, c in sorted(results["corpora"].items(), key=lambda x: (x[1]["files"], x[0])):
        graph = f"; {c['symbols']:,} symbols, {c['edges']:,} edges, {c['stored'] / 1e6:.1f} MB stored" if c["symbols"] else ""
        out += [f"## {name}\n", f"{c['files']:,} files, {c['bytes'] / 1e6:.1f} MB{graph}. {c['date']}, load {c['load']}, {next(iter(c['steps'].values()))['runs']} runs.\n",
                "| step | wall s | CPU s | memory MB |", "|---|---|---|---|"]
        out += [f"| {s} | {cell(c['steps'][s], 'wall')} | {cell(c['steps'][s], 'cpu')} | {cell(c['steps'][s], 'memory', 1e6, 0)} |" for s in STEPS if s in c["steps"]]
        if not c["questions"]:
            out.append("")
            continue
        out += ["", "| question, the graph opened for it | median ms | p95 ms |", "|---|---|---|"]
        out += [f"| {q['question']} | {q['median_ms']:.2f} | {q['p95_ms']:.2f} |" for q in c["questions"]] + [""]
    rows = [(s, growth(results, s, "cpu"), growth(results, s, "memory")) for s in STEPS]
    if any(r[1][1] is not None for r in rows):
        out += ["## Growth\n", "![CPU seconds by files](../../docs/images/growth.svg)\n", "Cost grows as files to the power of:\n", "| step | CPU | memory |", "|---|---|---|"]
        out += [f"| {s} | {cpu[1]:.2f} | {memory[1]:.2f} |" for s, cpu, memory in rows if cpu[1] is not None and memory[1] is not None] + [""]
        (BENCH.parent / "docs" / "images" / "growth.svg").write_text(plot(rows))
    if results["peers"]:
        out += ["## Beside other tools\n", "Cold builds of the same commit on the same machine, in turn. A ratio says how many times as much the",
                "other tool takes, and its range over the rounds.\n", "| corpus | tool | CPU s | memory MB | CPU ratio | memory ratio | wall ratio |", "|---|---|---|---|---|---|---|"]
        for name, p in sorted(results["peers"].items()):
            for tool, s in p["tools"].items():
                r = p["ratios"].get(tool)
                cells = [f"{statistics.median(r[k]):.1f} ({min(r[k]):.1f}–{max(r[k]):.1f})" for k in ("cpu", "memory", "wall")] if r else ["1", "1", "1"]
                out.append(f"| {name} ({p['files']:,} files, {s['runs']} round{'s' if s['runs'] > 1 else ''}, load {p['load']}) | {tool} | {cell(s, 'cpu')} | {cell(s, 'memory', 1e6, 0)} | " + " | ".join(cells) + " |")
            out += [f"| {name} | {tool} | failed: {why[-200:].replace('|', ' ').replace(chr(10), ' ')} | | | | |" for tool, why in p["failed"].items()]
        out.append("")
    RESULTS.with_suffix(".md").write_text("\n".join(out))


def plot(rows):
    """CPU seconds over files, both in logarithms."""
    width, height, left, bottom = 720, 420, 70, 50
    series = [(s, points, exponent) for s, (points, exponent), _ in rows if points]
    xs = [x for _, p, _ in series for x, _ in p]
    ys = [y for _, p, _ in series for _, y in p]
    x0, x1 = math.floor(math.log10(min(xs))), math.ceil(math.log10(max(xs)))
    y0, y1 = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    at = lambda x, y: (left + (math.log10(x) - x0) / max(x1 - x0, 1) * (width - left - 250), height - bottom - (math.log10(y) - y0) / max(y1 - y0, 1) * (height - bottom - 40))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
           "<title>CPU seconds by number of files</title>", f'<rect width="{width}" height="{height}" fill="#fff"/>', f'<text x="{left}" y="24" font-size="15">CPU seconds by number of files</text>']
    for e in range(x0, x1 + 1):
        x, y = at(10**e, 10**y0)
        out.append(f'<path d="M{x:.1f} {y:.1f}V40" stroke="#ddd"/><text x="{x:.1f}" y="{y + 20:.1f}" text-anchor="middle">{10**e:,}</text>')
    for e in range(y0, y1 + 1):
        x, y = at(10**x0, 10**e)
        out.append(f'<path d="M{x:.1f} {y:.1f}H{width - 250}" stroke="#ddd"/><text x="{x - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{10.0**e:g}</text>')
    ends = []
    for (name, points, exponent), color in zip(series, ("#1b6ca8", "#5aa9d6", "#c0561f", "#3c7d3c", "#a88a1b", "#7a3e9d")):
        placed = [at(*p) for p in points]
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in placed)
        out.append(f'<path d="M{line}" fill="none" stroke="{color}" stroke-width="2"/>' + "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>' for x, y in placed))
        ends.append((placed[-1], color, name + (f", n^{exponent:.2f}" if exponent is not None else "")))
    # Names of lines that end close together are moved apart.
    below = math.inf
    for (x, y), color, label in sorted(ends, key=lambda e: -e[0][1]):
        below = min(y + 4, below - 16)
        out.append(f'<text x="{x + 8:.1f}" y="{below:.1f}" fill="{color}">{label}</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    actions = {"tree": lambda a: tree(a[0], int(a[1]), a[2:]), "run": lambda a: run(a[0], a[1:]), "peers": lambda a: peers(a[0], a[1:]), "report": lambda _: report(load())}
    if len(sys.argv) < 2 or sys.argv[1] not in actions or (sys.argv[1] != "report" and len(sys.argv) < 4):
        sys.exit(__doc__)
    actions[sys.argv[1]](sys.argv[2:])


if __name__ == "__main__":
    main()
