"""Files, benchmarks, and generated people."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Optional, Union

from privet import _native
from privet.dataset import Bounds, Dataset, GraphSet, declared

PathLike = Union[str, "os.PathLike[str]"]


def read(
    path: PathLike,
    *,
    format: Optional[str] = None,
    directed: Optional[bool] = None,
    keep_self_loops: bool = False,
    delimiter: Optional[str] = None,
    header: Optional[bool] = None,
    source_column: Optional[str] = None,
    target_column: Optional[str] = None,
    label_column: Optional[str] = None,
    member: Optional[str] = None,
    features: Optional[PathLike] = None,
    labels: Optional[PathLike] = None,
    memory: Union[str, int, None] = None,
    nodes: Optional[Iterable[Any]] = None,
    classes: Union[int, Sequence[str], None] = None,
    columns: Union[int, Sequence[str], None] = None,
    bounds: Optional[Bounds] = None,
    assume_public: Iterable[str] = (),
) -> Any:
    """A file, a folder or an archive in any format that the command line reads: a :class:`Dataset`, or a
    :class:`GraphSet` where there are many graphs. Everything is detected unless it is said.

    A folder that ``write(folder, format="csr")`` made is read where it lies: its files are mapped, not loaded. ``memory``
    (``"4G"``, or bytes) is about what reading anything else may use; what does not fit is sorted in files.

    >>> import privet, tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "friends.csv")
    >>> _ = open(path, "w").write("from,to\\nann,bob\\nbob,cy\\n")
    >>> privet.read(path, nodes=["ann", "bob", "cy", "dee"])
    <Dataset friends: 4 nodes, 2 edges>
    """
    reading = {
        "format": format,
        "directed": directed,
        "keep_self_loops": keep_self_loops,
        "delimiter": delimiter,
        "header": header,
        "source_column": source_column,
        "target_column": target_column,
        "label_column": label_column,
        "member": member,
        "features": None if features is None else Path(features),
        "labels": None if labels is None else Path(labels),
        "memory": None if memory is None else str(memory),
    }
    return _held(_native.read(Path(path), reading, declared(nodes, classes, columns, bounds, assume_public)))


def load(name: str, *, data_dir: Optional[PathLike] = None) -> Any:
    """A benchmark by its name, from ``data_dir``, ``PRIVET_DATA_DIR`` or the usual folder; :func:`benchmarks` lists
    them, and ``privet data fetch NAME`` gets one from its publisher.
    """
    return _held(_native.load(name, None if data_dir is None else Path(data_dir)))


def benchmarks(*, data_dir: Optional[PathLike] = None) -> dict[str, bool]:
    """Every benchmark, and whether its files are on this machine.

    >>> import privet
    >>> "cora" in privet.benchmarks()
    True
    """
    return dict(_native.benchmarks(None if data_dir is None else Path(data_dir)))


def karate_club() -> Dataset:
    """Zachary's karate club.

    >>> import privet
    >>> privet.karate_club()
    <Dataset karate: 34 nodes, 78 edges, 2 classes>
    """
    return Dataset(_native.karate_club())


def stochastic_blocks(
    *,
    seed: int,
    nodes: Optional[int] = None,
    classes: Optional[int] = None,
    features: Optional[int] = None,
    mean_degree: Optional[float] = None,
) -> Dataset:
    """People who do not exist, in groups that know each other: features, labels and edges.

    >>> import privet
    >>> privet.stochastic_blocks(seed=1, nodes=300, classes=3, features=20).columns
    20
    """
    return Dataset(_native.stochastic_blocks(seed, nodes, classes, features, mean_degree))


def threads(*, count: int, smallest: int, largest: int, seed: int) -> GraphSet:
    """Discussions that never were, of two kinds: many graphs to tell apart.

    >>> import privet
    >>> len(privet.threads(count=20, smallest=10, largest=20, seed=1))
    20
    """
    return GraphSet(_native.threads(count, smallest, largest, seed))


def _held(native: Union[_native.Dataset, _native.GraphSet]) -> Union[Dataset, GraphSet]:
    return Dataset(native) if isinstance(native, _native.Dataset) else GraphSet(native)
