#!/usr/bin/env python3
"""Predicts a million people from a csv file, by `privet predict` and by the same network in PyTorch.

    python3 benches/predict_torch.py [--privet BINARY] [--python INTERPRETER] [--people N]

A model is trained on made-up customers (`privet train`); then both sides read the same csv file of new ones (a number with
gaps, a number, a category, words), classify everybody and write ids, classes and probabilities. PyTorch's side is what
its tutorials show: a Dataset over rows that the csv module reads, a DataLoader with batches of 8,192 (no workers,
and two), softmax, csv out. Classes have to agree. Peak memory is that of each process.
PyTorch is installed into target/bench-venv unless an interpreter that has it is named.
"""

import argparse
import csv
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shared import ROOT, arguments_of, interpreter

REGIONS = ["north", "south", "east", "west"]
CLASSES = ["retail", "business", "student"]
BATCH = 8192
WANTED, MEMORY_MB = 5, 200


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--tensors", nargs=4, metavar=("MODEL", "NEW", "OUT", "WORKERS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.tensors:
        model, new, out, workers = arguments.tensors
        predict_with_torch(Path(model), Path(new), Path(out), int(workers))
        return 0
    return compare(arguments)


def compare(arguments):
    if not arguments.privet:
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
    privet = arguments.privet or ROOT / "target" / "release" / "privet"
    python = interpreter("torch", "numpy", "safetensors", named=arguments.python)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write_people(folder / "customers.csv", 2000, labels=True)
        write_people(folder / "new.csv", arguments.people, labels=False)
        environment = {**os.environ, "PRIVET_STATE_DIR": str(folder / "state")}
        for line in (
            "init --people customers.csv --id customer --label segment --classes retail,business,student "
            "--column age=number:16..100 --column income=number:0..150 "
            "--column region=category:north|south|east|west --column notes=ordinal:low|mid|high "
            "--protects people --epsilon 8 --delta 1e-6",
            "train -o model --epsilon 4",
        ):
            subprocess.run([privet, "--quiet", *line.split()], cwd=folder, env=environment, check=True,
                           stdout=subprocess.DEVNULL)
        ours = timed([privet, "--quiet", "predict", "model", "new.csv", "-o", "ours.csv"], folder)
        theirs = min(
            (timed([python, __file__, "--tensors", "model", "new.csv", "theirs.csv", workers], folder)
             for workers in ("0", "2")),
            key=lambda run: run["seconds"],
        )
        agree = sum(a[:2] == b[:2] for a, b in zip(rows(folder / "ours.csv"), rows(folder / "theirs.csv"), strict=True))
    ratio = theirs["seconds"] / ours["seconds"]
    print(f"{arguments.people:,} people: privet predict {ours['seconds']:.2f} s, {ours['megabytes']:.0f} MB; "
          f"PyTorch {theirs['seconds']:.2f} s, {theirs['megabytes']:.0f} MB: {ratio:.1f} x (wanted: {WANTED}), "
          f"memory wanted: {MEMORY_MB} MB; {agree:,} classes agree")
    good = ratio >= WANTED and ours["megabytes"] < MEMORY_MB and agree >= 0.9999 * arguments.people
    return 0 if good else 1


def write_people(path, people, labels):
    rng = random.Random(people)
    with open(path, "w", newline="") as file:
        write = csv.writer(file).writerow
        write(["customer", "age", "income", "region", "notes"] + ["segment"] * labels)
        for at in range(people):
            kind = rng.randrange(3)
            age = "" if rng.random() < 0.05 else 20 + 15 * kind + rng.randrange(15)
            write([f"C{at:07d}", age, 10 + 35 * kind + rng.randrange(30), rng.choice(REGIONS),
                   rng.choice(["low", "mid", "high"])] + [CLASSES[kind]] * labels)


def timed(command, folder):
    """Wall-clock seconds and peak memory of a process."""
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"{command} failed")
    return {"seconds": seconds, "megabytes": usage.ru_maxrss / 1024}


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))[1:]


def predict_with_torch(model, new, out, workers):
    import torch
    from safetensors import safe_open
    from torch.utils.data import DataLoader, Dataset

    with safe_open(model / "model.safetensors", framework="pt") as tensors:
        named = {name: tensors.get_tensor(name) for name in tensors.keys()}
    weight = next(tensor for tensor in named.values() if tensor.ndim == 2 and tensor.shape[0] > 1)
    bias = next(tensor for tensor in named.values() if tensor is not weight).flatten()

    def clipped(cell, low, high):
        value = float(cell) if cell else (low + high) / 2
        return (min(max(value, low), high) - low) / (high - low)

    class People(Dataset):
        def __init__(self, path):
            with open(path, newline="") as file:
                self.records = list(csv.reader(file))[1:]

        def __len__(self):
            return len(self.records)

        def __getitem__(self, at):
            _, age, income, region, notes = self.records[at]
            row = [clipped(age, 16, 100), clipped(income, 0, 150)]
            row += [float(region == known) for known in REGIONS]
            row.append(["low", "mid", "high"].index(notes) / 2)
            row = torch.tensor(row)
            return at, row / row.norm()

    people = People(new)
    with open(out, "w", newline="") as file, torch.no_grad():
        write = csv.writer(file)
        write.writerow(["customer", "class", "probability"])
        for places, batch in DataLoader(people, batch_size=BATCH, num_workers=workers):
            probability, best = torch.softmax(batch @ weight + bias, dim=1).max(dim=1)
            write.writerows(
                (people.records[at][0], CLASSES[chosen], f"{share:.6f}")
                for at, chosen, share in zip(places.tolist(), best.tolist(), probability.tolist())
            )


if __name__ == "__main__":
    sys.exit(main())
