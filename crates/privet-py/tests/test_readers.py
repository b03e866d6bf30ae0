"""Every reader gives back exactly what was passed, or raises: nothing is rounded, wrapped, filled in or guessed (A8, C12)."""

from __future__ import annotations

import random

import numpy as np
import pytest

import privet

REFUSED = (ValueError, TypeError, OverflowError)


def pairs_of(data):
    """Edges by the ids of their ends."""
    ids = data.ids if isinstance(data.ids, list) else [int(one) for one in data.ids]
    return {frozenset((ids[u], ids[v])) for u, v in data.edge_index.T.tolist()}


def classes_of(data):
    """The class of each node by its name, or None."""
    return [None if at < 0 else data.classes[at] for at in data.labels.tolist()]


# Ids and edges


@pytest.mark.parametrize("edges, nodes", [
    ([(2**32 + 1, 2)], np.array([1, 2], dtype=np.uint32)),
    ([(257, 2)], np.array([1, 2], dtype=np.uint8)),
    (np.array([[2**32 + 1], [2]]), np.array([1, 2], dtype=np.int32)),
    (np.array([[-1], [2]]), np.array([2**64 - 1, 2], dtype=np.uint64)),
    (np.array([[-1], [2]], dtype=np.int8), np.array([255, 2], dtype=np.uint8)),
    ([(1, 2)], ["1", "2"]),
    ([("1", "2")], [1, 2]),
])
def test_a8_an_edge_never_goes_to_another_person(edges, nodes):
    with pytest.raises(REFUSED):
        privet.Dataset.from_edges(edges, nodes=nodes)


def test_a8_ids_of_any_width_are_compared_by_their_value():
    data = privet.Dataset.from_edges(np.array([[2**32 + 1], [2]]), nodes=np.array([2**32 + 1, 1, 2], dtype=np.uint64))
    assert pairs_of(data) == {frozenset((2**32 + 1, 2))}


@pytest.mark.parametrize("nodes", [[1, "1"], [1, True], ["a\0", "b"], [1, None], [1.0, 2.0], [b"a"], [2**64], [-1], True])
def test_c12_ids_of_several_kinds_are_refused(nodes):
    with pytest.raises(REFUSED):
        privet.Dataset.from_edges([], nodes=nodes)


def test_c12_a_list_of_two_is_not_guessed_at():
    edge_index = np.array([[0, 2], [1, 3]])
    expected = privet.Dataset.from_edges(edge_index, nodes=4)
    assert pairs_of(expected) == {frozenset((0, 1)), frozenset((2, 3))}
    assert privet.Dataset.from_edges(list(edge_index), nodes=4) == expected
    assert privet.Dataset.from_edges(tuple(edge_index), nodes=4) == expected
    assert privet.Dataset.from_edges([(0, 1), (2, 3)], nodes=4) == expected
    for guess in (edge_index.tolist(), ([0, 2], [1, 3])):
        with pytest.raises(ValueError, match="two lists of two"):
            privet.Dataset.from_edges(guess, nodes=4)
    # The same edges either way.
    assert privet.Dataset.from_edges([[0, 1], [1, 2]], nodes=3).edge_count == 2
    with pytest.raises(REFUSED):
        privet.Dataset.from_edges(["ab", "cd"])


def test_c12_stored_zeros_are_no_edges_and_rows_are_nodes():
    sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")
    matrix = sparse.csr_matrix((np.array([1.0, 0.0, 1.0]), (np.array([0, 1, 2]), np.array([1, 2, 0]))), shape=(3, 3))
    assert matrix.nnz == 3
    for given in (matrix, matrix.tocoo(), matrix.tocsc()):
        assert pairs_of(privet.Dataset.from_edges(given)) == {frozenset((0, 1)), frozenset((2, 0))}
    assert matrix.nnz == 3, "the caller's matrix stays as it is"
    assert pairs_of(privet.Dataset.from_edges(matrix, nodes=[2, 0, 1])) == {frozenset((2, 0)), frozenset((1, 2))}
    for other in (sparse.csr_matrix((3, 4)), sparse.csr_matrix(np.array([[np.nan, 1], [1, 0]]))):
        with pytest.raises(ValueError):
            privet.Dataset.from_edges(other)
    with pytest.raises(ValueError):
        privet.Dataset.from_edges(matrix, nodes=4)


