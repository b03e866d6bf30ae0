"""Data in and out: ids, types and gaps survive the round trip through every library."""

from __future__ import annotations

import numpy as np
import pytest

import privet
from conftest import benchmark

IDS = ["zoe", "ann", "bob", "cy"]
EDGES = [("ann", "bob"), ("bob", "cy"), ("zoe", "ann")]


def friends(**more) -> privet.Dataset:
    given = dict(nodes=IDS, features=np.arange(8, dtype=np.float32).reshape(4, 2), labels=["x", None, "y", "x"],
                 classes=["x", "y"], bounds=(0, 8), name="friends")
    return privet.Dataset.from_edges(EDGES, **{**given, **more})


def same(one: privet.Dataset, other: privet.Dataset) -> None:
    def links(data):
        names = [str(name) for name in data.ids]
        return {frozenset((names[u], names[v])) for u, v in data.edge_index.T}

    assert sorted(map(str, one.ids)) == sorted(map(str, other.ids))
    assert links(one) == links(other) and one.directed == other.directed
    order = [list(map(str, other.ids)).index(str(name)) for name in one.ids]
    if one.features is not None:
        assert np.array_equal(dense(one), dense(other)[order])
    if one.labels is not None:
        mine, theirs = values(one), values(other)
        assert mine == [theirs[at] for at in order]


def dense(data):
    rows = data.features
    return rows.toarray() if hasattr(rows, "toarray") else rows


def values(data):
    return [None if at < 0 else data.classes[at] for at in data.labels]


def test_ids_keep_their_order_and_their_type():
    data = friends()
    assert data.ids == IDS and data.facts == {"ids": "stated", "columns": "stated", "classes": "stated"}
    numbers = privet.Dataset.from_edges([(10**18, 7), (7, 3)], nodes=[7, 10**18, 3])
    assert numbers.ids.dtype == np.uint64 and numbers.ids.tolist() == [7, 10**18, 3]
    assert {tuple(sorted(pair)) for pair in numbers.edge_index.T.tolist()} == {(0, 1), (0, 2)}


def test_what_only_the_records_tell_is_marked():
    assert privet.Dataset.from_edges(EDGES).facts == {"ids": "read-off"}
    assert friends(classes=None).facts["classes"] == "read-off"
    taken = privet.Dataset.from_edges(EDGES, assume_public="ids")
    assert taken.facts == {"ids": "taken-for-public"}


def test_an_edge_index_is_an_edge_index():
    for edges in (np.array([[0, 1], [1, 2]]), np.array([[0, 1, 1], [1, 2, 0]])):
        assert privet.Dataset.from_edges(edges, nodes=3).edge_count == 2
    assert privet.Dataset.from_edges(np.array([[0, 1], [1, 2], [2, 3]]), nodes=4).edge_count == 3
    assert privet.Dataset.from_edges(np.zeros((2, 0), dtype=int), nodes=4).edge_count == 0
    directed = privet.Dataset.from_edges(np.array([[0, 1], [1, 0]]), nodes=2, directed=True)
    assert directed.edge_count == 2 and directed.directed


def test_repeats_and_loops_are_folded_and_told():
    data = privet.Dataset.from_edges([(0, 1), (1, 0), (2, 2)], nodes=3)
    assert data.edge_count == 1 and len(data.notices) == 2


def test_missing_labels_stay_missing():
    assert friends().labels.tolist() == [0, -1, 1, 0]
    for labels in ([1.0, np.nan, 2.0, 1.0], [1, -1, 2, 1]):
        data = friends(labels=labels, classes=None, missing=-1)
        assert data.labels.tolist() == [0, -1, 1, 0] and data.classes == ["1", "2"]


def test_scipy():
    sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")
    data = friends(features=sparse.csr_matrix(np.eye(4, dtype=np.float32)), bounds=(0, 1))
    assert sparse.issparse(data.features)
    again = privet.Dataset.from_edges(data.to_scipy(), features=data.features, labels=values(data),
                                      classes=["x", "y"], bounds=(0, 1))
    assert (again.to_scipy() != data.to_scipy()).nnz == 0
    assert np.array_equal(dense(again), np.eye(4))


def test_networkx():
    pytest.importorskip("networkx", reason="networkx is not installed")
    data = friends()
    same(data, privet.Dataset.from_networkx(data.to_networkx(), features="features", label="label", classes=["x", "y"]))


