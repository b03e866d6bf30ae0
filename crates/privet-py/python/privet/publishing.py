"""A whole graph, made private once and reused for ever."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Optional, Union

from privet import _native
from privet._arrays import as_ids, ends_of
from privet._plain import several
from privet.dataset import Bounds, Dataset
from privet.protected import Protected, data_of

PathLike = Union[str, "os.PathLike[str]"]


def publish(
    data: Dataset,
    *,
    # settings of PublishRequest
    epsilon_edges: float,
    method: Optional[Literal["public-tree", "private-tree", "paper", "priv-hrg", "edge-rand", "lap-graph"]] = None,
    tree: Optional[Literal["edges", "features"]] = None,
    public_steps: Optional[int] = None,
    wiring: Optional[Literal["uniform", "closing", "closing-only"]] = None,
    delta: Optional[float] = None,
    tree_share: Optional[float] = None,
    private_steps: Optional[int] = None,
    epsilon_features: Optional[float] = None,
    public_features: bool = False,
    mechanism: Literal[
        "laplace", "duchi", "piecewise", "hybrid", "multi-bit", "three-outputs", "pm-sub", "gaussian", "square-wave",
        "hds", "feature-rr"
    ] = "feature-rr",
    bins: Optional[int] = None,
    sensitive_columns: Union[str, Sequence[str]] = (),
    gamma: float = 0.5,
    decoding: Literal["unbiased", "paper"] = "unbiased",
    # end of settings
    private_edges: Any = None,
    private_share: Optional[float] = None,
    share_seed: int = 1,
    private_nodes: Optional[Iterable[Any]] = None,
    public_sample: Optional[Dataset] = None,
    bounds: Optional[Bounds] = None,
    accept: Iterable[str] = (),
    folder: Optional[PathLike] = None,
    seed: Optional[int] = None,
) -> Protected[Dataset]:
    """A graph in which private edges are redrawn from noisy counts (HeteroRR), for whatever comes.

    ``private_edges`` lists them by the ids of both ends; without it all are private, or a ``private_share`` of them
    drawn with ``share_seed``: for experiments. ``private_nodes`` are those who may have private edges. Features are
    left out, unless they have a price (``epsilon_features``) or are public; ``public_sample`` is a public dataset with the
    same columns and labels, from which the importance of columns is computed.

    .. settings of PublishRequest
    ``epsilon_edges``: Privacy budget of each private edge (epsilon).
    ``method``: Mechanism for edges [default: public-tree].
    ``tree``: Public data from which the tree of groups is built [default: edges].
    ``public_steps``: Steps per node of the chain on public edges [default: 100].
    ``wiring``: Which pairs of a group become its edges: `uniform` any, `closing` friends of friends in public edges as
        far as they go and then any, `closing-only` those alone; `paper` and `priv-hrg` take any, as printed [default:
        closing].
    ``delta``: Failure probability (delta) of private-tree; other methods need none [default: 0.000001].
    ``tree_share``: The share of epsilon for the tree, where private edges help to find it [default: 0.5].
    ``private_steps``: Steps per node of a chain that reads private edges [default: 10].
    ``epsilon_features``: Privacy budget of each row of features (epsilon); without it, features are left out.
    ``public_features``: Features are public: publish them as they are.
    ``mechanism``: Randomiser.
    ``bins``: Number of bins of feature-rr.
    ``sensitive_columns``: Sensitive columns, which get less of the budget, by name or index from 0.
    ``gamma``: Weight of importance against sensitivity, from 0 to 1 (gamma).
    ``decoding``: How to decode a report: an unbiased estimate, or the paper's formula.
    .. end of settings

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
    settings = {
        # values of PublishRequest
        "epsilon_edges": epsilon_edges,
        "method": method,
        "tree": tree,
        "public_steps": public_steps,
        "wiring": wiring,
        "delta": delta,
        "tree_share": tree_share,
        "private_steps": private_steps,
        "epsilon_features": epsilon_features,
        "public_features": public_features,
        "mechanism": mechanism,
        "bins": bins,
        "sensitive_columns": several(sensitive_columns),
        "gamma": gamma,
        "decoding": decoding,
        # end of values
    }
    accepted = [accept] if isinstance(accept, str) else list(accept)
    sample = None if public_sample is None else public_sample._native
    native = _native.publish(settings, data.declare(bounds=bounds)._native, private, may_have, sample, accepted,
                             None if folder is None else Path(folder), seed)
    return Protected(native, data_of)
