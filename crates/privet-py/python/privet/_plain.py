"""The first step of every reader: what the caller passed, as an array or as the columns of a table, with nothing lost.

Every argument that holds data goes through one reader for its kind: ids and edges (:mod:`privet._arrays`), nodes of a split
(:mod:`privet._arrays`), features (:mod:`privet._features`), labels (:mod:`privet._labels`). A reader gives back exactly what
was passed or raises; it never wraps, cuts off, fills in or guesses, and only features are rounded, to 32-bit floats.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from privet import _arrow


def plain(value: Any, what: str) -> NDArray[Any]:
    """An array of what ``what`` holds. A masked value is refused: numpy would drop the mask and keep what lies under it."""
    if hasattr(value, "detach"):  # a tensor, possibly on another device
        value = value.detach().cpu().numpy()
    parts = value if isinstance(value, (list, tuple)) else [value]
    if any(one is np.ma.masked or (isinstance(one, np.ma.MaskedArray) and np.ma.is_masked(one)) for one in parts):
        raise ValueError(f"{what}: found a masked value, expected a value in every place")
    if isinstance(value, np.ma.MaskedArray):
        value = value.data
    return np.asarray(value)


def listed(value: Any) -> Any:
    """An iterable without a type of its own (a generator, a set, the keys of a dictionary) as a list."""
    typed = hasattr(value, "dtype") or hasattr(value, "__array__") or hasattr(value, "detach")
    if typed or isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return value
    return list(value)


def table_of(value: Any) -> Optional[dict[str, _arrow.Column]]:
    """The columns of a table of any library by name, if it is a table."""
    if hasattr(value, "__arrow_c_stream__"):
        from privet import _arrow

        try:
            return _arrow.columns(value)
        except ImportError:
            pass  # pandas asks for pyarrow here, and has its own way besides
    if hasattr(value, "columns") and hasattr(value, "iloc"):
        names = [str(name) for name in value.columns]
        distinct(names)
        return {name: series(value.iloc[:, at]) for at, name in enumerate(names)}
    return None


def distinct(names: list[str]) -> None:
    """Refuses two columns of one name: a dictionary would keep the last alone."""
    if len(set(names)) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ValueError(f"columns: found two named {twice!r}, expected a name of its own for each")


def series(column: Any) -> _arrow.Column:
    """A column of pandas: numbers or text, and which of it is missing."""
    missing = np.asarray(column.isna(), dtype=bool)
    values = np.asarray(column.to_numpy())
    if values.dtype.kind in "iufb":
        return values, missing
    kept = values[~missing].tolist()
    texts = sum(isinstance(cell, str) for cell in kept)
    if 0 < texts < len(kept):
        raise TypeError("a column: found text and something else, expected text alone, or numbers alone")
    numbers = np.asarray(kept) if kept and not texts else np.zeros(0, dtype=str)
    if numbers.ndim == 1 and numbers.dtype.kind in "iufb":
        # Numbers beside a missing cell come as objects. What stands in the gap does not matter: it is marked.
        filled = np.zeros(len(values), dtype=numbers.dtype)
        filled[~missing] = numbers
        return filled, missing
    return ["" if gone else str(cell) for cell, gone in zip(values, missing)], missing


def complete(table: dict[str, _arrow.Column], name: str) -> Any:
    """One column, in which no cell is missing."""
    if name not in table:
        raise ValueError(f"there is no column {name!r}; there are {', '.join(table)}")
    values, missing = table[name]
    if bool(np.any(missing)):
        raise ValueError(f"column {name!r}: found a missing id, expected one in every row")
    return values


def several(value: Any) -> Any:
    """A choice alone as a list of one; ``None`` and lists as they are."""
    return [value] if isinstance(value, str) else value
