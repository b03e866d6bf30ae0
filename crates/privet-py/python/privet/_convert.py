"""Graphs of other libraries, in and out. Each library is imported when it is asked for, and not before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from privet import _native
from privet._arrays import as_ids
from privet._features import rows_of
from privet._labels import class_values
from privet._plain import plain, table_of

if TYPE_CHECKING:
    from privet.dataset import Bounds, Dataset


def bounds(given: Bounds) -> Any:
    """One pair, or a pair per column."""
    array = plain(given, "bounds")
    if array.dtype.kind not in "iuf":
        raise TypeError(f"bounds: found {array.dtype}, expected numbers")
    if array.shape == (2,):
        return float(array[0]), float(array[1])
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"bounds: found shape {array.shape}, expected (low, high) or one pair per column")
    return [(float(low), float(high)) for low, high in array]


def sparse_features(native: _native.Dataset) -> Any:
    """Sparse features as a scipy matrix, or written out where there is no scipy."""
    found = native.sparse()
    if found is None:
        return None
    offsets, indices, values = found
    shape = (native.node_count, native.columns or 0)
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        rows = np.repeat(np.arange(shape[0]), np.diff(offsets))
        dense = np.zeros(shape, dtype=np.float32)
        dense[rows, indices] = values
        return dense
    return csr_matrix((values, indices, offsets), shape=shape)


# In


def from_tables(cls: type[Dataset], /, edges: Any, nodes: Any, *, id: str = "id", label: Optional[str] = None,
                features: Optional[Sequence[str]] = None, **more: Any) -> Dataset:
    """A table of connections and a table of people, of pandas, polars, pyarrow or anything that speaks Arrow.

    ``id`` and ``label`` name columns of ``nodes``; all others are features, unless ``features`` lists them. Everything
    else is as for :meth:`from_edges`.
    """
    table = table_of(nodes)
    if table is None:
        raise TypeError(f"nodes: found {type(nodes).__name__}, expected a table")
    missing = [name for name in [id, *([label] if label else []), *(features or [])] if name not in table]
    if missing:
        raise ValueError(f"nodes has no column {missing[0]!r}; there are {', '.join(table)}")
    wanted = [name for name in table if name not in (id, label)] if features is None else list(features)
    gone = [name for name in [id, *wanted] if bool(np.any(table[name][1]))]
    if gone:
        raise ValueError(f"column {gone[0]!r}: found a missing value, expected one in every row")
    rows: Any = None
    if wanted:
        rows = np.column_stack([np.asarray(rows_of(np.asarray(table[name][0])[:, None]).matrix) for name in wanted])
    labels: Any = None if label is None else table[label]
    made = cls.from_edges(edges, nodes=as_ids(table[id][0]), features=rows, labels=labels, **more)
    named = made if rows is None else type(made)(_native.with_column_names(made._native, wanted))
    return named


def from_networkx(cls: type[Dataset], /, graph: Any, *, features: Optional[str] = None, label: Optional[str] = None,
                  **more: Any) -> Dataset:
    """A graph of networkx; ``features`` and ``label`` name attributes of its nodes. Its nodes state who there is."""
    names = list(graph.nodes())
    place = {node: at for at, node in enumerate(names)}
    ends = np.array([(place[u], place[v]) for u, v in graph.edges()], dtype=np.int64).reshape(-1, 2)
    about = [data for _, data in graph.nodes(data=True)]
    more.setdefault("name", str(graph.name) or "data")
    return _positions(
        cls, ends.T, names, directed=graph.is_directed(),
        features=None if features is None else [_attribute(data, features) for data in about],
        labels=None if label is None else [data.get(label) for data in about], **more)


def _attribute(about: dict[Any, Any], name: str) -> Any:
    if name not in about:
        raise ValueError(f"features: found a node without the attribute {name!r}, expected it on every node")
    return about[name]


def from_igraph(cls: type[Dataset], /, graph: Any, *, features: Optional[str] = None, label: Optional[str] = None,
                **more: Any) -> Dataset:
    """A graph of igraph; ids are the attribute ``name`` of its vertices, if they have one."""
    known = graph.vs.attributes()
    names = graph.vs["name"] if "name" in known else list(range(graph.vcount()))
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    return _positions(
        cls, ends.T, names, directed=graph.is_directed(),
        features=None if features is None else list(graph.vs[features]),
        labels=None if label is None else graph.vs[label], **more)


def _positions(cls: type[Dataset], ends: Any, names: Sequence[Any], *, features: Any, labels: Any,
               **more: Any) -> Dataset:
    """Edges by positions, under ids that are known."""
    ids = _node_names(names)
    return cls.from_edges([ids[ends[0]], ids[ends[1]]] if len(ids) else [], nodes=ids, features=features,
                          labels=labels, **more)


def _node_names(names: Sequence[Any]) -> Any:
    try:
        return as_ids(list(names), "nodes")
    except TypeError as error:
        raise TypeError(f"{error}; relabel the nodes first") from None


def from_pyg(cls: type[Dataset], /, data: Any, **more: Any) -> Dataset:
    """A ``Data`` of PyTorch Geometric: ``x``, ``edge_index``, ``y``, masks, and ``node_ids`` if it has them.

    It is directed unless every arc stands there both ways. Masks are the split (``split=None`` leaves them out): systems
    learn from ``train_mask``, stop by ``val_mask`` and never read the labels of ``test_mask``. Other attributes, such as
    ``edge_attr``, are not read.
    """
    if not is_pyg(data):
        raise TypeError(f"data: found {type(data).__name__}, expected a Data of PyTorch Geometric with an edge_index")
    edge_index: Any = plain(data.edge_index, "edge_index")
    count = int(data.num_nodes)
    more.setdefault("directed", not bool(data.is_undirected()))
    ids = getattr(data, "node_ids", None)
    if "split" not in more:
        more["split"] = masks_of(data)
    nodes: Any = count
    if ids is not None:
        known = as_ids(ids, "node_ids")
        ends = edge_index.astype(np.int64) if edge_index.dtype.kind in "iu" else edge_index
        if len(known) != count or ends.dtype != np.int64 or (ends.size and (ends.min() < 0 or ends.max() >= count)):
            raise ValueError("edge_index: expected positions of nodes, each of which has one of node_ids")
        edge_index, nodes = [known[ends[0]], known[ends[1]]], known
    labels = None if getattr(data, "y", None) is None else data.y
    features = None if getattr(data, "x", None) is None else data.x
    return cls.from_edges(edge_index, nodes=nodes, features=features, labels=labels, **more)


def is_pyg(given: Any) -> bool:
    """Whether it looks like a ``Data`` of PyTorch Geometric: one graph, of one kind of node."""
    return hasattr(given, "num_nodes") and not hasattr(given, "node_types") and getattr(given, "edge_index", None) is not None


def masks_of(given: Any) -> Optional[tuple[Any, Any, Any]]:
    """The split that a ``Data`` of PyTorch Geometric has in its masks, if it has some."""
    if not is_pyg(given):
        return None
    names = ("train_mask", "val_mask", "test_mask")
    masks = [getattr(given, name, None) for name in names]
    if all(mask is None for mask in masks):
        return None
    if masks[0] is None:
        raise ValueError("train_mask: found none beside another mask, expected the nodes to learn from; split=None leaves "
                         "masks out")
    return _mask(masks[0], names[0]), _mask(masks[1], names[1]), _mask(masks[2], names[2])


def _mask(mask: Any, name: str) -> Any:
    if mask is None:
        return []
    array = plain(mask, name)
    if array.ndim != 1:
        raise ValueError(f"{name}: found shape {array.shape}, expected one truth value per node: choose one split first "
                         f"(data.{name} = data.{name}[:, 0])")
    if array.dtype.kind in "iu" and bool(np.all((array == 0) | (array == 1))):
        array = array.astype(bool)  # masks of older versions are bytes
    if array.dtype.kind != "b":
        raise TypeError(f"{name}: found {array.dtype}, expected truth values")
    return array


def graph_of(given: Any, nodes: Any, directed: Optional[bool]) -> tuple[Any, Any, Optional[bool]]:
    """Edges, nodes and direction of a graph of another library; anything else as it is."""
    if hasattr(given, "is_multigraph"):
        nodes = _node_names(list(given.nodes())) if nodes is None else nodes
        return [(u, v) for u, v in given.edges()], nodes, directed or given.is_directed()
    if hasattr(given, "get_edgelist"):
        named = "name" in given.vs.attributes()
        names = given.vs["name"] if named else list(range(given.vcount()))
        pairs = [(names[u], names[v]) for u, v in given.get_edgelist()]
        return pairs, names if nodes is None else nodes, directed or given.is_directed()
    if is_pyg(given):
        both_ways = directed if directed is not None else not given.is_undirected()
        edges = plain(given.edge_index, "edge_index")
        return edges, int(given.num_nodes) if nodes is None else nodes, both_ways
    return given, nodes, directed


def edges_and_nodes(graph: Any) -> tuple[Any, int]:
    """Edges by positions, and how many nodes."""
    if hasattr(graph, "is_multigraph"):
        place = {node: at for at, node in enumerate(graph.nodes())}
        return [(place[u], place[v]) for u, v in graph.edges()], len(place)
    if is_pyg(graph):
        return plain(graph.edge_index, "edge_index"), int(graph.num_nodes)
    edges, nodes = graph
    if not isinstance(nodes, (int, np.integer)):
        raise TypeError(f"nodes: found {type(nodes).__name__}, expected how many there are")
    return edges, int(nodes)


# Out


def to_scipy(self: Dataset) -> Any:
    """The adjacency as a ``csr_matrix`` of ones; rows are nodes in the order of ``ids``."""
    from scipy.sparse import csr_matrix

    offsets, targets = self._native.csr()
    return csr_matrix((np.ones(len(targets), dtype=np.float32), targets, offsets),
                      shape=(self.node_count, self.node_count))


def to_networkx(self: Dataset) -> Any:
    """A graph of networkx: ids are its nodes, ``label`` is the name of a node's class, ``features`` its row."""
    import networkx

    graph = (networkx.DiGraph if self.directed else networkx.Graph)(name=self.name)
    ids = _listed(self)
    rows, labels = self.features, label_values(self)
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    for at, node in enumerate(ids):
        about = {} if rows is None else {"features": rows[at]}
        if labels is not None and labels[at] is not None:
            about["label"] = labels[at]
        graph.add_node(node, **about)
    sources, targets = self._native.edge_index(True)
    graph.add_edges_from((ids[u], ids[v]) for u, v in zip(sources.tolist(), targets.tolist()))
    return graph


