"""The four systems, as scikit-learn has estimators.

>>> import privet
>>> people = privet.stochastic_blocks(seed=1, nodes=300, classes=3, features=20)
>>> model = privet.Dpar(epsilon=8, seed=1, steps=20).fit(people)
>>> model.predict(people).shape, model.card_.is_simulation
((300,), True)
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np
from numpy.typing import NDArray

from privet import _native
from privet._arrays import ends_of
from privet._columns import ColumnNames
from privet._estimator import System, Transductive
from privet._labels import UNSTATED, class_values, labels_of
from privet._plain import listed, plain
from privet._training import encoded, share_right
from privet.dataset import Dataset, GraphSet
from privet.protected import Protected, data_of


class NodeClassifier:
    """What LDP-GE's collector learned: an embedding and a class for each person who sent a report."""

    def __init__(self, native: _native.Protected) -> None:
        self._native = native

    @property
    def embedding(self) -> NDArray[np.float32]:
        """One row per node."""
        found = self._native.embedding()
        assert found is not None
        return found

    @property
    def predicted(self) -> NDArray[np.int64]:
        """The class of every node, as a position in the classes of the data."""
        found = self._native.predicted()
        assert found is not None
        return found

    @property
    def probabilities(self) -> NDArray[np.float32]:
        """How likely each class is, a row per node."""
        found = self._native.probabilities()
        assert found is not None
        return found

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.predicted)}>"


class GraphClassifier(NodeClassifier):
    """What DPRR's collector learned: a class for every graph."""


class PublishedClassifier(NodeClassifier):
    """What a GCN learned from a published graph, and that graph."""

    @property
    def dataset(self) -> Dataset:
        """What was published."""
        return data_of(self._native)


class Trained:
    """What DPAR's curator hands out: a classifier of people who ask later."""

    def __init__(self, native: _native.Protected, columns: Optional[ColumnNames] = None) -> None:
        self._native = native
        self._columns = columns

    @property
    def predicted(self) -> NDArray[np.int64]:
        """The class of each person who was held out, if any were."""
        found = self._native.predicted()
        assert found is not None
        return found

    def probabilities(self, data: Dataset) -> NDArray[np.float32]:
        """How likely each class is for people who ask: their features, and who of them knows whom. Columns of other names
        than those that were learned from, or in another order, are refused."""
        if self._columns is not None:
            self._columns.check(ColumnNames.of(data), type(self).__name__)
        return self._native.probabilities_for(data._native)

    def __repr__(self) -> str:
        return "<Trained: a classifier for new people>"


class LdpGe(Transductive):
    """Features randomised on each person's device, spread over the graph, learned from.

    ``epsilon`` is what a person's whole row may cost. ``private`` lists what is secret (``features``, and ``labels``
    and ``edges`` at a ``label_epsilon`` and an ``edge_epsilon``); :meth:`settings` has everything else. The collector
    answers about those who sent reports: those without a class in ``y`` are predicted.

    >>> import numpy as np, privet
    >>> people = privet.stochastic_blocks(seed=1, nodes=300, classes=3, features=20)
    >>> y = people.labels.copy()
    >>> y[200:] = -1
    >>> model = privet.LdpGe(epsilon=4, seed=1, epochs=5).fit(people, y=y, missing=-1)
    >>> model.predict().shape, model.predict_proba().shape
    ((300,), (300, 3))
    >>> model.card_.guarantees[0]["loss"]["epsilon"]
    4.0
    """

    _command = "ldp-ge"

    def _view(self, native: _native.Protected) -> NodeClassifier:
        return NodeClassifier(native)


class LinkPredictor:
    """What LDP-GE's collector learned about links: an embedding of each person, and a score for any pair."""

    def __init__(self, native: _native.Protected) -> None:
        self._native = native

    @property
    def embedding(self) -> NDArray[np.float32]:
        """One row per node."""
        found = self._native.embedding()
        assert found is not None
        return found

    def scores(self, pairs: Any) -> NDArray[np.float32]:
        """A score for each pair of nodes, by their positions: the higher, the likelier a link."""
        one, other, *_ = ends_of(pairs, len(self.embedding))
        return self._native.link_scores(one, other)

    def __repr__(self) -> str:
        return f"<LinkPredictor of {len(self.embedding)} nodes>"


