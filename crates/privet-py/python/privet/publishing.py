"""A whole graph, made private once and reused for ever."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Optional, Union

from privet import _native
from privet._arrays import as_ids, ends_of
from privet._words import words
from privet.dataset import Bounds, Dataset
from privet.protected import Protected, data_of

PathLike = Union[str, "os.PathLike[str]"]


def publish(
    data: Dataset,
    *,
    epsilon_edges: float,
    private_edges: Any = None,
    private_share: Optional[float] = None,
    share_seed: int = 1,
    private_nodes: Optional[Iterable[Any]] = None,
    epsilon_features: Optional[float] = None,
    public_features: bool = False,
    public_sample: Optional[Dataset] = None,
    bounds: Optional[Bounds] = None,
    folder: Optional[PathLike] = None,
    seed: Optional[int] = None,
    **settings: Any,
) -> Protected[Dataset]:
    """A graph in which private edges are redrawn from noisy counts (HeteroRR), for whatever comes.

    ``private_edges`` lists them by the ids of both ends; without it all are private, or a ``private_share`` of them
    drawn with ``share_seed``: for experiments. ``private_nodes`` are those who may have private edges. Features are
    left out, unless they have a price (``epsilon_features``) or are public. Settings are those of ``privet publish``.

    >>> import privet
    >>> shared = privet.publish(privet.karate_club(), epsilon_edges=1, seed=1)
    >>> shared.get().node_count, shared.card.guarantees[0]["loss"]["epsilon"]
    (34, 1.0)
    """
    if private_edges is not None and private_share is not None:
        raise ValueError("private_edges= and private_share= say the same thing twice: give one of them")
    private: Any = None
    ids = as_ids(data.ids)
    if private_share is not None:
        private = (float(private_share), int(share_seed))
    elif private_edges is not None:
        sources, targets, *_ = ends_of(private_edges, ids)
        private = (sources, targets)
    may_have = None
    if private_nodes is not None:
        named = as_ids(private_nodes, "private_nodes")
        at, *_ = ends_of([named, named], ids)
        may_have = at.tolist()
    said = words({"all_private": True, "epsilon_edges": epsilon_edges, "epsilon_features": epsilon_features,
                  "public_features": public_features, **settings})
    sample = None if public_sample is None else public_sample._native
    native = _native.publish(said, data.declare(bounds=bounds)._native, private, may_have, sample,
                             None if folder is None else Path(folder), seed)
    return Protected(native, data_of)
