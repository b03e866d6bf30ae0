"""A person's own device: what it holds stays there, and one report a task leaves."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Optional, Union

from privet import _native

PathLike = Union[str, "os.PathLike[str]"]


class Report(NamedTuple):
    """The bytes to send, and whether they were drawn before: asking again gets the same bytes."""

    report: bytes
    again: bool


class Spent(NamedTuple):
    """What answers have cost the person's record and each entry of their list of contacts, and what each may."""

    record: float
    contacts: float
    lifetime: float


class Device:
    """The device of a folder; ``lifetime`` makes a new one, whose answers may cost so much in all, for ever.

    It is charged before noise is drawn, remembers its report before it can leave, and sends the same bytes ever after.

    >>> import tempfile
    >>> mine = Device(tempfile.mkdtemp() + "/mine", lifetime=2.0)
    >>> mine.spent()
    Spent(record=0.0, contacts=0.0, lifetime=2.0)
    """

    def __init__(self, folder: PathLike, *, lifetime: Optional[float] = None) -> None:
        place = Path(folder)
        self._native = _native.Device.open(place) if lifetime is None else _native.Device.create(place, lifetime)

    def answer(self, task: str, participant: int, *, features: Optional[Iterable[float]] = None,
               label: Optional[int] = None, contacts: Optional[Iterable[int]] = None,
               seed: Optional[int] = None) -> Report:
        """The report for a task, the text that ``privet collect create`` writes, by who has this place among its people.

        ``label`` is the number of the answer, ``contacts`` are places. A seed gives no protection and is charged all the same.
        """
        row = None if features is None else [float(value) for value in features]
        places = None if contacts is None else sorted({int(place) for place in contacts})
        return Report(*self._native.answer(task, participant, row, label, places, seed))

    def spent(self) -> Spent:
        """What answers have cost so far."""
        return Spent(*self._native.spent())
