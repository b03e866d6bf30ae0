"""The four systems, as scikit-learn has estimators.

>>> import privet
>>> people = privet.stochastic_blocks(seed=1, nodes=300, classes=3, features=20)
>>> model = privet.Dpar(epsilon=8, seed=1, steps=20).fit(people)
>>> model.predict(people).shape, model.card_.is_simulation
((300,), True)
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Callable, Literal, Optional, Union

import numpy as np
from numpy.typing import NDArray

from privet import _native
from privet._arrays import ends_of
from privet._columns import ColumnNames
from privet._estimator import System, Transductive
from privet._labels import UNSTATED, class_values, labels_of
from privet._plain import listed, plain, several
from privet._training import encoded, share_right
from privet.dataset import Bounds, Dataset, GraphSet
from privet.protected import Protected, data_of

PathLike = Union[str, "os.PathLike[str]"]


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
    and ``edges`` at a ``label_epsilon`` and an ``edge_epsilon``). The collector
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

    _system = "ldp-ge"

    def __init__(
        self,
        *,
        # settings of LdpGeRequest, without task
        epsilon: float,
        volunteers: Optional[float] = None,
        private: Optional[
            Union[Literal["features", "labels", "edges"], Sequence[Literal["features", "labels", "edges"]]]
        ] = None,
        protocol: Optional[Literal["lpgnn", "blink"]] = None,
        label_epsilon: Optional[float] = None,
        edge_epsilon: Optional[float] = None,
        one_budget: bool = False,
        edge_mechanism: Optional[Literal["rr", "dprr"]] = None,
        merge: Optional[Literal["directed", "or", "and", "one-sided"]] = None,
        settings: Optional[PathLike] = None,
        mechanism: Optional[
            Literal["laplace", "duchi", "piecewise", "hybrid", "multi-bit", "three-outputs", "pm-sub", "gaussian",
            "square-wave", "hds", "feature-rr"]
        ] = None,
        k: Optional[int] = None,
        delta: Optional[float] = None,
        bins: Optional[int] = None,
        decoding: Optional[Literal["unbiased", "paper"]] = None,
        ways: Optional[
            Union[Literal["own-features", "propagation", "labels", "features", "both", "joint"],
            Sequence[Literal["own-features", "propagation", "labels", "features", "both", "joint"]]]
        ] = None,
        alpha: Optional[float] = None,
        r: Optional[float] = None,
        method: Optional[Literal["power", "push", "none"]] = None,
        rmax: Optional[float] = None,
        sketch: Optional[int] = None,
        scaling: Optional[Literal["whole", "columns", "rows"]] = None,
        label_radii: Optional[Sequence[float]] = None,
        homophily: Optional[float] = None,
        hidden: Optional[Sequence[int]] = None,
        dropout: Optional[float] = None,
        weight_decay: Optional[float] = None,
        learning_rate: Optional[float] = None,
        batch: Optional[int] = None,
        epochs: Optional[int] = None,
        patience: Optional[int] = None,
        # end of settings
        folder: Optional[PathLike] = None,
        seed: Optional[int] = None,
        bounds: Optional[Bounds] = None,
        classes: Optional[Sequence[Any]] = None,
        accept: Iterable[str] = (),
    ) -> None:
        """
        .. settings of LdpGeRequest, without task
        ``epsilon``: Privacy budget of a person's whole row of features (epsilon); where features are public, that of
            each private part without a budget of its own.
        ``volunteers``: Share of the people who volunteer their features; a model learned from them runs on every other
            device, and its answer, randomised, is all that is sent.
        ``private``: Private parts of the data; everything else is public [default: features].
        ``protocol``: Setting of another paper: which parts it hides, and what it sends.
        ``label_epsilon``: Privacy budget of a private label.
        ``edge_epsilon``: Privacy budget of a private list of neighbours.
        ``one_budget``: Take epsilon as one budget for label and list together, divided by how many people and classes
            there are; features, which say next to nothing at such prices, are not sent.
        ``edge_mechanism``: Randomiser of private neighbour lists (default rr, or dprr where rr's reports would not
            fit).
        ``merge``: Rule that merges two reports about a pair (default `and` for rr, `directed` for dprr).
        ``settings``: Settings found by `privet tune` (best.json), in place of the preset.
        ``mechanism``: Randomizer of features [default: hds].
        ``k``: Number of columns each person reports; by default the best for epsilon.
        ``delta``: Failure probability of the Gaussian mechanism (delta).
        ``bins``: Number of bins of feature-rr.
        ``decoding``: How to decode a report: an unbiased estimate, or the paper's formula.
        ``ways``: How each user's class is found: one way, or several of which the best on validation labels is taken,
            which costs nothing (all of them for data without a preset).
        ``alpha``: Share of its own features that a node keeps, in (0, 1] (alpha).
        ``r``: Normalisation exponent r in D^(r-1) A D^-r, in [0, 1].
        ``method``: Propagation method.
        ``rmax``: With push: largest residue that may remain (default 1e-5).
        ``sketch``: Number of columns of a random sign projection applied to reports first; 0 disables it.
        ``scaling``: Normalisation of model inputs.
        ``label_radii``: Also propagate training labels, with these alphas, such as 0.5,0.1; `none` disables it
            [default: 0.5,0.2,0.05].
        ``homophily``: With label-radii: public estimate of homophily beyond chance, for belief propagation; 0 disables
            it [default: 0.7].
        ``hidden``: Widths of the hidden layers, such as 128,64; `none` for a linear model.
        ``dropout``: Share of hidden activations dropped in training.
        ``weight_decay``: L2 weight decay.
        ``learning_rate``: Adam's learning rate.
        ``batch``: Examples per step.
        ``epochs``: Maximum number of epochs.
        ``patience``: Early stopping: epochs without improvement on validation data.
        .. end of settings
        ``folder``: New folder for ledgers: a fit is a release, charged there.
        ``seed``: Replay noise from a seed: a simulation, which gives no protection.
        ``bounds``: Public range of every feature, as its holder knows it without looking at the records.
        ``classes``: All classes, as they are known without looking at the records.
        ``accept``: Warnings that are accepted; the card repeats them.
        """
        super().__init__(
            {
                # values of LdpGeRequest, without task
                "epsilon": epsilon,
                "volunteers": volunteers,
                "private": several(private),
                "protocol": protocol,
                "label_epsilon": label_epsilon,
                "edge_epsilon": edge_epsilon,
                "one_budget": one_budget,
                "edge_mechanism": edge_mechanism,
                "merge": merge,
                "settings": settings,
                "mechanism": mechanism,
                "k": k,
                "delta": delta,
                "bins": bins,
                "decoding": decoding,
                "ways": several(ways),
                "alpha": alpha,
                "r": r,
                "method": method,
                "rmax": rmax,
                "sketch": sketch,
                "scaling": scaling,
                "label_radii": label_radii,
                "homophily": homophily,
                "hidden": hidden,
                "dropout": dropout,
                "weight_decay": weight_decay,
                "learning_rate": learning_rate,
                "batch": batch,
                "epochs": epochs,
                "patience": patience,
                # end of values
            },
            folder=folder, seed=seed, bounds=bounds, classes=classes, accept=accept,
        )

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

    _system = "ldp-ge"
    _fixed = {"task": "links"}
    _estimator_type = None

    def __init__(
        self,
        *,
        # settings of LdpGeRequest, without task, volunteers
        epsilon: float,
        private: Optional[
            Union[Literal["features", "labels", "edges"], Sequence[Literal["features", "labels", "edges"]]]
        ] = None,
        protocol: Optional[Literal["lpgnn", "blink"]] = None,
        label_epsilon: Optional[float] = None,
        edge_epsilon: Optional[float] = None,
        one_budget: bool = False,
        edge_mechanism: Optional[Literal["rr", "dprr"]] = None,
        merge: Optional[Literal["directed", "or", "and", "one-sided"]] = None,
        settings: Optional[PathLike] = None,
        mechanism: Optional[
            Literal["laplace", "duchi", "piecewise", "hybrid", "multi-bit", "three-outputs", "pm-sub", "gaussian",
            "square-wave", "hds", "feature-rr"]
        ] = None,
        k: Optional[int] = None,
        delta: Optional[float] = None,
        bins: Optional[int] = None,
        decoding: Optional[Literal["unbiased", "paper"]] = None,
        ways: Optional[
            Union[Literal["own-features", "propagation", "labels", "features", "both", "joint"],
            Sequence[Literal["own-features", "propagation", "labels", "features", "both", "joint"]]]
        ] = None,
        alpha: Optional[float] = None,
        r: Optional[float] = None,
        method: Optional[Literal["power", "push", "none"]] = None,
        rmax: Optional[float] = None,
        sketch: Optional[int] = None,
        scaling: Optional[Literal["whole", "columns", "rows"]] = None,
        label_radii: Optional[Sequence[float]] = None,
        homophily: Optional[float] = None,
        hidden: Optional[Sequence[int]] = None,
        dropout: Optional[float] = None,
        weight_decay: Optional[float] = None,
        learning_rate: Optional[float] = None,
        batch: Optional[int] = None,
        epochs: Optional[int] = None,
        patience: Optional[int] = None,
        # end of settings
        folder: Optional[PathLike] = None,
        seed: Optional[int] = None,
        bounds: Optional[Bounds] = None,
        classes: Optional[Sequence[Any]] = None,
        accept: Iterable[str] = (),
    ) -> None:
        """
        .. settings of LdpGeRequest, without task, volunteers
        ``epsilon``: Privacy budget of a person's whole row of features (epsilon); where features are public, that of
            each private part without a budget of its own.
        ``private``: Private parts of the data; everything else is public [default: features].
        ``protocol``: Setting of another paper: which parts it hides, and what it sends.
        ``label_epsilon``: Privacy budget of a private label.
        ``edge_epsilon``: Privacy budget of a private list of neighbours.
        ``one_budget``: Take epsilon as one budget for label and list together, divided by how many people and classes
            there are; features, which say next to nothing at such prices, are not sent.
        ``edge_mechanism``: Randomiser of private neighbour lists (default rr, or dprr where rr's reports would not
            fit).
        ``merge``: Rule that merges two reports about a pair (default `and` for rr, `directed` for dprr).
        ``settings``: Settings found by `privet tune` (best.json), in place of the preset.
        ``mechanism``: Randomizer of features [default: hds].
        ``k``: Number of columns each person reports; by default the best for epsilon.
        ``delta``: Failure probability of the Gaussian mechanism (delta).
        ``bins``: Number of bins of feature-rr.
        ``decoding``: How to decode a report: an unbiased estimate, or the paper's formula.
        ``ways``: How each user's class is found: one way, or several of which the best on validation labels is taken,
            which costs nothing (all of them for data without a preset).
        ``alpha``: Share of its own features that a node keeps, in (0, 1] (alpha).
        ``r``: Normalisation exponent r in D^(r-1) A D^-r, in [0, 1].
        ``method``: Propagation method.
        ``rmax``: With push: largest residue that may remain (default 1e-5).
        ``sketch``: Number of columns of a random sign projection applied to reports first; 0 disables it.
        ``scaling``: Normalisation of model inputs.
        ``label_radii``: Also propagate training labels, with these alphas, such as 0.5,0.1; `none` disables it
            [default: 0.5,0.2,0.05].
        ``homophily``: With label-radii: public estimate of homophily beyond chance, for belief propagation; 0 disables
            it [default: 0.7].
        ``hidden``: Widths of the hidden layers, such as 128,64; `none` for a linear model.
        ``dropout``: Share of hidden activations dropped in training.
        ``weight_decay``: L2 weight decay.
        ``learning_rate``: Adam's learning rate.
        ``batch``: Examples per step.
        ``epochs``: Maximum number of epochs.
        ``patience``: Early stopping: epochs without improvement on validation data.
        .. end of settings
        ``folder``: New folder for ledgers: a fit is a release, charged there.
        ``seed``: Replay noise from a seed: a simulation, which gives no protection.
        ``bounds``: Public range of every feature, as its holder knows it without looking at the records.
        ``classes``: All classes, as they are known without looking at the records.
        ``accept``: Warnings that are accepted; the card repeats them.
        """
        super().__init__(
            {
                # values of LdpGeRequest, without task, volunteers
                "epsilon": epsilon,
                "private": several(private),
                "protocol": protocol,
                "label_epsilon": label_epsilon,
                "edge_epsilon": edge_epsilon,
                "one_budget": one_budget,
                "edge_mechanism": edge_mechanism,
                "merge": merge,
                "settings": settings,
                "mechanism": mechanism,
                "k": k,
                "delta": delta,
                "bins": bins,
                "decoding": decoding,
                "ways": several(ways),
                "alpha": alpha,
                "r": r,
                "method": method,
                "rmax": rmax,
                "sketch": sketch,
                "scaling": scaling,
                "label_radii": label_radii,
                "homophily": homophily,
                "hidden": hidden,
                "dropout": dropout,
                "weight_decay": weight_decay,
                "learning_rate": learning_rate,
                "batch": batch,
                "epochs": epochs,
                "patience": patience,
                # end of values
            },
            folder=folder, seed=seed, bounds=bounds, classes=classes, accept=accept,
        )

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
    two train with those they classify: :meth:`run` them).

    >>> import privet
    >>> before, after = (privet.stochastic_blocks(seed=seed, nodes=300, classes=2, features=20) for seed in (1, 2))
    >>> model = privet.Dpar(epsilon=8, seed=1, steps=20).fit(before)
    >>> model.predict_proba(after).shape
    (300, 2)
    """

    _system = "dpar"

    def __init__(
        self,
        *,
        # settings of DparRequest
        epsilon: float,
        delta: Optional[float] = None,
        mode: Literal["rigorous", "paper"] = "rigorous",
        relation: Literal["node-absent", "node-replace", "edge-dp"] = "node-absent",
        hidden: Optional[Sequence[int]] = None,
        learning_rate: Optional[float] = None,
        clip_norm: Optional[float] = None,
        batch: Optional[float] = None,
        steps: Optional[int] = None,
        sources: Optional[int] = None,
        top_k: Optional[int] = None,
        score_clip: Optional[float] = None,
        cap: Optional[int] = None,
        share: Optional[float] = None,
        max_degree: Optional[int] = None,
        hops: Optional[int] = None,
        rounds: Optional[int] = None,
        alpha: Optional[float] = None,
        agreement: Optional[float] = None,
        projection: Optional[int] = None,
        likeness: Optional[float] = None,
        sample: Optional[float] = None,
        printed_noise: Optional[Literal["accounted", "formula"]] = None,
        method: Optional[
            Literal["em0", "em1", "gm", "features", "smoothed-sgd", "class-sums", "gradient-descent", "hidden-layer",
            "neighbour-votes", "gap", "sage"]
        ] = None,
        # end of settings
        folder: Optional[PathLike] = None,
        seed: Optional[int] = None,
        bounds: Optional[Bounds] = None,
        classes: Optional[Sequence[Any]] = None,
        accept: Iterable[str] = (),
    ) -> None:
        """
        .. settings of DparRequest
        ``epsilon``: Privacy budget of a person's presence (epsilon); in `paper` mode, the printed number.
        ``delta``: Probability with which that bound may fail (delta) [default: the largest power of ten up to a tenth
            of one over the number of people; in `paper` mode 1e-4, whatever their number].
        ``mode``: How noise is calibrated.
        ``relation``: What is hidden: whether a person is there, who a person is, or each connection alone (for gap).
        ``hidden``: Widths of the hidden layers, or `none` for a linear model.
        ``learning_rate``: Adam's learning rate.
        ``clip_norm``: Clipping norm of each row's gradient (C).
        ``batch``: Expected batch size; a value up to 1 is a share of all rows (B).
        ``steps``: Number of steps (in `paper` mode: epochs).
        ``sources``: Number of released PageRank rows (M).
        ``top_k``: Nodes per released PageRank row (K).
        ``score_clip``: Clipping norm of PageRank scores or rows (C1 or C2).
        ``cap``: Maximum number of other rows that read a node (m).
        ``share``: Share of epsilon for the structure.
        ``max_degree``: Maximum degree, for gap and sage.
        ``hops``: Number of hops, for gap.
        ``rounds``: Rounds of smoothing of predictions (P).
        ``alpha``: Share of its own prediction that a node keeps in each round.
        ``agreement``: Smooth predictions only if confident predictions of connected new people agree this much more
            than by chance, up to 1; 0 or less, or fewer than 160 connections: always.
        ``projection``: Dimensions to project rows to, by directions computed from the new people's features; 0: none.
        ``likeness``: Strength of kernel smoothing between similar new people, relative to the noise; for class-sums
            only. 0 disables it.
        ``sample``: Share of people used for training, in `paper` mode (q').
        ``printed_noise``: Reading of the paper's noise of training, in `paper` mode.
        ``method``: Training method [default: gradient-descent; hidden-layer where people are many; class-sums where
            there are more columns than people and noise is large; smoothed-sgd with the published noise, and where a
            setting of training is given].
        .. end of settings
        ``folder``: New folder for ledgers: a fit is a release, charged there.
        ``seed``: Replay noise from a seed: a simulation, which gives no protection.
        ``bounds``: Public range of every feature, as its holder knows it without looking at the records.
        ``classes``: All classes, as they are known without looking at the records.
        ``accept``: Warnings that are accepted; the card repeats them.
        """
        super().__init__(
            {
                # values of DparRequest
                "epsilon": epsilon,
                "delta": delta,
                "mode": mode,
                "relation": relation,
                "hidden": hidden,
                "learning_rate": learning_rate,
                "clip_norm": clip_norm,
                "batch": batch,
                "steps": steps,
                "sources": sources,
                "top_k": top_k,
                "score_clip": score_clip,
                "cap": cap,
                "share": share,
                "max_degree": max_degree,
                "hops": hops,
                "rounds": rounds,
                "alpha": alpha,
                "agreement": agreement,
                "projection": projection,
                "likeness": likeness,
                "sample": sample,
                "printed_noise": printed_noise,
                "method": method,
                # end of values
            },
            folder=folder, seed=seed, bounds=bounds, classes=classes, accept=accept,
        )

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

    ``epsilon`` is what one person's list may cost; ``public_share`` of the users publish theirs. ``mechanism`` is ``dprr``
    unless it is said; ``rr``, ``local-lap``, ``nonpriv-part`` and ``nonpriv-full`` are what it is compared with.

    >>> import privet
    >>> threads = privet.threads(count=40, smallest=20, largest=30, seed=1)
    >>> model = privet.Dprr(epsilon=2, seed=1, epochs=3).fit(threads)
    >>> model.predict().shape
    (40,)
    """

    _system = "dprr"

    def __init__(
        self,
        *,
        # settings of DprrRequest
        epsilon: float,
        public_share: float = 0.0,
        user_epsilons: Optional[PathLike] = None,
        mechanism: Literal["dprr", "rr", "local-lap", "nonpriv-part", "nonpriv-full"] = "dprr",
        reading: Literal["plain", "believed", "summary"] = "summary",
        split: Optional[Literal["corrected", "paper", "fixed", "by-facts"]] = None,
        alpha: Optional[float] = None,
        rounds: Optional[int] = None,
        hidden: Optional[int] = None,
        dropout: Optional[float] = None,
        learning_rate: Optional[float] = None,
        batch: Optional[int] = None,
        epochs: Optional[int] = None,
        patience: Optional[int] = None,
        # end of settings
        folder: Optional[PathLike] = None,
        seed: Optional[int] = None,
        bounds: Optional[Bounds] = None,
        classes: Optional[Sequence[Any]] = None,
        accept: Iterable[str] = (),
    ) -> None:
        """
        .. settings of DprrRequest
        ``epsilon``: Privacy budget of a private user's list of neighbours (epsilon).
        ``public_share``: Share of users who publish their lists.
        ``user_epsilons``: File with an epsilon per user, one a line, graph after graph; `inf` publishes; none may pass
            epsilon.
        ``mechanism``: Randomiser of neighbour lists.
        ``reading``: How the collector interprets reports.
        ``split``: Division of epsilon by DPRR; `paper` as printed, which costs more than epsilon on small graphs
            [default: by-facts].
        ``alpha``: The share of epsilon for the bits of a list; more of it suits reports that are read as they are
            [default: 0.5].
        ``rounds``: Rounds of summing over neighbours [default: 2].
        ``hidden``: Width of every hidden layer [default: 32].
        ``dropout``: Share of scores dropped in training [default: 0].
        ``learning_rate``: Adam's learning rate; it is halved five times in the course of training [default: 0.01].
        ``batch``: Graphs per step [default: 32].
        ``epochs``: Maximum number of epochs [default: 30].
        ``patience``: Early stopping: epochs without improvement on validation graphs [default: 30].
        .. end of settings
        ``folder``: New folder for ledgers: a fit is a release, charged there.
        ``seed``: Replay noise from a seed: a simulation, which gives no protection.
        ``bounds``: Public range of every feature, as its holder knows it without looking at the records.
        ``classes``: All classes, as they are known without looking at the records.
        ``accept``: Warnings that are accepted; the card repeats them.
        """
        super().__init__(
            {
                # values of DprrRequest
                "epsilon": epsilon,
                "public_share": public_share,
                "user_epsilons": user_epsilons,
                "mechanism": mechanism,
                "reading": reading,
                "split": split,
                "alpha": alpha,
                "rounds": rounds,
                "hidden": hidden,
                "dropout": dropout,
                "learning_rate": learning_rate,
                "batch": batch,
                "epochs": epochs,
                "patience": patience,
                # end of values
            },
            folder=folder, seed=seed, bounds=bounds, classes=classes, accept=accept,
        )

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
    With ``edges_as="votes"``, the default, edges become noisy counts of what they say about
    classes; with ``edges_as="graph"`` they are redrawn, for any use, and a GCN learns from that graph, with which it does
    worse. :meth:`fit` calls all edges private; :meth:`run` calls a ``private_share`` of them private, drawn by lot: for
    experiments. ``method`` (of a graph) is ``public-tree`` unless it is said.

    >>> import privet
    >>> people = privet.stochastic_blocks(seed=1, nodes=300, classes=3, features=20)
    >>> model = privet.HeteroRr(epsilon_edges=2, seed=1).fit(people)
    >>> model.predict().shape
    (300,)
    """

    _system = "hetero-rr"

    def __init__(
        self,
        *,
        # settings of HeteroRrRequest
        epsilon_edges: float,
        epsilon_features: Optional[float] = None,
        edges_as: Literal["votes", "graph"] = "votes",
        method: Optional[Literal["public-tree", "private-tree", "paper", "priv-hrg", "edge-rand", "lap-graph"]] = None,
        tree: Optional[Literal["edges", "features"]] = None,
        public_steps: Optional[int] = None,
        wiring: Optional[Literal["uniform", "closing", "closing-only"]] = None,
        delta: Optional[float] = None,
        tree_share: Optional[float] = None,
        private_steps: Optional[int] = None,
        baselines: bool = False,
        private_share: float = 0.2,
        private_edges: Optional[PathLike] = None,
        # end of settings
        folder: Optional[PathLike] = None,
        seed: Optional[int] = None,
        bounds: Optional[Bounds] = None,
        classes: Optional[Sequence[Any]] = None,
        accept: Iterable[str] = (),
    ) -> None:
        """
        .. settings of HeteroRrRequest
        ``epsilon_edges``: Privacy budget of each private edge (epsilon).
        ``epsilon_features``: Privacy budget of each row of features; without it they are public.
        ``edges_as``: Use of private edges: `votes` releases noisy counts of neighbours' classes; `graph` releases a
            graph with redrawn edges (options about trees).
        ``method``: Mechanism for edges [default: public-tree].
        ``tree``: Public data from which the tree of groups is built [default: edges].
        ``public_steps``: Steps per node of the chain on public edges [default: 100].
        ``wiring``: Which pairs of a group become its edges: `uniform` any, `closing` friends of friends in public
            edges as far as they go and then any, `closing-only` those alone; `paper` and `priv-hrg` take any, as
            printed [default: closing].
        ``delta``: Failure probability (delta) of private-tree; other methods need none [default: 0.000001].
        ``tree_share``: The share of epsilon for the tree, where private edges help to find it [default: 0.5].
        ``private_steps``: Steps per node of a chain that reads private edges [default: 10].
        ``baselines``: Measure the published graph, priv-hrg, edge-rand and lap-graph too, at the same epsilon.
        ``private_share``: Share of edges that is called private, drawn anew with every seed.
        ``private_edges``: File with the edges that are private, as a file of edges lists them.
        .. end of settings
        ``folder``: New folder for ledgers: a fit is a release, charged there.
        ``seed``: Replay noise from a seed: a simulation, which gives no protection.
        ``bounds``: Public range of every feature, as its holder knows it without looking at the records.
        ``classes``: All classes, as they are known without looking at the records.
        ``accept``: Warnings that are accepted; the card repeats them.
        """
        super().__init__(
            {
                # values of HeteroRrRequest
                "epsilon_edges": epsilon_edges,
                "epsilon_features": epsilon_features,
                "edges_as": edges_as,
                "method": method,
                "tree": tree,
                "public_steps": public_steps,
                "wiring": wiring,
                "delta": delta,
                "tree_share": tree_share,
                "private_steps": private_steps,
                "baselines": baselines,
                "private_share": private_share,
                "private_edges": private_edges,
                # end of values
            },
            folder=folder, seed=seed, bounds=bounds, classes=classes, accept=accept,
        )

    def _view(self, native: _native.Protected) -> NodeClassifier:
        return PublishedClassifier(native) if native.kind == "learned" else NodeClassifier(native)


__all__ = ["Dpar", "Dprr", "GraphClassifier", "HeteroRr", "LdpGe", "LdpGeLinks", "LinkPredictor", "NodeClassifier", "Protected",
           "PublishedClassifier", "Trained"]
