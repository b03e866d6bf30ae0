"""What the systems have in common: parameters as scikit-learn has them, promises, runs, fits and comparisons."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Optional, Union

import numpy as np
from numpy.typing import NDArray

from privet import _native
from privet._progress import bar
from privet._words import words
from privet.card import Card
from privet.comparison import Comparison
from privet.dataset import Bounds, Dataset, GraphSet
from privet.ledger import Ledger
from privet.protected import Protected

PathLike = Union[str, "os.PathLike[str]"]


@functools.lru_cache(maxsize=None)
def _settings_of(command: str) -> frozenset[str]:
    """The names of all settings; the command line is asked once."""
    return frozenset(name for name, _, _ in _native.settings(f"run {command}"))


class System:
    """A system with its settings; those that are not given are the library's."""

    _command: ClassVar[str] = ""
    #: Names that are keywords of Python, and what the command line calls them.
    _renamed: ClassVar[dict[str, str]] = {}
    _estimator_type: ClassVar[Optional[str]] = "classifier"

    def __init__(
        self,
        epsilon: float,
        *,
        folder: Optional[PathLike] = None,
        seed: Optional[int] = None,
        bounds: Optional[Bounds] = None,
        classes: Optional[Sequence[Any]] = None,
        accept: Iterable[str] = (),
        **settings: Any,
    ) -> None:
        self._price: dict[str, Any] = {"epsilon": epsilon}
        self._place: dict[str, Any] = {"folder": folder, "seed": seed}
        self._facts: dict[str, Any] = {"bounds": bounds, "classes": classes, "accept": accept}
        known = _settings_of(self._command)
        for name in settings:
            if self._renamed.get(name, name) not in known:
                raise TypeError(f"{type(self).__name__} has no setting {name!r}; settings() lists those it has")
        self._settings = dict(settings)

    @classmethod
    def settings(cls) -> dict[str, tuple[Optional[str], str]]:
        """Everything that can be set: its default, if that does not depend on the rest, and its words."""
        names = {there: here for here, there in cls._renamed.items()}
        return {names.get(name, name): (default, help) for name, default, help in _native.settings(f"run {cls._command}")}

    # As scikit-learn has them

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every parameter that was given."""
        return {**self._price, **self._place, **self._facts, **self._settings}

    def set_params(self, **params: Any) -> System:
        """The same object with other parameters."""
        made = type(self)(**{**self.get_params(), **params})
        for part in ("_price", "_place", "_facts", "_settings"):
            setattr(self, part, getattr(made, part))
        return self

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks of estimators; it is imported by whoever asks."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        classifies = self._estimator_type is not None
        return Tags(estimator_type=self._estimator_type, target_tags=TargetTags(required=classifies),
                    classifier_tags=ClassifierTags() if classifies else None,
                    input_tags=InputTags(two_d_array=True, sparse=True))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "release_")

    def __repr__(self) -> str:
        said = {name: value for name, value in self.get_params().items() if value is not None and value != ()}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in said.items())})"

    # What it does

    def _words(self, data: Union[Dataset, GraphSet]) -> list[str]:
        renamed = {self._renamed.get(name, name): value for name, value in self._settings.items()}
        return [self._command, *words({"dataset": data.name, **self._price, **renamed})]

    def _accepted(self) -> list[str]:
        accept = self._facts["accept"]
        return [accept] if isinstance(accept, str) else list(accept)

    def _view(self, native: _native.Protected) -> Any:
        raise NotImplementedError

    def promise(self, data: Union[Dataset, GraphSet]) -> Card:
        """The card of a run on any data with the same public facts, before any record is looked at."""
        data = self._declared(data)
        return Card(_native.promise_system(self._words(data), data._native))

    def run(self, data: Union[Dataset, GraphSet], *, folder: Optional[PathLike] = None,
            seed: Optional[int] = None) -> Protected[Any]:
        """One run as ``privet run`` makes a release: some of those with a class are held out, as the seed says.

        Ledgers are kept in new files of ``folder``; ``seed`` makes a simulation, which protects nobody.
        """
        data = self._declared(data)
        place = self._placed(folder, seed)
        return Protected(_native.run_system(self._words(data), data._native, self._accepted(), *place,
                                            bar(self._command)), self._view)

    def compare(self, data: Union[Dataset, GraphSet], *, seeds: Union[int, Sequence[int]] = 5) -> Comparison:
        """The system beside its control, its ceiling and what else must stand beside it, over the same seeds: all of
        it simulations on known data, for whoever may look at the truth."""
        data = self._declared(data)
        chosen = list(range(seeds)) if isinstance(seeds, int) else [int(seed) for seed in seeds]
        return Comparison(_native.compare_system(self._words(data), data._native, chosen, bar("measuring")))

    def _declared(self, data: Any) -> Any:
        if isinstance(data, Dataset):
            return data.declare(bounds=self._facts["bounds"])
        if not isinstance(data, GraphSet):
            raise TypeError(f"data: found {type(data).__name__}, expected a Dataset or a GraphSet")
        return data

    def _placed(self, folder: Optional[PathLike], seed: Optional[int]) -> tuple[Optional[Path], Optional[int]]:
        folder = self._place["folder"] if folder is None else folder
        seed = self._place["seed"] if seed is None else seed
        return None if folder is None else Path(folder), seed

    def _fitted(self, data: Union[Dataset, GraphSet]) -> None:
        data = self._declared(data)
        folder, seed = self._placed(None, None)
        native = _native.fit_system(self._words(data), data._native, self._accepted(), folder, seed,
                                    bar(self._command))
        self.release_: Protected[Any] = Protected(native, self._view)
        if isinstance(data, Dataset) and data._native.columns is not None:
            self.n_features_in_ = data._native.columns
        self.card_ = self.release_.card
        self.ledger_ = [] if folder is None else [Ledger(path) for path in sorted(folder.glob("*.ledger"))]

    def _release(self) -> Protected[Any]:
        if not hasattr(self, "release_"):
            # scikit-learn's own error where it is there: callers may be waiting for it.
            kind = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", AttributeError)
            raise kind(f"this {type(self).__name__} is not fitted yet: call fit first")
        return self.release_

    def _classes(self) -> NDArray[Any]:
        self._release()
        classes: NDArray[Any] = self.classes_
        return classes

    classes_: NDArray[Any]

    # What is pickled is what was released: never data, never a ledger.

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name not in ("release_", "ledger_", "card_")}
        if hasattr(self, "release_"):
            state["release_"] = _packed(self.release_)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        packed = state.pop("release_", None)
        vars(self).update(state)
        if packed is not None:
            self.release_ = Protected(_unpacked(packed), self._view)
            self.card_ = self.release_.card
            self.ledger_ = []


class Transductive(System):
    """A system that answers about those it was fitted on."""

    def fit(self, graph: Any, X: Any = None, y: Any = None) -> Any:
        """Collects from everybody and learns from those with a class; the others are predicted. ``graph`` is a
        :class:`Dataset`, or edges of any kind; ``X`` and ``y`` have a row and a class (-1 or None: unknown) each."""
        data, self.classes_ = encoded(self, graph, X, y)
        self._fitted(data)
        return self

    def predict_proba(self) -> NDArray[np.float32]:
        """How likely each class is, for everybody it was fitted on."""
        found = self._release()._native.probabilities()
        assert found is not None
        return found

    def predict(self) -> NDArray[Any]:
        """The class of everybody it was fitted on."""
        found = self._release()._native.predicted()
        assert found is not None
        return self._classes()[found]

    def score(self, y: Any) -> float:
        """The share of right answers about those whose class is known here (not -1 or None) and is nobody's secret."""
        truth = np.asarray(y)
        known = np.asarray([one is not None and one != -1 and one == one for one in truth.tolist()])
        return float(np.mean(self.predict()[known] == truth[known]))


