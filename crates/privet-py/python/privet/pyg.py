"""Transforms of PyTorch Geometric: one line makes an existing training script local-private.

>>> import privet.pyg                                                                     # doctest: +SKIP
>>> dataset = Planetoid(root, "Cora", transform=privet.pyg.ProtectFeatures(               # doctest: +SKIP
...     privet.features.MultiBit(epsilon=1, bounds=(0, 1)), ledger="cora.ledger"))
"""

from __future__ import annotations

import os
from typing import Any, Optional, Union

from privet._mechanism import Mechanism
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
            return self.forward(data)

        def forward(self, data: Any) -> Any:
            """What subclasses do."""
            raise NotImplementedError


PathLike = Union[str, "os.PathLike[str]"]


class _Protect(BaseTransform):  # type: ignore[misc]
    """Runs a mechanism on a ``Data`` and puts the reports in place of what they are about."""

    def __init__(self, mechanism: Mechanism, *, ledger: Union[Ledger, PathLike, None] = None,
                 seed: Optional[int] = None) -> None:
        self.mechanism = mechanism
        self.ledger = ledger
        self.seed = seed
        #: The card of the last release.
        self.card: Any = None

    def _protected(self, data: Any) -> Dataset:
        released = self.mechanism.run(Dataset.from_pyg(data), ledger=self.ledger, seed=self.seed)
        self.card = released.card
        data.privet_card = released.card.to_json()
        return released.get()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.mechanism!r})"


class ProtectFeatures(_Protect):
    """Randomises ``data.x`` row by row; ``mechanism`` is one of :mod:`privet.features`."""

    def __init__(self, mechanism: FeatureMechanism, **place: Any) -> None:
        super().__init__(mechanism, **place)

    def forward(self, data: Any) -> Any:
        """The same ``Data`` with reports in place of its features."""
        import torch

        rows = self._protected(data).features
        data.x = torch.from_numpy(rows.toarray() if hasattr(rows, "toarray") else rows)
        return data


class ProtectEdges(_Protect):
    """Randomises ``data.edge_index``; ``mechanism`` is one of :mod:`privet.edges`."""

    def __init__(self, mechanism: EdgeMechanism, **place: Any) -> None:
        super().__init__(mechanism, **place)

    def forward(self, data: Any) -> Any:
        """The same ``Data`` with a graph of reports in place of its own."""
        import torch

        data.edge_index = torch.from_numpy(self._protected(data).edge_index)
        return data


class ProtectLabels(_Protect):
    """Randomises ``data.y``; ``classes`` is how many classes there are, which nobody's label may tell."""

    def __init__(self, mechanism: Mechanism, *, classes: int, **place: Any) -> None:
        super().__init__(mechanism, **place)
        self.classes = classes

    def forward(self, data: Any) -> Any:
        """The same ``Data`` with reports in place of its labels."""
        import torch

        raw = Dataset.from_pyg(data, classes=self.classes)
        released = self.mechanism.run(raw, ledger=self.ledger, seed=self.seed)
        self.card = released.card
        data.y = torch.from_numpy(released.get().labels)
        return data
