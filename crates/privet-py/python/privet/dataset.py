"""One graph, or many, with what is known about the nodes: raw data, as sensitive as what it was made of."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from privet import _convert, _native
from privet._arrays import as_ids, ends_of, split_of
from privet._features import rows_of
from privet._html import table
from privet._labels import UNSTATED, class_names, labels_of

PathLike = Union[str, "os.PathLike[str]"]
#: One range for all columns, or one each.
Bounds = Union[tuple[float, float], Sequence[tuple[float, float]]]


class Dataset:
    """One graph, the ids of its nodes, and what is known about them. It does not change; methods give a new one.

    What noise cannot hide must be *stated* by the data's custodian, not found in the records: who there is
    (``nodes``), which classes (``classes``), which columns, and their range (``bounds``). A release is refused where
    only the records tell.

    >>> import numpy as np, privet
    >>> friends = privet.Dataset.from_edges([("ann", "bob"), ("bob", "cy")], nodes=["ann", "bob", "cy", "dee"],
    ...                                     features=np.eye(4), labels=["x", "y", None, "x"], classes=["x", "y"],
    ...                                     bounds=(0, 1), name="friends")
    >>> friends
    <Dataset friends: 4 nodes, 2 edges, 4 columns, 2 classes>
    >>> friends.labels
    array([ 0,  1, -1,  0])
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Dataset) -> None:
        if not isinstance(native, _native.Dataset):
            raise TypeError("make one with Dataset.from_edges, privet.read or privet.load")
        self._native = native

    # In

    @classmethod
    def from_edges(
        cls,
        edges: Any,
        *,
        nodes: Any = None,
        features: Any = None,
        labels: Any = None,
        split: Optional[tuple[Any, Any, Any]] = None,
        directed: Optional[bool] = None,
        self_loops: bool = False,
        source: Optional[str] = None,
        target: Optional[str] = None,
        classes: Union[int, Sequence[str], None] = None,
        bounds: Optional[Bounds] = None,
        assume_public: Iterable[str] = (),
        missing: Any = UNSTATED,
        copy: bool = True,
        name: str = "data",
    ) -> Dataset:
        """A graph of edges: an ``edge_index`` of shape ``(2, edges)``, pairs, a scipy matrix, a table of pandas, polars,
        pyarrow or anything else that speaks Arrow (columns ``source`` and ``target``, or the first two), or a graph of
        networkx, igraph or PyTorch Geometric (whose attributes :meth:`from_networkx` and others read, too). Edges have
        no direction unless that is said, or a graph has one. An array of shape ``(2, edges)`` and a list of two arrays are
        an ``edge_index``; tuples are pairs. A stored zero of a scipy matrix is no edge.

        ``nodes`` says who there is: how many (edges are positions then), or all ids, in the order of the rows of
        ``features`` and ``labels``. Without it, rows are taken for nodes 0, 1, 2, ...; without rows the edges tell,
        and nothing can be released until the caller states the ids. ``assume_public`` takes such facts (``ids``,
        ``columns``, ``classes``) for public, and every card repeats it.

        In ``labels``, ``None``, NaN, NA, masked cells and empty text stand for no class. -1 is refused until ``missing``
        says what it is: ``missing=-1`` (no class) or ``missing=None`` (a class). ``split`` has three parts, for training,
        validation and testing: positions, or a truth value for each node; systems learn from the first and never read
        the labels of the last.

        Arrays are copied, so that nothing can change after it was checked. ``copy=False`` reads features where they are:
        for contiguous 32-bit floats that are read-only (``rows.flags.writeable = False``) and must stay so.
        """
        if split is None:
            split = _convert.masks_of(edges)
        edges, nodes, directed = _convert.graph_of(edges, nodes, directed)
        rows = None if features is None else rows_of(features, copy)
        if nodes is None and rows is not None:
            nodes = len(rows)
        sources, targets, count, ids, stated = ends_of(edges, nodes, source, target)
        data = _native.dataset(name, sources, targets, count, directed=bool(directed), self_loops=self_loops,
                               ids=ids, ids_stated=stated)
        if rows is not None:
            data = rows.put_on(data)
        if labels is not None:
            data = _native.with_labels(data, *labels_of(labels, missing=missing).native())
        if split is not None:
            data = _native.with_split(data, *split_of(split, count))
        made = cls(data)
        return made.declare(classes=classes, bounds=bounds, assume_public=assume_public)

    from_tables = classmethod(_convert.from_tables)
    from_networkx = classmethod(_convert.from_networkx)
    from_igraph = classmethod(_convert.from_igraph)
    from_pyg = classmethod(_convert.from_pyg)

    def declare(
        self,
        *,
        nodes: Optional[Iterable[Any]] = None,
        classes: Union[int, Sequence[str], None] = None,
        columns: Union[int, Sequence[str], None] = None,
        bounds: Optional[Bounds] = None,
        assume_public: Iterable[str] = (),
    ) -> Dataset:
        """The same with facts that the data's custodian knows without looking at the records."""
        facts = declared(nodes, classes, columns, bounds, assume_public)
        return self if facts is None else Dataset(_native.declared(self._native, facts))

    # Looking

    @property
    def name(self) -> str:
        """What it is called."""
        return self._native.name

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return self._native.node_count

    @property
    def edge_count(self) -> int:
        """How many edges; in a directed graph, arcs."""
        return self._native.edge_count

    @property
    def directed(self) -> bool:
        """Whether an edge has a direction."""
        return self._native.directed

    @property
    def edge_index(self) -> NDArray[np.int64]:
        """Both ends of every arc, as PyTorch Geometric has it: an undirected edge stands there twice."""
        return self._native.edge_index(False)

    @property
    def ids(self) -> Union[NDArray[np.uint64], list[str]]:
        """The users' ids of the nodes: numbers if all of them are, else text."""
        integers = self._native.integer_ids()
        return self._native.text_ids() if integers is None else integers

    @property
    def features(self) -> Any:
        """The features: an array, or a scipy matrix where they are sparse (an array without scipy); or ``None``."""
        dense = self._native.dense()
        return dense if dense is not None else _convert.sparse_features(self._native)

    @property
    def columns(self) -> Union[int, list[str], None]:
        """The names of the feature columns, or how many there are."""
        names = self._native.column_names
        return self._native.columns if names is None else names

    @property
    def bounds(self) -> Optional[list[tuple[float, float]]]:
        """The declared range: one for all columns, or one each."""
        return self._native.bounds

    @property
    def labels(self) -> Optional[NDArray[np.int64]]:
        """The class of every node as a position in :attr:`classes`, -1 where there is none."""
        return self._native.labels()

    @property
    def classes(self) -> Optional[list[str]]:
        """What the classes are called."""
        return self._native.class_names

    @property
    def split(self) -> Optional[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Nodes for training, validation and testing, if they are known."""
        found = self._native.split()
        if found is None:
            return None
        train, validation, test = (np.asarray(part, dtype=np.int64) for part in found)
        return train, validation, test

    @property
    def facts(self) -> dict[str, str]:
        """Who says which ids, columns and classes there are: ``stated``, ``read-off``, ``taken-for-public``."""
        return dict(self._native.facts())

    @property
    def notices(self) -> list[str]:
        """What a reader did that its user should know of."""
        return self._native.notices

    # Out

    to_scipy = _convert.to_scipy
    to_networkx = _convert.to_networkx
    to_igraph = _convert.to_igraph
    to_pyg = _convert.to_pyg
    to_pandas = _convert.to_pandas
    to_arrow = _convert.to_arrow

    def write(self, path: PathLike, *, format: Optional[str] = None, overwrite: bool = False) -> list[Path]:
        """Writes it to a file or folder in any format that the command line writes, and gives the files."""
        return [Path(file) for file in self._native.write(Path(path), format, overwrite)]

    def __len__(self) -> int:
        return self.node_count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dataset) and self._native == other._native

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Dataset {self.name}: {', '.join(f'{count} {what}' for what, count in self._counts())}>"

    def _counts(self) -> Iterator[tuple[str, int]]:
        yield "nodes", self.node_count
        yield "arcs" if self.directed else "edges", self.edge_count
        if self._native.columns is not None:
            yield "columns", self._native.columns
        if self.classes is not None:
            yield "classes", len(self.classes)

    def _repr_html_(self) -> str:
        rows = [(what, count) for what, count in self._counts()]
        facts = [(f"who says which {fact}", origin) for fact, origin in self.facts.items()]
        return table([*rows, *facts], caption=self.name)


def declared(
    nodes: Optional[Iterable[Any]],
    classes: Union[int, Sequence[str], None],
    columns: Union[int, Sequence[str], None],
    bounds: Optional[Bounds],
    assume_public: Iterable[str],
) -> Optional[dict[str, Any]]:
    """Facts for the native half; none if there is nothing to say."""
    assume = [assume_public] if isinstance(assume_public, str) else list(assume_public)
    if nodes is None and classes is None and columns is None and bounds is None and not assume:
        return None
    return {
        "nodes": None if nodes is None else [str(one) for one in as_ids(nodes, "nodes")],
        "classes": None if classes is None else class_names(classes),
        "columns": columns if columns is None or isinstance(columns, int) else [str(one) for one in columns],
        "bounds": None if bounds is None else _convert.bounds(bounds),
        "assume_public": assume,
    }


class GraphSet:
    """Many graphs, each with a class: threads, molecules, teams.

    >>> import privet
    >>> privet.GraphSet.from_graphs([([(0, 1)], 2), ([(0, 1), (1, 2)], 3)], labels=[0, 1], name="pairs and paths")
    <GraphSet pairs and paths: 2 graphs, 5 nodes, 3 edges>
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.GraphSet) -> None:
        if not isinstance(native, _native.GraphSet):
            raise TypeError("make one with GraphSet.from_graphs, privet.read or privet.load")
        self._native = native

    @classmethod
    def from_graphs(cls, graphs: Iterable[Any], *, labels: Any = None, missing: Any = UNSTATED, directed: bool = False,
                    name: str = "graphs") -> GraphSet:
        """Graphs of networkx or PyTorch Geometric, or pairs of edges and how many nodes there are. ``labels`` and
        ``missing`` are as for :meth:`Dataset.from_edges`."""
        made = [_convert.edges_and_nodes(graph) for graph in graphs]
        ends = [ends_of(edges, nodes)[:3] for edges, nodes in made]
        classes, gone = (None, None) if labels is None else labels_of(labels, missing=missing).native()
        if isinstance(classes, list):
            raise TypeError("labels: found text, expected whole numbers: the classes of graphs")
        return cls(_native.GraphSet.build(name, ends, directed, classes, gone))

    @property
    def name(self) -> str:
        """What it is called."""
        return self._native.name

    @property
    def node_count(self) -> int:
        """How many nodes all graphs have together."""
        return self._native.node_count

    @property
    def edge_count(self) -> int:
        """How many edges all graphs have together."""
        return self._native.edge_count

    @property
    def sizes(self) -> list[int]:
        """How many nodes each graph has."""
        return self._native.sizes()

    @property
    def labels(self) -> Optional[NDArray[np.int64]]:
        """The class of every graph as a position in :attr:`classes`, -1 where there is none."""
        return self._native.labels()

    @property
    def classes(self) -> Optional[list[str]]:
        """What the classes are called."""
        return self._native.class_names

    def edge_index(self, number: int) -> NDArray[np.int64]:
        """Both ends of every arc of one graph."""
        return self._native.edge_index(number)

    def __len__(self) -> int:
        return len(self._native)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GraphSet) and self._native == other._native

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<GraphSet {self.name}: {len(self)} graphs, {self.node_count} nodes, {self.edge_count} edges>"

    def _repr_html_(self) -> str:
        rows = [("graphs", len(self)), ("nodes", self.node_count), ("edges", self.edge_count)]
        return table(rows, caption=self.name)
