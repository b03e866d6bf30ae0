"""One budget for all releases about the same people."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, Optional, Union

from privet import _native
from privet._html import table
from privet._plain import several
from privet._progress import bar
from privet.card import Card
from privet.planning import Plan, planned

PathLike = Union[str, "os.PathLike[str]"]
#: A table of two columns of ids: its file, and the names of both.
Pairs = tuple[PathLike, str, str]


class Answers(NamedTuple):
    """How many answers a model gave, and their card if they are a release of their own."""

    answers: int
    card: Optional[Card]


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

    def plan(
        self,
        *,
        # settings of StatedFacts, without like
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
        trust: Optional[Literal["curator", "devices"]] = None,
        protects: Union[
            Literal["people", "connections", "contacts", "features", "labels"], Sequence[Literal["people",
            "connections", "contacts", "features", "labels"]]
        ] = (),
        epsilons: Sequence[float] = (),
        delta: Optional[float] = None,
        # end of settings
    ) -> Plan:
        """What to expect, before anything is spent: who is trusted, what is hidden, columns and classes are the project's;
        its tables stay closed, so say how many ``people`` and ``edges`` there are.

        .. settings of StatedFacts, without like
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
        ``clear_accuracy``: Accuracy that a model in the clear reaches, if it is known already, such as from a
            publication; do not measure it on the private records for a plan.
        ``labelled``: Share of people whose class is known [default: 0.75].
        ``private_share``: Share of connections that are private, where connections are protected [default: 1].
        ``trust``: Who holds the raw data [default: curator for people and connections, devices otherwise].
        ``protects``: Parts of each person's data to protect.
        ``epsilons``: Privacy budgets (epsilon) to compare [default: 0.5,1,2,4,8; in a project, shares of its budget].
        ``delta``: Failure probability of the guarantee (delta) [default: far below one over the number of people].
        .. end of settings
        """
        facts = {
            # values of StatedFacts, without like
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
            "trust": trust,
            "protects": several(protects),
            "epsilons": epsilons,
            "delta": delta,
            # end of values
        }
        return planned(self._native, facts)

    def evaluate(self, model: PathLike, *, epsilon: float = 0.0, seed: Optional[int] = None) -> dict[str, Any]:
        """How good a model is on people who were set aside, for a price; free where labels are public."""
        found: dict[str, Any] = json.loads(self._native.evaluate(Path(model), epsilon, seed))
        return found

    @staticmethod
    def predict(model: PathLike, people: Optional[PathLike], output: PathLike, *, edges: Optional[Pairs] = None,
                released: Optional[PathLike] = None, pairs: Optional[Pairs] = None, top: int = 1,
                probabilities: bool = False, epsilon: Optional[float] = None, delta: Optional[float] = None,
                seed: Optional[int] = None) -> Answers:
        """What a model says about people in a table, written to a new file.

        ``edges`` is a table of connections, ``(file, source, target)``, and ``released`` what was released about others, to
        whom these may lead. A model of links scores ``pairs``. A model of graphs needs ``edges``: the people of new graphs
        send reports, and the answers have a card of their own, which is given, too.

        With ``epsilon``, ``edges`` may lead to people of the project that the model lies in, or that the current folder is in:
        they vote for their own class, with noise. That is charged to the project, batch by batch, and the answers have a
        card.
        """
        def table(typed: Optional[Pairs]) -> Optional[tuple[Path, str, str]]:
            return None if typed is None else (Path(typed[0]), typed[1], typed[2])

        asked = None if people is None else Path(people)
        known = None if released is None else Path(released)
        answers, card = _native.predict(Path(model), asked, Path(output), table(edges), known, table(pairs), top,
                                        probabilities, epsilon, delta, seed)
        return Answers(answers, None if card is None else Card(card))

    def __repr__(self) -> str:
        return f"<Project {self.name}>"

    def _repr_html_(self) -> str:
        lines = self.status()["relations"]
        rows = [(", ".join(line["hides"]), line["relation"], f"{line['spent_epsilon']:g}",
                 f"{line['left_epsilon']:g}") for line in lines]
        return table(rows, head=("what is hidden", "relation", "spent", "left"), caption=self.name)
