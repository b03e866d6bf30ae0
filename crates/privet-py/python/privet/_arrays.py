"""The readers of ids, edges and nodes of a split: exact, or an error.

An id is a whole number from 0 to 2**64 - 1, or text; the two are never compared with each other, and no id changes its
type on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from privet._plain import complete, listed, plain, table_of

#: Positions of both ends, how many nodes, their ids (none: 0, 1, 2, ...), and whether the caller stated them.
Ends = tuple[NDArray[np.int64], NDArray[np.int64], int, Union[NDArray[np.uint64], list[str], None], bool]
#: Nodes for training, validation and testing.
Parts = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]

_LARGEST = 2**64 - 1


def as_ids(value: Any, what: str = "ids") -> NDArray[Any]:
    """Whole numbers as unsigned integers of 64 bits, or text."""
    value = listed(value)
    if isinstance(value, (list, tuple)):
        found = _ids_of_list(list(value), what)
        if found is not None:
            return found
    array = plain(value, what)
    if array.ndim != 1:
        raise ValueError(f"{what}: found shape {array.shape}, expected one per node")
    if array.dtype.kind in "OT":
        found = _ids_of_list(array.tolist(), what)
        if found is None:
            raise TypeError(f"{what}: found {array.dtype}, expected whole numbers or text")
        return found
    if len(array) == 0:
        return array.astype(np.uint64)
    if array.dtype.kind == "i" and int(array.min()) < 0:
        raise ValueError(f"{what}: found a negative number, expected numbers from 0 on, or text")
    if array.dtype.kind not in "iuU":
        raise TypeError(f"{what}: found {array.dtype}, expected whole numbers or text")
    return array.astype(np.uint64) if array.dtype.kind in "iu" else array


def _ids_of_list(cells: list[Any], what: str) -> Optional[NDArray[Any]]:
    """The ids of a list of Python's own numbers or texts, if it is one: numpy would turn 1 beside "a" into "1"."""
    kinds = set(map(type, cells))
    texts = {kind for kind in kinds if issubclass(kind, str)}
    # A truth value is a number to Python; as an id it is a mistake.
    numbers = {kind for kind in kinds if issubclass(kind, (int, np.integer)) and not issubclass(kind, bool)}
    if kinds and kinds == texts:
        if any("\0" in cell for cell in cells):  # numpy cuts it off, and "a" would be who "a\0" is
            raise ValueError(f"{what}: found a text with a zero character, expected none")
        return np.asarray(cells, dtype=str)
    if kinds and kinds == numbers:
        if int(min(cells)) < 0:
            raise ValueError(f"{what}: found a negative number, expected numbers from 0 on, or text")
        if int(max(cells)) > _LARGEST:
            raise ValueError(f"{what}: found a number of more than 64 bits, expected numbers below 2**64, or text")
        return np.array([int(cell) for cell in cells], dtype=np.uint64)
    if texts and len(kinds) > 1 or numbers and len(kinds) > 1:
        raise TypeError(f"{what}: found ids of several kinds, expected whole numbers alone, or text alone")
    return None


def ends_of(edges: Any, nodes: Any, source: Optional[str] = None, target: Optional[str] = None) -> Ends:
    """Both ends of all edges; ``nodes`` is a number, a list of ids, or nothing: then the edges tell."""
    if isinstance(nodes, (bool, np.bool_)):
        raise TypeError("nodes: found a truth value, expected a number of nodes, or the id of each")
    if hasattr(edges, "tocoo"):
        return _of_matrix(edges, nodes)
    sources, targets = _pairs(edges, source, target)
    if nodes is None:
        both = np.concatenate([sources, targets])
        ids, at = np.unique(both, return_inverse=True)
        at = at.reshape(-1).astype(np.int64)
        return at[:len(sources)], at[len(sources):], len(ids), _native_ids(ids), False
    if isinstance(nodes, (int, np.integer)):
        if sources.dtype.kind != "u":
            raise TypeError("nodes is a number, so edges must hold positions 0, 1, 2, ...; for ids give a list of all")
        return _positions(sources), _positions(targets), int(nodes), None, True
    known = as_ids(nodes, "nodes")
    if len(sources) and sources.dtype.kind != known.dtype.kind:
        words = {"u": "numbers", "U": "text"}
        one, other = words[sources.dtype.kind], words[known.dtype.kind]
        raise TypeError(f"edges hold {one} and nodes holds {other}: expected the same kind of id in both")
    order = np.argsort(known, kind="stable")
    first, second = _found(sources, known, order), _found(targets, known, order)
    return first, second, len(known), _native_ids(known), True


