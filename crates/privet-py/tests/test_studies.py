"""Plans, the tour, attacks and searches: the numbers of the command line, as objects."""

from __future__ import annotations

import json

import numpy as np
import pytest

import privet

FACTS = {"people": 240, "mean_degree": 4.0, "columns": 6, "classes": 2, "protects": "people", "epsilons": [1.0, 8.0]}


@pytest.fixture
def blocks() -> privet.Dataset:
    return privet.stochastic_blocks(seed=3, nodes=200, classes=2, features=8)


@pytest.fixture
def file(blocks, tmp_path):
    path = tmp_path / "people.npz"
    blocks.write(path)
    return path


def timeless(numbers):
    """The same without how long it took, what was written, and what the report says in words."""
    if isinstance(numbers, dict):
        gone = ("cost", "seconds", "html", "release", "report", "files", "command", "short_command", "dataset", "title")
        return {name: timeless(value) for name, value in numbers.items() if name not in gone}
    return [timeless(one) for one in numbers] if isinstance(numbers, list) else numbers


def options(settings):
    return [word for name, value in settings.items() for word in
            (f"--{name.replace('_', '-')}", ",".join(map(str, value)) if isinstance(value, list) else value)]


def test_a_plan_is_that_of_the_command_line(command):
    found = privet.plan(**FACTS)
    assert timeless(found.to_dict()) == timeless(json.loads(command("plan", "--json", *options(FACTS))))
    assert {row["epsilon"] for row in found.rows} == {1.0, 8.0, None}
    assert all(row["low"] <= row["accuracy"] <= row["high"] for row in found.rows)
    assert found.headline in repr(found) and "your data" in str(found)
    assert found.recommendation is None or found.recommendation["epsilon"] in (1.0, 8.0)
    assert found._repr_html_().startswith("<iframe") and "<svg" in next(iter(found.plots().values()))


@pytest.mark.parametrize("facts, told", [
    ({}, "people is missing"),
    ({**FACTS, "protects": "secrets"}, "secrets"),
    ({**FACTS, "homophily": 3.0}, "homophily"),
    ({"like": "nowhere", "protects": "people"}, "nowhere"),
])
def test_a_plan_says_what_is_missing(facts, told):
    with pytest.raises(ValueError, match=told):
        privet.plan(**facts)


def test_a_projects_plan(tmp_path, command):
    (tmp_path / "people.csv").write_text("id,age,kind\n1,20,a\n2,30,b\n")
    command("init", "--people", "people.csv", "--id", "id", "--label", "kind", "--classes", "a,b",
            "--column", "age=number:16..100", "--protects", "people", "--epsilon", 3, "--delta", 1e-6)
    found = privet.Project(tmp_path).plan(people=240, edges=0, epsilons=[3.0])
    there = json.loads(command("plan", "--json", "--people", 240, "--edges", 0, "--epsilons", 3))
    assert timeless(found.to_dict()) == timeless(there)


def test_the_tour(command):
    found = privet.demo(seed=7)
    assert timeless(found.to_dict()) == timeless(json.loads(command("demo", "--json", "--seed", 7)))
    assert len({row["system"] for row in found.rows}) == 4 and "DPAR" in str(found)
    assert found._repr_html_().startswith("<iframe") and len(found.plots()) == 4


