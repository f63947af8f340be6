"""Prints the call edges in the database of another tool, as "previdence graph edges --format tsv" does.

    python3 bench/peer-edges.py codegraph .codegraph/codegraph.db
    python3 bench/peer-edges.py code-review-graph .code-review-graph/graph.db ROOT
    python3 bench/peer-edges.py repowise .repowise/wiki.db

The caller is the outermost function around the site, as in the keys. Of CodeGraph
instantiations are taken, too, where the keys count a construction as a call: in
all languages but Go.
"""

import collections
import sqlite3
import sys

QUERIES = {
    "codegraph": ("select id, file_path, start_line, end_line, kind in ('function', 'method') from nodes",
                  "select source, target, ifnull(line, 0), kind = 'instantiates' from edges where kind in ('calls', 'instantiates')"),
    "code-review-graph": ("select qualified_name, file_path, line_start, line_end, kind in ('Function', 'Test') from nodes",
                          "select source_qualified, target_qualified, line, 0 from edges where kind = 'CALLS'"),
    "repowise": ("select node_id, file_path, start_line, end_line, kind in ('function', 'method') from graph_nodes where file_path is not null and start_line is not null",
                 "select source_node_id, target_node_id, ifnull(json_extract(call_lines_json, '$[0]'), 0), 0 from graph_edges where edge_type = 'calls'"),
}


def main():
    tool, database = sys.argv[1:3]
    root = sys.argv[3].rstrip("/") + "/" if len(sys.argv) > 3 else ""
    nodes, edges = QUERIES[tool]
    c = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    places, functions = {}, collections.defaultdict(list)
    for name, path, first, last, function in c.execute(nodes):
        path = path.removeprefix(root)
        places[name] = (path, first, last)
        if function:
            functions[path].append((first, last))
    rows = set()
    for source, target, line, constructs in c.execute(edges):
        if source not in places or target not in places:
            continue
        path, first, last = places[source]
        if constructs and path.endswith(".go"):
            continue
        outer = min([f for f, l in functions[path] if f <= first and last <= l], default=first)
        rows.add((path, outer, *places[target][:2], line))
    for path, line, to, at, site in sorted(rows):
        print(path, line, to, at, "call", "exact", site or 0, sep="\t")


main()
