#!/usr/bin/env python3
"""The same data and epsilon in other hands: time, lines, and what each writes down of its budget.

    python crates/privet-py/benches/side_by_side.py

Needs torch, opacus and opendp beside privet; what is missing is skipped, and said. One thread each for torch, two
cores for Privet, as they come.
"""

from __future__ import annotations

import inspect
import math
import tempfile
import time
from pathlib import Path

import numpy as np

import privet

ROWS, COLUMNS, EPSILON = 2708, 1433, 1.0
STEPS, BATCH, CLASSES = 50, 512, 7


# begin: multi-bit, LPGNN's paper, in torch
def multi_bit_torch(x, epsilon, low, high):
    import torch

    d = x.shape[1]
    k = max(1, min(d, int(epsilon / 2.18)))
    sampled = torch.rand_like(x).topk(k, dim=1).indices
    chosen = torch.zeros_like(x, dtype=torch.bool).scatter(1, sampled, True)
    grow = math.exp(epsilon / k)
    p = (x - low) / (high - low) * (grow - 1) / (grow + 1) + 1 / (grow + 1)
    bits = chosen * (2 * torch.bernoulli(p) - 1)
    return d * (high - low) / (2 * k) * (grow + 1) / (grow - 1) * bits + (low + high) / 2


# end
# begin: multi-bit, Privet
def multi_bit_privet(rows, epsilon, ledger):
    people = privet.Dataset.from_edges([], features=rows, bounds=(0, 1))
    return privet.features.MultiBit(epsilon=epsilon).run(people, ledger=ledger).get().features


# end
# begin: randomised response, OpenDP
def response_opendp(labels, epsilon):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    keep = math.exp(epsilon) / (math.exp(epsilon) + CLASSES - 1)
    response = dp.m.make_randomized_response(list(range(CLASSES)), keep)
    return [response(int(label)) for label in labels], response.map(1)


# end
# begin: randomised response, Privet
def response_privet(labels, epsilon, ledger):
    people = privet.Dataset.from_edges([], nodes=len(labels), labels=labels, classes=CLASSES)
    return privet.labels.LabelRr(epsilon=epsilon).run(people, ledger=ledger).get().labels


# end
# begin: DP-SGD, Opacus
def training_opacus(rows, labels, noise):
    import torch
    from opacus import PrivacyEngine

    data = torch.utils.data.TensorDataset(torch.from_numpy(rows), torch.from_numpy(labels))
    loader = torch.utils.data.DataLoader(data, batch_size=BATCH)
    model = torch.nn.Linear(COLUMNS, CLASSES)
    engine = PrivacyEngine(accountant="prv")
    model, optimizer, loader = engine.make_private(
        module=model, optimizer=torch.optim.Adam(model.parameters(), 0.05), data_loader=loader,
        noise_multiplier=noise, max_grad_norm=1.0)
    done = 0
    while done < STEPS:
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            done += 1
            if done == STEPS:
                break
    return model, engine.get_epsilon(1e-5)


# end
# begin: DP-SGD, Privet
def training_privet(rows, labels, epsilon, folder):
    model = privet.Dpar(epsilon=epsilon, delta=1e-5, method="features", steps=STEPS, batch=BATCH, classes=range(CLASSES),
                        bounds=(0, 1), folder=folder)
    return model.fit(None, rows, labels)


# end


def main() -> None:
    """Runs each twice, and shows the second."""
    rng = np.random.default_rng(1)
    rows = (rng.random((ROWS, COLUMNS)) < 0.013).astype(np.float32)
    labels = rng.integers(0, CLASSES, ROWS)
    place = Path(tempfile.mkdtemp())
    fresh = iter(range(1000))
    noise = privet.account.gaussian(epsilon=4, rate=BATCH / ROWS, steps=STEPS, delta=1e-5).noise_multiplier

    def tensor():
        import torch

        torch.set_num_threads(1)
        return torch.from_numpy(rows)

    print("| task | by | seconds | lines | what is written down of the budget |\n|---|---|---:|---:|---|")
    show("multi-bit, 2,708 x 1,433", "torch, as LPGNN's paper", lambda x: multi_bit_torch(x, EPSILON, 0, 1),
         "nothing", tensor, code=multi_bit_torch)
    show("", "Privet", lambda _: multi_bit_privet(rows, EPSILON, place / f"{next(fresh)}.ledger"),
         "an entry on disk before the draw; a card", code=multi_bit_privet)
    show("randomised response, 2,708 labels", "OpenDP", lambda _: response_opendp(labels, EPSILON),
         "a map from distance to epsilon, on request", code=response_opendp)
    show("", "Privet", lambda _: response_privet(labels, EPSILON, place / f"{next(fresh)}.ledger"),
         "an entry on disk before the draw; a card", code=response_privet)
    show(f"DP-SGD, {STEPS} steps of {BATCH}, linear", "Opacus", lambda _: training_opacus(rows, labels, noise),
         "steps in memory, on request", tensor, code=training_opacus)
    show("", "Privet", lambda _: training_privet(rows, labels, 4.0, place / str(next(fresh))),
         "an entry on disk before the draw; a card", code=training_privet)


def show(task, by, work, written, given=lambda: None, *, code) -> None:
    """One line of the table; the second run counts."""
    try:
        data = given()
        work(data)
    except ImportError as missing:
        print(f"| {task} | {by} | skipped: {missing.name} is not installed | | |")
        return
    begun = time.perf_counter()
    work(data)
    took = time.perf_counter() - begun
    body = [line for line in inspect.getsource(code).splitlines() if line.strip() and not line.strip().startswith("#")]
    print(f"| {task} | {by} | {took:.3f} | {len(body)} | {written} |")


if __name__ == "__main__":
    main()