def test_graphs_of_other_libraries_are_edges_too():
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    rows = np.arange(8, dtype=np.float32).reshape(4, 2)
    for graph in (networkx.Graph(EDGES), networkx.DiGraph(EDGES)):
        data = privet.Dataset.from_edges(graph, features=rows)
        assert data.ids == list(graph.nodes()) and data.directed == graph.is_directed()
        assert data.facts["ids"] == "stated" and data.edge_count == 3
    numbers = networkx.path_graph(5)
    assert privet.Dataset.from_edges(numbers).ids.tolist() == [0, 1, 2, 3, 4]


def test_igraph():
    pytest.importorskip("igraph", reason="igraph is not installed")
    data = friends()
    same(data, privet.Dataset.from_igraph(data.to_igraph(), features="features", label="label", classes=["x", "y"]))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("labels", [["x", None, "y", "x"], [3, -1, 7, 3]])
def test_tables(library, labels):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    data = friends(labels=labels, classes=None, missing=-1)
    if library == "pandas":
        nodes, edges = data.to_pandas()
    else:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        nodes, edges = data.to_arrow()
        if library == "polars":
            nodes, edges = module.from_arrow(nodes), module.from_arrow(edges)
    again = privet.Dataset.from_tables(edges, nodes, label="label")
    same(data, again)
    assert again.columns == ["f0", "f1"]
    only = privet.Dataset.from_edges(edges, nodes=IDS)
    assert only.edge_count == 3


def test_arrow_types(monkeypatch):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    long = "a name of more than twelve letters"
    for kind in (polars.Int8, polars.UInt64, polars.Float32, polars.Boolean):
        table = polars.DataFrame({"id": [long, "b", "cé"], "v": polars.Series([1, 0, 1]).cast(kind)})
        data = privet.Dataset.from_tables(polars.DataFrame({"source": [long], "target": ["b"]}), table)
        assert data.ids == [long, "b", "cé"] and dense(data)[:, 0].tolist() == [1, 0, 1]
    text = polars.DataFrame({"id": ["a", "b"], "c": polars.Series(["u", "v"], dtype=polars.Categorical)})
    labelled = privet.Dataset.from_tables(polars.DataFrame({"source": ["a"], "target": ["b"]}), text, label="c")
    assert labelled.classes == ["u", "v"]
    sliced = polars.concat([table, table.with_columns(id=polars.col("id") + "2")])[1:5]
    assert len(privet.Dataset.from_edges(np.zeros((2, 0), int), nodes=sliced["id"].to_list())) == 4
    with pytest.raises(TypeError, match="expected numbers"):
        privet.Dataset.from_tables(sliced, polars.DataFrame({"id": ["a"], "when": [polars.date(2020, 1, 1)]}).select(
            polars.col("id"), polars.lit("2020-01-01").str.to_date().alias("when")))


def test_pyg():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("torch_geometric", reason="torch_geometric is not installed")
    data = friends(split=([0], [2], [3]))
    other = data.to_pyg()
    assert other.x.dtype == torch.float32 and other.edge_index.shape == (2, 6)
    again = privet.Dataset.from_pyg(other, missing=-1)
    assert again.ids == IDS and np.array_equal(again.edge_index, data.edge_index)
    assert again.labels.tolist() == [0, -1, 1, 0] and [part.tolist() for part in again.split] == [[0], [2], [3]]


@pytest.mark.parametrize("ending", ["npz", "graphml"])
def test_files(tmp_path, ending):
    data = friends()
    data.write(tmp_path / f"friends.{ending}")
    again = privet.read(tmp_path / f"friends.{ending}")
    same(data, again)
    with pytest.raises(privet.Refused):
        data.write(tmp_path / f"friends.{ending}")


def test_sets_of_graphs():
    graphs = privet.GraphSet.from_graphs([([(0, 1)], 2), (np.array([[0, 1], [1, 2]]), 3)], labels=[5, 9])
    assert (len(graphs), graphs.sizes, graphs.classes) == (2, [2, 3], ["5", "9"])
    assert graphs.edge_index(1).shape == (2, 4)
    with pytest.raises(ValueError):
        graphs.edge_index(2)


def test_a_benchmark():
    cora = benchmark("cora")
    assert (cora.node_count, cora.edge_count, len(cora.classes)) == (2708, 5278, 7)
