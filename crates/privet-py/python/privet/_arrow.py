"""Tables of any library, by the Arrow C stream interface.

pandas, polars, pyarrow, duckdb and others hand out their columns as a capsule (``__arrow_c_stream__``). It is read here
with nothing but ``ctypes`` and numpy: numbers become arrays that look into the table's own memory, which stays alive as
long as they do; text becomes lists.
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Union

import numpy as np
from numpy.typing import NDArray

from privet._plain import distinct

#: A column of numbers or of text, and which of it is missing.
Column = tuple[Union[NDArray[Any], list[str]], NDArray[np.bool_]]

_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_TOLD = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)


class _Schema(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", _RELEASE),
    ("private_data", ctypes.c_void_p),
]


class _Array(ctypes.Structure):
    pass


_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", _RELEASE),
    ("private_data", ctypes.c_void_p),
]


class _Stream(ctypes.Structure):
    _fields_ = [
        ("get_schema", _NEXT),
        ("get_next", _NEXT),
        ("get_last_error", _TOLD),
        ("release", _RELEASE),
        ("private_data", ctypes.c_void_p),
    ]


class _Owned:
    """Something that its maker wants back."""

    def __init__(self, what: Any) -> None:
        self.what = what

    def __del__(self) -> None:
        if self.what.release:
            self.what.release(ctypes.addressof(self.what))


class _Memory:
    """Bytes of an array, which lives as long as it is referred to."""

    def __init__(self, address: int, dtype: str, length: int, owner: _Owned) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, True), "typestr": dtype, "shape": (length,), "version": 3,
        }


_NUMBERS = {
    "c": "|i1", "C": "|u1", "s": "<i2", "S": "<u2", "i": "<i4", "I": "<u4", "l": "<i8", "L": "<u8",
    "e": "<f2", "f": "<f4", "g": "<f8",
}


def columns(table: Any) -> dict[str, Column]:
    """The columns of a table by name, in its order."""
    capsule = table.__arrow_c_stream__()
    point: Callable[..., int] = ctypes.pythonapi.PyCapsule_GetPointer
    point.restype = ctypes.c_void_p  # type: ignore[attr-defined]
    point.argtypes = [ctypes.py_object, ctypes.c_char_p]  # type: ignore[attr-defined]
    address = point(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)
    schema = _Schema()
    _check(stream, address, stream.get_schema(address, ctypes.addressof(schema)))
    described = _Owned(schema)
    if schema.format != b"+s":
        raise TypeError("expected a table: a stream of records with named columns")
    names = [schema.children[at].contents.name.decode() for at in range(schema.n_children)]
    distinct(names)
    parts: list[list[Column]] = [[] for _ in names]
    while True:
        batch = _Array()
        _check(stream, address, stream.get_next(address, ctypes.addressof(batch)))
        if not batch.release:
            break
        owner = _Owned(batch)
        for at, part in enumerate(parts):
            child = batch.children[at].contents
            part.append(_column(schema.children[at].contents, child, owner, names[at]))
    del described, capsule
    return {name: _joined(part) for name, part in zip(names, parts)}


def _check(stream: _Stream, address: int, code: int) -> None:
    if code != 0:
        told = stream.get_last_error(address)
        raise ValueError(f"the table could not be read: {told.decode() if told else code}")


def _joined(parts: list[Column]) -> Column:
    if not parts:
        return np.zeros(0), np.zeros(0, dtype=bool)
    if len(parts) == 1:
        return parts[0]
    mask = np.concatenate([missing for _, missing in parts])
    texts = [values for values, _ in parts if isinstance(values, list)]
    if texts:
        return [text for part in texts for text in part], mask
    return np.concatenate([np.asarray(values) for values, _ in parts]), mask


def _column(schema: _Schema, array: _Array, owner: _Owned, name: str) -> Column:
    kind = schema.format.decode()
    missing = _missing(array, owner)
    if schema.dictionary:
        values, _ = _column(schema.dictionary.contents, array.dictionary.contents, owner, name)
        codes = _numbers(array, _NUMBERS[kind], owner, 1)
        picked = [str(values[int(code)]) if not gone else "" for code, gone in zip(codes, missing)]
        return picked, missing
    if kind in _NUMBERS:
        return _numbers(array, _NUMBERS[kind], owner, 1), missing
    if kind == "b":
        return _bits(array, 1, owner), missing
    if kind in ("u", "U"):
        return _texts(array, "<i4" if kind == "u" else "<i8", owner, missing), missing
    if kind == "vu":
        return _views(array, owner, missing), missing
    raise TypeError(f"column {name!r}: found Arrow's type {kind!r}, expected numbers, truth values or text")


def _numbers(array: _Array, dtype: str, owner: _Owned, buffer: int) -> NDArray[Any]:
    whole = array.offset + array.length
    if whole == 0 or not array.buffers[buffer]:
        return np.zeros(array.length, dtype=dtype)
    return np.asarray(_Memory(array.buffers[buffer], dtype, whole, owner))[array.offset:]


def _bits(array: _Array, buffer: int, owner: _Owned) -> NDArray[np.bool_]:
    whole = array.offset + array.length
    if whole == 0 or not array.buffers[buffer]:
        return np.zeros(array.length, dtype=bool)
    raw = np.asarray(_Memory(array.buffers[buffer], "|u1", (whole + 7) // 8, owner))
    return np.unpackbits(raw, bitorder="little")[array.offset:whole].astype(bool)


def _missing(array: _Array, owner: _Owned) -> NDArray[np.bool_]:
    if array.null_count == 0 or not array.n_buffers or not array.buffers[0]:
        return np.zeros(array.length, dtype=bool)
    return ~_bits(array, 0, owner)


def _texts(array: _Array, dtype: str, owner: _Owned, missing: NDArray[np.bool_]) -> list[str]:
    if array.length == 0:
        return []
    whole = array.offset + array.length + 1
    ends = np.asarray(_Memory(array.buffers[1], dtype, whole, owner))[array.offset:]
    last = int(ends[-1])
    data = ctypes.string_at(array.buffers[2], last) if last else b""
    return ["" if gone else data[start:end].decode()
            for start, end, gone in zip(ends[:-1].tolist(), ends[1:].tolist(), missing)]


def _views(array: _Array, owner: _Owned, missing: NDArray[np.bool_]) -> list[str]:
    """Short texts stand in the view itself, longer ones in one of several buffers."""
    whole = array.offset + array.length
    if array.length == 0:
        return []
    raw = np.asarray(_Memory(array.buffers[1], "|u1", 16 * whole, owner)).reshape(whole, 16)[array.offset:]
    found = []
    for view, gone in zip(raw, missing):
        length, buffer, start = (int(view[at:at + 4].view("<i4")[0]) for at in (0, 8, 12))
        if gone:
            found.append("")
        elif length <= 12:
            found.append(view[4:4 + length].tobytes().decode())
        else:
            found.append(ctypes.string_at(array.buffers[2 + buffer] + start, length).decode())
    return found
