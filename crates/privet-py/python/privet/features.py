"""Randomizers for rows of features, each run on each person's own row.

>>> import numpy as np, privet
>>> rows = np.random.default_rng(1).random((100, 20), dtype=np.float32)
>>> people = privet.Dataset.from_edges([], features=rows, bounds=(0, 1))
>>> noisy = privet.features.Hds(epsilon=1).run(people, seed=1)
>>> noisy.get().features.shape, noisy.card.guarantees[0]["loss"]["epsilon"]
((100, 20), 1.0)
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Optional, Union

from privet import _native
from privet._mechanism import Mechanism
from privet.card import Card
from privet.dataset import Bounds, Dataset

PathLike = Union[str, "os.PathLike[str]"]


class FeatureMechanism(Mechanism):
    """A mechanism for rows: ``epsilon`` is what a whole row may cost.

    ``bounds`` declares the public range of every column, as its holder knows it without looking at the records;
    without it, what the data declare. ``k`` is how many columns each person reports, ``delta`` is that of Gaussian
    noise, ``bins`` those of feature-rr; what is not given is what suits epsilon best. ``decoding`` is ``unbiased``, or
    ``paper`` for what the mechanism's paper prints. ``budgets`` is a file of people's own wishes.
    """

    def __init__(
        self,
        epsilon: float,
        *,
        bounds: Optional[Bounds] = None,
        k: Optional[int] = None,
        delta: Optional[float] = None,
        bins: Optional[int] = None,
        decoding: Optional[str] = None,
        budgets: Optional[PathLike] = None,
        accept: Iterable[str] = (),
    ) -> None:
        super().__init__(epsilon, budgets=budgets, accept=accept)
        self.bounds = bounds
        self.k = k
        self.delta = delta
        self.bins = bins
        self.decoding = decoding

    def _options(self) -> dict[str, Any]:
        return {"mechanism": self.name, "k": self.k, "delta": self.delta, "bins": self.bins,
                "decoding": self.decoding}

    def promise(self, data: Dataset) -> Card:
        """The card of a run on any data with the same public facts, before any record is looked at."""
        data = data.declare(bounds=self.bounds)
        return Card(_native.promise_features(data._native, self._options(), self._strength()))

    def _released(self, data: Dataset, place: Any) -> _native.Protected:
        data = data.declare(bounds=self.bounds)
        return _native.protect_features(data._native, self._options(), self._strength(), *place)


class Hds(FeatureMechanism):
    """k of d columns, by a square wave: LDP-GE's mechanism."""

    name = "hds"


class SquareWave(FeatureMechanism):
    """All columns, a window of half width b."""

    name = "square-wave"


class Piecewise(FeatureMechanism):
    """k of d columns, a window of half width e^(-epsilon/2)."""

    name = "piecewise"


class PmSub(FeatureMechanism):
    """k of d columns, a window of half width e^(-epsilon/3)."""

    name = "pm-sub"


class Duchi(FeatureMechanism):
    """All columns, two points."""

    name = "duchi"


class MultiBit(FeatureMechanism):
    """k of d columns, two points: LPGNN's mechanism."""

    name = "multi-bit"


class Hybrid(FeatureMechanism):
    """k of d columns, a coin between piecewise and two points."""

    name = "hybrid"


class ThreeOutputs(FeatureMechanism):
    """k of d columns, three points."""

    name = "three-outputs"


class Laplace(FeatureMechanism):
    """All columns, discrete Laplace noise."""

    name = "laplace"


class Gaussian(FeatureMechanism):
    """All columns, Gaussian noise; takes ``delta``."""

    name = "gaussian"


class FeatureRr(FeatureMechanism):
    """All columns, graded bins: HeteroRR's mechanism; takes ``bins``."""

    name = "feature-rr"
