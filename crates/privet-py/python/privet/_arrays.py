"""What people pass, as the arrays that the native half takes: contiguous, of one type, copied only where they must be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from privet import _arrow

#: Positions of both ends, how many nodes, their ids (none: 0, 1, 2, ...), and whether somebody stated them.
Ends = tuple[NDArray[np.int64], NDArray[np.int64], int, Union[NDArray[np.uint64], list[str], None], bool]
#: Columns in all, offsets, columns, values.
Sparse = tuple[int, NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
#: One dense matrix, or a sparse one, and the names of its columns if it has some.
Rows = tuple[Union[NDArray[np.float32], Sparse], Optional[list[str]]]


def ends_of(edges: Any, nodes: Any, source: Optional[str] = None, target: Optional[str] = None) -> Ends:
    """Both ends of all edges; ``nodes`` is a number, a list of ids, or nothing: then the edges tell."""
    sources, targets = _pairs(edges, source, target)
    if nodes is None:
        both = np.concatenate([sources, targets])
        ids, at = np.unique(both, return_inverse=True)
        at = at.reshape(-1).astype(np.int64)
        return at[:len(sources)], at[len(sources):], len(ids), _ids(ids), False
    if isinstance(nodes, (int, np.integer)):
        if sources.dtype.kind not in "iu" or targets.dtype.kind not in "iu":
            raise TypeError("nodes is a number, so edges must hold positions 0, 1, 2, ...; for ids give a list of all")
        return _integers(sources), _integers(targets), int(nodes), None, True
    known = as_ids(nodes)
    if len(sources) and sources.dtype.kind not in "iu" and known.dtype.kind in "iu":
        raise TypeError("edges hold text and nodes holds numbers: expected the same kind of id in both")
    order = np.argsort(known, kind="stable")
    first, second = _found(sources, known, order), _found(targets, known, order)
    return first, second, len(known), _ids(known), True


def _found(ends: NDArray[Any], known: NDArray[Any], order: NDArray[Any]) -> NDArray[np.int64]:
    if len(ends) == 0:
        return np.zeros(0, dtype=np.int64)
    ends = ends.astype(known.dtype) if known.dtype.kind in "iu" else ends
    at = np.searchsorted(known, ends, sorter=order)
    here = np.take(order, at, mode="clip")
    if len(known) == 0 or not bool(np.all(known[here] == ends)):
        raise ValueError("an end of an edge is no node: expected one of the ids in nodes")
    return np.ascontiguousarray(here, dtype=np.int64)


def _pairs(edges: Any, source: Optional[str], target: Optional[str]) -> tuple[NDArray[Any], NDArray[Any]]:
    if hasattr(edges, "tocoo"):
        matrix = edges.tocoo()
        return _integers(matrix.row), _integers(matrix.col)
    table = table_of(edges)
    if table is not None:
        names = list(table)
        if len(names) < 2:
            raise ValueError("a table of edges has two columns at least: the ids of both ends")
        chosen = (source or _named(names, ("source", "from", "src"), 0),
                  target or _named(names, ("target", "to", "dst"), 1))
        first, second = (as_ids(_complete(table, name)) for name in chosen)
        return first, second
    pairs = isinstance(edges, (list, tuple)) and not (len(edges) == 2 and isinstance(edges[0], np.ndarray))
    if pairs and len(edges) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    array = _plain(edges)
    if array.ndim != 2 or 2 not in array.shape:
        raise ValueError(f"edges: found shape {array.shape}, expected (2, edges) or pairs")
    if (pairs and array.shape[1] == 2) or array.shape[0] != 2:
        array = array.T
    return as_ids(array[0]), as_ids(array[1])


def _named(names: list[str], usual: Sequence[str], otherwise: int) -> str:
    found = [name for name in names if name.lower() in usual]
    return found[0] if found else names[otherwise]


def table_of(value: Any) -> Optional[dict[str, _arrow.Column]]:
    """The columns of a table of any library, if it is one."""
    if hasattr(value, "__arrow_c_stream__"):
        from privet import _arrow

        try:
            return _arrow.columns(value)
        except ImportError:
            pass  # pandas asks for pyarrow here, and has its own way besides
    if hasattr(value, "columns") and hasattr(value, "iloc"):
        return {str(name): _series(value[name]) for name in value.columns}
    return None


def _series(series: Any) -> _arrow.Column:
    missing = np.asarray(series.isna(), dtype=bool)
    values = series.to_numpy()
    if values.dtype.kind not in "iufb":
        return ["" if gone else str(cell) for cell, gone in zip(values, missing)], missing
    return values, missing


def _complete(table: dict[str, _arrow.Column], name: str) -> Any:
    if name not in table:
        raise ValueError(f"there is no column {name!r}; there are {', '.join(table)}")
    values, missing = table[name]
    if bool(np.any(missing)):
        raise ValueError(f"column {name!r}: found a missing id, expected one in every row")
    return values


def _plain(value: Any) -> NDArray[Any]:
    """An array of numbers or text; tensors come to the processor first."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return np.asarray(value)


