"""Columns by their names: a model must not read one column where it learned from another."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from privet.dataset import Dataset, GraphSet


@dataclass(frozen=True)
class ColumnNames:
    """How many columns there are, and what they are called if they have names."""

    count: Optional[int]
    names: Optional[list[str]]

    @staticmethod
    def of(data: Dataset | GraphSet) -> ColumnNames:
        """The columns of the features of a dataset."""
        return ColumnNames(getattr(data._native, "columns", None), getattr(data._native, "column_names", None))

    def check(self, given: ColumnNames, title: str) -> None:
        """Refuses other columns than those of a fit, or the same in another order, where both sides have names; the words
        are scikit-learn's, which its users and its tools look for. Where one side has none, a warning says so."""
        if self.names is None or given.names is None:
            if self.names is not None and given.count is not None:
                warnings.warn(f"X does not have valid feature names, but {title} was fitted with feature names", stacklevel=5)
            if given.names is not None and self.count is not None:
                warnings.warn(f"X has feature names, but {title} was fitted without feature names", stacklevel=5)
            return
        if self.names == given.names:
            return
        lines = ["The feature names should match those that were passed during fit."]
        unseen, gone = sorted(set(given.names) - set(self.names)), sorted(set(self.names) - set(given.names))
        for head, names in (("Feature names unseen at fit time:", unseen),
                            ("Feature names seen at fit time, yet now missing:", gone)):
            if names:
                lines += [head, *(f"- {name}" for name in names[:5]), *(["- ..."] if len(names) > 5 else [])]
        if not unseen and not gone:
            lines.append("Feature names must be in the same order as they were in fit.")
        raise ValueError("\n".join(lines) + "\n")


__all__ = ["ColumnNames"]
