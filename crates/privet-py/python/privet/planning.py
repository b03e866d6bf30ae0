"""What to expect, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from privet import _native
from privet._progress import bar
from privet._study import Study
from privet._words import words


class Plan(Study):
    """Which method, at which epsilon, with which accuracy, from public facts alone: :func:`plan` makes one."""

    @property
    def headline(self) -> str:
        """What to do, and why."""
        return str(self._numbers["advice"]["why"])

    @property
    def recommendation(self) -> Optional[dict[str, Any]]:
        """The method and epsilon to take, what to expect of them, and the command that does it; nothing if no budget is
        worth spending."""
        choice: Optional[dict[str, Any]] = self._numbers["advice"]["choice"]
        return choice

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Every method at every epsilon: the accuracy to expect, from ``low`` to ``high``, and the share of people that an
        attacker who is wrong about one in a hundred finds at most. What is free has no epsilon, and no people to find."""
        return [
            {"method": plan["method"], "epsilon": point["epsilon"], "accuracy": point["accuracy"]["expected"],
             "low": point["accuracy"]["low"], "high": point["accuracy"]["high"], "found": _found(point["exposure"])}
            for plan in self._numbers["methods"] for point in plan["points"]
        ]


def _found(exposure: Optional[dict[str, Any]]) -> Optional[float]:
    if exposure is None:
        return None
    return next((float(at["found"]) for at in exposure["curve"] if at["wrong"] == 0.01), None)


def plan(
    *,
    people: Optional[int] = None,
    edges: Optional[int] = None,
    mean_degree: Optional[float] = None,
    columns: Optional[int] = None,
    filled: Optional[float] = None,
    classes: Optional[int] = None,
    largest_class: Optional[float] = None,
    graphs: Optional[int] = None,
    homophily: Optional[float] = None,
    public_accuracy: Optional[float] = None,
    clear_accuracy: Optional[float] = None,
    labelled: Optional[float] = None,
    private_share: Optional[float] = None,
    like: Optional[str] = None,
    trust: Optional[str] = None,
    protects: Union[str, Sequence[str], None] = None,
    epsilons: Optional[Sequence[float]] = None,
    delta: Optional[float] = None,
) -> Plan:
    """What to expect of every method that fits, from public facts alone: no record is read, and nothing is spent.

    Say how many ``people`` there are, their ``edges`` or ``mean_degree``, the ``columns`` of a record, the ``classes`` to
    tell apart, and what it ``protects``: ``"people"`` or ``"connections"`` where a curator holds the data; ``"features"``,
    ``"labels"`` or ``"contacts"``, one or several, where devices randomise. ``like="cora"`` takes the facts of a public
    dataset that resembles yours. ``privet plan --help`` has the words for every argument; :meth:`Project.plan` takes what
    a project says.

    >>> import privet
    >>> found = privet.plan(people=300, mean_degree=4, columns=8, classes=2, protects="people", epsilons=[1, 8])
    >>> sorted(found.rows[0])
    ['accuracy', 'epsilon', 'found', 'high', 'low', 'method']
    >>> found.to_dict()["question"]["epsilons"]
    [1.0, 8.0]
    """
    return planned(None, people=people, edges=edges, mean_degree=mean_degree, columns=columns, filled=filled,
                   classes=classes, largest_class=largest_class, graphs=graphs, homophily=homophily,
                   public_accuracy=public_accuracy, clear_accuracy=clear_accuracy, labelled=labelled,
                   private_share=private_share, like=like, trust=trust, protects=protects, epsilons=epsilons, delta=delta)


def planned(project: Optional[_native.Project], **facts: Any) -> Plan:
    """A plan from facts as they were given, over those of a project."""
    return Plan(_native.plan(["plan", *words(facts)], project, bar("planning")))
