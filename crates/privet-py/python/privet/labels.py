"""Randomised response for labels.

>>> import privet
>>> people = privet.stochastic_blocks(seed=1)
>>> noisy = privet.labels.LabelRr(epsilon=1).run(people, seed=1)
>>> len(noisy.get().labels)
1000
"""

from __future__ import annotations

from typing import Any

from privet import _native
from privet._mechanism import Mechanism
from privet.card import Card
from privet.dataset import Dataset


class LabelRr(Mechanism):
    """Each person sends their class, or another with a known probability. The classes there are must be stated."""

    name = "label-rr"

    def promise(self, data: Dataset) -> Card:
        """The card of a run on any data with the same public facts, before any record is looked at."""
        return Card(_native.promise_labels(data._native, self._strength()))

    def _released(self, data: Dataset, place: Any) -> _native.Protected:
        return _native.protect_labels(data._native, self._strength(), *place)
