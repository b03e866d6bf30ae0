"""Wrong shapes, types and values: an exception that says what would be right, and never what a person's value is."""

from __future__ import annotations

import gc
import subprocess
import sys

import numpy as np
import pytest

import privet

HDS = privet.features.Hds(epsilon=1, bounds=(0, 1))


def made(features, **more):
    return privet.Dataset.from_edges([], features=features, **more)


@pytest.mark.parametrize("features, kind", [
    (np.zeros(5), ValueError),
    (np.zeros((2, 2, 2)), ValueError),
    (np.array([[object()]]), TypeError),
    (np.array([["1", "2"]]), TypeError),
    (np.array([[1 + 2j]]), TypeError),
    (np.array([["2020-01-01"]], dtype="datetime64[D]"), TypeError),
    (np.array([[np.nan, 1.0]]), ValueError),
    (np.array([[np.inf, 1.0]]), ValueError),
    (np.array([[1e300, 1.0]]), ValueError),
    ("text", TypeError),
    (None, ValueError),
])
def test_features(features, kind):
    with pytest.raises(kind):
        privet.features.Hds(epsilon=1, bounds=(0, 1)).run(
            privet.Dataset.from_edges([], features=features, nodes=1), seed=1)


def test_a_private_value_is_never_quoted():
    secret = 123456.789
    for features in (np.array([[secret, np.nan]]), np.array([[np.inf, secret]])):
        with pytest.raises(ValueError) as told:
            made(features)
        assert "123456" not in str(told.value)
    with pytest.raises(ValueError) as told:
        privet.Dataset.from_edges([("ann", "unlisted-name")], nodes=["ann"])
    assert "unlisted" not in str(told.value)
    with pytest.raises(ValueError) as told:
        privet.Dataset.from_edges([(0, 77)], nodes=3)
    assert "77" not in str(told.value)


@pytest.mark.parametrize("change", [
    lambda rows: np.asfortranarray(rows),
    lambda rows: np.repeat(rows, 2, axis=1)[:, ::2],
    lambda rows: rows[::-1][::-1],
    lambda rows: rows.astype(np.float64),
    lambda rows: rows.astype(">f4"),
    lambda rows: np.frombuffer(rows.tobytes(), dtype=np.float32).reshape(rows.shape),
])
def test_layouts_do_not_matter(rows, change):
    other = change(rows)
    assert HDS.run(made(other), seed=1).get() == HDS.run(made(rows), seed=1).get()
    assert np.array_equal(made(other).features, rows)


def test_what_goes_in_is_not_changed_and_not_watched(rows):
    before = rows.copy()
    data = made(rows)
    HDS.run(data, seed=1)
    assert np.array_equal(rows, before)
    shown = data.features
    shown[:] = 0
    assert np.array_equal(data.features, before)
    kept = made(rows)
    rows[:] = 0
    assert np.array_equal(kept.features, before)


def test_rows_outlive_their_array(rows):
    """A lent array that its owner drops stays alive."""
    lent = rows.copy()
    lent.flags.writeable = False
    data = made(lent, copy=False)
    with pytest.raises(ValueError, match="resize"):
        lent.resize((1, 1))
    del lent
    gc.collect()
    np.full(rows.shape, 9, dtype=np.float32)
    assert np.array_equal(data.features, rows)


