"""What a fit may learn from, what it remembers, and what is refused before anything is charged (A8)."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import privet
import privet.pyg

SYSTEMS = {
    "ldp-ge": lambda **more: privet.LdpGe(epsilon=8, epochs=4, **more),
    "dpar": lambda **more: privet.Dpar(epsilon=8, steps=10, **more),
    "hetero-rr": lambda **more: privet.HeteroRr(epsilon_edges=8, **more),
}


class Data:
    """What the readers know of a ``Data`` of PyTorch Geometric, with arrays for tensors."""

    def __init__(self, **attributes):
        self.num_nodes = attributes.pop("num_nodes")
        for name, value in attributes.items():
            setattr(self, name, value)

    def is_undirected(self):
        return True


@pytest.fixture
def people():
    return privet.stochastic_blocks(seed=2, nodes=200, classes=2, features=8)


@pytest.fixture
def masks():
    """Half trains, a quarter validates, a quarter tests."""
    at = np.random.default_rng(4).permutation(200) % 4
    return {"train_mask": at < 2, "val_mask": at == 2, "test_mask": at == 3}


def pyg(people, labels, **more):
    rows = people.features.toarray() if hasattr(people.features, "toarray") else people.features
    return Data(num_nodes=people.node_count, x=rows, edge_index=people.edge_index, y=labels, **more)


def told(model, data):
    return model.predict_proba(data) if isinstance(model, privet.Dpar) else model.predict_proba()


@pytest.mark.parametrize("name", SYSTEMS)
def test_a8_labels_of_test_nodes_have_no_part_in_a_fit(name, people, masks):
    """Other labels on test nodes give the same model, byte by byte; on training nodes they do not."""
    def fitted(labels):
        data = privet.Dataset.from_pyg(pyg(people, labels, **masks), classes=2, bounds=(0, 1))
        return told(SYSTEMS[name](seed=3).fit(data), data)

    expected = fitted(people.labels)
    turned = np.where(masks["test_mask"], 1 - people.labels, people.labels)
    assert np.array_equal(fitted(turned), expected)
    assert not np.array_equal(fitted(1 - people.labels), expected)


def test_a8_masks_are_the_split_however_a_graph_comes(people, masks):
    data = pyg(people, people.labels, **masks)
    rows, mine = data.x, privet.Dataset.from_pyg(data, classes=2)
    turned = np.where(masks["test_mask"], 1 - people.labels, people.labels)
    by_graph = [privet.LdpGe(epsilon=8, seed=1, epochs=2, bounds=(0, 1)).fit(data, rows, y).predict_proba() for y in (people.labels, turned)]
    assert np.array_equal(*by_graph)
    assert [len(part) for part in mine.split] == [100, 50, 50]
    whole, again = (privet.LdpGe(epsilon=8, seed=1, epochs=2, bounds=(0, 1)).fit(one) for one in (data, mine))
    assert np.array_equal(whole.predict_proba(), again.predict_proba())
    assert privet.Dataset.from_pyg(data, split=None).split is None


@pytest.mark.parametrize("name", SYSTEMS)
def test_a8_a_comparison_is_measured_on_the_stated_test_nodes(name, people, masks):
    """Test nodes have the other class, so a model that is right about the others is wrong about all of them."""
    turned = np.where(masks["test_mask"], 1 - people.labels, people.labels)
    split = tuple(masks.values())
    data = privet.Dataset.from_edges(people.edge_index, features=people.features, labels=turned, split=split, classes=2,
                                     bounds=(0, 1))
    system = SYSTEMS[name]()
    found = privet.compare(system, data, seeds=1).scores()
    learned = {"ldp-ge": "private", "dpar": "ceiling", "hetero-rr": "votes"}[name]
    assert float(found[learned][0]) < 0.4, found
    with pytest.raises(ValueError, match="testing"):
        none = privet.Dataset.from_edges(people.edge_index, features=people.features, labels=turned, classes=2, bounds=(0, 1),
                                         split=(masks["train_mask"], masks["val_mask"], []))
        privet.compare(system, none, seeds=1)


def test_a8_a_run_holds_out_the_stated_test_nodes(people, masks):
    split = (masks["train_mask"], [], masks["test_mask"][:100].tolist() + [False] * 100)
    data = privet.Dataset.from_edges(people.edge_index, features=people.features, labels=people.labels, classes=2,
                                     bounds=(0, 1), split=split)
    assert len(privet.Dpar(epsilon=8, steps=5).run(data, seed=1).get().predicted) == 25


@pytest.mark.parametrize("change, error", [
    ({"train_mask": None}, "train_mask"),
    ({"train_mask": np.ones((200, 10), dtype=bool)}, "choose one split"),
    ({"train_mask": np.ones(100, dtype=bool)}, "truth values"),
    ({"train_mask": np.ones(200)}, "train_mask"),
    ({"train_mask": np.ones(200, dtype=bool)}, "two parts"),
])
def test_a8_masks_that_say_nothing_clear_are_refused(people, masks, change, error):
    with pytest.raises((ValueError, TypeError), match=error):
        privet.Dataset.from_pyg(pyg(people, people.labels, **{**masks, **change}))


def test_a8_minus_one_in_a_fit_and_a_score(people):
    signs = np.where(people.labels == 1, 1, -1)
    rows = people.features
    with pytest.raises(ValueError, match="missing=-1"):
        privet.Dpar(epsilon=8, seed=1, steps=5).fit(None, rows, signs)
    model = privet.Dpar(epsilon=8, seed=1, steps=5).fit(None, rows, signs, missing=None)
    assert model.classes_.tolist() == [-1, 1] and set(model.predict(None, rows)) <= {-1, 1}
    assert 0 <= model.score(None, rows, signs, missing=None) <= 1
    some = people.labels.copy()
    some[100:] = -1
    half = privet.LdpGe(epsilon=8, seed=1, epochs=2).fit(people, y=some, missing=-1)
    assert half.classes_.tolist() == [0, 1] and half.predict().shape == (200,)
    with pytest.raises(ValueError):
        half.score(people.labels[:10])
    with pytest.raises(TypeError):
        half.score([str(label) for label in people.labels])


def test_a8_minus_one_is_no_link_only_in_words_of_its_own(people):
    links = privet.LdpGeLinks(epsilon=8, seed=1, epochs=2).fit(people)
    with pytest.raises(ValueError, match="0 and 1"):
        links.score([(0, 1), (0, 2), (0, 3)], [-1, 1, 1])


# Columns


@pytest.fixture
def frame(people):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    rows = people.features.toarray() if hasattr(people.features, "toarray") else people.features
    return pandas.DataFrame(rows, columns=[f"c{at}" for at in range(8)])


def test_a8_columns_in_another_order_are_refused(people, frame):
    estimator = pytest.importorskip("privet.sklearn", reason="scikit-learn is not installed")
    dpar = privet.Dpar(epsilon=8, seed=1, steps=5).fit(None, frame, people.labels)
    learner = estimator.DparClassifier(epsilon=8, seed=1, steps=5).fit(frame, people.labels)
    for model, ask in ((dpar, lambda X: dpar.predict_proba(None, X)), (learner, learner.predict_proba)):
        assert list(model.feature_names_in_) == list(frame.columns)
        expected = ask(frame)
        with pytest.raises(ValueError, match="same order"):
            ask(frame[list(frame.columns[::-1])])
        with pytest.raises(ValueError, match="unseen at fit time"):
            ask(frame.rename(columns={"c0": "other"}))
        with pytest.warns(UserWarning, match="valid feature names"):
            assert np.array_equal(ask(frame.to_numpy()), expected)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ask(frame)
    with pytest.raises(ValueError, match="same order"):
        dpar.score(None, frame[list(frame.columns[::-1])], people.labels)


def test_a8_scikit_learn_agrees_about_names_of_columns():
    pytest.importorskip("pandas", reason="pandas is not installed")
    checks = pytest.importorskip("sklearn.utils.estimator_checks", reason="scikit-learn is not installed")
    from privet.sklearn import DparClassifier

    checks.check_dataframe_column_names_consistency("DparClassifier", DparClassifier(epsilon=8.0, seed=1, steps=5, delta=1e-3))


# What is refused changes nothing


def test_a8_a_refused_fit_changes_nothing(people, tmp_path):
    rows = people.features
    named = np.array(["a", "b"])[people.labels]
    model = privet.Dpar(epsilon=8, steps=5, folder=tmp_path / "one", bounds=(0, 1), classes=["a", "b"])
    model.fit(None, rows, named)
    before = {name: getattr(model, name) for name in ("classes_", "release_", "card_", "n_features_in_")}
    likely = model.predict_proba(None, rows)
    model.set_params(classes=["b", "a"])
    with pytest.raises((privet.LedgerError, privet.Refused)):
        model.fit(None, rows[:, :4], named)
    assert all(getattr(model, name) is value for name, value in before.items() if name != "n_features_in_")
    assert model.n_features_in_ == before["n_features_in_"]
    assert np.array_equal(model.predict_proba(None, rows), likely)


def test_a8_reports_that_do_not_fit_into_memory_are_refused_before_the_charge(tmp_path):
    people = privet.Dataset.from_edges([], nodes=3_000_000)
    for at, mechanism in enumerate([privet.edges.Rr(epsilon=1), privet.edges.Rr(epsilon=1, merge="or"),
                                    privet.edges.LocalLap(epsilon=1), privet.edges.EdgeRand(epsilon=1)]):
        ledger = privet.Ledger(tmp_path / f"{at}.ledger", limit=5)
        with pytest.raises(MemoryError, match="would fit"):
            mechanism.run(people, ledger=ledger)
        assert ledger.spent == 0 and len(ledger) == 0


# Transforms of PyTorch Geometric, on what looks like its Data


MULTI_BIT = privet.features.MultiBit(epsilon=1, bounds=(0, 1))


@pytest.mark.parametrize("name", ["edge_attr", "edge_weight", "pos", "edge_label"])
def test_a8_attributes_that_no_card_speaks_of_are_refused(people, tmp_path, name):
    data = pyg(people, people.labels, **{name: np.zeros((people.edge_index.shape[1], 1), dtype=np.float32)})
    ledger = tmp_path / "edges.ledger"
    for transform in (privet.pyg.ProtectEdges(privet.edges.Dprr(epsilon=1), ledger=ledger),
                      privet.pyg.ProtectFeatures(MULTI_BIT, ledger=ledger)):
        with pytest.raises(ValueError, match=f"del data.{name}"):
            transform(data)
    assert not ledger.exists() or privet.Ledger(ledger).spent == 0
    delattr(data, name)
    assert privet.pyg.ProtectEdges(privet.edges.Dprr(epsilon=1), seed=1)(data).edge_index.shape[0] == 2


def test_a8_the_last_card_speaks_of_all_transforms(people, masks):
    transforms = [privet.pyg.ProtectFeatures(MULTI_BIT, seed=1),
                  privet.pyg.ProtectEdges(privet.edges.Dprr(epsilon=2, merge="or"), seed=1),
                  privet.pyg.ProtectLabels(privet.labels.LabelRr(epsilon=3), classes=2, seed=1)]
    first = data = pyg(people, people.labels, **masks)
    for at, transform in enumerate(transforms):
        data = transform(data)
        assert len(transform.card.guarantees) == at + 1
        assert privet.Card.parse(data.privet_card) == transform.card
    paid = sorted(guarantee["loss"]["epsilon"] for guarantee in transform.card.guarantees)
    assert paid == [1.0, 2.0, 3.0]
    open_lines = " ".join(transform.card.unprotected)
    assert "features of every node" not in open_lines and "who is connected" not in open_lines
    assert not hasattr(first, "privet_card"), "the caller's data stays as it is"
    with pytest.raises(privet.Refused, match="randomised already"):
        transforms[0](data)
