"""Better settings, found on validation data."""

from __future__ import annotations

from typing import Any, Union

from privet import _native
from privet._progress import bar
from privet._study import Study, refuse_unknown
from privet._words import words
from privet.dataset import Dataset
from privet.systems import LdpGe, LdpGeLinks


class Tuned(Study):
    """Settings that a search found, beside those it started from: :func:`tune` makes one."""

    @property
    def headline(self) -> str:
        """What the search found, on seeds that it never saw."""
        return str(self._numbers["report"]["summary"])

    @property
    def settings(self) -> dict[str, str]:
        """The best settings, as arguments of the estimator: ``privet.LdpGe(epsilon, **found.settings)``."""
        typed = str(self._numbers["flags"]).split(" --")
        pairs = (option.removeprefix("--").split(" ", 1) for option in typed)
        return {name.replace("-", "_"): value for name, value in pairs}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The best settings, and their score on validation data."""
        return [{**self.settings, "validation": self._numbers["validation"]}]


def tune(system: Union[LdpGe, LdpGeLinks], data: Dataset, **search: Any) -> Tuned:
    """Searches settings for LDP-GE on data that may be looked at; ``trials`` candidates, compared on validation data.

    ``system`` says the epsilon, the mechanism and the decoding; :class:`LdpGeLinks` searches for links. ``search`` has the
    options of ``privet tune ldp-ge --help``: ``trials``, ``runs``, ``seed``, ``first_seed``, ``ceiling`` and
    ``tune_reports``.

    >>> import privet
    >>> people = privet.stochastic_blocks(seed=1, nodes=200, classes=2, features=8)
    >>> found = privet.tune(privet.LdpGe(epsilon=2), people, trials=2, runs=1)
    >>> "alpha" in found.settings
    True
    """
    if not isinstance(system, (LdpGe, LdpGeLinks)):
        raise TypeError(f"system: found {type(system).__name__}, expected LdpGe or LdpGeLinks: no other has a search")
    if not isinstance(data, Dataset):
        raise TypeError(f"data: found {type(data).__name__}, expected a Dataset")
    refuse_unknown("privet.tune", search, "tune ldp-ge")
    task = "links" if isinstance(system, LdpGeLinks) else "nodes"
    given = system.get_params()
    said = {name: value for name, value in given.items() if name in ("epsilon", "mechanism", "decoding")}
    # The command line keeps finished runs in a folder; here they stay in memory, and no folder is looked at.
    typed = words({"dataset": data.name, "task": task, "output": ".", **said, **search})
    data = data.declare(bounds=given["bounds"])
    return Tuned(_native.tune(["tune", "ldp-ge", *typed], data._native, bar("searching")))
