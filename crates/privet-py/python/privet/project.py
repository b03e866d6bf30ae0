"""One budget for all releases about the same people."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Optional, Union

from privet import _native
from privet._html import table
from privet._progress import bar
from privet.card import Card

PathLike = Union[str, "os.PathLike[str]"]


class Project:
    """The project that a folder is in, as ``privet init`` made it.

    Everything that leaves is charged to its accounts: nothing here takes a ledger of its own, and nothing hands out the
    data, for which other ledgers would know of no project.
    """

    def __init__(self, folder: PathLike = ".") -> None:
        self._native = _native.Project.find(Path(folder))

    @property
    def name(self) -> str:
        """What it is called."""
        return self._native.name

    @property
    def root(self) -> Path:
        """The folder with ``privet.toml``."""
        return Path(self._native.root)

    def status(self) -> dict[str, Any]:
        """What was spent, what is left, what came of it."""
        found: dict[str, Any] = json.loads(self._native.status())
        return found

    def train(self, output: PathLike, *, epsilon: float, delta: Optional[float] = None, method: Optional[str] = None,
              seed: Optional[int] = None) -> Card:
        """Trains a classifier for so much of the budget, and writes it to a new folder. No truth is shown."""
        return Card(self._native.train(Path(output), epsilon, delta, method, seed, bar("training")))

    def evaluate(self, model: PathLike, *, epsilon: float = 0.0, seed: Optional[int] = None) -> dict[str, Any]:
        """How good a model is on people who were set aside, for a price; free where labels are public."""
        found: dict[str, Any] = json.loads(self._native.evaluate(Path(model), epsilon, seed))
        return found

    @staticmethod
    def predict(model: PathLike, people: PathLike, output: PathLike, *, top: int = 1,
                probabilities: bool = False) -> int:
        """What a model says about people in a table, written to a new file; gives how many they are."""
        return _native.predict(Path(model), Path(people), Path(output), top, probabilities)

    def __repr__(self) -> str:
        return f"<Project {self.name}>"

    def _repr_html_(self) -> str:
        lines = self.status()["relations"]
        rows = [(", ".join(line["hides"]), line["relation"], f"{line['spent_epsilon']:g}",
                 f"{line['left_epsilon']:g}") for line in lines]
        return table(rows, head=("what is hidden", "relation", "spent", "left"), caption=self.name)
