#!/usr/bin/env python3
"""Times GIN in Privet and in PyTorch, in processor time: one large layer, and an epoch of training.

    python3 benches/gin_torch.py [--privet BINARY] [--python INTERPRETER] [--rounds N]

The layer (sum over neighbours and self, two linear layers with batch normalisation and rectifier) goes
forward and back on 430,000 nodes, a million arcs and 64 columns. PyTorch computes it in the two usual
ways: a product with a compressed sparse matrix, whose gradient is the same product as the matrix is
symmetric, and `index_add_` over arcs. The epoch is 50 batches of 32 graphs of REDDIT-BINARY (if
PRIVET_DATA_DIR has it) through GIN-0 with four rounds of width 64, with Adam; PyTorch joins the compressed rows of the
graphs of a batch, which were made beforehand. One thread each and two threads each; best of several
rounds. PyTorch is installed into target/bench-venv unless an interpreter that has it is named.
"""

import argparse
import json
import math
import sys
import tempfile
import time
from pathlib import Path

from shared import arguments_of, ask, benchmark, fields, interpreter, run

NODES, EDGES, COLUMNS = 430_000, 500_000, 64
BATCH, ROUNDS_OF_SUMS, CLASSES = 32, 4, 2
WANTED = {"layer": 3, "epoch": 4}


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured")
    parser.add_argument("--tensors", nargs=3, metavar=("WORK", "THREADS", "FILE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.tensors:
        work, threads, path = arguments.tensors
        print(json.dumps(time_tensors(work, int(threads), path, arguments.rounds)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return compare(arguments, str(Path(folder) / "graphs.txt"))


def compare(arguments, path):
    command = benchmark("privet-learn", "gin", arguments.privet)
    python = interpreter("torch", "numpy", named=arguments.python)
    good, real, theirs = True, False, {}
    for line in run([*command, arguments.rounds, path]).splitlines():
        if line.startswith("set="):
            print(line)
            real = fields(line)["set"] == "reddit_binary"
            if not real:
                print("skipped: the epoch on REDDIT-BINARY, which is not in PRIVET_DATA_DIR")
            continue
        privet = fields(line)
        if privet["work"] != "layer" and not real:
            continue
        work, threads = privet["work"], privet["threads"]
        for rival in ("csr", "index_add") if work == "layer" else ("epoch",):
            if (rival, threads) not in theirs:
                words = ["--rounds", arguments.rounds, "--tensors", rival, threads, path]
                theirs[rival, threads] = ask(python, __file__, *words)
            torch = theirs[rival, threads]
            ratio = torch["cpu"] / float(privet["cpu_seconds"])
            wall = torch["wall"] / float(privet["wall_seconds"])
            wanted = WANTED.get(work)
            good &= wanted is None or ratio >= wanted
            print(
                f"{work:>14}, {threads} thread(s), against {rival:>9}: processor time Privet "
                f"{float(privet['cpu_seconds']):.3f} s, PyTorch {torch['cpu']:.3f} s: {ratio:.1f} x"
                f"{f' (wanted: {wanted})' if wanted else ''}; wall time {float(privet['wall_seconds']):.3f} s "
                f"and {torch['wall']:.3f} s: {wall:.1f} x"
            )
    return 0 if good else 1


def time_tensors(work, threads, path, rounds):
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    step = epoch_step(torch, path) if work == "epoch" else layer_step(torch, work)
    best = {"cpu": math.inf, "wall": math.inf}
    for turn in range(rounds + 1):
        cpu, wall = time.process_time(), time.perf_counter()
        step()
        if turn > 0:
            best["cpu"] = min(best["cpu"], time.process_time() - cpu)
            best["wall"] = min(best["wall"], time.perf_counter() - wall)
    return best


def mlp(torch, inputs, outputs):
    nn = torch.nn
    return nn.Sequential(
        nn.Linear(inputs, outputs), nn.BatchNorm1d(outputs), nn.ReLU(),
        nn.Linear(outputs, outputs), nn.BatchNorm1d(outputs), nn.ReLU(),
    )  # fmt: skip


def symmetric_product(torch):
    """The product with a symmetric compressed matrix, whose gradient is the same product."""

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(context, matrix, x):
            context.matrix = matrix
            return matrix @ x

        @staticmethod
        def backward(context, gradient):
            return None, context.matrix @ gradient

    return Product.apply


def layer_step(torch, how):
    sources = torch.randint(0, NODES, (EDGES,))
    targets = torch.randint(0, NODES, (EDGES,))
    loops = torch.arange(NODES)
    rows = torch.cat([sources, targets, loops])
    columns = torch.cat([targets, sources, loops])
    matrix = torch.sparse_coo_tensor(torch.stack([rows, columns]), torch.ones(len(rows)), (NODES, NODES))
    matrix = matrix.coalesce().to_sparse_csr()
    product, layers = symmetric_product(torch), mlp(torch, COLUMNS, COLUMNS)
    x = torch.rand(NODES, COLUMNS, requires_grad=True)
    gradient = torch.rand(NODES, COLUMNS)

    def step():
        x.grad = None
        layers.zero_grad()
        if how == "csr":
            summed = product(matrix, x)
        else:
            summed = torch.zeros(NODES, COLUMNS).index_add_(0, rows, x[columns])
        layers(summed).backward(gradient)

    return step


def epoch_step(torch, path):
    graphs = [compressed_rows(torch, line) for line in Path(path).read_text().splitlines()]
    labels = torch.arange(len(graphs)) % CLASSES
    product = symmetric_product(torch)
    rounds = torch.nn.ModuleList(mlp(torch, 1 if at == 0 else COLUMNS, COLUMNS) for at in range(ROUNDS_OF_SUMS))
    widths = [1] + [COLUMNS] * ROUNDS_OF_SUMS
    readouts = torch.nn.ModuleList(torch.nn.Linear(width, CLASSES) for width in widths)
    parameters = [*rounds.parameters(), *readouts.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=0.01)

    def scores(picked):
        adjacency, pool = joined(torch, [graphs[at] for at in picked])
        hidden = torch.ones(adjacency.shape[0], 1)
        result = 0
        for level, readout in enumerate(readouts):
            if level > 0:
                hidden = rounds[level - 1](product(adjacency, hidden))
            result = result + torch.nn.functional.dropout(readout(pool(hidden)), 0.5)
        return result

    def step():
        order = torch.randperm(len(graphs)).tolist()
        for start in range(0, len(order), BATCH):
            picked = order[start : start + BATCH]
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(scores(picked), labels[picked]).backward()
            optimizer.step()

    return step


def compressed_rows(torch, line):
    """Row starts and columns of A + I."""
    words = torch.tensor([int(word) for word in line.split()])
    nodes, ends = int(words[0]), words[1:].view(-1, 2)
    loops = torch.arange(nodes)
    rows = torch.cat([ends[:, 0], ends[:, 1], loops])
    columns = torch.cat([ends[:, 1], ends[:, 0], loops])
    order = torch.argsort(rows * nodes + columns)
    starts = torch.zeros(nodes + 1, dtype=torch.int64)
    starts[1:] = torch.cumsum(torch.bincount(rows, minlength=nodes), 0)
    return starts, columns[order]


def joined(torch, graphs):
    """The graphs side by side, and their mean readout."""
    sizes = torch.tensor([len(starts) - 1 for starts, _ in graphs])
    first = torch.cumsum(sizes, 0) - sizes
    arcs = torch.tensor([len(columns) for _, columns in graphs])
    before = torch.cumsum(arcs, 0) - arcs
    starts = [torch.zeros(1, dtype=torch.int64)]
    starts += [starts_of[1:] + before[at] for at, (starts_of, _) in enumerate(graphs)]
    columns = torch.cat([columns_of + first[at] for at, (_, columns_of) in enumerate(graphs)])
    total = int(sizes.sum())
    matrix = torch.sparse_csr_tensor(torch.cat(starts), columns, torch.ones(len(columns)), (total, total))
    owner = torch.repeat_interleave(torch.arange(len(graphs)), sizes)

    def pool(rows):
        sums = torch.zeros(len(graphs), rows.shape[1]).index_add_(0, owner, rows)
        return sums / sizes[:, None]

    return matrix, pool


if __name__ == "__main__":
    sys.exit(main())
