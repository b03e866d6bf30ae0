"""DPAR where scikit-learn calls an estimator: rows and classes in, no graph.

The systems (:class:`privet.Dpar` and the others) have the methods of scikit-learn's estimators, but ``fit`` takes a graph
first, which ``Pipeline`` and ``GridSearchCV`` cannot hand over, and ``import privet`` does not wait for scikit-learn. This
module imports it, and its class is one of scikit-learn's own.

>>> import privet.sklearn
>>> from sklearn.model_selection import GridSearchCV
>>> people = privet.stochastic_blocks(seed=1, nodes=300, classes=2, features=10)
>>> model = privet.sklearn.DparClassifier(epsilon=8, seed=1, steps=20)      # a simulation: no protection
>>> search = GridSearchCV(model, {"learning_rate": [0.01, 0.1]}, cv=2).fit(people.features, people.labels)
>>> search.best_estimator_.card_.is_simulation
True
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from privet.card import Card
from privet.dataset import Bounds
from privet.ledger import Ledger
from privet.protected import Protected
from privet.systems import Dpar

PathLike = Union[str, "os.PathLike[str]"]


class DparClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of rows that hides each person as a whole.

    Parameters are those of :class:`privet.Dpar`; ``settings`` has what has no parameter here (``{"clip_norm": 0.5}``). Each fit
    is a release: with ``folder`` its cost is written down there, and a second fit into the same folder is refused, so that a
    search or a cross-validation, which fit again and again, can only be a simulation (``seed``).

    -1 is a class like any other here, as in scikit-learn; ``missing=-1`` says that it stands for no class. Columns of a table
    are remembered by their names (``feature_names_in_``): other names or another order are refused.
    """

    def __init__(
        self,
        epsilon: float,
        *,
        delta: Optional[float] = None,
        folder: Optional[PathLike] = None,
        seed: Optional[int] = None,
        bounds: Optional[Bounds] = None,
        classes: Optional[Sequence[Any]] = None,
        accept: Iterable[str] = (),
        hidden: Optional[Sequence[int]] = None,
        steps: Optional[int] = None,
        batch: Optional[float] = None,
        learning_rate: Optional[float] = None,
        settings: Optional[Mapping[str, Any]] = None,
        missing: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.folder = folder
        self.seed = seed
        self.bounds = bounds
        self.classes = classes
        self.accept = accept
        self.hidden = hidden
        self.steps = steps
        self.batch = batch
        self.learning_rate = learning_rate
        self.settings = settings
        self.missing = missing

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any) -> DparClassifier:
        """Trains on all rows that have a class (``None``: none)."""
        given = dict(self.get_params(deep=False))
        more, missing = given.pop("settings") or {}, given.pop("missing")
        model = Dpar(**given, **more).named(type(self).__name__).fit(None, X, y, missing=missing)
        self.__dict__.pop("feature_names_in_", None)
        self.model_, self.classes_, self.n_features_in_ = model, model.classes_, model.n_features_in_
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float32]:
        """How likely each class is, a row each."""
        check_is_fitted(self)
        return self.model_.predict_proba(None, X)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most likely class of each row."""
        likely = self.predict_proba(X)
        found: NDArray[Any] = self.classes_[np.argmax(likely, axis=1)]
        return found

    @property
    def release_(self) -> Protected[Any]:
        """What was released, once it is fitted."""
        return self.model_.release_

    @property
    def card_(self) -> Card:
        """What was promised."""
        return self.model_.card_

    @property
    def ledger_(self) -> list[Ledger]:
        """Where the cost was written down; nothing in a simulation, nor in what was pickled."""
        return self.model_.ledger_


__all__ = ["DparClassifier"]
