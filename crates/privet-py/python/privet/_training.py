"""What an estimator learns from, out of what ``fit`` was called with, and how right its answers are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from numpy.typing import NDArray

from privet import _native
from privet._convert import edges_and_nodes, is_pyg
from privet._labels import UNSTATED, class_values, labels_of
from privet.dataset import Dataset

if TYPE_CHECKING:
    from privet._estimator import System


def share_right(predicted: NDArray[Any], y: Any, missing: Any) -> float:
    """The share of right answers among those whose class is known."""
    truth = labels_of(y, "y", missing)
    if len(truth) != len(predicted):
        raise ValueError(f"y: found {len(truth)} classes, expected one for each of {len(predicted)} answers")
    if not truth.known.any():
        raise ValueError("y: found no class at all, expected some to compare with")
    values = np.asarray(truth.values)
    if (values.dtype.kind == "U") != (predicted.dtype.kind in "UO"):
        raise TypeError(f"y: found {values.dtype}, expected classes as they were given to fit ({predicted.dtype})")
    return float(np.mean(predicted[truth.known] == values[truth.known]))


def encoded(system: System, graph: Any, X: Any, y: Any, missing: Any = UNSTATED) -> tuple[Dataset, Optional[NDArray[Any]]]:
    """A dataset whose classes are positions, and what the classes are, if it has any."""
    if is_pyg(graph) and X is None:
        more = {} if y is None and missing is UNSTATED else {"missing": None if y is not None else missing}
        graph = Dataset.from_pyg(graph, **more)
    if isinstance(graph, Dataset):
        data = graph
        if X is not None:
            raise ValueError("X: found features, expected none: the dataset has its own")
    else:
        if X is None:
            raise ValueError("X: found nothing, expected a row of features for every node")
        if hasattr(graph, "is_multigraph"):
            graph, count = edges_and_nodes(graph)
            rows = getattr(X, "shape", (None,))[0] if hasattr(X, "shape") else len(X)
            if rows != count:
                raise ValueError(f"X: found {rows} rows, expected one for each of {count} nodes of the graph, in its order")
        data = Dataset.from_edges([] if graph is None else graph, features=X)
    stated = system._facts["classes"]
    if y is None:
        names = data.classes
        return data, None if names is None else np.asarray(class_values(names))
    truth = labels_of(y, "y", missing)
    if len(truth) != data.node_count:
        raise ValueError(f"y: found {len(truth)} classes, expected one for each of {data.node_count} nodes")
    if not truth.known.any():
        raise ValueError("y: found no class at all, expected some to learn from")
    if stated is None:
        classes = truth.classes()
    else:
        classes = np.asarray(list(range(stated) if isinstance(stated, int) else stated))
    data = Dataset(_native.with_labels(data._native, truth.codes(classes), ~truth.known))
    return (data if stated is None else data.declare(classes=len(classes))), classes


__all__ = ["encoded", "share_right"]
