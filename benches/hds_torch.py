#!/usr/bin/env python3
"""Times HDS (k = 20) in Privet against the same mechanism on dense PyTorch tensors, in processor time.

    python3 benches/hds_torch.py [--privet BINARY] [--python INTERPRETER]

The tensor version is how such mechanisms are usually written: a random number for every entry, the k
largest per row are the sampled columns, and the report is computed for the whole matrix under a mask.
(It is also not private, for its floats give the input away; only its speed is of interest here.)
Both get the same shapes, and neither pays for making the data. One thread each; best of several rounds.
PyTorch is installed into target/bench-venv unless an interpreter that has it is named.
"""

import argparse
import json
import math
import sys
import time

from shared import arguments_of, ask, benchmark, fields, interpreter, run

WANTED = 50
ROUNDS = 3


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--tensors", nargs=3, type=int, metavar=("ROWS", "COLUMNS", "K"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.tensors:
        print(json.dumps({"cpu_seconds": time_tensors(*arguments.tensors)}))
        return 0
    command = benchmark("privet-privacy", "hds", arguments.privet)
    python = interpreter("torch", "numpy", named=arguments.python)
    good = True
    for line in run(command).splitlines():
        if not line.startswith("rows="):
            continue
        privet = {key: float(value) for key, value in fields(line).items()}
        shape = [str(int(privet[key])) for key in ("rows", "columns", "k")]
        tensors = ask(python, __file__, "--tensors", *shape)["cpu_seconds"]
        ratio = tensors / privet["cpu_seconds"]
        good &= ratio >= WANTED
        print(
            f"{shape[0]:>6} x {shape[1]:<6} k = {shape[2]}:  Privet {privet['cpu_seconds']:.4f} s "
            f"({privet['million_draws']:.1f} M draws/s)   tensors {tensors:.3f} s   {ratio:.0f} x (wanted: {WANTED})"
        )
    return 0 if good else 1


def time_tensors(rows, columns, k):
    import torch

    torch.set_num_threads(1)
    x = (torch.rand(rows, columns) < 0.02).float() * 2 - 1
    best = math.inf
    for _ in range(ROUNDS):
        start = time.process_time()
        report = hds(torch, x, k, epsilon=1.0)
        best = min(best, time.process_time() - start)
        assert report.shape == x.shape and int((report != 0).sum(dim=1).max()) <= k
    return best


def hds(torch, x, k, epsilon):
    e = epsilon / k
    b = (e * math.exp(e) - math.exp(e) + 1) / (math.exp(e) * (math.exp(e) - e - 1))
    sampled = torch.rand_like(x).topk(k, dim=1).indices
    mask = torch.zeros_like(x).scatter_(1, sampled, 1.0)
    inside = torch.rand_like(x) < b * math.exp(e) / (b * math.exp(e) + 1)
    near = x - b + 2 * b * torch.rand_like(x)
    # The rest of [-1-b, 1+b] has length 2: x+1 on the left of the window, 1-x on the right.
    place = 2 * torch.rand_like(x)
    far = torch.where(place < x + 1, place - 1 - b, place - 1 + b)
    return torch.where(inside, near, far) * mask


if __name__ == "__main__":
    sys.exit(main())
