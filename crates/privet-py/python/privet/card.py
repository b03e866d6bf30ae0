"""What is promised, what not, on whose word."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Optional, Union

from privet import _native
from privet._html import table

PathLike = Union[str, "os.PathLike[str]"]


class Card:
    """The guarantee that travels with what was released.

    Cards come with releases (:attr:`Protected.card`), from promises (``mechanism.promise(data)``), and from files:

    >>> import privet
    >>> card = privet.features.Hds(epsilon=1, bounds=(0, 1)).promise(privet.stochastic_blocks(seed=1))
    >>> card.guarantees[0]["loss"]["epsilon"]
    1.0
    >>> "epsilon 1" in card.explain()
    True
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Card) -> None:
        if not isinstance(native, _native.Card):
            raise TypeError("cards come with releases, or from Card.read(path)")
        self._native = native

    @staticmethod
    def read(path: PathLike) -> Card:
        """The card in a file."""
        return Card(_native.Card.read(Path(path)))

    @staticmethod
    def parse(text: str) -> Card:
        """The card that :meth:`to_json` wrote."""
        return Card(_native.Card.parse(text))

    def to_json(self) -> str:
        """All of it, as its file has it."""
        return self._native.to_json()

    def to_dict(self) -> dict[str, Any]:
        """All of it, as nested dictionaries."""
        parsed: dict[str, Any] = json.loads(self.to_json())
        return parsed

    def explain(self) -> str:
        """In plain words."""
        return self._native.explain()

    @property
    def subject(self) -> str:
        """What was released."""
        return str(self.to_dict()["subject"])

    @property
    def guarantees(self) -> list[dict[str, Any]]:
        """One guarantee per ledger; those of different relations are listed, never added."""
        return list(self.to_dict()["guarantees"])

    @property
    def losses(self) -> list[str]:
        """Every privacy loss with its unit and everything it depends on; infinite losses first."""
        return self._native.stated()

    @property
    def unprotected(self) -> list[str]:
        """What is in it without any protection."""
        return [str(line.get("what", line)) if isinstance(line, dict) else str(line)
                for line in self.to_dict()["unprotected"]]

    @property
    def warnings(self) -> list[str]:
        """Who has no protection at all."""
        return self._native.warnings()

    @property
    def is_simulation(self) -> bool:
        """Whether noise was replayed from a seed, so that there is no protection."""
        return self._native.is_simulation

    @property
    def is_audited(self) -> bool:
        """Whether Privet ships every mechanism that made it."""
        return self._native.is_audited

    def check(self, path: PathLike, *, ledgers: Optional[list[PathLike]] = None,
              key: Optional[PathLike] = None) -> list[str]:
        """What the card says and its files and ledgers do not: nothing, if it holds.

        ``path`` is where the card lies; ledgers are those it names, beside it, if none are given.
        """
        beside = Path(path).parent
        if ledgers is None:
            names = [guarantee["ledger"].get("file") for guarantee in self.guarantees]
            ledgers = [beside / name for name in names if name]
        files = [Path(ledger) for ledger in ledgers]
        differences, _, _ = self._native.check(Path(path), files, None if key is None else Path(key))
        return differences

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Card) and self._native == other._native

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        losses = ", and ".join(self.losses) or "nothing promised"
        stamp = "SIMULATION, gives no protection; " if self.is_simulation else ""
        return f"<Card: {stamp}{self.subject}: {losses}>"

    def _repr_html_(self) -> str:
        rows = [(g["unit"], stated, _limit(g)) for g, stated in zip(self.guarantees, self._native.stated_guarantees())]
        rows += [("", stated, "") for stated in self.losses if stated not in self._native.stated_guarantees()]
        caption = ("SIMULATION (gives no protection): " if self.is_simulation else "") + self.subject
        promised = table(rows, head=("who is protected", "at most", "limit"), caption=caption)
        warned = table([(warning,) for warning in self.warnings]) if self.warnings else ""
        return promised + warned + table([(line,) for line in self.unprotected], head=("not protected",))


def _limit(guarantee: dict[str, Any]) -> str:
    epsilon, delta = guarantee["limit"]["epsilon"], guarantee["limit"]["delta"]
    words = f"epsilon {epsilon:g}" if isinstance(epsilon, (int, float)) else f"epsilon {epsilon}"
    return words if not delta else f"{words}, delta {delta:g}"
