"""Estimators where scikit-learn calls them: the systems by their methods, and a class of scikit-learn's own."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

import privet

base = pytest.importorskip("sklearn.base", reason="scikit-learn is not installed")

from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import MinMaxScaler  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402

from privet.sklearn import DparClassifier  # noqa: E402


@pytest.fixture
def blocks() -> privet.Dataset:
    return privet.stochastic_blocks(seed=2, nodes=300, classes=3, features=12)


@pytest.mark.parametrize("model", [
    privet.LdpGe(epsilon=4, seed=1, epochs=2), privet.LdpGeLinks(epsilon=4, seed=1, epochs=2),
    privet.Dpar(epsilon=8, seed=1, steps=5), privet.HeteroRr(epsilon_edges=2, seed=1),
], ids=lambda model: type(model).__name__)
def test_systems_are_cloned_and_known(model, blocks):
    copy = base.clone(model.fit(blocks))
    assert copy.get_params() == model.get_params() and not hasattr(copy, "release_")
    assert base.is_classifier(model) == (not isinstance(model, privet.LdpGeLinks))
    assert copy.set_params(seed=9).get_params()["seed"] == 9 and model.get_params()["seed"] == 1


def test_a_graph_comes_first_so_no_search_calls_them(blocks):
    """Rows where a graph is expected, and labels where rows are: an error, never a model of something else."""
    with pytest.raises((TypeError, ValueError)):
        privet.Dpar(epsilon=8, seed=1, steps=5).fit(blocks.features, blocks.labels)


def test_pipelines_and_searches(blocks):
    X, y = blocks.features.toarray(), blocks.labels
    model = DparClassifier(epsilon=8, seed=1, steps=20)
    assert isinstance(model, base.BaseEstimator) and base.is_classifier(model)
    pipeline = make_pipeline(MinMaxScaler(), model).fit(X, y)
    assert pipeline.predict(X).shape == (300,) and 0 <= pipeline.score(X, y) <= 1
    assert cross_val_score(model, X, y, cv=2).shape == (2,)
    search = GridSearchCV(model, {"learning_rate": [0.01, 0.1], "steps": [5, 10]}, cv=2).fit(X, y)
    assert search.best_params_["steps"] in (5, 10) and search.best_estimator_.card_.is_simulation
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert np.array_equal(again.predict_proba(X), search.best_estimator_.predict_proba(X)) and again.ledger_ == []


def test_the_same_model_as_without_scikit_learn(blocks):
    X, y = blocks.features, blocks.labels
    there = privet.Dpar(epsilon=8, seed=1, steps=20, clip_norm=0.5).fit(None, X, y)
    here = DparClassifier(epsilon=8, seed=1, steps=20, settings={"clip_norm": 0.5}).fit(X, y)
    assert np.array_equal(here.predict_proba(X), there.predict_proba(None, X))
    with pytest.raises(TypeError, match="unexpected keyword"):
        DparClassifier(epsilon=8, seed=1, settings={"clipp": 0.5}).fit(X, y)


def test_a_search_cannot_spend_a_budget_many_times(blocks, tmp_path):
    model = DparClassifier(epsilon=8, steps=5, folder=tmp_path / "release", classes=[0, 1, 2], bounds=(0, 1))
    X, y = blocks.features, blocks.labels
    model.fit(X, y)
    spent = [ledger.spent for ledger in model.ledger_]
    assert spent and not model.card_.is_simulation
    with pytest.raises((privet.LedgerError, privet.Refused)):
        base.clone(model).fit(X, y)
    assert [privet.Ledger(ledger.path).spent for ledger in model.ledger_] == spent


def test_importing_privet_does_not_import_scikit_learn():
    script = "import privet, sys; privet.Dpar(epsilon=8).get_params(); print('sklearn' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "False"


#: What scikit-learn asks for and a private estimator does otherwise, and why.
EXCEPTIONS = {
    "check_supervised_y_2d": "a column of labels is refused rather than flattened",
    "check_dtype_object": "object arrays are refused: they may hold anything",
    "check_estimators_nan_inf": "refused, in words that do not say which of NaN and infinity a person's value is",
    "check_complex_data": "refused, in our words and as a TypeError",
    "check_estimators_empty_data_messages": "refused, in our words",
    "check_fit2d_1sample": "refused, in our words",
    "check_fit2d_predict1d": "refused, in our words",
    "check_n_features_in_after_fitting": "refused, in our words",
    "check_requires_y_none": "refused, in our words",
    "check_methods_subset_invariance": "answers of people who ask together are drawn together; likeness=0 asks one by one",
}


def test_scikit_learn_checks():
    model = DparClassifier(epsilon=8.0, seed=1, steps=60, learning_rate=0.5, delta=1e-3)
    found = estimator_checks.check_estimator(model, expected_failed_checks=EXCEPTIONS, on_fail=None, on_skip=None)
    failed = {one["check_name"]: one["exception"] for one in found if one["status"] == "failed"}
    assert not failed, failed
    passed = [one["check_name"] for one in found if one["status"] == "passed"]
    assert len(passed) >= 35, passed
