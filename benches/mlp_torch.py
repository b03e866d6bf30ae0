#!/usr/bin/env python3
"""Times an epoch of a small MLP (Cora's shape) in Privet and in PyTorch, in processor time.

    python3 benches/mlp_torch.py [--privet BINARY] [--python INTERPRETER]

1,354 rows x 1,433 columns -> 64 -> 7, dropout 0.5, Adam, all rows at once and in batches of 256 and 16;
one thread each and two threads each. Then the losses of five epochs without dropout, from the same
weights, have to agree. PyTorch is installed into target/bench-venv unless an interpreter that has it is
named.
"""

import argparse
import json
import sys
import time

from shared import arguments_of, ask, benchmark, fields, interpreter, run

ROWS, COLUMNS, HIDDEN, CLASSES = 1354, 1433, 64, 7
EPOCHS = 60
AGREEMENT = 1e-5


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--tensors", nargs=2, type=int, metavar=("THREADS", "BATCH"), help=argparse.SUPPRESS)
    parser.add_argument("--losses", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.losses:
        print(json.dumps(losses()))
        return 0
    if arguments.tensors:
        print(json.dumps(time_tensors(*arguments.tensors)))
        return 0
    return compare(arguments)


def compare(arguments):
    command = benchmark("privet-learn", "mlp", arguments.privet)
    python = interpreter("torch", "numpy", named=arguments.python)
    good = True
    for line in run(command).splitlines():
        if line.startswith("losses="):
            ours = [float(loss) for loss in line.removeprefix("losses=").split(",")]
            theirs = ask(python, __file__, "--losses")
            apart = max(abs(a - b) / abs(b) for a, b in zip(ours, theirs, strict=True))
            good &= apart < AGREEMENT
            print(f"losses of {len(ours)} epochs apart by {apart:.1e} (allowed: {AGREEMENT:.0e})")
        elif line.startswith("threads="):
            privet = fields(line)
            torch = ask(python, __file__, "--tensors", privet["threads"], privet["batch"])
            ratio = torch["cpu"] / float(privet["cpu_seconds"])
            wall_ratio = torch["wall"] / float(privet["wall_seconds"])
            good &= ratio >= 1
            print(
                f"{privet['threads']} thread(s), batches of {privet['batch']:>4}: processor time "
                f"Privet {1e3 * float(privet['cpu_seconds']):6.2f} ms, PyTorch {1e3 * torch['cpu']:6.2f} ms "
                f"per epoch: {ratio:.2f} x (wanted: 1); wall time {1e3 * float(privet['wall_seconds']):6.2f} "
                f"and {1e3 * torch['wall']:6.2f} ms: {wall_ratio:.2f} x"
            )
    return 0 if good else 1


def data(torch):
    """The formulas of benches/mlp.rs."""
    row = torch.arange(ROWS).unsqueeze(1)
    column = torch.arange(COLUMNS).unsqueeze(0)
    small = ((row * 7 + column * 13) % 101).float() / 1010
    x = torch.where((row * 31 + column * 17) % 79 == 0, torch.tensor(1.0), small)
    return x, torch.arange(ROWS) * 5 % CLASSES


def model(torch, dropout):
    layers = [torch.nn.Linear(COLUMNS, HIDDEN), torch.nn.ReLU(), torch.nn.Dropout(dropout), torch.nn.Linear(HIDDEN, CLASSES)]
    for layer in (layers[0], layers[3]):
        inputs, outputs = layer.in_features, layer.out_features
        at = torch.arange(inputs * outputs)
        start = (((at * 37 + 11) % 1009).float() / 504.5 - 1) / torch.tensor(float(inputs)).sqrt()
        # Ours has a row per input, PyTorch one per output.
        layer.weight.data = start.reshape(inputs, outputs).T.contiguous()
        layer.bias.data.zero_()
    return torch.nn.Sequential(*layers)


def epoch(torch, network, optimizer, x, y, batch):
    total = 0.0
    full = batch >= ROWS
    for picked in [None] if full else torch.randperm(ROWS).split(batch):
        rows, classes = (x, y) if full else (x[picked], y[picked])
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(network(rows), classes)
        loss.backward()
        optimizer.step()
        total = loss.item()
    return total


def losses():
    import torch

    (x, y), network = data(torch), model(torch, 0.0)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    return [epoch(torch, network, optimizer, x, y, ROWS) for _ in range(5)]


def time_tensors(threads, batch):
    import torch

    torch.set_num_threads(threads)
    (x, y), network = data(torch), model(torch, 0.5)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(EPOCHS // 5):
        epoch(torch, network, optimizer, x, y, batch)
    measured = EPOCHS - EPOCHS // 5
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(measured):
        epoch(torch, network, optimizer, x, y, batch)
    return {"cpu": (time.process_time() - cpu) / measured, "wall": (time.perf_counter() - wall) / measured}


if __name__ == "__main__":
    sys.exit(main())
