"""The reader of features: a matrix of 32-bit floats that nothing outside can change any more.

What is validated must be what is used. An array that the caller can still write to is therefore copied before it is
validated, which costs its size in memory once (4 bytes a value) and about as long as one pass over it; a conversion (from
64-bit floats, a list, a table) makes such a copy anyway, and no second one follows. With ``copy=False`` an array is read
where it lies, if neither it nor any array that it is a view of can be written to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from privet import _native
from privet._plain import plain, table_of

#: Columns in all, offsets, columns, values.
Sparse = tuple[int, NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]


@dataclass(frozen=True)
class FeatureRows:
    """One dense matrix, or a sparse one, and the names of its columns if it has some."""

    matrix: Union[NDArray[np.float32], Sparse]
    names: Optional[list[str]]
    #: Whether the native half must copy the matrix, because the caller holds it, too.
    shared: bool

    def __len__(self) -> int:
        return len(self.matrix) if isinstance(self.matrix, np.ndarray) else len(self.matrix[1]) - 1

    def put_on(self, data: _native.Dataset) -> _native.Dataset:
        """The same dataset with these features."""
        if isinstance(self.matrix, np.ndarray):
            data = _native.with_dense(data, self.matrix, self.shared)
        else:
            data = _native.with_sparse(data, self.matrix)
        return data if self.names is None else _native.with_column_names(data, self.names)


def rows_of(features: Any, copy: bool = True) -> FeatureRows:
    """A matrix, a scipy matrix or a table of numbers."""
    if hasattr(features, "tocsr"):
        return _of_sparse(features)
    table = table_of(features)
    if table is not None:
        if any(bool(np.any(missing)) for _, missing in table.values()):
            raise ValueError("features: found a missing value, expected a number in every cell")
        columns = [_real(values) for values, _ in table.values()]
        stacked = np.column_stack(columns) if columns else np.zeros((0, 0))
        unnamed = names_of(features) is None and hasattr(features, "columns")
        return FeatureRows(_narrowed(stacked), None if unnamed else list(table), shared=False)
    array = _real(plain(features, "features"))
    if array.ndim != 2:
        raise ValueError(f"features: found shape {array.shape}, expected (nodes, columns)")
    rows = _narrowed(array)
    if isinstance(features, (list, tuple)) or not np.may_share_memory(rows, array):
        return FeatureRows(rows, None, shared=False)
    if not copy and not _is_frozen(rows):
        raise ValueError("features: found an array that can be written to while it is used, expected a read-only one "
                         "(rows.flags.writeable = False, for it and for what it is a view of), or copy=True")
    return FeatureRows(rows, None, shared=copy)


def names_of(features: Any) -> Optional[list[str]]:
    """The names of the columns of a table. A frame whose columns have numbers for names was made of an array: it has none."""
    names = getattr(features, "column_names", None)
    names = getattr(features, "columns", None) if names is None else names
    if names is None or hasattr(features, "tocsr"):
        return None
    listed = list(names)
    return listed if listed and all(isinstance(name, str) for name in listed) else None


def _of_sparse(features: Any) -> FeatureRows:
    # Adding up entries happens in place, so on a copy: the caller's matrix stays as it is.
    matrix = features.tocsr(copy=True)
    if len(matrix.shape) != 2:
        raise ValueError(f"features: found shape {matrix.shape}, expected (nodes, columns)")
    matrix.sum_duplicates()
    values = _narrowed(_real(matrix.data))
    indptr, indices = (np.ascontiguousarray(one, dtype=np.int64) for one in (matrix.indptr, matrix.indices))
    return FeatureRows((int(matrix.shape[1]), indptr, indices, values), None, shared=False)


def _narrowed(array: NDArray[Any]) -> NDArray[np.float32]:
    """As 32-bit floats; what is too large becomes infinite, which is refused further on."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32)


def _real(values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "iufb":
        raise TypeError(f"features: found {array.dtype}, expected real numbers")
    return array


def _is_frozen(array: NDArray[Any]) -> bool:
    """Whether no array on the way to the memory can be written to."""
    holder: Any = array
    while isinstance(holder, np.ndarray):
        if holder.flags.writeable:
            return False
        holder = holder.base
    if holder is None:
        return True
    try:
        return memoryview(holder).readonly
    except TypeError:
        return False  # memory of another library, which says nothing about who writes to it


__all__ = ["FeatureRows", "names_of", "rows_of"]
