"""The four trust models side by side, on generated people."""

from __future__ import annotations

from typing import Any

from privet import _native
from privet._progress import bar
from privet._study import Study


class Tour(Study):
    """The four trust models, tried out: :func:`demo` takes it.

    Each stop says who holds the raw data, what leaves, what it costs, what an attacker can find, and what was learned,
    beside the same noise with nothing behind it and beside no privacy at all.
    """

    @property
    def headline(self) -> str:
        """What came out at every stop."""
        return "; ".join(f"{stop['system']}: {stop['verdict']}" for stop in self._numbers["stops"])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Every variant of every stop: the system, its epsilon, the variant and its accuracy in percent."""
        return [
            {"system": stop["system"], "epsilon": stop["cost"]["loss"]["epsilon"], "variant": score["variant"],
             **{f"accuracy.{name}": value for name, value in score["accuracy"].items()}}
            for stop in self._numbers["stops"] for score in stop["scores"]
        ]


def demo(*, seed: int = 7) -> Tour:
    """A tour of the four trust models, on generated people; it needs no data, and takes a minute.

    ``print`` shows the report; a notebook shows the page.
    """
    return Tour(_native.demo(seed, bar("touring")))
