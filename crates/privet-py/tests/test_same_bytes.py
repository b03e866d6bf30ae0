"""The same seed gives the same bytes as the command line, for every mechanism and every system."""

from __future__ import annotations

import numpy as np
import pytest

import privet

SEEDS = np.random.default_rng(7).integers(0, 2**63, size=2).tolist()


@pytest.fixture
def file(people, tmp_path):
    path = tmp_path / "people.npz"
    people.write(path)
    return path


def written(protected, path):
    protected.get().write(path)
    return path.read_bytes()


MECHANISMS = {
    name: (cls, {"delta": 1e-4} if name == "gaussian" else {})
    for cls in privet.features.FeatureMechanism.__subclasses__() for name in [cls.name]
}


def test_every_mechanism_has_a_class():
    from privet import _native

    assert sorted(MECHANISMS) == sorted(_native.feature_mechanisms())
    edges = [cls.name for cls in privet.edges.EdgeMechanism.__subclasses__()]
    assert sorted(edges) == sorted(_native.edge_mechanisms())


@pytest.mark.parametrize("name", MECHANISMS)
def test_features(name, file, command, tmp_path):
    cls, settings = MECHANISMS[name]
    seed = SEEDS[0]
    options = [word for key, value in settings.items() for word in (f"--{key}", value)]
    command("protect", "features", file, "-o", "out.npz", "--mechanism", name, "--epsilon", 1.5, "--seed", seed,
            *options)
    here = cls(epsilon=1.5, **settings).run(privet.read(file), seed=seed)
    assert written(here, tmp_path / "here.npz") == (tmp_path / "out.npz").read_bytes()
    charged = privet.Ledger(tmp_path / "mine.ledger")
    there = cls(epsilon=1.5, **settings).run(privet.read(file), ledger=charged, seed=seed)
    assert there.get() == here.get()
    assert charged.entries == privet.Ledger(tmp_path / "out.npz.ledger").entries


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name, merge", [("dprr", None), ("rr", "or"), ("local-lap", None), ("edge-rand", None),
                                         ("lap-graph", None)])
def test_edges(name, merge, seed, file, command, tmp_path):
    cls = {cls.name: cls for cls in privet.edges.EdgeMechanism.__subclasses__()}[name]
    words = [] if merge is None else ["--merge", merge]
    command("protect", "edges", file, "-o", "out.npz", "--mechanism", name, "--epsilon", 2, "--seed", seed, *words)
    here = cls(epsilon=2, merge=merge).run(privet.read(file), seed=seed)
    assert written(here, tmp_path / "here.npz") == (tmp_path / "out.npz").read_bytes()


def test_labels(file, command, tmp_path):
    command("protect", "labels", file, "-o", "out.npz", "--epsilon", 1, "--seed", SEEDS[0])
    here = privet.labels.LabelRr(epsilon=1).run(privet.read(file), seed=SEEDS[0])
    assert written(here, tmp_path / "here.npz") == (tmp_path / "out.npz").read_bytes()


def test_publish(file, command, tmp_path):
    command("publish", file, "-o", "out.npz", "--private-share", 0.3, "--epsilon-edges", 2, "--epsilon-features", 3,
            "--bins", 4, "--seed", 5)
    here = privet.publish(privet.read(file), private_share=0.3, epsilon_edges=2, epsilon_features=3, bins=4, seed=5)
    assert written(here, tmp_path / "here.npz") == (tmp_path / "out.npz").read_bytes()


def test_ldp_ge(file, command, tmp_path):
    command("run", "ldp-ge", "--dataset", file, "--epsilon", 2, "--epochs", 2, "--runs", 1, "--seed", 3, "-o", "out")
    here = privet.LdpGe(epsilon=2, epochs=2).run(privet.read(file), seed=3)
    here.save(tmp_path / "here")
    assert models(tmp_path / "here") == models(tmp_path / "out" / "share")


def test_dpar(file, command, tmp_path):
    command("run", "dpar", "--dataset", file, "--epsilon", 8, "--steps", 5, "--runs", 1, "--seed", 3, "-o", "out",
            "--method", "em0", "--sources", 10)
    here = privet.Dpar(epsilon=8, steps=5, method="em0", sources=10).run(privet.read(file), seed=3)
    here.save(tmp_path / "here")
    assert models(tmp_path / "here") == models(tmp_path / "out" / "share")


def test_dprr(command, tmp_path):
    command("run", "dprr", "--dataset", "synthetic", "--epsilon", 2, "--epochs", 1, "--runs", 1, "--seed", 3,
            "-o", "out")
    threads = privet.threads(count=200, smallest=40, largest=159, seed=7)
    here = privet.Dprr(epsilon=2, epochs=1).run(threads, seed=3)
    here.save(tmp_path / "here")
    assert models(tmp_path / "here") == models(tmp_path / "out" / "share")


def test_hetero_rr(file, command, tmp_path):
    command("run", "hetero-rr", "--dataset", file, "--epsilon-edges", 2, "--edges-as", "graph",
            "--runs", 1, "--seed", 3, "-o", "out")
    here = privet.HeteroRr(epsilon_edges=2, edges_as="graph").run(privet.read(file), seed=3)
    here.save(tmp_path / "here")
    assert models(tmp_path / "here") == models(tmp_path / "out" / "share")


def test_hetero_rr_votes(file, command, tmp_path):
    command("run", "hetero-rr", "--dataset", file, "--epsilon-edges", 2, "--runs", 1, "--seed", 3, "-o", "out")
    people = privet.read(file)
    here = privet.HeteroRr(epsilon_edges=2).run(people, seed=3).get()
    rows = (tmp_path / "out" / "share" / "classes.csv").read_text().splitlines()[1:]
    assert [row.split(",")[1] for row in rows] == [str(people.classes[at]) for at in here.predicted]


def models(folder):
    return (folder / "model.safetensors").read_bytes()
