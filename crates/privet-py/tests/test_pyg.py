"""Transforms for PyTorch Geometric, and on anything that looks like its ``Data`` where it is not installed."""

from __future__ import annotations

import numpy as np
import pytest

import privet
import privet.pyg

torch = pytest.importorskip("torch", reason="torch is not installed")
geometric = pytest.importorskip("torch_geometric", reason="torch_geometric is not installed")


@pytest.fixture
def data(people):
    return people.to_pyg()


def test_features_edges_and_labels_are_replaced_in_place(data, people, tmp_path):
    raw, edges, labels = data.x.clone(), data.edge_index.clone(), data.y.clone()
    protect = privet.pyg.ProtectFeatures(privet.features.MultiBit(epsilon=1, bounds=(0, 1)),
                                         ledger=tmp_path / "features.ledger")
    again = protect(data)
    assert again.x.shape == raw.shape and not torch.equal(again.x, raw)
    assert not protect.card.is_simulation and privet.Ledger(tmp_path / "features.ledger").spent == 1.0
    with pytest.raises(privet.BudgetExceeded):
        protect(data)
    noisy = privet.pyg.ProtectEdges(privet.edges.Dprr(epsilon=2, merge="or"), seed=1)(people.to_pyg())
    assert not torch.equal(noisy.edge_index, edges) and noisy.is_undirected()
    randomised = privet.pyg.ProtectLabels(privet.labels.LabelRr(epsilon=1), classes=3, seed=1)(people.to_pyg())
    assert not torch.equal(randomised.y, labels) and isinstance(repr(protect), str)


def test_they_compose(people):
    both = geometric.transforms.Compose([
        privet.pyg.ProtectFeatures(privet.features.Hds(epsilon=1, bounds=(0, 1)), seed=1),
        privet.pyg.ProtectEdges(privet.edges.Dprr(epsilon=1), seed=1),
    ])
    assert np.isfinite(both(people.to_pyg()).x.numpy()).all()