MEMORY = """
import numpy as np, privet
def peak():  # of this process; getrusage begins with what the parent had
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024
rows = np.random.default_rng(1).random((20000, 1000), dtype=np.float32)
rows.flags.writeable = False
before = peak()
data = privet.Dataset.from_edges([], features=rows, bounds=(0, 1), copy=COPY)
privet.features.Hds(epsilon=1, k=1).run(data, seed=1)
print((peak() - before) / (rows.nbytes / 2**20))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what Linux says about memory")
def test_a_matrix_of_the_right_kind_is_not_copied():
    for copy, least, most in (("False", 0.0, 0.4), ("True", 0.8, 1.4)):
        script = MEMORY.replace("COPY", copy)
        told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        assert least <= float(told) < most, told


@pytest.mark.parametrize("edges, nodes, kind", [
    (np.array([[0, 1, 2]]), 3, ValueError),
    (np.array([0, 1, 2]), 3, ValueError),
    (np.array([[0.0, 1.0], [1.0, 2.0]]), 3, TypeError),
    (np.array([[0, 1], [1, 5]]), 3, ValueError),
    (np.array([[0, 1], [1, -1]]), 3, ValueError),
    (np.array([[0, 1], [1, 2**63]], dtype=np.uint64), 3, ValueError),
    ([("a", 1)], None, TypeError),
    ([(None, "a")], None, TypeError),
    ([("a", "b")], 3, TypeError),
    ([("a", "b")], [1, 2], TypeError),
    ([(0, 1)], -1, (OverflowError, ValueError)),
    ([(0, 1)], 2**70, (OverflowError, ValueError)),
    ([(0, 1)], [0, 0, 1], ValueError),
    ([(0, 1)], [[0], [1]], ValueError),
    (object(), 3, (TypeError, ValueError)),
])
def test_edges(edges, nodes, kind):
    with pytest.raises(kind):
        privet.Dataset.from_edges(edges, nodes=nodes)


@pytest.mark.parametrize("labels, kind", [
    ([0, 1], ValueError),
    ([[0], [1], [2]], ValueError),
    ([0.5, 1, 2], ValueError),
    ([b"a", b"b", b"c"], TypeError),
    ([object(), 1, 2], TypeError),
])
def test_labels(labels, kind):
    with pytest.raises(kind):
        privet.Dataset.from_edges([(0, 1)], nodes=3, labels=labels)


@pytest.mark.parametrize("bounds", [(1, 0), (0, np.inf), (0, np.nan), (0, 1, 2), [(0, 1)], "ab", 3])
def test_bounds(rows, bounds):
    with pytest.raises((ValueError, TypeError)):
        made(rows, bounds=bounds)


@pytest.mark.parametrize("epsilon", [0, -1, np.nan, 1e-30, 1e9, np.inf])
def test_epsilons(people, epsilon):
    for mechanism in (privet.features.Hds, privet.edges.Dprr, privet.labels.LabelRr):
        with pytest.raises((ValueError, privet.Refused)):
            mechanism(epsilon=epsilon).run(people, seed=1)


def test_seeds(people):
    for seed in (-1, 2**64, 1.5, "a"):
        with pytest.raises((OverflowError, TypeError)):
            privet.edges.Dprr(epsilon=1).run(people, seed=seed)
    privet.edges.Dprr(epsilon=1).run(people, seed=2**64 - 1)


def test_nothing_at_all():
    empty = privet.Dataset.from_edges([], nodes=0)
    assert empty.edge_index.shape == (2, 0)
    for mechanism in (privet.edges.Dprr(epsilon=1), privet.edges.Rr(epsilon=1)):
        try:
            mechanism.run(empty, seed=1)
        except (ValueError, privet.PrivetError):
            pass
    with pytest.raises((ValueError, privet.PrivetError)):
        HDS.run(made(np.zeros((3, 0))), seed=1)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        privet.read(tmp_path / "nothing.csv")
    with pytest.raises(FileNotFoundError):
        privet.Card.read(tmp_path / "nothing.json")
    with pytest.raises(ValueError, match="did you mean 'cora'"):
        privet.load("coraa")
    with pytest.raises(ValueError):
        privet.Project(tmp_path)


def test_other_things_are_refused(people):
    with pytest.raises(TypeError):
        HDS.run(np.zeros((3, 3)), seed=1)
    with pytest.raises(TypeError):
        privet.Dataset(3)
    with pytest.raises(TypeError):
        privet.LdpGe(epsilon=1, epochz=1)
    with pytest.raises(ValueError):
        privet.Dprr(epsilon=1, seed=1).run(people)
    with pytest.raises(ValueError, match="did you mean"):
        privet.edges.Dprr(epsilon=30, accept="large-epsilo").run(people, seed=1)
