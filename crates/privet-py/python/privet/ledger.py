"""An account: what may be spent, what was."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NoReturn, Optional, Union

from privet import _native
from privet._html import table

PathLike = Union[str, "os.PathLike[str]"]


class Ledger:
    """One privacy account in a file, made by the first release that is charged to it.

    ``limit`` is the epsilon that a new account allows in all; without it, what the first release asks for. Every
    charge is on disk before noise is drawn. One thread of one process spends at a time; a ledger cannot be pickled,
    and a child of ``fork`` opens its own.

    >>> import privet, tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> year = privet.Ledger(os.path.join(folder.name, "year.ledger"), limit=3)
    >>> club = privet.karate_club()
    >>> noisy = privet.edges.Dprr(epsilon=2).run(club, ledger=year)
    >>> year.spent, year.left
    (2.0, 1.0)
    >>> privet.edges.Dprr(epsilon=2).run(club, ledger=year)
    Traceback (most recent call last):
        ...
    privet.BudgetExceeded: dprr would bring the total to (epsilon 4, delta 0), over the limit of (epsilon 3, delta 0); nothing was released
    """

    __slots__ = ("_native",)

    def __init__(self, path: PathLike, limit: Optional[float] = None) -> None:
        self._native = _native.Ledger(Path(path), limit)

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self._native.path)

    @property
    def exists(self) -> bool:
        """Whether something was charged to it, or is about to be."""
        return self._native.exists

    @property
    def unit(self) -> Optional[str]:
        """Who is protected; settled by the first release."""
        return self._native.unit

    @property
    def limit(self) -> Optional[float]:
        """The epsilon that may be spent in all, if that is settled."""
        limit = self._native.limit
        return None if limit is None else limit[0]

    @property
    def delta(self) -> float:
        """The delta of the limit."""
        limit = self._native.limit
        return 0.0 if limit is None else limit[1]

    @property
    def spent(self) -> float:
        """The epsilon of the person who paid most."""
        return self._native.spent[0]

    @property
    def left(self) -> Optional[float]:
        """The epsilon that is left; nothing as long as no limit is settled."""
        return None if self.limit is None else max(self.limit - self.spent, 0.0)

    @property
    def entries(self) -> list[dict[str, Any]]:
        """Every release, as the file has it."""
        parsed: list[dict[str, Any]] = json.loads(self._native.entries())
        return parsed

    @property
    def chain(self) -> Optional[str]:
        """The hash that fixes all entries; cards quote it."""
        return self._native.chain

    def __len__(self) -> int:
        return len(self.entries)

    def __reduce__(self) -> NoReturn:
        self._native.__reduce__()
        raise TypeError("a ledger cannot be pickled")

    def __repr__(self) -> str:
        if self.limit is None:
            return f"<Ledger {self.path.name}: not charged yet>"
        spent = ", and ".join(self._native.stated())
        return f"<Ledger {self.path.name}: {spent or 'nothing spent'}; limit epsilon {self.limit:g}>"

    def _repr_html_(self) -> str:
        # A seed is written down as a table of its own, the operating system as a word.
        rows = [(number, entry["mechanism"], "SIMULATION" if isinstance(entry["noise"], dict) else entry["noise"])
                for number, entry in enumerate(self.entries, 1)]
        return table(rows, head=("entry", "mechanism", "noise"), caption=repr(self)[1:-1])


def opened(ledger: Union[Ledger, PathLike, None]) -> Optional[_native.Ledger]:
    """A ledger, or the path of one."""
    if ledger is None:
        return None
    return (ledger if isinstance(ledger, Ledger) else Ledger(ledger))._native