def as_ids(value: Any) -> NDArray[Any]:
    """Whole numbers from 0, or text."""
    array = _plain(value if not hasattr(value, "__iter__") or hasattr(value, "dtype") else list(value))
    if array.ndim != 1:
        raise ValueError(f"ids: found shape {array.shape}, expected one per node")
    if array.dtype.kind == "O" and all(isinstance(cell, str) for cell in array):
        return array.astype(str)
    if len(array) == 0:
        return array.astype(np.int64)
    if array.dtype.kind == "i" and int(array.min()) < 0:
        raise ValueError("ids: found a negative number, expected numbers from 0 on, or text")
    if array.dtype.kind not in "iuU":
        raise TypeError(f"ids: found {array.dtype}, expected whole numbers or text")
    return array


def _ids(array: NDArray[Any]) -> Union[NDArray[np.uint64], list[str]]:
    if array.dtype.kind in "iu":
        return np.ascontiguousarray(array, dtype=np.uint64)
    return [str(text) for text in array]


def _integers(array: Any) -> NDArray[np.int64]:
    whole = np.asarray(array)
    if whole.dtype.kind == "u" and len(whole) and int(whole.max()) > np.iinfo(np.int64).max:
        raise ValueError("an end of an edge is out of range: expected a position that is there")
    return np.ascontiguousarray(whole, dtype=np.int64)


def rows_of(features: Any) -> Rows:
    """A matrix of 32-bit floats; one that is contiguous already is not copied here."""
    if hasattr(features, "tocsr"):
        matrix = features.tocsr()
        matrix.sum_duplicates()
        values = np.ascontiguousarray(_real(matrix.data), dtype=np.float32)
        return (int(matrix.shape[1]), _integers(matrix.indptr), _integers(matrix.indices), values), None
    table = table_of(features)
    if table is not None:
        if any(bool(np.any(missing)) for _, missing in table.values()):
            raise ValueError("features: found a missing value, expected a number in every cell")
        return np.ascontiguousarray(
            np.column_stack([_real(values) for values, _ in table.values()]), dtype=np.float32), list(table)
    array = _real(_plain(features))
    if array.ndim != 2:
        raise ValueError(f"features: found shape {array.shape}, expected (nodes, columns)")
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32), None


def _real(values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "iufb":
        raise TypeError(f"features: found {array.dtype}, expected real numbers")
    return array


def labels_of(labels: Any) -> Union[NDArray[np.int64], list[str]]:
    """Numbers, -1 where there is none, or text, empty where there is none."""
    if hasattr(labels, "isna"):
        values, missing = _series(labels)
        if isinstance(values, list):
            return values
        labels = np.where(missing, -1, values) if np.any(missing) else values
    array = _plain(labels)
    if array.ndim != 1:
        raise ValueError(f"labels: found shape {array.shape}, expected one per node")
    if array.dtype.kind == "f":
        gone = np.isnan(array)
        if not bool(np.all(np.mod(array[~gone], 1) == 0)):
            raise ValueError("labels: found a fraction, expected classes: whole numbers or text")
        array = np.where(gone, -1, array)
        return np.ascontiguousarray(array, dtype=np.int64)
    if array.dtype.kind in "iub":
        return np.ascontiguousarray(array, dtype=np.int64)
    if array.dtype.kind in "UO" and all(cell is None or cell != cell or isinstance(cell, str) for cell in array):
        return [cell if isinstance(cell, str) else "" for cell in array]
    raise TypeError(f"labels: found {array.dtype}, expected whole numbers or text")