def test_c12_columns_of_one_name_are_refused():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(np.zeros((2, 2)), columns=["a", "a"])
    with pytest.raises(ValueError):
        privet.Dataset.from_edges([], features=frame)
    with pytest.raises(ValueError, match="both ends"):
        privet.Dataset.from_edges(pandas.DataFrame({"other": [1], "source": [2]}), source=None)


# Features


def test_c12_a_sparse_matrix_of_the_caller_is_not_changed():
    sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")
    matrix = sparse.csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 0]), np.array([0, 2, 3])), shape=(2, 2))
    matrix.has_sorted_indices = False
    before = matrix.data.copy(), matrix.indices.copy(), matrix.indptr.copy()
    data = privet.Dataset.from_edges([], features=matrix)
    assert all(np.array_equal(one, other) for one, other in zip(before, (matrix.data, matrix.indices, matrix.indptr)))
    assert np.array_equal(data.features.toarray(), [[2, 1], [3, 0]])


def test_a8_an_array_cannot_change_after_it_was_checked(rows):
    before = rows.copy()
    for given in (rows, rows[:, :3], np.asfortranarray(rows), rows.astype(np.float64)):
        expected = given.copy()
        data = privet.Dataset.from_edges([], features=given, bounds=(0, 1))
        given[:] = np.nan
        assert np.array_equal(data.features, expected)
        rows[:] = before


def test_a8_an_array_is_lent_only_where_nothing_writes_to_it(rows):
    with pytest.raises(ValueError, match="read-only"):
        privet.Dataset.from_edges([], features=rows, copy=False)
    view = rows[:]
    view.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        privet.Dataset.from_edges([], features=view, copy=False)  # its base can be written to
    rows.flags.writeable = False
    data = privet.Dataset.from_edges([], features=rows, copy=False)
    assert np.array_equal(data.features, rows)
    held = np.frombuffer(rows.tobytes(), dtype=np.float32).reshape(rows.shape)
    assert privet.Dataset.from_edges([], features=held, copy=False) == data
    with pytest.raises(ValueError, match="read-only"):
        privet.Dataset.from_edges([], features=np.frombuffer(bytearray(rows.tobytes()), dtype=np.float32).reshape(rows.shape),
                                  copy=False)


def test_a8_a_thread_that_writes_meanwhile_changes_nothing():
    import threading

    rows = np.random.default_rng(1).random((4000, 50), dtype=np.float32)
    hds = privet.features.Hds(epsilon=1, bounds=(0, 1))
    expected = hds.run(privet.Dataset.from_edges([], features=rows.copy()), seed=1).get()
    data, stop = privet.Dataset.from_edges([], features=rows), threading.Event()

    def write() -> None:
        while not stop.is_set():
            rows[:] = 1e30

    writer = threading.Thread(target=write)
    writer.start()
    try:
        found = hds.run(data, seed=1).get()
    finally:
        stop.set()
        writer.join()
    assert found == expected


# Masked values


MASKED = np.ma.MaskedArray([0, 1, 2], mask=[False, True, False])


@pytest.mark.parametrize("more", [
    {"nodes": MASKED},
    {"edges": [MASKED, np.array([1, 2, 0])]},
    {"edges": np.ma.MaskedArray([[0, 1], [1, 2]], mask=[[True, False], [False, False]])},
    {"features": np.ma.MaskedArray(np.zeros((3, 2)), mask=[[True, False]] * 3)},
    {"features": [np.ma.MaskedArray([1.0, 2.0], mask=[True, False])] * 3},
    {"split": (MASKED, [0], [])},
    {"bounds": np.ma.MaskedArray([0.0, 1.0], mask=[True, False]), "features": np.zeros((3, 2))},
])
def test_c12_masked_values_are_refused(more):
    with pytest.raises(ValueError, match="masked"):
        privet.Dataset.from_edges(**{"edges": [], "nodes": 3, **more})
    plain = np.ma.MaskedArray([0, 1, 2], mask=False)
    assert privet.Dataset.from_edges([], nodes=plain).node_count == 3


