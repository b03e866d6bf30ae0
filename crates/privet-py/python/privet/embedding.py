"""Features spread over the graph: an embedding per node."""

from __future__ import annotations

from typing import Any, Optional, TypeVar, Union

from privet import _native
from privet._progress import bar
from privet._words import words
from privet.dataset import Dataset
from privet.protected import Protected, data_of

#: Raw data, or what was released.
Spread = TypeVar("Spread", Dataset, Protected[Dataset])


def embed(
    data: Spread,
    *,
    method: Optional[str] = None,
    alpha: Optional[float] = None,
    r: Optional[float] = None,
    self_loops: bool = False,
    tolerance: Optional[float] = None,
    rounds: Optional[int] = None,
    rmax: Optional[float] = None,
    memory: Union[str, int, None] = None,
) -> Spread:
    """The same data with an embedding in place of its features, as ``privet embed`` makes one, whose help has the words for
    every argument.

    Propagation costs no privacy and gives none: what was released keeps its card, and an embedding of raw features is raw.
    With ``memory`` (``"4G"``, or bytes) as many columns at a time are spread as fit, and the embedding is kept in a file
    without a name; ``get().write(...)`` copies it to one that stays.

    >>> import privet
    >>> people = privet.stochastic_blocks(seed=1, nodes=300, classes=3, features=20)
    >>> noisy = privet.features.Hds(epsilon=1).run(people, seed=1)
    >>> privet.embed(noisy, alpha=0.1, rounds=10).card.subject
    'an embedding of: ...'
    """
    if not isinstance(data, (Dataset, Protected)):
        raise TypeError(f"data: found {type(data).__name__}, expected a Dataset, or one that was released")
    typed: list[str] = words({"method": method, "alpha": alpha, "r": r, "self_loops": self_loops,
                              "tolerance": tolerance, "rounds": rounds, "rmax": rmax, "memory": memory})
    # The command line reads and writes files, which have names; here there are none.
    made: Any = _native.embed(["embed", "data", "--output=embedding.npz", *typed], data._native, bar("propagating"))
    found: Any = Dataset(made) if isinstance(made, _native.Dataset) else Protected(made, data_of)
    spread: Spread = found
    return spread
