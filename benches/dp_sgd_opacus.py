#!/usr/bin/env python3
"""Times a DP-SGD step of a small MLP in Privet and in Opacus, on one thread.

    python3 benches/dp_sgd_opacus.py [--privet BINARY] [--python INTERPRETER]

2,879 -> 32 -> 7, batches of 256, noise included; Opacus by hooks (per-example gradients) and by ghost
clipping. Opacus is installed into target/bench-venv unless an interpreter that has it is named.
"""

import argparse
import json
import sys
import time

from shared import arguments_of, ask, benchmark, fields, interpreter, run

ROWS, COLUMNS, HIDDEN, CLASSES, BATCH, STEPS = 2995, 2879, 32, 7, 256, 20
WANTED = {"hooks": 20, "ghost": 3}


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--opacus", choices=list(WANTED), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.opacus:
        print(json.dumps(time_opacus(arguments.opacus)))
        return 0
    command = benchmark("privet-learn", "dp_sgd", arguments.privet)
    line = next(line for line in run(command).splitlines() if line.startswith("step_seconds="))
    ours = float(fields(line)["step_seconds"])
    python = interpreter("torch", "opacus", named=arguments.python)
    good = True
    for mode, wanted in WANTED.items():
        theirs = ask(python, __file__, "--opacus", mode)
        good &= theirs / ours >= wanted
        print(f"Privet {1e3 * ours:.2f} ms, Opacus ({mode}) {1e3 * theirs:.1f} ms a step: {theirs / ours:.1f} x (wanted: {wanted})")
    return 0 if good else 1


def time_opacus(mode):
    import warnings

    import torch
    from opacus import PrivacyEngine

    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    inputs = torch.rand(ROWS, COLUMNS)
    classes = torch.arange(ROWS) % CLASSES
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, classes), batch_size=BATCH)
    model = torch.nn.Sequential(torch.nn.Linear(COLUMNS, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, CLASSES))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    criterion = torch.nn.CrossEntropyLoss()
    settings = dict(module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=1.0, max_grad_norm=1.0)
    if mode == "ghost":
        model, optimizer, criterion, loader = PrivacyEngine().make_private(
            criterion=criterion, grad_sample_mode="ghost", **settings
        )
    else:
        model, optimizer, loader = PrivacyEngine().make_private(**settings)
    best = float("inf")
    picked = torch.randperm(ROWS)[:BATCH]
    for _ in range(STEPS):
        begun = time.process_time()
        optimizer.zero_grad()
        criterion(model(inputs[picked]), classes[picked]).backward()
        optimizer.step()
        best = min(best, time.process_time() - begun)
    return best


if __name__ == "__main__":
    sys.exit(main())
