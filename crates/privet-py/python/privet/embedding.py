"""Features spread over the graph: an embedding per node."""

from __future__ import annotations

from typing import Any, Literal, Optional, TypeVar, Union

from privet import _native
from privet._progress import bar
from privet.dataset import Dataset
from privet.protected import Protected, data_of

#: Raw data, or what was released.
Spread = TypeVar("Spread", Dataset, Protected[Dataset])


def embed(
    data: Spread,
    *,
    # settings of EmbedRequest
    method: Literal["power", "push"] = "power",
    alpha: float = 0.15,
    r: float = 0.5,
    self_loops: bool = False,
    tolerance: Optional[float] = None,
    rounds: Optional[int] = None,
    rmax: Optional[float] = None,
    # end of settings
    memory: Union[str, int, None] = None,
) -> Spread:
    """The same data with an embedding in place of its features.

    .. settings of EmbedRequest
    ``method``: Algorithm.
    ``alpha``: Share of its own features that a node keeps, in (0, 1] (alpha).
    ``r``: Normalisation exponent r in D^(r-1) A D^-r: 0 averages over neighbours, 0.5 is symmetric.
    ``self_loops``: Add a self-loop to every node.
    ``tolerance``: With power: error at which to stop (default 1e-6).
    ``rounds``: With power: maximum number of rounds.
    ``rmax``: With push: largest residue that may remain (default 1e-5).
    .. end of settings

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
    settings = {
        # values of EmbedRequest
        "method": method,
        "alpha": alpha,
        "r": r,
        "self_loops": self_loops,
        "tolerance": tolerance,
        "rounds": rounds,
        "rmax": rmax,
        # end of values
    }
    limit = None if memory is None else str(memory)
    made: Any = _native.embed(settings, limit, data._native, bar("propagating"))
    found: Any = Dataset(made) if isinstance(made, _native.Dataset) else Protected(made, data_of)
    spread: Spread = found
    return spread
