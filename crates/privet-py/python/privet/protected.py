"""What a system handed out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable, Generic, NoReturn, TypeVar, Union

from privet import _native
from privet.card import Card
from privet.dataset import Dataset

T = TypeVar("T")
PathLike = Union[str, "os.PathLike[str]"]


class Protected(Generic[T]):
    """A value made of releases and of what is public, with the card of those very releases.

    Only systems make them, so its holder knows that every secret in it was paid for, where, and what was
    promised.

    >>> import privet
    >>> noisy = privet.edges.Dprr(epsilon=2).run(privet.karate_club(), seed=1)
    >>> noisy.get()
    <Dataset karate: 34 nodes, 140 arcs, 2 classes>
    >>> privet.Protected(noisy.get())
    Traceback (most recent call last):
        ...
    TypeError: what is protected comes from a system; nothing else makes one
    """

    __slots__ = ("_native", "_view")

    def __init__(self, native: _native.Protected, view: Callable[[_native.Protected], T]) -> None:
        self._native = native
        self._view = view

    def __new__(cls, *given: object) -> Protected[T]:
        if len(given) != 2 or not isinstance(given[0], _native.Protected):
            raise TypeError("what is protected comes from a system; nothing else makes one")
        return super().__new__(cls)

    def get(self) -> T:
        """The value: released, so anyone may look."""
        return self._view(self._native)

    @property
    def card(self) -> Card:
        """What was promised to whom."""
        return Card(self._native.card)

    @property
    def is_simulation(self) -> bool:
        """Whether any noise came from a seed, so that there is no protection."""
        return self._native.card.is_simulation

    def save(self, folder: PathLike) -> Card:
        """Writes value and card into a folder, beside ledgers that may lie there: all of it, or nothing."""
        return Card(self._native.save(Path(folder)))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a release is kept with its card: save(folder), and load it where it is needed")

    def __repr__(self) -> str:
        return f"<Protected {self.get()!r} under {self.card!r}>"

    def _repr_html_(self) -> str:
        return self.card._repr_html_()


def data_of(native: _native.Protected) -> Dataset:
    """The dataset that was released."""
    found = native.dataset()
    if found is None:
        raise TypeError("what was released is no dataset")
    return Dataset(found)


def load_dataset(folder: PathLike) -> Protected[Dataset]:
    """A dataset that :meth:`Protected.save` wrote, if it is still what its card was issued for."""
    return Protected(_native.Protected.load("data", Path(folder), None), data_of)
