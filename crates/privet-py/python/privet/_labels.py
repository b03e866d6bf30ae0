"""The reader of labels, for datasets, estimators and scores alike.

One rule: ``None``, NaN, NA, a masked cell and an empty text mean that there is no class; every other value is a class.
-1 is both, by custom: other libraries write it for "no class", and it is one of the two classes of many classifiers. Where
it occurs the caller says which: ``missing=-1`` (no class) or ``missing=None`` (a class like any other).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from privet._plain import listed, plain, series

#: What the native half takes: numbers and which of them are missing, or text that is empty where there is none.
NativeLabels = tuple[Union[NDArray[np.int64], list[str]], Optional[NDArray[np.bool_]]]


class Unstated:
    """What ``missing`` is until the caller says it."""

    def __repr__(self) -> str:
        return "UNSTATED"


UNSTATED = Unstated()
#: Beyond it, 64-bit floats are not all whole numbers that can be told apart.
_EXACT = 2**53
_WHOLE = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)


@dataclass(frozen=True)
class LabelColumn:
    """One class per item, of the type it came with, and which of the items have one."""

    values: NDArray[Any]
    known: NDArray[np.bool_]
    what: str

    def __len__(self) -> int:
        return len(self.known)

    def classes(self) -> NDArray[Any]:
        """The classes that occur, ascending."""
        found: NDArray[Any] = np.unique(self.values[self.known])
        return found

    def native(self) -> NativeLabels:
        """The same for the native half."""
        if self.values.dtype.kind == "U":
            return [str(cell) if known else "" for cell, known in zip(self.values, self.known)], None
        numbers = np.where(self.known, self.values, self.values.dtype.type(0))
        if numbers.dtype.kind == "u" and len(numbers) and int(numbers.max()) > np.iinfo(np.int64).max:
            raise ValueError(f"{self.what}: found a number of more than 63 bits, expected smaller ones, or text")
        return np.ascontiguousarray(numbers, dtype=np.int64), ~self.known

    def codes(self, classes: NDArray[Any]) -> NDArray[np.int64]:
        """Positions in ``classes``, 0 where there is no class."""
        order = {value: at for at, value in enumerate(classes.tolist())}
        if len(order) < len(classes):
            raise ValueError("classes: found one twice, expected each once")
        cells = self.values.tolist()
        found = [order.get(cell, -1) if known else 0 for cell, known in zip(cells, self.known)]
        if -1 in found:
            raise ValueError(f"{self.what}: found a class that is not among classes")
        return np.asarray(found, dtype=np.int64)


def labels_of(labels: Any, what: str = "labels", missing: Any = UNSTATED) -> LabelColumn:
    """Reads one class or none per item."""
    values, known = _cells(labels, what)
    if missing is not UNSTATED and missing is not None:
        known = known & np.asarray([cell != missing for cell in values.tolist()], dtype=bool)
    elif missing is UNSTATED and values.dtype.kind in "if" and bool(np.any(values[known] == -1)):
        raise ValueError(f"{what}: found -1, which may be a class or stand for none; say missing=-1 (it stands for none) or "
                         "missing=None (it is a class)")
    return LabelColumn(values, known, what)


def _cells(labels: Any, what: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    if isinstance(labels, tuple) and len(labels) == 2 and isinstance(labels[1], np.ndarray) and labels[1].dtype == bool:
        values, gone = labels  # a column of a table
        return _of_column(values, ~gone, what)
    if hasattr(labels, "isna") and hasattr(labels, "to_numpy"):
        values, gone = series(labels)
        return _of_column(values, ~gone, what)
    if isinstance(labels, np.ma.MaskedArray):
        return _of_column(labels.data, ~np.ma.getmaskarray(labels), what)
    for name in ("to_pylist", "to_list"):  # pyarrow, polars
        if hasattr(labels, name):
            labels = getattr(labels, name)()
    labels = listed(labels)
    if isinstance(labels, (list, tuple)):
        return _of_list(list(labels), what)
    array = plain(labels, what)
    return _of_column(array, np.ones(len(array) if array.ndim else 0, dtype=bool), what)


def _of_column(values: Any, known: NDArray[np.bool_], what: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{what}: found shape {array.shape}, expected one class per item")
    if array.dtype.kind in "OT" or isinstance(values, list):
        return _of_list([cell if here else None for cell, here in zip(array.tolist(), known)], what)
    if array.dtype.kind == "U":
        return array, known & (array != "")
    if array.dtype.kind in "iub":
        return array, known
    if array.dtype.kind != "f":
        raise TypeError(f"{what}: found {array.dtype}, expected whole numbers or text")
    known = known & ~np.isnan(array)
    whole = array[known]
    if not bool(np.all(np.isfinite(whole))) or not bool(np.all(whole == np.trunc(whole))):
        # The words in brackets are those that scikit-learn's tools look for.
        raise ValueError(f"{what}: found fractions (Unknown label type: continuous), expected classes: whole numbers or text")
    if bool(np.any(np.abs(whole) > _EXACT)):
        raise ValueError(f"{what}: found a number beyond 2**53, which a float does not hold exactly; expected smaller ones, or text")
    return np.where(known, array, 0), known


def _is_missing(cell: Any) -> bool:
    # Arrow's and pandas' marks are objects of their own; NaN is the one number that is not itself.
    return cell is None or cell is np.ma.masked or type(cell).__name__ in ("NAType", "NaTType") or (
        isinstance(cell, (float, np.floating)) and bool(cell != cell))


def _of_list(cells: list[Any], what: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    known = np.asarray([not _is_missing(cell) for cell in cells], dtype=bool)
    kept = [cell for cell, here in zip(cells, known) if here]
    if all(isinstance(cell, str) for cell in kept):
        if any("\0" in cell for cell in kept):
            raise ValueError(f"{what}: found a text with a zero character, expected none")
        texts = np.asarray([cell if here else "" for cell, here in zip(cells, known)], dtype=str)
        return texts, known & (texts != "")
    numbers = (bool, int, float, np.bool_, np.integer, np.floating)
    if any(hasattr(cell, "__len__") and not isinstance(cell, (str, bytes)) for cell in kept):
        raise ValueError(f"{what}: found several values for an item, expected one class per item")
    if not all(isinstance(cell, numbers) for cell in kept):
        raise TypeError(f"{what}: found values of several kinds, expected whole numbers alone, or text alone")
    if any(isinstance(cell, (int, np.integer)) and not -(2**63) <= int(cell) < 2**63 for cell in kept):
        raise ValueError(f"{what}: found a number of more than 63 bits, expected smaller ones, or text")
    floats = [isinstance(cell, (float, np.floating)) for cell in kept]
    if any(floats) and not all(floats) and any(abs(int(cell)) > _EXACT for cell in kept if np.isfinite(cell)):
        raise ValueError(f"{what}: found a number beyond 2**53 beside floats, expected smaller ones, or text")
    array = np.asarray(kept)
    filled = np.zeros(len(cells), dtype=array.dtype)
    filled[known] = array
    return _of_column(filled, known, what)


# Names of classes


def class_name(value: Any) -> str:
    """What a class is called: text as it is, numbers in their plainest form."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)) and float(value).is_integer() and abs(float(value)) <= _EXACT:
        return str(int(value))
    raise TypeError(f"classes: found {type(value).__name__}, expected whole numbers or text")


def class_names(classes: Union[int, Iterable[Any]]) -> list[str]:
    """The names of classes that the caller lists, or counts: then they are 0, 1, 2, ..."""
    if isinstance(classes, (bool, np.bool_)) or isinstance(classes, str):
        raise TypeError(f"classes: found {type(classes).__name__}, expected their names, or how many there are")
    listed_classes = range(int(classes)) if isinstance(classes, (int, np.integer)) else classes
    return [class_name(one) for one in listed_classes]


def class_values(names: Sequence[str]) -> list[Any]:
    """Classes as users write them: numbers if every name is a number in its plainest form (``7``, not ``007``), else text."""
    if all(_WHOLE.fullmatch(name) for name in names):
        return [int(name) for name in names]
    return list(names)


__all__ = ["UNSTATED", "LabelColumn", "Unstated", "class_name", "class_names", "class_values", "labels_of"]
