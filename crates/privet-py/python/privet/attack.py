"""What an attacker gets out of a model, of reports or of a graph, beside the most that a guarantee leaves.

Simulations on known data, for callers that may read the truth: every attack is scored against it. Settings are those of
``privet attack NAME --help``, with underscores.

>>> import privet
>>> people = privet.stochastic_blocks(seed=1, nodes=200, classes=2, features=10)
>>> found = privet.attack.reconstruct(people, epsilon_features=1, runs=2)
>>> [row["name"] for row in found.rows][-1]
'embedding in the clear'
"""

from __future__ import annotations

from typing import Any, Union

from privet import _native
from privet._progress import bar
from privet._study import Study, refuse_unknown
from privet._words import words
from privet.dataset import Dataset, GraphSet


class Attack(Study):
    """What an attack found, and the most that the guarantee leaves to any."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What was attacked, and what came of it, a row each."""
        found: list[dict[str, Any]] = self._numbers["outcomes" if "outcomes" in self._numbers else "lines"]
        return found


def membership(data: Dataset, *, epsilon: float, **settings: Any) -> Attack:
    """Was a given person (``target="people"``), or a connection (``target="connections"``), in the data that DPAR and others
    (``methods``) were trained on? Shadow models are trained with and without each target."""
    return _attacked("membership", data, {"epsilon": epsilon, **settings})


def poison(data: GraphSet, *, epsilon: float, beta: float, **settings: Any) -> Attack:
    """A share ``beta`` of DPRR's users sends made-up reports about training graphs: what it costs, and what defences win
    back."""
    return _attacked("poison", data, {"epsilon": epsilon, "beta": beta, **settings})


def linkteller(data: Dataset, *, epsilon_edges: float, **settings: Any) -> Attack:
    """A client of a served model changes one node after the other and watches the others' answers for edges."""
    return _attacked("linkteller", data, {"epsilon_edges": epsilon_edges, **settings})


def reconstruct(data: Dataset, *, epsilon_features: float, **settings: Any) -> Attack:
    """A decoder that learned from public people rebuilds features from reports."""
    return _attacked("reconstruct", data, {"epsilon_features": epsilon_features, **settings})


def _attacked(name: str, data: Union[Dataset, GraphSet], settings: dict[str, Any]) -> Attack:
    if not isinstance(data, (Dataset, GraphSet)):
        raise TypeError(f"data: found {type(data).__name__}, expected a Dataset or a GraphSet")
    refuse_unknown(f"privet.attack.{name}", settings, f"attack {name}")
    typed = words({"dataset": data.name, **settings})
    return Attack(_native.attack(["attack", name, *typed], data._native, bar("attacking")))


__all__ = ["Attack", "linkteller", "membership", "poison", "reconstruct"]