# Labels


def labelled(labels, **more):
    return privet.Dataset.from_edges([], nodes=len(labels), labels=labels, **more)


@pytest.mark.parametrize("labels", [[-1, 1], np.array([-1, 1]), np.array([-1.0, 1.0]), [-1, None], np.array([-1, 1], object)])
def test_a8_minus_one_is_a_class_or_none_as_the_caller_says(labels):
    with pytest.raises(ValueError, match="missing=-1"):
        labelled(labels)
    known = ["-1", None if labels[1] is None else "1"]
    assert classes_of(labelled(labels, missing=None)) == known
    assert classes_of(labelled(labels, missing=-1)) == [None, known[1]]


def test_c12_gaps_of_every_kind_are_no_class():
    assert classes_of(labelled([1.0, float("nan"), None])) == ["1", None, None]
    assert classes_of(labelled(np.ma.MaskedArray([3, 4, 3], mask=[False, True, False]))) == ["3", None, "3"]
    assert classes_of(labelled(["x", None, ""])) == ["x", None, None]
    assert classes_of(labelled([-5, -2, 7])) == ["-5", "-2", "7"]
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    assert classes_of(labelled(pandas.Series([1, None, 2], dtype="Int64"))) == ["1", None, "2"]
    assert classes_of(labelled(pandas.Series([1, None, "2"]).astype("string"))) == ["1", None, "2"]
    with pytest.raises(ValueError, match="missing=-1"):
        labelled(pandas.Series([-1, 1]))


@pytest.mark.parametrize("labels", [
    [1e300, 1.0], [2**64 - 1, 1], np.array([2**64 - 1, 1], dtype=np.uint64), [float(2**60), 1.0], [np.inf, 1.0], [1, "1"],
    [1, 2.5], [[1], [2]], [2**53 + 1, 1.0],
])
def test_c12_numbers_that_are_no_class_are_refused(labels):
    with pytest.raises(REFUSED):
        labelled(labels, missing=None)


@pytest.mark.parametrize("names", [["007", "7"], ["²", "1"], ["--5", "1"], ["-", ""], ["+1", "1"], ["01", "1"], ["-0", "1"]])
def test_c12_names_of_classes_stay_as_they_are(names):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    people = privet.stochastic_blocks(seed=1, nodes=120, classes=2, features=4, mean_degree=3.0)
    texts = [names[at] for at in people.labels]
    data = privet.Dataset.from_edges([], features=people.features, labels=texts, bounds=(0, 1))
    told = data.to_pandas()[0]["label"]
    assert ["" if pandas.isna(cell) else cell for cell in told] == texts
    if all(names):
        model = privet.Dpar(epsilon=8, seed=1, steps=2).fit(data)
        assert sorted(model.classes_.tolist()) == sorted(names)
        assert set(model.predict(data)) <= set(names)


# Splits


@pytest.mark.parametrize("split", [
    ([0.9, 1.0], [2], [3]), ([-1], [2], [3]), ([4], [2], [3]), ([0, 0], [2], [3]), ([0], [0], [3]), ([0], [1]),
    (np.array([True, False]), [2], [3]), ([[0]], [2], [3]), (["0"], [2], [3]), (np.array([2**32]), [2], [3]), 3,
])
def test_c12_splits_are_positions_or_truth_values(split):
    with pytest.raises(REFUSED):
        privet.Dataset.from_edges([], nodes=4, split=split)


def test_c12_truth_values_are_nodes():
    masks = np.array([[True, False, True, False], [False, True, False, False], [False] * 4])
    found = privet.Dataset.from_edges([], nodes=4, split=tuple(masks)).split
    assert [part.tolist() for part in found] == [[0, 2], [1], []]
    listed = privet.Dataset.from_edges([], nodes=4, split=([2, 0], {1}, []))
    assert [part.tolist() for part in listed.split] == [[0, 2], [1], []]