def to_igraph(self: Dataset) -> Any:
    """A graph of igraph: the attribute ``name`` of a vertex is its id, ``label`` the name of its class."""
    import igraph

    graph = igraph.Graph(n=self.node_count, edges=self._native.edge_index(True).T.tolist(), directed=self.directed)
    graph.vs["name"] = _listed(self)
    labels = label_values(self)
    if labels is not None:
        graph.vs["label"] = labels
    rows = self.features
    if rows is not None:
        graph.vs["features"] = list(rows.toarray() if hasattr(rows, "toarray") else rows)
    return graph


def to_pyg(self: Dataset) -> Any:
    """A ``Data`` of PyTorch Geometric; ``node_ids`` keeps the ids, masks are made of the split."""
    import torch
    from torch_geometric.data import Data

    rows, labels = self.features, self.labels
    data = Data(edge_index=torch.from_numpy(self.edge_index), num_nodes=self.node_count)
    if rows is not None:
        data.x = torch.from_numpy(rows.toarray() if hasattr(rows, "toarray") else rows)
    if labels is not None:
        data.y = torch.from_numpy(labels)
    if self.split is not None:
        for name, part in zip(("train_mask", "val_mask", "test_mask"), self.split):
            mask = torch.zeros(self.node_count, dtype=torch.bool)
            mask[torch.from_numpy(part)] = True
            data[name] = mask
    data.node_ids = _listed(self)
    return data


