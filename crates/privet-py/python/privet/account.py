"""What would it cost? No data, no ledger.

>>> import privet
>>> price = privet.account.gaussian(noise=1, rate=0.01, steps=1000, delta=1e-5)
>>> price.accountant, round(price.epsilon, 2)
('PLD', 1.83)
>>> privet.account.compose([{"kind": "pure", "epsilon": 0.5}] * 4, delta=0).epsilon
2.0
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

from privet import _native
from privet._html import table


@dataclass(frozen=True)
class Price:
    """What something costs, by every accountant that has a theorem for it."""

    #: What was priced, in words.
    event: str
    #: The best bound.
    epsilon: float
    #: The delta it holds at.
    delta: float
    #: Whose bound that is.
    accountant: str
    #: What every accountant says; ``None`` where it has no theorem, or does not say.
    quotes: dict[str, Optional[float]]
    #: Standard deviation of the noise over the sensitivity, where that is what it is about.
    noise_multiplier: Optional[float] = None
    #: Why an accountant does not say.
    refusals: dict[str, str] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        rows = [(name, self.refusals.get(name, "") if value is None else f"{value:.6g}")
                for name, value in self.quotes.items()]
        return table(rows, head=("accountant", "epsilon"), caption=f"{self.event}, delta {self.delta:g}")


def gaussian(*, noise: Optional[float] = None, epsilon: Optional[float] = None, rate: float = 1.0, steps: int = 1,
             delta: float) -> Price:
    """Gaussian noise in ``steps`` steps, each on a sample of ``rate`` of the records: give ``noise`` to learn the
    epsilon, or ``epsilon`` to learn the least noise that keeps it.
    """
    if (noise is None) == (epsilon is None):
        raise ValueError("give noise= to learn the epsilon, or epsilon= to learn the noise")
    used, priced = _native.gaussian(noise, 0.0 if epsilon is None else epsilon, rate, steps, delta)
    return _price(priced, delta, used)


def compose(events: Union[Mapping[str, Any], Sequence[Mapping[str, Any]]], *, delta: float) -> Price:
    """Events one after the other, as ledgers write them (``entry["charges"][0]["event"]``)."""
    listed = [events] if isinstance(events, Mapping) else list(events)
    return _price(_native.compose(json.dumps(listed), delta), delta, None)


def accountants() -> list[str]:
    """All people who are asked."""
    return _native.accountants()


def _price(priced: tuple[str, float, str, list[tuple[str, Optional[float], Optional[str]]]], delta: float,
           noise: Optional[float]) -> Price:
    event, epsilon, accountant, quotes = priced
    return Price(event, epsilon, delta, accountant, {name: value for name, value, _ in quotes}, noise,
                 {name: why for name, _, why in quotes if why})
