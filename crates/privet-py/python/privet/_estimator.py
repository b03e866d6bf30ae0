"""What the systems have in common: parameters as scikit-learn has them, promises, runs, fits and comparisons."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, ClassVar, Optional, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from privet import _native
from privet._columns import ColumnNames
from privet._features import names_of
from privet._labels import UNSTATED
from privet._progress import bar
from privet._training import encoded, share_right
from privet.card import Card
from privet.comparison import Comparison
from privet.dataset import Bounds, Dataset, GraphSet
from privet.ledger import Ledger
from privet.protected import Protected

PathLike = Union[str, "os.PathLike[str]"]
#: The class of an estimator.
Self = TypeVar("Self", bound="System")


class System:
    """A system with its settings; those that are not given are the library's."""

    #: What the library calls it.
    _system: ClassVar[str] = ""
    #: Settings of the request that this class decides.
    _fixed: ClassVar[dict[str, Any]] = {}
    _estimator_type: ClassVar[Optional[str]] = "classifier"

    def __init__(
        self,
        settings: Mapping[str, Any],
        *,
        folder: Optional[PathLike],
        seed: Optional[int],
        bounds: Optional[Bounds],
        classes: Optional[Sequence[Any]],
        accept: Iterable[str],
    ) -> None:
        #: Those of the request, by name.
        self._settings: dict[str, Any] = dict(settings)
        self._place: dict[str, Any] = {"folder": folder, "seed": seed}
        self._facts: dict[str, Any] = {"bounds": bounds, "classes": classes, "accept": accept}
        #: The name in warnings.
        self._title = type(self).__name__

    def named(self: Self, title: str) -> Self:
        """The same under the name of the class that hands out its answers."""
        self._title = title
        return self

    # As scikit-learn has them

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every parameter; those that were not given have their defaults."""
        return {**self._settings, **self._place, **self._facts}

    def set_params(self: Self, **params: Any) -> Self:
        """The same object with other parameters."""
        made = type(self)(**{**self.get_params(), **params})
        for part in ("_settings", "_place", "_facts"):
            setattr(self, part, getattr(made, part))
        return self

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks of estimators; imported on first use."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        classifies = self._estimator_type is not None
        return Tags(estimator_type=self._estimator_type, target_tags=TargetTags(required=classifies),
                    classifier_tags=ClassifierTags() if classifies else None,
                    input_tags=InputTags(two_d_array=True, sparse=True))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "release_")

    def __repr__(self) -> str:
        defaults = {name: one.default for name, one in inspect.signature(type(self)).parameters.items()}
        said = {name: value for name, value in self.get_params().items() if value is not defaults[name] and value != defaults[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in said.items())})"

    # What it does

    def _asked(self) -> dict[str, Any]:
        return {**self._settings, **self._fixed}

    def _accepted(self) -> list[str]:
        accept = self._facts["accept"]
        return [accept] if isinstance(accept, str) else list(accept)

    def _view(self, native: _native.Protected) -> Any:
        raise NotImplementedError

    def _viewer(self, columns: ColumnNames) -> Callable[[_native.Protected], Any]:
        """What shows a release; ``columns`` are those it was learned from."""
        return self._view

    def promise(self, data: Union[Dataset, GraphSet]) -> Card:
        """The card of a fit to any data with the same public facts, before any record is looked at."""
        data = self._declared(data)
        return Card(_native.promise_system(self._system, self._asked(), data._native))

    def run(self, data: Union[Dataset, GraphSet], *, folder: Optional[PathLike] = None,
            seed: Optional[int] = None) -> Protected[Any]:
        """One run as the command line makes a release: some of those with a class are held out, as the seed says.

        Ledgers are kept in new files of ``folder``; ``seed`` makes a simulation, which gives no protection.
        """
        data = self._declared(data)
        place = self._placed(folder, seed)
        return Protected(_native.run_system(self._system, self._asked(), data._native, self._accepted(), *place,
                                            bar(self._system)), self._viewer(ColumnNames.of(data)))

    def compare(self, data: Union[Dataset, GraphSet], *, seeds: Union[int, Sequence[int]] = 5) -> Comparison:
        """The system beside its control, its ceiling and what else must stand beside it, over the same seeds: all of
        it simulations on known data, for callers that may read the truth."""
        data = self._declared(data)
        chosen = list(range(seeds)) if isinstance(seeds, int) else [int(seed) for seed in seeds]
        return Comparison(_native.compare_system(self._system, self._asked(), data._native, chosen, bar("measuring")))

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

    def _fitted(self, data: Union[Dataset, GraphSet], classes: Optional[NDArray[Any]]) -> None:
        data = self._declared(data)
        folder, seed = self._placed(None, None)
        native = _native.fit_system(self._system, self._asked(), data._native, self._accepted(), folder, seed,
                                    bar(self._system))
        self.release_: Protected[Any] = Protected(native, self._viewer(ColumnNames.of(data)))
        # Everything that a fit leaves changes here, once it has succeeded: a refused one changes nothing.
        vars(self).pop("classes_", None)
        if classes is not None:
            self.classes_ = classes
        self._remember_columns(data)
        self.card_ = self.release_.card
        self.ledger_ = [] if folder is None else [Ledger(path) for path in sorted(folder.glob("*.ledger"))]

    def _remember_columns(self, data: Union[Dataset, GraphSet]) -> None:
        for name in ("n_features_in_", "feature_names_in_"):
            vars(self).pop(name, None)
        if isinstance(data, Dataset) and data._native.columns is not None:
            self.n_features_in_ = data._native.columns
            if data._native.column_names is not None:
                self.feature_names_in_ = np.asarray(data._native.column_names, dtype=object)

    def _check_columns(self, data: Dataset) -> None:
        self._columns().check(ColumnNames.of(data), self._title)

    def _check_names(self, X: Any) -> None:
        names, fitted = names_of(X), self._columns()
        if names is not None and fitted.names is not None:
            fitted.check(ColumnNames(len(names), names), self._title)

    def _columns(self) -> ColumnNames:
        names: Optional[NDArray[Any]] = getattr(self, "feature_names_in_", None)
        return ColumnNames(getattr(self, "n_features_in_", None), None if names is None else list(names))

    def _release(self) -> Protected[Any]:
        if not hasattr(self, "release_"):
            # scikit-learn's own error where it is there: callers may be waiting for it.
            kind = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", AttributeError)
            raise kind(f"this {type(self).__name__} is not fitted yet: call fit first")
        return self.release_

    def _classes(self) -> NDArray[Any]:
        self._release()
        return self.classes_

    classes_: NDArray[Any]
    #: What the columns are called, where they had names.
    feature_names_in_: NDArray[Any]

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
            self.release_ = Protected(_unpacked(packed), self._viewer(self._columns()))
            self.card_ = self.release_.card
            self.ledger_ = []


class Transductive(System):
    """A system that answers about those it was fitted on."""

    def fit(self, graph: Any, X: Any = None, y: Any = None, *, missing: Any = UNSTATED) -> Any:
        """Collects from every node and learns from those with a class; the others are predicted. ``graph`` is a
        :class:`Dataset`, edges of any kind, or a ``Data`` of PyTorch Geometric; ``X`` and ``y`` have a row and a class
        (``None``: unknown) each. ``missing`` is what stands for no class in ``y``, as for :meth:`Dataset.from_edges`.

        Where the data has a split (masks of PyTorch Geometric are one), it learns from the training nodes, stops by the
        validation nodes, and the labels of all others have no part in it."""
        self._fitted(*encoded(self, graph, X, y, missing))
        return self

    def predict_proba(self) -> NDArray[np.float32]:
        """How likely each class is, for all people it was fitted on."""
        found = self._release()._native.probabilities()
        assert found is not None
        return found

    def predict(self) -> NDArray[Any]:
        """The class of each person it was fitted on."""
        found = self._release()._native.predicted()
        assert found is not None
        return self._classes()[found]

    def score(self, y: Any, *, missing: Any = UNSTATED) -> float:
        """The share of right answers about those who have a class in ``y``, which must be no secret. It says how good the
        model is where none of them was learned from."""
        return share_right(self.predict(), y, missing)


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