class LdpGeLinks(System):
    """Who will be connected to whom: features randomised on each person's device, links that are known and public.

    ``epsilon`` is what a person's whole row may cost; settings are those of :class:`LdpGe`.

    >>> import privet
    >>> people = privet.stochastic_blocks(seed=1, nodes=300, classes=3, features=20)
    >>> model = privet.LdpGeLinks(epsilon=4, seed=1, epochs=5).fit(people)
    >>> model.decision_function([(0, 3), (0, 1)]).shape
    (2,)
    """

    _command = "ldp-ge"
    _estimator_type = None

    def _words(self, data: Any) -> list[str]:
        return [*super()._words(data), "--task=links"]

    def _view(self, native: _native.Protected) -> LinkPredictor:
        return LinkPredictor(native)

    def fit(self, graph: Any, X: Any = None, y: Any = None) -> LdpGeLinks:
        """Collects from all people and learns from the links of ``graph``: a :class:`Dataset`, or edges of any kind and a row
        of ``X`` for each person. There is no ``y``: links are what is learned."""
        if y is not None:
            raise ValueError("y: found labels, expected none: links are what is learned")
        self._fitted(encoded(self, graph, X, None, missing=None)[0], None)
        return self

    def decision_function(self, pairs: Any) -> NDArray[np.float32]:
        """A score for each pair of those it was fitted on, by their positions: the higher, the likelier a link."""
        return LinkPredictor(self._release()._native).scores(pairs)

    def score(self, pairs: Any, y: Any) -> float:
        """The area under the ROC curve, for pairs whose link status is known and public."""
        answers = plain(listed(y), "y")
        # -1 for "no link" is true to Python, as everything but 0 is.
        if answers.dtype.kind not in "iuf" and answers.dtype.kind != "b" or not bool(np.all((answers == 0) | (answers == 1))):
            raise ValueError("y: found something else than 0 and 1, expected 1 (or True) for a link and 0 (or False) for none")
        truth = answers.astype(bool)
        scores = self.decision_function(pairs)
        if truth.shape != scores.shape:
            raise ValueError(f"y: found shape {truth.shape}, expected one answer for each of {len(scores)} pairs")
        found = _native.roc_auc(scores, truth.tolist())
        if found is None:
            raise ValueError("y: found one kind of pair, expected links and others")
        return found


class Dpar(System):
    """A classifier trained in a trusted curator's hands that hides each person as a whole.

    ``epsilon`` is what a person's presence may cost, with every connection, feature and label; ``delta`` follows the
    number of people unless it is given. ``method`` is ``class-sums`` where noise is large for so many people and columns, and
    ``smoothed-sgd`` elsewhere or where a setting of training is given, unless it is said; ``features``, ``gap`` and ``sage`` are baselines (the last
    two train with those they classify: :meth:`run` them). :meth:`settings` has the rest.

    >>> import privet
    >>> before, after = (privet.stochastic_blocks(seed=seed, nodes=300, classes=2, features=20) for seed in (1, 2))
    >>> model = privet.Dpar(epsilon=8, seed=1, steps=20).fit(before)
    >>> model.predict_proba(after).shape
    (300, 2)
    """

    _command = "dpar"

    def _view(self, native: _native.Protected) -> Trained:
        return Trained(native)

    def _viewer(self, columns: ColumnNames) -> Callable[[_native.Protected], Trained]:
        return lambda native: Trained(native, columns)

    def fit(self, graph: Any, X: Any = None, y: Any = None, *, missing: Any = UNSTATED) -> Dpar:
        """Trains on all people who have a class, or on the training nodes among them where the data has a split. ``graph`` is a
        :class:`Dataset`, or edges of any kind, or ``None``; ``missing`` is as for :meth:`Dataset.from_edges`."""
        self._fitted(*encoded(self, graph, X, y, missing))
        return self

    def predict_proba(self, graph: Any, X: Any = None) -> NDArray[np.float32]:
        """How likely each class is for people who ask: their rows, and who of them knows whom. Columns are those of the fit;
        where both have names, other names or another order are refused."""
        release = self._release()
        self._check_names(X)  # first: what other columns hold need not even be numbers
        data, _ = encoded(self, graph, X, None, missing=None)  # labels have no part in it
        self._check_columns(data)
        return release._native.probabilities_for(data._native)

    def predict(self, graph: Any, X: Any = None) -> NDArray[Any]:
        """The most likely class of people who ask."""
        likely = self.predict_proba(graph, X)
        found: NDArray[Any] = self._classes()[np.argmax(likely, axis=1)]
        return found

    def score(self, graph: Any, X: Any, y: Any, *, missing: Any = UNSTATED) -> float:
        """The share of right answers about people who have a class in ``y``, which must be no secret."""
        return share_right(self.predict(graph, X), y, missing)


