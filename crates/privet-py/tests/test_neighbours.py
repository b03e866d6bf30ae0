"""Random pairs of neighbouring datasets: whatever reads private data says the same about both, except in the release itself.

``PRIVET_NEIGHBOURS=300 pytest crates/privet-py/tests/test_neighbours.py`` is the long search.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, replace
from typing import Any, Callable

import numpy as np
import pytest

import privet

PAIRS = int(os.environ.get("PRIVET_NEIGHBOURS", "5"))

CLASSES = ["red", "green", "blue"]


@dataclass
class World:
    """Arrays as a caller holds them."""

    edges: np.ndarray
    features: np.ndarray
    labels: list[Any]

    def dataset(self) -> privet.Dataset:
        return privet.Dataset.from_edges(self.edges, features=self.features, labels=self.labels, classes=CLASSES,
                                         bounds=(0, 1), nodes=len(self.labels))


def drawn(draws: np.random.Generator) -> World:
    people = int(draws.integers(12, 60))
    edges = draws.integers(0, people, (2, int(draws.integers(1, 4 * people))))
    labels = [None if draws.random() < 0.1 else CLASSES[draws.integers(3)] for _ in range(people)]
    return World(edges, draws.random((people, 4), dtype=np.float32), labels)


def other_list(world: World, draws: np.random.Generator) -> World:
    """One connection more, or one fewer."""
    people = len(world.labels)
    if draws.random() < 0.5:
        more = draws.integers(0, people, (2, 1))
        return replace(world, edges=np.concatenate([world.edges, more], axis=1))
    ends = np.sort(world.edges, axis=0)
    gone = (ends == ends[:, [draws.integers(ends.shape[1])]]).all(axis=0)
    return replace(world, edges=world.edges[:, ~gone])


def other_row(world: World, draws: np.random.Generator) -> World:
    features = world.features.copy()
    # At the ends of what was declared, where clipping begins.
    features[draws.integers(len(features))] = draws.choice([0.0, 1.0, 0.5], 4)
    return replace(world, features=features)


def other_label(world: World, draws: np.random.Generator) -> World:
    labels = list(world.labels)
    labels[draws.integers(len(labels))] = [None, *CLASSES][draws.integers(4)]
    return replace(world, labels=labels)


def other_person(world: World, draws: np.random.Generator) -> World:
    """One person's record, label and connections, all of them."""
    person, people = int(draws.integers(len(world.labels))), len(world.labels)
    features, labels = world.features.copy(), list(world.labels)
    features[person], labels[person] = draws.random(4), [None, *CLASSES][draws.integers(4)]
    kept = world.edges[:, (world.edges != person).all(axis=0)]
    more = np.stack([np.full(5, person), draws.integers(0, people, 5)])
    return World(np.concatenate([kept, more], axis=1), features, labels)


def released(protected: Any, world: World) -> list[str]:
    card = protected.card
    return [repr(card), card._repr_html_(), str(card.guarantees), str(card.is_simulation)]


def run(system: Any, world: World) -> list[str]:
    data = world.dataset()
    return [repr(system), repr(system.promise(data)), *released(system.run(data, seed=3), world)]


def fitted(system: Any, world: World) -> list[str]:
    model = system.fit(world.dataset())
    likely = model.predict_proba(world.dataset()) if isinstance(model, privet.Dpar) else model.predict_proba()
    return [repr(model), repr(model.card_), model.card_._repr_html_(), str(list(model.classes_)), str(likely.shape),
            str(likely.dtype)]


READERS: dict[str, tuple[Callable[[World, np.random.Generator], World], Callable[[World], list[str]]]] = {
    "hds": (other_row, lambda world: run(privet.features.Hds(epsilon=1), world)),
    "feature-rr": (other_row, lambda world: run(privet.features.FeatureRr(epsilon=1), world)),
    "gaussian": (other_row, lambda world: run(privet.features.Gaussian(epsilon=1, delta=1e-4), world)),
    "labels": (other_label, lambda world: run(privet.labels.LabelRr(epsilon=1), world)),
    "dprr": (other_list, lambda world: run(privet.edges.Dprr(epsilon=1), world)),
    "rr": (other_list, lambda world: run(privet.edges.Rr(epsilon=1), world)),
    "lap-graph": (other_list, lambda world: run(privet.edges.LapGraph(epsilon=1), world)),
    "ldp-ge": (other_row, lambda world: fitted(privet.LdpGe(epsilon=2, epochs=1, seed=4), world)),
    "dpar": (other_person, lambda world: fitted(privet.Dpar(epsilon=4, steps=2, seed=4), world)),
    "hetero-rr": (other_list, lambda world: fitted(privet.HeteroRr(epsilon_edges=2, private_share=1, seed=4), world)),
}


def said(reader: Callable[[World], list[str]], world: World) -> tuple[list[str], list[str]]:
    """What a caller sees beside the released values; a refusal is seen, too."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            seen = reader(world)
        except (privet.PrivetError, ValueError, TypeError) as error:
            seen = [type(error).__name__, str(error)]
    return seen, [str(warning.message) for warning in warned]


@pytest.mark.parametrize("name", READERS)
def test_neighbouring_datasets_differ_in_nothing_but_the_release(name: str) -> None:
    neighbour, reader = READERS[name]
    done = 0
    for seed in range(PAIRS):
        draws = np.random.default_rng([seed, len(name)])
        one = drawn(draws)
        other = neighbour(one, draws)
        first, second = said(reader, one), said(reader, other)
        assert first == second, f"pair {seed}"
        done += len(first[0]) > 2
    assert done, f"every one of {PAIRS} pairs was refused: {first}"
