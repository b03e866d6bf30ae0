#!/usr/bin/env python3
"""Times sums over neighbours on Pubmed's shape in Privet against scipy and PyTorch, in processor time.

    python3 benches/spmm.py [--privet BINARY] [--python INTERPRETER]

All get the same compressed sparse rows with a weight per arc and the same dense features, in 32-bit
floats; neither pays for making them. With one thread each, then with two (scipy knows only one).
Best of several rounds, taken in turns.
scipy and PyTorch are installed into target/bench-venv unless an interpreter that has them is named.
"""

import argparse
import json
import math
import sys
import tempfile
import time
from pathlib import Path

from shared import arguments_of, ask, benchmark, fields, interpreter, run

WANTED = {"scipy": 2, "torch": 3}
ROUNDS = 30
TURNS = 4


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--theirs", nargs=5, metavar=("FILE", "NODES", "ARCS", "COLUMNS", "THREADS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.theirs:
        print(json.dumps(time_theirs(arguments.theirs[0], *map(int, arguments.theirs[1:]))))
        return 0
    command = benchmark("privet-learn", "spmm", arguments.privet)
    python = interpreter("scipy", "torch", "numpy", named=arguments.python)
    good = True
    with tempfile.TemporaryDirectory() as folder:
        arrays = str(Path(folder) / "arrays")
        shape = fields(run([*command, "--write", arrays]).splitlines()[-1])
        sizes = [shape[key] for key in ("nodes", "arcs", "columns")]
        best = {}
        # In turns, so that all meet the same neighbours on a busy machine.
        for _ in range(TURNS):
            for line in run(command).splitlines():
                privet = fields(line)
                threads = privet["threads"]
                of_turn = ask(python, __file__, "--theirs", arrays, *sizes, threads)
                of_turn |= {"Privet": float(privet["cpu_seconds"]), "share": -float(privet["share"])}
                before = best.setdefault(threads, of_turn)
                best[threads] = {name: min(before[name], value) for name, value in of_turn.items()}
    for threads, seconds in best.items():
        print(f"{threads} thread(s): Privet {seconds['Privet']:.4f} s, {-seconds['share']:.2f} of a copy's bandwidth")
        for name, wanted in WANTED.items():
            ratio = seconds[name] / seconds["Privet"]
            good &= ratio >= wanted
            print(f"    {name} {seconds[name]:.4f} s   {ratio:.1f} x (wanted: {wanted})")
    return 0 if good else 1


def time_theirs(path, nodes, arcs, columns, threads):
    import numpy
    import scipy.sparse
    import torch

    torch.set_num_threads(threads)
    data = open(path, "rb").read()
    offsets = numpy.frombuffer(data, "<i4", nodes + 1)
    targets = numpy.frombuffer(data, "<i4", arcs, 4 * (nodes + 1))
    weights = numpy.frombuffer(data, "<f4", arcs, 4 * (nodes + 1 + arcs))
    x = (numpy.arange(nodes * columns) % 1009 / 1009).astype("f4").reshape(nodes, columns)
    matrix = scipy.sparse.csr_matrix((weights, targets, offsets), shape=(nodes, nodes))
    tensor = torch.sparse_csr_tensor(*map(torch.from_numpy, map(numpy.array, (offsets, targets, weights))), (nodes, nodes))
    features = torch.from_numpy(x)
    assert abs((tensor @ features).numpy() - matrix @ x).max() < 1e-4
    return {"scipy": best(lambda: matrix @ x), "torch": best(lambda: tensor @ features)}


def best(work):
    least = math.inf
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return least


if __name__ == "__main__":
    sys.exit(main())
