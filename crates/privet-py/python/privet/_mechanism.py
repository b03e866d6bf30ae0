"""What all mechanisms have in common: settings, a promise, and a run that is charged."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Optional, Union

from privet import _native
from privet.card import Card
from privet.dataset import Dataset
from privet.ledger import Ledger, opened
from privet.protected import Protected, data_of

PathLike = Union[str, "os.PathLike[str]"]


class Mechanism:
    """One part of a dataset, replaced by noisy reports as each person would make them on their own device."""

    #: The name on the command line, on cards and in ledgers.
    name: str = ""

    def __init__(self, epsilon: float, *, budgets: Optional[PathLike] = None, accept: Iterable[str] = ()) -> None:
        self.epsilon = float(epsilon)
        self.budgets = None if budgets is None else Path(budgets)
        self.accept = [accept] if isinstance(accept, str) else list(accept)

    def _strength(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon, "budgets": self.budgets, "accept": self.accept}

    def __repr__(self) -> str:
        said = {key: value for key, value in vars(self).items() if value not in (None, [])}
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in said.items())})"

    def promise(self, data: Dataset) -> Card:
        """The card of a run on any data with the same public facts, before any record is looked at."""
        raise NotImplementedError

    def run(
        self,
        data: Any,
        *,
        ledger: Union[Ledger, PathLike, None] = None,
        folder: Optional[PathLike] = None,
        seed: Optional[int] = None,
    ) -> Protected[Dataset]:
        """Charges, waits until that is on disk, draws noise, and gives the dataset with reports in place of that part.

        The cost is written down in ``ledger`` (an account, or the path of one), or in a new one in ``folder``. With
        ``seed`` the noise is replayed: a simulation, which gives no protection and says so. What was randomised before
        (:class:`Protected`) can go in again for another part; the new card goes on where the old one ends.
        """
        earlier: Optional[Card] = None
        if isinstance(data, Protected):
            earlier, data = data.card, data.get()
        if not isinstance(data, Dataset):
            raise TypeError(f"data: found {type(data).__name__}, expected a Dataset (Dataset.from_edges makes one)")
        return self.run_after(earlier, data, ledger=ledger, folder=folder, seed=seed)

    def run_after(
        self,
        earlier: Optional[Card],
        data: Dataset,
        *,
        ledger: Union[Ledger, PathLike, None] = None,
        folder: Optional[PathLike] = None,
        seed: Optional[int] = None,
    ) -> Protected[Dataset]:
        """The same for data of which other parts were randomised under an ``earlier`` card, which the new one goes on with."""
        before = None if earlier is None else earlier._native
        place = (before, opened(ledger), None if folder is None else Path(folder), seed)
        return Protected(self._released(data, place), data_of)

    def _released(self, data: Dataset, place: Any) -> _native.Protected:
        raise NotImplementedError