# Out


def test_c12_no_column_takes_the_place_of_another():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame({"id": [0.5, 0.25], "label": [1.0, 2.0]}).astype(np.float32)
    data = privet.Dataset.from_edges([], nodes=[7, 9], features=frame, labels=[0, 1])
    with pytest.raises(ValueError, match="id="):
        data.to_pandas()
    with pytest.raises(ValueError, match="label="):
        data.to_pandas(id="node")
    nodes, _ = data.to_pandas(id="node", label="class")
    assert nodes["node"].tolist() == [7, 9] and nodes["id"].tolist() == [0.5, 0.25] and nodes["class"].tolist() == [0, 1]


# Whatever is passed: as it was, or refused


POOL = [-2, -1, 0, 1, 2, 3, 255, 256, 257, 2**31, 2**32 + 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, True, False, 1.0,
        2.5, 1e300, float("nan"), float("inf"), None, "", "1", "007", "²", "a", "a\0", "é", b"a", np.uint8(3), np.float32(1),
        np.ma.masked, (1,), object()]
DTYPES = [None, None, np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64, np.bool_, object, str]


def drawn(rng):
    """A list of a few odd values, often of one kind, or an array of them."""
    kinds = [POOL, [one for one in POOL if type(one) is int], [one for one in POOL if isinstance(one, str)]]
    cells = rng.sample(rng.choice(kinds), rng.randint(1, 4))
    dtype = rng.choice(DTYPES)
    if dtype is None:
        return cells
    try:
        with np.errstate(all="ignore"):
            return np.array(cells, dtype=dtype)
    except (ValueError, TypeError, OverflowError, np.ma.MaskError):
        return cells


def test_c12_ids_come_back_as_they_were_or_are_refused():
    rng, kept = random.Random(1), 0
    for _ in range(3000):
        given = drawn(rng)
        try:
            data = privet.Dataset.from_edges([(given[0], given[-1])], nodes=given)
        except REFUSED:
            continue
        told = list(given) if isinstance(given, list) else given.tolist()
        ids = data.ids if isinstance(data.ids, list) else data.ids.tolist()
        assert [str(one) for one in ids] == [str(one) for one in told], repr(given)
        assert data.edge_count == (0 if len(told) == 1 else 1), repr(given)
        kept += 1
    assert kept > 300, "most of it was refused, so nothing was tested"


def test_c12_labels_come_back_as_they_were_or_are_refused():
    rng, kept = random.Random(2), 0
    for _ in range(3000):
        given, missing = drawn(rng), rng.choice([None, -1])
        try:
            data = labelled(given, missing=missing)
        except REFUSED:
            continue
        told = list(given) if isinstance(given, list) else given.tolist()
        gone = [one is None or one is np.ma.masked or one == "" or one == missing or one != one for one in told]
        names = [None if out else one if isinstance(one, str) else str(int(one)) for one, out in zip(told, gone)]
        assert classes_of(data) == names, repr(given)
        kept += 1
    assert kept > 300


def test_c12_features_come_back_as_they_were_or_are_refused():
    rng, kept = random.Random(3), 0
    for _ in range(2000):
        given = [drawn(rng) for _ in range(rng.randint(1, 2))]
        try:
            data = privet.Dataset.from_edges([], features=given)
        except REFUSED:
            continue
        assert np.array_equal(data.features, np.asarray(given, dtype=np.float64).astype(np.float32)), repr(given)
        kept += 1
    assert kept > 50


def test_c12_splits_come_back_as_they_were_or_are_refused():
    rng, kept = random.Random(4), 0
    for _ in range(2000):
        given = drawn(rng)
        try:
            data = privet.Dataset.from_edges([], nodes=4, split=(given, [], []))
        except REFUSED:
            continue
        told = list(given) if isinstance(given, list) else given.tolist()
        whole = all(isinstance(one, (bool, np.bool_)) for one in told)
        assert data.split[0].tolist() == (np.flatnonzero(told).tolist() if whole else sorted(told)), repr(given)
        kept += 1
    assert kept > 20
