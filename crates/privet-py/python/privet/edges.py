"""Mechanisms for who is connected to whom.

>>> import privet
>>> noisy = privet.edges.Dprr(epsilon=2, merge="or").run(privet.karate_club(), seed=1)
>>> guarantee = noisy.card.guarantees[0]
>>> guarantee["loss"]["epsilon"], guarantee["also"][0]["loss"]["epsilon"]    # a list; a friendship, in two lists
(2.0, 4.0)
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Optional, Union

from privet import _native
from privet._mechanism import Mechanism
from privet.card import Card
from privet.dataset import Dataset

PathLike = Union[str, "os.PathLike[str]"]


class EdgeMechanism(Mechanism):
    """A mechanism for edges: ``epsilon`` is what one list of contacts may cost, or one edge in a curator's hands.

    ``merge`` is how two people's reports become an edge, where each sends a row: ``directed``, ``or``, ``and`` or
    ``one-sided``.
    """

    def __init__(
        self,
        epsilon: float,
        *,
        merge: Optional[str] = None,
        budgets: Optional[PathLike] = None,
        accept: Iterable[str] = (),
    ) -> None:
        super().__init__(epsilon, budgets=budgets, accept=accept)
        self.merge = merge

    def promise(self, data: Dataset) -> Card:
        """The card of a run on any data with the same public facts, before any record is looked at."""
        return Card(_native.promise_edges(data._native, self.name, self.merge, self._strength()))

    def _released(self, data: Dataset, place: Any) -> _native.Protected:
        return _native.protect_edges(data._native, self.name, self.merge, self._strength(), *place)


class Dprr(EdgeMechanism):
    """On each person's device: randomised response, thinned to about their degree."""

    name = "dprr"


class Rr(EdgeMechanism):
    """On each person's device: randomised response on every pair."""

    name = "rr"


class LocalLap(EdgeMechanism):
    """On each person's device: noisy degree and noisy cells."""

    name = "local-lap"


class EdgeRand(EdgeMechanism):
    """By a trusted curator: every pair flipped at random."""

    name = "edge-rand"


class LapGraph(EdgeMechanism):
    """By a trusted curator: as many edges as a noisy count says."""

    name = "lap-graph"
