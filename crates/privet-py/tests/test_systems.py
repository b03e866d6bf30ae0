"""Systems as estimators: parameters, fits, predictions, pickles, comparisons."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

import privet


@pytest.fixture
def blocks() -> privet.Dataset:
    return privet.stochastic_blocks(seed=2, nodes=300, classes=3, features=12)


FITS = {
    "ldp-ge": lambda **place: privet.LdpGe(epsilon=4, epochs=3, **place),
    "dpar": lambda **place: privet.Dpar(epsilon=8, steps=10, **place),
    "hetero-rr": lambda **place: privet.HeteroRr(epsilon_edges=2, **place),
}


@pytest.mark.parametrize("name", FITS)
def test_a_fit_is_charged_and_says_so(name, blocks, tmp_path):
    model = FITS[name](folder=tmp_path / "release").fit(blocks)
    assert not model.card_.is_simulation and model.ledger_
    for ledger, guarantee in zip(model.ledger_, model.card_.guarantees):
        assert len(ledger) >= 1 and ledger.chain == guarantee["ledger"]["chain"]
    with pytest.raises((privet.LedgerError, privet.Refused)):
        FITS[name](folder=tmp_path / "release").fit(blocks)
    assert "SIMULATION" not in repr(model.card_) and "<table>" in model.card_._repr_html_()


@pytest.mark.parametrize("name", FITS)
def test_pickles_hold_what_was_released_and_nothing_else(name, blocks, tmp_path):
    model = FITS[name](folder=tmp_path / "release").fit(blocks)
    raw = pickle.dumps(model)
    again = pickle.loads(raw)
    assert again.ledger_ == [] and again.card_.guarantees == model.card_.guarantees
    given = [blocks] if name == "dpar" else []
    assert np.array_equal(again.predict(*given), model.predict(*given))


def test_no_row_of_anybody_is_in_a_pickle(blocks, tmp_path):
    rows = np.random.default_rng(1).random((300, 12), dtype=np.float32)
    people = privet.Dataset.from_edges(blocks.edge_index, features=rows, labels=blocks.labels, classes=3, bounds=(0, 1))
    for name in ("ldp-ge", "dpar"):
        raw = pickle.dumps(FITS[name](folder=tmp_path / name).fit(people))
        assert not any(row.tobytes() in raw for row in rows)


@pytest.mark.parametrize("name", FITS)
def test_the_same_seed_is_the_same_model(name, blocks):
    one, other = (FITS[name](seed=3).fit(blocks) for _ in range(2))
    given = [blocks] if name == "dpar" else []
    assert np.array_equal(one.predict_proba(*given), other.predict_proba(*given))
    assert one.card_.is_simulation


def test_arrays_and_names_as_scikit_learn_has_them(blocks):
    graph, rows = blocks.to_scipy() if has("scipy") else blocks.edge_index, blocks.features
    names = np.array(["red", "green", "blue"])[blocks.labels]
    model = privet.Dpar(epsilon=8, seed=1, steps=40, bounds=(0, 1)).fit(graph, rows, names)
    assert model.classes_.tolist() == ["blue", "green", "red"]
    assert set(model.predict(graph, rows)) <= set(names)
    assert model.score(graph, rows, names) > 0.3
    likely = model.predict_proba(None, rows)
    assert likely.shape == (300, 3) and np.allclose(likely.sum(axis=1), 1, atol=1e-5)


def test_who_has_no_class_is_predicted(blocks):
    some = blocks.labels.astype(object)
    some[100:] = None
    model = privet.LdpGe(epsilon=8, seed=1, epochs=5).fit(blocks, y=some)
    assert model.predict().shape == (300,) and model.predict_proba().shape == (300, 3)
    assert 0.2 < model.score(blocks.labels) <= 1


def test_what_a_release_shows_must_be_stated(blocks, tmp_path):
    rows = blocks.features
    with pytest.raises(privet.Refused, match="classes="):
        privet.Dpar(epsilon=8, steps=5, folder=tmp_path / "a").fit(None, rows, blocks.labels)
    privet.Dpar(epsilon=8, steps=5, folder=tmp_path / "b", classes=[0, 1, 2]).fit(None, rows, blocks.labels)


def test_parameters(blocks):
    model = privet.Dpar(epsilon=8, seed=1, steps=10, hidden=[4])
    assert model.get_params()["steps"] == 10
    model.set_params(steps=20, epsilon=4)
    assert model.get_params()["steps"] == 20 and "steps=20" in repr(model)
    with pytest.raises(TypeError, match="unexpected keyword argument 'stepz'"):
        model.set_params(stepz=3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'stepz'"):
        privet.Dpar(epsilon=8, stepz=3)
    with pytest.raises(TypeError, match="positional"):
        privet.Dpar(8)
    with pytest.raises(ValueError, match="steps: found 2.5; give a whole number"):
        privet.Dpar(epsilon=8, seed=1, steps=2.5).fit(blocks)
    with pytest.raises(ValueError, match="epsilon: found inf, expected a finite number"):
        privet.Dpar(epsilon=float("inf"), seed=1).fit(blocks)
    with pytest.raises(ValueError, match="smoothed-sgd"):
        privet.Dpar(epsilon=8, seed=1, method="smoothed").fit(blocks)
    whole = privet.Dpar(epsilon=np.float32(8), seed=1, steps=np.int64(2), hidden=np.array([4]))
    # Noise is calibrated to stay within what was asked, and comes close to it.
    spent = whole.fit(blocks).card_.guarantees[0]["loss"]["epsilon"]
    assert 7.99 < spent <= 8.0
    with pytest.raises(AttributeError, match="not fitted"):
        model.predict(blocks)
    for cls in (privet.LdpGe, privet.LdpGeLinks, privet.Dpar, privet.Dprr, privet.HeteroRr):
        parameters = inspect.signature(cls).parameters
        assert all(one.kind is one.KEYWORD_ONLY for one in parameters.values())
        assert all(f"``{name}``: " in inspect.getdoc(cls.__init__) for name in parameters)


def test_a_promise_is_that_of_a_fit(blocks):
    """The same people are counted: where classes are known of some, and where the data has a split."""
    some = blocks.labels.astype(object)
    some[150:] = None
    split = privet.Dataset.from_edges(blocks.edge_index, features=blocks.features, labels=blocks.labels, classes=3,
                                      bounds=(0, 1), split=(range(100), range(100, 150), range(150, 300)))
    known = privet.Dataset.from_edges(blocks.edge_index, features=blocks.features, labels=some, classes=3, bounds=(0, 1))
    for data in (blocks, known, split):
        for model in (privet.LdpGe(epsilon=4, epochs=1, seed=1), privet.Dpar(epsilon=8, steps=5, seed=1),
                      privet.Dpar(epsilon=1, seed=1), privet.HeteroRr(epsilon_edges=2, seed=1)):
            promised, kept = model.promise(data).guarantees, model.fit(data).card_.guarantees
            assert len(promised) == len(kept)
            for before, after in zip(promised, kept):
                same = ("unit", "relation", "loss", "mechanisms")
                assert {name: before.get(name) for name in same} == {name: after.get(name) for name in same}, repr(model)


def test_promises_are_kept(blocks):
    for model in (privet.LdpGe(epsilon=4, epochs=1), privet.Dpar(epsilon=8, steps=5),
                  privet.HeteroRr(epsilon_edges=2, private_share=0.5)):
        promised, kept = model.promise(blocks), model.run(blocks, seed=1).card
        for before, after in zip(promised.guarantees, kept.guarantees):
            assert before["loss"] == after["loss"]


def test_graphs_are_told_apart():
    threads = privet.threads(count=60, smallest=20, largest=40, seed=1)
    model = privet.Dprr(epsilon=4, seed=1, epochs=5, public_share=0.2).fit(threads)
    assert model.predict().shape == (60,) and 0 <= model.score(np.array(threads.classes)[threads.labels]) <= 1
    graphs = [(threads.edge_index(at), threads.sizes[at]) for at in range(60)]
    again = privet.Dprr(epsilon=4, seed=1, epochs=5, public_share=0.2).fit(graphs, y=threads.labels)
    assert np.array_equal(again.predict_proba(), model.predict_proba())
    assert set(model.predict()) <= {"question", "discussion"} and set(again.predict()) <= {0, 1}


def test_comparisons(blocks, tmp_path):
    found = privet.compare(privet.Dpar(epsilon=8, steps=10), blocks, seeds=2)
    assert found.seeds == [0, 1] and found.scores()["private"].shape == (2,)
    assert "<svg" in found._repr_html_() and found.verdict
    assert "<html" in found.write(tmp_path / "report.html").read_text()


def test_publishing(people, tmp_path):
    secret = [(u, v) for u, v in people._native.edge_index(True).T.tolist()][:20]
    shared = privet.publish(people, epsilon_edges=1, private_edges=secret, public_features=True,
                            folder=tmp_path / "out")
    assert shared.get().features is not None and shared.card.guarantees[0]["loss"]["epsilon"] == 1.0
    public = {tuple(sorted(pair)) for pair in people.edge_index.T.tolist()} - {tuple(sorted(pair)) for pair in secret}
    assert public <= {tuple(sorted(pair)) for pair in shared.get().edge_index.T.tolist()}
    with pytest.raises(ValueError, match="twice"):
        privet.publish(people, epsilon_edges=1, private_edges=secret, private_share=0.5, seed=1)
    with pytest.raises(TypeError, match="methodd"):
        privet.publish(people, epsilon_edges=1, seed=1, methodd="x")
    with pytest.raises(ValueError, match="method"):
        privet.publish(people, epsilon_edges=1, seed=1, method="x")


def test_audits():
    found = privet.audit("dprr")
    assert found and not found.broken and "holds" in found._repr_html_()
    with pytest.raises(ValueError, match="unknown audit"):
        privet.audit("dpr")


def test_projects(tmp_path, command):
    rng = np.random.default_rng(1)
    lines = [f"{at},{rng.integers(16, 100)},{'ab'[int(rng.random() < 0.5)]}" for at in range(400)]
    (tmp_path / "people.csv").write_text("id,age,kind\n" + "\n".join(lines) + "\n")
    command("init", "--people", "people.csv", "--id", "id", "--label", "kind", "--classes", "a,b",
            "--column", "age=number:16..100", "--protects", "people", "--epsilon", 3, "--delta", 1e-6)
    project = privet.Project(tmp_path)
    card = project.train(tmp_path / "model", epsilon=1, seed=1)
    assert card.is_simulation and project.status()["relations"][0]["spent_epsilon"] <= 1
    found = project.evaluate(tmp_path / "model", epsilon=0.5, seed=2)
    assert 0 <= found["accuracy"]["low"] <= found["accuracy"]["value"] <= found["accuracy"]["high"] <= 1
    assert found["control"]["answers"].startswith("one answer for all people")
    new = "id,age,kind\n" + "".join(f"n{at},{16 + at},a\n" for at in range(40))
    (tmp_path / "new.csv").write_text(new)
    assert privet.Project.predict(tmp_path / "model", tmp_path / "new.csv", tmp_path / "said.csv").answers == 40
    with pytest.raises(privet.BudgetExceeded):
        project.train(tmp_path / "second", epsilon=2.9, seed=1)
    assert "spent" in project._repr_html_()


def test_a1_people_of_a_project_are_not_read_as_public_ones(tmp_path, command, monkeypatch):
    lines = [f"c{at:03},{16 + at % 80},{'ab'[at % 2]}" for at in range(200)]
    (tmp_path / "people.csv").write_text("id,age,kind\n" + "\n".join(lines) + "\n")
    paid = [f"c{at:03},c{(at * 7 + 1) % 200:03}" for at in range(200)]
    (tmp_path / "paid.csv").write_text("\n".join(paid) + "\n")
    (tmp_path / "edges.csv").write_text("from,to\n" + "\n".join(paid) + "\n")
    command("init", "--people", "people.csv", "--id", "id", "--label", "kind", "--classes", "a,b", "--column",
            "age=number:16..100", "--edges", "edges.csv:from:to", "--protects", "people", "--epsilon", 3, "--delta", 1e-6)
    project = privet.Project(tmp_path)
    project.train(tmp_path / "model", epsilon=1, seed=1, method="features")
    (tmp_path / "one.csv").write_text("id,age,kind\n" + lines[7] + "\n")
    for table in ("people.csv", "one.csv"):
        with pytest.raises(privet.Refused, match="the project"):
            privet.Project.predict(tmp_path / "model", tmp_path / table, tmp_path / "said.csv")
    assert not (tmp_path / "said.csv").exists()
    for table in ("edges.csv", "paid.csv"):
        with pytest.raises(privet.Refused, match="the project"):
            privet.read(tmp_path / table)
    # The same people as arrays, from anywhere on this machine.
    monkeypatch.chdir("/")
    ends = [tuple(line.split(",")) for line in paid]
    mine = privet.Dataset.from_edges(ends, nodes=[f"c{at:03}" for at in range(200)], features=np.zeros((200, 1), dtype=np.float32))
    with pytest.raises(privet.Refused, match="the project"):
        privet.Dpar(epsilon=1, seed=1, bounds=(0, 1)).compare(mine, seeds=1)
    with pytest.raises(privet.Refused, match="the project"):
        privet.edges.Dprr(epsilon=1).run(mine, seed=1)


def has(module: str) -> bool:
    try:
        __import__(module)
    except ImportError:
        return False
    return True
