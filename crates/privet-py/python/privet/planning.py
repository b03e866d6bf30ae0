"""What to expect, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Optional, Union

from privet import _native
from privet._plain import several
from privet._progress import bar
from privet._study import Study


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
    # settings of StatedFacts
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
    trust: Optional[Literal["curator", "devices"]] = None,
    protects: Union[
        Literal["people", "connections", "contacts", "features", "labels"], Sequence[Literal["people", "connections",
        "contacts", "features", "labels"]]
    ] = (),
    epsilons: Sequence[float] = (),
    delta: Optional[float] = None,
    # end of settings
) -> Plan:
    """What to expect of every method that fits, from public facts alone: no record is read, and nothing is spent.

    Say how many ``people`` there are, their ``edges`` or ``mean_degree``, the ``columns`` of a record, the ``classes`` to
    tell apart, and what it ``protects``: ``"people"`` or ``"connections"`` where a curator holds the data; ``"features"``,
    ``"labels"`` or ``"contacts"``, one or several, where devices randomise. ``like="cora"`` takes the facts of a public
    dataset that resembles yours. :meth:`Project.plan` takes what a project says.

    .. settings of StatedFacts
    ``people``: Number of people.
    ``edges``: Number of connections, each counted once.
    ``mean_degree``: Mean number of connections per person, in place of edges.
    ``columns``: Number of feature columns per person; each category counts as one column.
    ``filled``: Mean number of non-zero columns per person, for sparse records.
    ``classes``: Number of classes.
    ``largest_class``: Share of the largest class, if it is far from the others: 0.96 of 96 to 4.
    ``graphs``: Number of graphs, where whole graphs are classified.
    ``homophily``: Assumed probability that connected people have the same class; without it, a range is simulated.
    ``public_accuracy``: Accuracy that public data alone reach, if it is known: it costs nothing to measure, and
        narrows intervals.
    ``clear_accuracy``: Accuracy that a model in the clear reaches, if it is known already, such as from a publication;
        do not measure it on the private records for a plan.
    ``labelled``: Share of people whose class is known [default: 0.75].
    ``private_share``: Share of connections that are private, where connections are protected [default: 1].
    ``like``: Use the facts of a public dataset that resembles yours.
    ``trust``: Who holds the raw data [default: curator for people and connections, devices otherwise].
    ``protects``: Parts of each person's data to protect.
    ``epsilons``: Privacy budgets (epsilon) to compare [default: 0.5,1,2,4,8; in a project, shares of its budget].
    ``delta``: Failure probability of the guarantee (delta) [default: far below one over the number of people].
    .. end of settings

    >>> import privet
    >>> found = privet.plan(people=300, mean_degree=4, columns=8, classes=2, protects="people", epsilons=[1, 8])
    >>> sorted(found.rows[0])
    ['accuracy', 'epsilon', 'found', 'high', 'low', 'method']
    >>> found.to_dict()["question"]["epsilons"]
    [1.0, 8.0]
    """
    settings = {
        # values of StatedFacts
        "people": people,
        "edges": edges,
        "mean_degree": mean_degree,
        "columns": columns,
        "filled": filled,
        "classes": classes,
        "largest_class": largest_class,
        "graphs": graphs,
        "homophily": homophily,
        "public_accuracy": public_accuracy,
        "clear_accuracy": clear_accuracy,
        "labelled": labelled,
        "private_share": private_share,
        "like": like,
        "trust": trust,
        "protects": several(protects),
        "epsilons": epsilons,
        "delta": delta,
        # end of values
    }
    return planned(None, settings)


def planned(project: Optional[_native.Project], facts: dict[str, Any]) -> Plan:
    """A plan from facts as they were given, over those of a project."""
    return Plan(_native.plan(facts, project, bar("planning")))