def _tables(self: Dataset, id: str, label: str) -> tuple[dict[str, Any], dict[str, Any]]:
    ids = np.asarray(self.ids)
    nodes: dict[str, Any] = {id: ids}
    labels = label_values(self)
    rows = self.features
    names: list[str] = []
    if rows is not None:
        rows = rows.toarray() if hasattr(rows, "toarray") else rows
        names = self._native.column_names or [f"f{at}" for at in range(rows.shape[1])]
    taken = {"id": id} if labels is None else {"id": id, "label": label}
    for what, name in taken.items():
        if name in names or (what == "label" and name == id):
            raise ValueError(f"columns: found two named {name!r}, expected a name of its own for each; choose another one for "
                             f"the {what} with {what}=")
    if labels is not None:
        nodes[label] = labels
    nodes.update((name, rows[:, at]) for at, name in enumerate(names))
    sources, targets = self._native.edge_index(True)
    return nodes, {"source": ids[sources], "target": ids[targets]}


def to_pandas(self: Dataset, *, id: str = "id", label: str = "label") -> tuple[Any, Any]:
    """A frame of nodes (``id``, ``label``, features) and a frame of edges (``source``, ``target``). ``id`` and ``label`` are
    what the first two columns are called, where a feature has one of these names."""
    import pandas

    nodes, edges = _tables(self, id, label)
    labels = label_values(self)
    if labels is not None and all(value is None or isinstance(value, int) for value in labels):
        nodes[label] = pandas.array(labels, dtype="Int64")
    return pandas.DataFrame(nodes), pandas.DataFrame(edges)


def to_arrow(self: Dataset, *, id: str = "id", label: str = "label") -> tuple[Any, Any]:
    """The same two tables as those of pyarrow."""
    import pyarrow

    nodes, edges = _tables(self, id, label)
    return pyarrow.table(nodes), pyarrow.table(edges)


def _listed(self: Dataset) -> list[Any]:
    ids = self.ids
    if isinstance(ids, list):
        return list(ids)
    return [int(one) for one in ids]


def label_values(self: Dataset) -> Optional[list[Any]]:
    """The users' own classes: numbers if all of them are, else text; ``None`` where there is none."""
    labels, names = self.labels, self.classes
    if labels is None or names is None:
        return None
    values = class_values(names)
    return [None if at < 0 else values[at] for at in labels.tolist()]