def _found(ends: NDArray[Any], known: NDArray[Any], order: NDArray[Any]) -> NDArray[np.int64]:
    if len(ends) == 0:
        return np.zeros(0, dtype=np.int64)
    at = np.searchsorted(known, ends, sorter=order)
    here = np.take(order, at, mode="clip") if len(known) else order
    if len(known) == 0 or not bool(np.all(known[here] == ends)):
        raise ValueError("an end of an edge is no node: expected one of the ids in nodes")
    return np.ascontiguousarray(here, dtype=np.int64)


def _of_matrix(edges: Any, nodes: Any) -> Ends:
    """A sparse matrix: row i is about the i-th node, whatever its id. A stored zero is no edge."""
    shape = tuple(edges.shape)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"edges: found a matrix of shape {shape}, expected a row and a column for each node")
    # Through rows: entries that stand there twice are added up, in an array of our own.
    matrix = edges.tocsr(copy=True)
    matrix.sum_duplicates()
    matrix = matrix.tocoo()
    values = np.asarray(matrix.data)
    if values.dtype.kind not in "iufb" or bool(np.any(values != values)):
        raise ValueError("edges: found an entry that is no number, expected numbers: an edge is where one is not zero")
    there = values != 0
    sources, targets = _positions(matrix.row[there]), _positions(matrix.col[there])
    ids: Any = None
    count = shape[0] if nodes is None else nodes
    if not isinstance(count, (int, np.integer)):
        known = as_ids(nodes, "nodes")
        ids, count = _native_ids(known), len(known)
    if count != shape[0]:
        raise ValueError(f"edges: found a matrix of {shape[0]} rows for {int(count)} nodes, expected one row for each")
    return sources, targets, shape[0], ids, True


def _pairs(edges: Any, source: Optional[str], target: Optional[str]) -> tuple[NDArray[Any], NDArray[Any]]:
    table = table_of(edges)
    if table is not None:
        names = list(table)
        if len(names) < 2:
            raise ValueError("a table of edges has two columns at least: the ids of both ends")
        chosen = (source or _named(names, ("source", "from", "src"), 0),
                  target or _named(names, ("target", "to", "dst"), 1))
        if chosen[0] == chosen[1]:
            raise ValueError(f"edges: found {chosen[0]!r} for both ends; say which columns they are with source= and target=")
        return _ends(complete(table, chosen[0]), complete(table, chosen[1]))
    edges = listed(edges)
    if isinstance(edges, (list, tuple)):
        return _of_list(edges)
    array = plain(edges, "edges")
    if array.ndim != 2 or 2 not in array.shape:
        raise ValueError(f"edges: found shape {array.shape}, expected (2, edges) or pairs")
    return _ends(array[0], array[1]) if array.shape[0] == 2 else _ends(array[:, 0], array[:, 1])