def encoded(system: System, graph: Any, X: Any, y: Any) -> tuple[Dataset, NDArray[Any]]:
    """A dataset whose classes are positions, and what the classes are."""
    if isinstance(graph, Dataset):
        data = graph
        if X is not None:
            raise ValueError("X: found features, expected none: the dataset has its own")
    else:
        if X is None:
            raise ValueError("X: found nothing, expected a row of features for every node")
        if hasattr(graph, "nodes") and hasattr(graph, "edges") and not hasattr(graph, "shape"):
            place = {node: at for at, node in enumerate(graph.nodes())}
            graph = [(place[u], place[v]) for u, v in graph.edges()]
        data = Dataset.from_edges([] if graph is None else graph, features=X)
    stated = system._facts["classes"]
    if y is None:
        names = data.classes or []
        return data, np.asarray([int(name) if name.lstrip("-").isdigit() else name for name in names])
    truth = np.asarray(y)
    if truth.shape != (data.node_count,):
        raise ValueError(f"y: found shape {truth.shape}, expected one class for each of {data.node_count} nodes")
    known = np.asarray([one is not None and one != -1 and one == one for one in truth.tolist()], dtype=bool)
    if truth.dtype.kind == "f" and not all(float(one).is_integer() for one in truth[known]):
        raise ValueError("y: found fractions (Unknown label type: continuous), expected classes")
    if not known.any():
        raise ValueError("y: found no class at all, expected some to learn from")
    classes = np.unique(truth[known].tolist() if truth.dtype == object else truth[known])
    if stated is not None:
        classes = np.asarray(list(stated))
    order = {value: at for at, value in enumerate(classes.tolist())}
    codes = np.full(len(truth), -1, dtype=np.int64)
    for at in np.flatnonzero(known):
        value = truth[at].item() if hasattr(truth[at], "item") else truth[at]
        if value not in order:
            raise ValueError("y: found a class that is not among classes")
        codes[at] = order[value]
    data = Dataset(_native.with_labels(data._native, codes))
    return (data if stated is None else data.declare(classes=len(classes))), classes


def _packed(release: Protected[Any]) -> tuple[str, Optional[str], bytes]:
    """The files of a release, card included."""
    import io
    import tempfile
    import zipfile

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "release"
        release.save(folder)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for file in sorted(folder.iterdir()):
                archive.write(file, file.name)
    return release._native.kind, release._native.system, out.getvalue()


def _unpacked(packed: tuple[str, Optional[str], bytes]) -> _native.Protected:
    import io
    import tempfile
    import zipfile

    kind, system, files = packed
    with tempfile.TemporaryDirectory() as place:
        with zipfile.ZipFile(io.BytesIO(files)) as archive:
            for name in archive.namelist():
                (Path(place) / Path(name).name).write_bytes(archive.read(name))
        return _native.Protected.load(kind, Path(place), system)
