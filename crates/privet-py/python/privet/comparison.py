"""A system beside what it must be compared with."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet import _native
from privet._html import table
from privet._page import Drawn, Page
from privet.card import Card


class Comparison(Page):
    """What every variant scored, over the same seeds: simulations on known data, not a release.

    >>> import privet
    >>> people = privet.stochastic_blocks(seed=1, nodes=300, classes=3, features=20)
    >>> found = privet.compare(privet.Dpar(epsilon=8, method="smoothed-sgd", steps=10), people, seeds=2)
    >>> sorted(found.scores())
    ['ceiling', 'features', 'majority', 'no private data', 'private']
    """

    def __init__(self, native: _native.Comparison) -> None:
        self._native = native

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Every variant with every seed: all of its scores by name, and what it is."""
        return [{"variant": name, "seed": seed, **scores, "about": about}
                for name, about, all_scores in self._rows() for seed, scores in zip(self.seeds, all_scores)]

    def to_dict(self) -> dict[str, Any]:
        """The verdict, the seeds and all rows."""
        return {"verdict": self.verdict, "seeds": self.seeds, "rows": self.rows}

    def to_pandas(self) -> Any:
        """The rows as a table."""
        import pandas

        return pandas.DataFrame(self.rows)

    def scores(self, name: str = "test") -> dict[str, NDArray[np.float64]]:
        """A score of every variant, by seed."""
        return {row: np.asarray([scores.get(name, np.nan) for scores in all_scores], dtype=np.float64)
                for row, _, all_scores in self._rows()}

    def confusion(self, variant: str | None = None) -> NDArray[np.int64] | None:
        """Test items of all seeds by true class (a row) and predicted class: of the system, or of a variant.

        None where links are predicted.

        Beside accuracy (`scores()`), each run has `scores("balanced_accuracy")`, `scores("macro_f1")` and `scores("auc")`.
        """
        rows = {name: all_scores for name, _, all_scores in self._rows()}
        runs = rows[variant] if variant is not None else next(iter(rows.values()))
        counts = [np.asarray(scores["confusion"], dtype=np.int64) for scores in runs if "confusion" in scores]
        return sum(counts[1:], counts[0]) if len(counts) == len(runs) else None

    def _rows(self) -> list[tuple[str, str, list[dict[str, Any]]]]:
        rows: list[tuple[str, str, list[dict[str, Any]]]] = json.loads(self._native.rows())
        return rows

    @property
    def seeds(self) -> list[int]:
        """The seeds."""
        return self._native.seeds

    @property
    def verdict(self) -> str:
        """What it comes to, in words that claim no more than the intervals do."""
        return self._native.verdict

    @property
    def card(self) -> Card:
        """The card of one run of the system: a simulation."""
        return Card(self._native.card)

    def _drawn(self) -> Drawn:
        return self._native

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {100 * float(np.mean(scores)):.1f} %" for name, scores in self.scores().items())
        return f"<Comparison over {len(self.seeds)} seeds: {means}>"

    def _repr_html_(self) -> str:
        rows: list[tuple[Any, ...]] = []
        for (name, scores), (_, about, _) in zip(self.scores().items(), self._rows()):
            spread = f" ± {100 * float(np.std(scores, ddof=1)):.1f}" if len(scores) > 1 else ""
            rows.append((name, f"{100 * float(np.mean(scores)):.1f} %{spread}", about))
        plots = list(self.plots().values())
        shown = table(rows, head=("variant", "test", "what it is"), caption=self.verdict)
        return shown + (plots[0] if plots else "")