def _of_list(edges: Sequence[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two arrays are the rows of an ``edge_index``; tuples are pairs; two lists of two could be either."""
    if len(edges) == 0:
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint64)
    if len(edges) == 2 and all(_is_array(one) for one in edges):
        return _ends(edges[0], edges[1])
    if any(isinstance(one, (str, bytes)) or not hasattr(one, "__len__") or not hasattr(one, "__getitem__") for one in edges):
        raise TypeError("edges: found something else than pairs, expected (2, edges), pairs, a matrix or a table")
    if all(len(one) == 2 for one in edges):
        if len(edges) == 2 and not all(isinstance(one, tuple) for one in edges) and not _same(edges[0][1], edges[1][0]):
            raise ValueError("edges: found two lists of two, which are two pairs or the two rows of an edge_index; "
                             "expected tuples for pairs, or an array for an edge_index")
        return _ends([one[0] for one in edges], [one[1] for one in edges])
    if len(edges) == 2:
        return _ends(edges[0], edges[1])
    raise ValueError(f"edges: found {len(edges)} lists of other lengths than two, expected (2, edges) or pairs")


def _is_array(one: Any) -> bool:
    return hasattr(one, "dtype") and getattr(one, "ndim", 0) == 1


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _ends(sources: Any, targets: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    first, second = as_ids(sources, "edges"), as_ids(targets, "edges")
    if len(first) != len(second):
        raise ValueError(f"edges: found {len(first)} sources and {len(second)} targets, expected as many of both")
    if len(first) and first.dtype.kind != second.dtype.kind:
        raise TypeError("edges: found ids of several kinds, expected whole numbers alone, or text alone")
    return first, second


def _named(names: list[str], usual: Sequence[str], otherwise: int) -> str:
    found = [name for name in names if name.lower() in usual]
    return found[0] if found else names[otherwise]


def _native_ids(array: NDArray[Any]) -> Union[NDArray[np.uint64], list[str]]:
    if array.dtype.kind == "u":
        return np.ascontiguousarray(array, dtype=np.uint64)
    return [str(text) for text in array]


def _positions(array: Any) -> NDArray[np.int64]:
    whole = np.asarray(array)
    if whole.dtype.kind == "u" and len(whole) and int(whole.max()) > np.iinfo(np.int64).max:
        raise ValueError("an end of an edge is out of range: expected a position that is there")
    return np.ascontiguousarray(whole, dtype=np.int64)


def nodes_of(value: Any, count: int, what: str) -> NDArray[np.uint32]:
    """Nodes by their positions, or by a truth value for each of ``count`` nodes, as ascending positions."""
    array = plain(listed(value), what)
    if array.ndim != 1:
        raise ValueError(f"{what}: found shape {array.shape}, expected positions, or a truth value for each node")
    if array.dtype.kind == "b":
        if len(array) != count:
            raise ValueError(f"{what}: found {len(array)} truth values, expected one for each of {count} nodes")
        return np.flatnonzero(array).astype(np.uint32)
    if len(array) == 0:
        return np.zeros(0, dtype=np.uint32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what}: found {array.dtype}, expected positions (whole numbers), or a truth value for each node")
    if int(array.min()) < 0 or int(array.max()) >= count:
        raise ValueError(f"{what}: found a position out of range, expected positions below {count}")
    found = np.unique(array)
    if len(found) < len(array):
        raise ValueError(f"{what}: found a node twice, expected each once")
    return found.astype(np.uint32)


def split_of(split: Any, count: int) -> Parts:
    """Nodes for training, validation and testing: three parts that have no node in common."""
    parts = listed(split)
    if not isinstance(parts, (list, tuple)) or len(parts) != 3:
        raise ValueError("split: expected three parts: nodes for training, for validation and for testing")
    names = ("training", "validation", "testing")
    train, validation, test = (nodes_of(part, count, f"split, {name}") for part, name in zip(parts, names))
    if len(np.unique(np.concatenate([train, validation, test]))) < len(train) + len(validation) + len(test):
        raise ValueError("split: found a node in two parts, expected each in one at most")
    return train, validation, test


__all__ = ["Ends", "Parts", "as_ids", "ends_of", "nodes_of", "split_of"]
