"""Transforms of PyTorch Geometric: one line makes an existing training script local-private.

>>> import privet.pyg                                                                     # doctest: +SKIP
>>> dataset = Planetoid(root, "Cora", transform=privet.pyg.ProtectFeatures(               # doctest: +SKIP
...     privet.features.MultiBit(epsilon=1, bounds=(0, 1)), ledger="cora.ledger"))
"""

from __future__ import annotations

import copy
import os
from typing import Any, Optional, Union

from privet._labels import UNSTATED
from privet._mechanism import Mechanism
from privet.card import Card
from privet.dataset import Dataset
from privet.edges import EdgeMechanism
from privet.features import FeatureMechanism
from privet.ledger import Ledger

try:
    from torch_geometric.transforms import BaseTransform
except ImportError:  # the transforms work on whatever looks like a Data

    class BaseTransform:  # type: ignore[no-redef]
        """Stands in where PyTorch Geometric is not installed."""

        def __call__(self, data: Any) -> Any:
            return self.forward(copy.copy(data))

        def forward(self, data: Any) -> Any:
            """What subclasses do."""
            raise NotImplementedError


PathLike = Union[str, "os.PathLike[str]"]


#: What a dataset is made of, and so what a card can speak of.
_READ = ("x", "edge_index", "y", "train_mask", "val_mask", "test_mask", "node_ids", "num_nodes")
#: What the transforms themselves leave in the data.
_CARD = "privet_card"


class _Protect(BaseTransform):  # type: ignore[misc]
    """Runs a mechanism on a ``Data`` and puts the reports in place of what they are about.

    The card goes on where that of an earlier transform ended (``data.privet_card``), so the last one of a ``Compose`` speaks of
    all of them. An attribute that no card speaks of (``edge_attr``, ``edge_weight``, ``pos``, ...) would stay in the data in
    the clear, so it is refused before anything is charged: remove it first. ``missing`` is as for ``Dataset.from_pyg``.
    """

    def __init__(self, mechanism: Mechanism, *, ledger: Union[Ledger, PathLike, None] = None,
                 seed: Optional[int] = None, missing: Any = UNSTATED) -> None:
        self.mechanism = mechanism
        self.ledger = ledger
        self.seed = seed
        self.missing = missing
        #: The card of the data that it gave last: of this transform and of those before it.
        self.card: Optional[Card] = None

    def _protected(self, data: Any, **facts: Any) -> Dataset:
        for name in _names(data):
            if name not in _READ and name != _CARD and _value(data, name) is not None:
                raise ValueError(f"{name}: found an attribute that this transform would leave in the clear and its card would "
                                 f"not mention; expected only {', '.join(_READ)}: remove it first (del data.{name})")
        earlier = _value(data, _CARD)
        raw = Dataset.from_pyg(data, missing=self.missing, **facts)
        released = self.mechanism.run_after(None if earlier is None else Card.parse(earlier), raw, ledger=self.ledger,
                                            seed=self.seed)
        self.card = released.card
        setattr(data, _CARD, released.card.to_json())
        return released.get()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.mechanism!r})"


def _names(data: Any) -> list[str]:
    keys = getattr(data, "keys", None)
    if keys is None:
        return [name for name in vars(data) if not name.startswith("_")]
    return list(keys() if callable(keys) else keys)


def _value(data: Any, name: str) -> Any:
    return getattr(data, name, None)


def _tensor(array: Any) -> Any:
    """The same numbers as a tensor; as an array where there is no torch."""
    try:
        import torch
    except ImportError:
        return array
    return torch.from_numpy(array)


class ProtectFeatures(_Protect):
    """Randomises ``data.x`` row by row; ``mechanism`` is one of :mod:`privet.features`."""

    def __init__(self, mechanism: FeatureMechanism, **place: Any) -> None:
        super().__init__(mechanism, **place)

    def forward(self, data: Any) -> Any:
        """The same ``Data`` with reports in place of its features."""
        rows = self._protected(data).features
        data.x = _tensor(rows.toarray() if hasattr(rows, "toarray") else rows)
        return data


class ProtectEdges(_Protect):
    """Randomises ``data.edge_index``; ``mechanism`` is one of :mod:`privet.edges`. A ``Data`` with attributes of edges is
    refused: their rows say which edges there are."""

    def __init__(self, mechanism: EdgeMechanism, **place: Any) -> None:
        super().__init__(mechanism, **place)

    def forward(self, data: Any) -> Any:
        """The same ``Data`` with a graph of reports in place of its own."""
        data.edge_index = _tensor(self._protected(data).edge_index)
        return data


class ProtectLabels(_Protect):
    """Randomises ``data.y``; ``classes`` is how many classes there are, which no record may tell."""

    def __init__(self, mechanism: Mechanism, *, classes: int, **place: Any) -> None:
        super().__init__(mechanism, **place)
        self.classes = classes

    def forward(self, data: Any) -> Any:
        """The same ``Data`` with reports in place of its labels."""
        data.y = _tensor(self._protected(data, classes=self.classes).labels)
        return data
