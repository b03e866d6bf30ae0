"""Better settings, found on validation data."""

from __future__ import annotations

from typing import Any, Union

from privet import _native
from privet._progress import bar
from privet._study import Study
from privet.dataset import Dataset
from privet.systems import LdpGe, LdpGeLinks


class Tuned(Study):
    """Settings that a search found, beside those it started from: :func:`tune` makes one."""

    @property
    def headline(self) -> str:
        """What the search found, on seeds that it never saw."""
        return str(self._numbers["report"]["summary"])

    @property
    def settings(self) -> dict[str, Any]:
        """The best settings, as arguments of the estimator: ``privet.LdpGe(epsilon=..., **found.settings)``."""
        typed = str(self._numbers["flags"]).split(" --")
        pairs = (option.removeprefix("--").split(" ", 1) for option in typed)
        return {name.replace("-", "_"): _typed(name, value) for name, value in pairs}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The best settings, and their score on validation data."""
        return [{**self.settings, "validation": self._numbers["validation"]}]


def tune(
    system: Union[LdpGe, LdpGeLinks],
    data: Dataset,
    *,
    # settings of TuneRequest, without epsilon, task, mechanism, decoding
    trials: int = 60,
    runs: int = 3,
    seed: int = 0,
    first_seed: int = 1000,
    ceiling: bool = False,
    tune_reports: bool = False,
    # end of settings
) -> Tuned:
    """Searches settings for LDP-GE on data that may be looked at; ``trials`` candidates, compared on validation data.

    ``system`` says the epsilon, the mechanism and the decoding; :class:`LdpGeLinks` searches for links.

    .. settings of TuneRequest, without epsilon, task, mechanism, decoding
    ``trials``: Number of candidates, including the published settings.
    ``runs``: Number of fresh seeds for the comparison of the winner with the published settings.
    ``seed``: Seed of the candidates.
    ``first_seed``: First seed of the search; figures use seeds from 0, so choose others.
    ``ceiling``: Tune the non-private upper bound (ceiling) instead of private runs.
    ``tune_reports``: Also tune k; each value needs new reports and their budget.
    .. end of settings

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
    given = system.get_params()
    settings = {
        "task": "links" if isinstance(system, LdpGeLinks) else "nodes",
        **{name: given[name] for name in ("epsilon", "mechanism", "decoding")},
        # values of TuneRequest, without epsilon, task, mechanism, decoding
        "trials": trials,
        "runs": runs,
        "seed": seed,
        "first_seed": first_seed,
        "ceiling": ceiling,
        "tune_reports": tune_reports,
        # end of values
    }
    return Tuned(_native.tune(settings, data.declare(bounds=given["bounds"])._native, bar("searching")))


#: Settings that are lists.
_LISTS = ("hidden", "label-radii", "ways")


def _typed(name: str, text: str) -> Any:
    """The value of an option, out of its text."""
    if name in _LISTS:
        return [] if text == "none" else [_typed("", one) for one in text.split(",")]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