ATTACKS = {
    "reconstruct": {"epsilon_features": 1.0, "runs": 2},
    "linkteller": {"epsilon_edges": 1.0, "runs": 2, "probes": 5},
    "membership": {"epsilon": 8.0, "methods": ["features"], "shadows": 8, "targets": 10},
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_on_people(name, blocks, file, command):
    found = getattr(privet.attack, name)(privet.read(file), **ATTACKS[name])
    there = json.loads(command("attack", name, "--dataset", file, "--json", *options(ATTACKS[name])))
    assert timeless(found.to_dict()) == timeless(there)
    assert found.rows and found.headline in repr(found) and "<html" in found.html()


def test_poisoned_reports(command):
    settings = {"epsilon": 4.0, "beta": 0.2, "runs": 1, "epochs": 1}
    threads = privet.threads(count=200, smallest=40, largest=159, seed=7)
    found = privet.attack.poison(threads, **settings)
    there = json.loads(command("attack", "poison", "--dataset", "synthetic", "--json", *options(settings)))
    assert timeless(found.to_dict()) == timeless(there)
    with pytest.raises(TypeError, match="unexpected keyword argument 'betta'"):
        privet.attack.poison(threads, betta=1, **settings)
    with pytest.raises(ValueError, match="a single graph"):
        privet.attack.poison(privet.karate_club(), **settings)


def test_a_search(blocks, file, command, tmp_path):
    search = {"trials": 2, "runs": 1}
    found = privet.tune(privet.LdpGe(epsilon=2.0), privet.read(file), **search)
    there = command("tune", "ldp-ge", "--dataset", file, "--epsilon", 2.0, "-o", "tuned", "--json", *options(search))
    assert timeless(found.to_dict()) == timeless(json.loads(there))
    assert found.to_dict()["short_command"] is None, "nothing was written that it could name"
    assert privet.LdpGe(epsilon=2, seed=1, **found.settings).fit(blocks).predict().shape == (200,)
    with pytest.raises(TypeError, match="no other has a search"):
        privet.tune(privet.Dpar(epsilon=2), blocks)


def test_links(blocks, file, command, tmp_path):
    command("run", "ldp-ge", "--dataset", file, "--epsilon", 4, "--task", "links", "--epochs", 2, "--runs", 1,
            "--seed", 3, "-o", "out")
    here = privet.LdpGeLinks(epsilon=4, epochs=2).run(privet.read(file), seed=3)
    here.save(tmp_path / "here")
    made = [(tmp_path / place / "model.safetensors").read_bytes() for place in ("here", "out/share")]
    assert made[0] == made[1]
    found = privet.compare(privet.LdpGeLinks(epsilon=4, epochs=2), blocks, seeds=2)
    assert found.scores()["private"].shape == (2,) and len(found.rows) == 2 * len(found.scores())


def test_links_are_learned(blocks, tmp_path):
    import pickle

    model = privet.LdpGeLinks(epsilon=8, epochs=5, folder=tmp_path / "release").fit(blocks)
    links = blocks._native.edge_index(True).T
    others = np.random.default_rng(1).permutation(links.ravel()).reshape(-1, 2)
    pairs, truth = np.concatenate([links, others]), np.repeat([True, False], len(links))
    assert 0.4 < model.score(pairs, truth) <= 1
    assert model.card_.guarantees[0]["loss"]["epsilon"] == 8.0 and not model.card_.is_simulation
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(pairs), model.decision_function(pairs))
    for bad, told in (([(0, 200)], "a position that is there"), ([(-1, 0)], "a negative number")):
        with pytest.raises(ValueError, match=told):
            model.decision_function(bad)
    with pytest.raises(ValueError, match="one kind of pair"):
        model.score(links, np.ones(len(links)))
    with pytest.raises(ValueError, match="expected none"):
        privet.LdpGeLinks(epsilon=8, seed=1).fit(blocks, y=blocks.labels)


def test_an_embedding_is_that_of_the_command_line(blocks, file, command, tmp_path):
    command("embed", file, "-o", "there.npz", "--alpha", 0.1, "--rounds", 7)
    with np.load(tmp_path / "there.npz") as there:
        names = [name for name in there.files if there[name].ndim == 2]
        expected = there[names[0]]
    found = privet.embed(blocks, alpha=0.1, rounds=7)
    assert np.array_equal(found.features, expected)
    noisy = privet.edges.Dprr(epsilon=2).run(blocks, seed=1)
    assert privet.embed(noisy, rounds=2).card.guarantees == noisy.card.guarantees
    with pytest.raises(ValueError, match="has no features"):
        privet.embed(privet.karate_club())


def test_a_large_graph_is_read_where_it_lies(blocks, tmp_path):
    blocks.write(tmp_path / "large", format="csr")
    mapped = privet.read(tmp_path / "large")
    assert mapped == blocks
    mapped_files = open("/proc/self/maps").read()
    assert str(tmp_path / "large") in mapped_files
    little = privet.embed(mapped, rounds=5, memory="64M")
    assert np.array_equal(little.features, privet.embed(blocks, rounds=5).features)
    with pytest.raises(ValueError, match="memory"):
        privet.read(tmp_path / "large", memory="a lot")
    assert privet.read(tmp_path / "large", memory="64M") == blocks


def test_comparisons_are_tables(blocks):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    found = privet.compare(privet.Dpar(epsilon=8, steps=5), blocks, seeds=2)
    assert isinstance(found.to_pandas(), pandas.DataFrame) and found.to_dict()["seeds"] == [0, 1]
    for score in ("balanced_accuracy", "macro_f1", "auc"):
        assert all(0 <= values.min() and values.max() <= 1 for values in found.scores(score).values()), score
    counts = found.confusion()
    right = found.scores()["private"].mean()
    assert counts is not None and abs(counts.trace() / counts.sum() - right) < 1e-9
    assert len(privet.plan(**FACTS).to_pandas()) >= 4