class Dprr(Transductive):
    """Neighbour lists randomised on each person's device; graphs are told apart.

    ``epsilon`` is what one person's list may cost; ``public_share`` of the users publish theirs (``lambda`` on the
    command line). ``mechanism`` is ``dprr`` unless it is said; ``rr``, ``local-lap``, ``non-priv-part`` and
    ``non-priv-full`` are what it is compared with.

    >>> import privet
    >>> threads = privet.threads(count=40, smallest=20, largest=30, seed=1)
    >>> model = privet.Dprr(epsilon=2, seed=1, epochs=3).fit(threads)
    >>> model.predict().shape
    (40,)
    """

    _command = "dprr"
    _renamed = {"public_share": "lambda"}

    def fit(self, graph: Any, X: Any = None, y: Any = None, *, missing: Any = UNSTATED) -> Dprr:
        """Learns from graphs with a class: a :class:`GraphSet`, or an iterable of graphs and ``y``. Nodes have no
        features here, so ``X`` must be left out."""
        if X is not None:
            raise ValueError("X: found features, expected none: graphs are told apart by who is connected to whom")
        if isinstance(graph, GraphSet):
            if y is not None:
                raise ValueError("y: found labels, expected none: the set of graphs has its own")
            names = graph.classes
            self._fitted(graph, None if names is None else np.asarray(class_values(names)))
            return self
        truth = None if y is None else labels_of(y, "y", missing)
        codes: Any = None
        if truth is not None:
            known = truth.codes(truth.classes()).tolist()
            codes = [code if here else None for code, here in zip(known, truth.known)]
        classes = np.zeros(0) if truth is None else truth.classes()
        self._fitted(GraphSet.from_graphs(graph, labels=codes), classes)
        return self

    def _view(self, native: _native.Protected) -> GraphClassifier:
        return GraphClassifier(native)


class HeteroRr(Transductive):
    """What a custodian learns from private edges: classes of nodes, or one graph made private once.

    ``epsilon_edges`` is what each edge may cost, ``epsilon_features`` a row of features; without it they are public.
    With ``edges_as="votes"``, the default here and on the command line, edges become noisy counts of what they say about
    classes; with ``edges_as="graph"`` they are redrawn, for any use, and a GCN learns from that graph, with which it does
    worse. :meth:`fit` calls all edges private; :meth:`run` calls a ``private_share`` of them private, drawn by lot: for
    experiments. ``method`` (of a graph) is ``public-tree`` unless it is said.

    >>> import privet
    >>> people = privet.stochastic_blocks(seed=1, nodes=300, classes=3, features=20)
    >>> model = privet.HeteroRr(epsilon_edges=2, seed=1).fit(people)
    >>> model.predict().shape
    (300,)
    """

    _command = "hetero-rr"

    def __init__(self, epsilon_edges: float, *, epsilon_features: Optional[float] = None, edges_as: str = "votes",
                 **more: Any) -> None:
        super().__init__(epsilon_edges, **more)
        self._price = {"epsilon_edges": epsilon_edges, "epsilon_features": epsilon_features, "edges_as": edges_as}

    def _view(self, native: _native.Protected) -> NodeClassifier:
        return PublishedClassifier(native) if native.kind == "learned" else NodeClassifier(native)


__all__ = ["Dpar", "Dprr", "GraphClassifier", "HeteroRr", "LdpGe", "LdpGeLinks", "LinkPredictor", "NodeClassifier", "Protected",
           "PublishedClassifier", "Trained"]
