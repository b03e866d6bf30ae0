#!/usr/bin/env python3
"""Reads one edge list with Privet, NetworkX and pandas + scipy, and compares time and memory.

    python3 benches/read_edge_list.py [FILE]

FILE is tab- or blank-separated integers, plain or gzipped, `#` comments allowed; by default
large/cnr-2000.arcs.tsv.gz of the data folder (PRIVET_DATA_DIR, or ../shared/data beside the
repository). Every reader runs in a process of its own and makes the same thing: an undirected simple
graph without self-loops. Time is the best of several runs (NetworkX: one), after the interpreter has
started and the libraries are imported; memory is the peak of a process that reads once.
Python packages are installed into target/bench-venv.
"""

import json
import os
import sys
import time
from pathlib import Path

from shared import ROOT, ask, benchmark, interpreter, run

FASTER_THAN_NETWORKX = 20
FASTER_THAN_PANDAS = 2
MOST_MEMORY = 3


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else default_file()
    python = interpreter("networkx", "pandas", "scipy")
    privet = run_privet(path, repeats=7)
    privet_once = run_privet(path, repeats=1)
    pandas = run_reader(python, "pandas", path, repeats=5)
    networkx = run_reader(python, "networkx", path, repeats=1)

    print(f"{path.name}: {privet['nodes']} nodes, {privet['edges']} edges, CSR {mb(privet['csr_bytes'])}")
    row("reader", "seconds", "processor s", "peak memory")
    for name, times, memory in [
        ("Privet", privet, privet_once),
        ("pandas + scipy", pandas, pandas),
        ("NetworkX", networkx, networkx),
    ]:
        seconds, cpu = f"{times['seconds']:.3f}", f"{times['cpu_seconds']:.3f}"
        row(name, seconds, cpu, mb(memory["peak_rss_bytes"]))
    print(f"Privet reads {privet['text_mb_per_second']:.0f} MB of text per second")

    same = all(r["edges"] == privet["edges"] for r in (pandas, networkx))
    passed = [
        verdict("all count the same edges", same),
        at_least("times faster than NetworkX", networkx["seconds"] / privet["seconds"], FASTER_THAN_NETWORKX),
        at_least("times faster than pandas + scipy", pandas["seconds"] / privet["seconds"], FASTER_THAN_PANDAS),
        at_most("times the CSR at the peak", privet_once["peak_rss_bytes"] / privet["csr_bytes"], MOST_MEMORY),
    ]
    sys.exit(0 if all(passed) else 1)


def default_file():
    folder = os.environ.get("PRIVET_DATA_DIR") or ROOT.parent / "shared" / "data"
    return Path(folder) / "large" / "cnr-2000.arcs.tsv.gz"


def run_privet(path, repeats):
    out = run([*benchmark("privet-graph", "read_edge_list"), path.resolve(), repeats])
    pairs = (word.split("=", 1) for word in out.split() if "=" in word and not word.startswith("all="))
    return {key: float(value) if "." in value else int(value) for key, value in pairs}


def run_reader(python, name, path, repeats):
    return ask(python, Path(__file__).resolve(), "--reader", name, path.resolve(), repeats)


def read_with(name, path, repeats):
    """Runs inside the virtual environment: reads, and prints what it took."""
    import resource

    reader = {"pandas": pandas_reader, "networkx": networkx_reader}[name]()
    seconds, peak, cpu = [], None, time.process_time()
    for _ in range(repeats):
        start = time.perf_counter()
        edges = reader(path)
        seconds.append(time.perf_counter() - start)
        peak = peak or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    cpu = (time.process_time() - cpu) / repeats
    print(json.dumps({"seconds": min(seconds), "cpu_seconds": cpu, "edges": edges, "peak_rss_bytes": peak}))


def pandas_reader():
    import numpy as np
    import pandas as pd
    from scipy.sparse import coo_matrix

    def reader(path):
        table = pd.read_csv(path, sep="\t", header=None, comment="#", dtype=np.int32)
        u, v = table[0].to_numpy(), table[1].to_numpy()
        apart = u != v
        u, v = u[apart], v[apart]
        rows, columns = np.concatenate([u, v]), np.concatenate([v, u])
        n = int(max(rows.max(), columns.max())) + 1
        graph = coo_matrix((np.ones(len(rows), np.int8), (rows, columns)), shape=(n, n)).tocsr()
        graph.sort_indices()
        return graph.nnz // 2

    return reader


def networkx_reader():
    import networkx as nx

    def reader(path):
        graph = nx.read_edgelist(path, nodetype=int)
        return graph.number_of_edges() - nx.number_of_selfloops(graph)

    return reader


def mb(size):
    return f"{size / 1e6:.1f} MB"


def row(*cells):
    print(f"  {cells[0]:<16}{cells[1]:>10}{cells[2]:>13}{cells[3]:>14}")


def at_least(what, found, wanted):
    return verdict(f"{found:.1f} {what} (wanted: at least {wanted})", found >= wanted)


def at_most(what, found, wanted):
    return verdict(f"{found:.2f} {what} (wanted: at most {wanted})", found <= wanted)


def verdict(text, passed):
    print(f"{'pass' if passed else 'FAIL'}: {text}")
    return passed


if __name__ == "__main__":
    if sys.argv[1:2] == ["--reader"]:
        read_with(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        main()
