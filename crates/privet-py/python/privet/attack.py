"""What an attacker gets out of a model, of reports or of a graph, beside the most that a guarantee leaves.

Simulations on known data, for callers that may read the truth: every attack is scored against it.

>>> import privet
>>> people = privet.stochastic_blocks(seed=1, nodes=200, classes=2, features=10)
>>> found = privet.attack.reconstruct(people, epsilon_features=1, runs=2)
>>> [row["name"] for row in found.rows][-1]
'embedding in the clear'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Optional, Union

from privet import _native
from privet._plain import several
from privet._progress import bar
from privet._study import Study
from privet.dataset import Dataset, GraphSet


class Attack(Study):
    """What an attack found, and the most that the guarantee leaves to any."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What was attacked, and what came of it, a row each."""
        found: list[dict[str, Any]] = self._numbers["outcomes" if "outcomes" in self._numbers else "lines"]
        return found


def membership(
    data: Dataset,
    *,
    # settings of MembershipRequest
    epsilon: float,
    delta: Optional[float] = None,
    mode: Literal["rigorous", "paper"] = "rigorous",
    relation: Literal["node-absent", "node-replace", "edge-dp"] = "node-absent",
    hidden: Optional[Sequence[int]] = None,
    learning_rate: Optional[float] = None,
    clip_norm: Optional[float] = None,
    batch: Optional[float] = None,
    steps: Optional[int] = None,
    sources: Optional[int] = None,
    top_k: Optional[int] = None,
    score_clip: Optional[float] = None,
    cap: Optional[int] = None,
    share: Optional[float] = None,
    max_degree: Optional[int] = None,
    hops: Optional[int] = None,
    rounds: Optional[int] = None,
    alpha: Optional[float] = None,
    agreement: Optional[float] = None,
    projection: Optional[int] = None,
    likeness: Optional[float] = None,
    sample: Optional[float] = None,
    printed_noise: Optional[Literal["accounted", "formula"]] = None,
    methods: Union[
        Literal["em0", "em1", "gm", "features", "smoothed-sgd", "class-sums", "gradient-descent", "gap", "sage"],
        Sequence[Literal["em0", "em1", "gm", "features", "smoothed-sgd", "class-sums", "gradient-descent", "gap",
        "sage"]]
    ] = ("em0", "features", "gap"),
    target: Literal["people", "connections"] = "people",
    shadows: int = 48,
    targets: int = 250,
    seed: int = 0,
    # end of settings
) -> Attack:
    """Was a given person (``target="people"``), or a connection (``target="connections"``), in the data that DPAR and others
    (``methods``) were trained on? Shadow models are trained with and without each target.

    .. settings of MembershipRequest
    ``epsilon``: Privacy budget of a person's presence (epsilon); in `paper` mode, the printed number.
    ``delta``: Probability with which that bound may fail (delta) [default: the largest power of ten up to a tenth of
        one over the number of people; in `paper` mode 1e-4, whatever their number].
    ``mode``: How noise is calibrated.
    ``relation``: What is hidden: whether a person is there, who a person is, or each connection alone (for gap).
    ``hidden``: Widths of the hidden layers, or `none` for a linear model.
    ``learning_rate``: Adam's learning rate.
    ``clip_norm``: Clipping norm of each row's gradient (C).
    ``batch``: Expected batch size; a value up to 1 is a share of all rows (B).
    ``steps``: Number of steps (in `paper` mode: epochs).
    ``sources``: Number of released PageRank rows (M).
    ``top_k``: Nodes per released PageRank row (K).
    ``score_clip``: Clipping norm of PageRank scores or rows (C1 or C2).
    ``cap``: Maximum number of other rows that read a node (m).
    ``share``: Share of epsilon for the structure.
    ``max_degree``: Maximum degree, for gap and sage.
    ``hops``: Number of hops, for gap.
    ``rounds``: Rounds of smoothing of predictions (P).
    ``alpha``: Share of its own prediction that a node keeps in each round.
    ``agreement``: Smooth predictions only if confident predictions of connected new people agree this much more than
        by chance, up to 1; 0 or less, or fewer than 160 connections: always.
    ``projection``: Dimensions to project rows to, by directions computed from the new people's features; 0: none.
    ``likeness``: Strength of kernel smoothing between similar new people, relative to the noise; for class-sums only.
        0 disables it.
    ``sample``: Share of people used for training, in `paper` mode (q').
    ``printed_noise``: Reading of the paper's noise of training, in `paper` mode.
    ``methods``: Models to attack.
    ``target``: Attacker's target.
    ``shadows``: Number of shadow models of each kind.
    ``targets``: Number of target people or connections, at most a quarter of all.
    ``seed``: Seed of the split, the targets and the noise.
    .. end of settings
    """
    return _attacked("membership", data, {
        # values of MembershipRequest
        "epsilon": epsilon,
        "delta": delta,
        "mode": mode,
        "relation": relation,
        "hidden": hidden,
        "learning_rate": learning_rate,
        "clip_norm": clip_norm,
        "batch": batch,
        "steps": steps,
        "sources": sources,
        "top_k": top_k,
        "score_clip": score_clip,
        "cap": cap,
        "share": share,
        "max_degree": max_degree,
        "hops": hops,
        "rounds": rounds,
        "alpha": alpha,
        "agreement": agreement,
        "projection": projection,
        "likeness": likeness,
        "sample": sample,
        "printed_noise": printed_noise,
        "methods": several(methods),
        "target": target,
        "shadows": shadows,
        "targets": targets,
        "seed": seed,
        # end of values
    })


def poison(
    data: GraphSet,
    *,
    # settings of PoisonRequest
    epsilon: float,
    beta: float,
    attack: Literal["random", "all-ones", "matched", "shortcut"] = "random",
    against: Optional[Literal["threshold", "handshake", "census"]] = None,
    w1: Optional[float] = None,
    w2: Optional[float] = None,
    theta: float = 0.05,
    usual_degree: int = 10,
    reading: Literal["plain", "believed", "summary"] = "believed",
    runs: int = 5,
    seed: int = 0,
    rounds: Optional[int] = None,
    hidden: Optional[int] = None,
    dropout: Optional[float] = None,
    learning_rate: Optional[float] = None,
    batch: Optional[int] = None,
    epochs: Optional[int] = None,
    patience: Optional[int] = None,
    # end of settings
) -> Attack:
    """A share ``beta`` of DPRR's users sends made-up reports about training graphs: what it costs, and what defences win
    back.

    .. settings of PoisonRequest
    ``epsilon``: Privacy budget of a user's neighbour list (epsilon).
    ``beta``: Share of malicious users (beta).
    ``attack``: Attack.
    ``against``: Defence known to the `matched` and `shortcut` attackers (default `census`).
    ``w1``: Probability that a malicious user keeps a one.
    ``w2``: Probability that a malicious user invents a one.
    ``theta``: Maximum share of honest users flagged.
    ``usual_degree``: Public degree bound: at most theta/2 of the users have more neighbours.
    ``reading``: How the collector interprets reports.
    ``runs``: Number of runs, with consecutive seeds.
    ``seed``: First seed.
    ``rounds``: Rounds of summing over neighbours [default: 2].
    ``hidden``: Width of every hidden layer [default: 32].
    ``dropout``: Share of scores dropped in training [default: 0].
    ``learning_rate``: Adam's learning rate; it is halved five times in the course of training [default: 0.01].
    ``batch``: Graphs per step [default: 32].
    ``epochs``: Maximum number of epochs [default: 30].
    ``patience``: Early stopping: epochs without improvement on validation graphs [default: 30].
    .. end of settings
    """
    return _attacked("poison", data, {
        # values of PoisonRequest
        "epsilon": epsilon,
        "beta": beta,
        "attack": attack,
        "against": against,
        "w1": w1,
        "w2": w2,
        "theta": theta,
        "usual_degree": usual_degree,
        "reading": reading,
        "runs": runs,
        "seed": seed,
        "rounds": rounds,
        "hidden": hidden,
        "dropout": dropout,
        "learning_rate": learning_rate,
        "batch": batch,
        "epochs": epochs,
        "patience": patience,
        # end of values
    })


def linkteller(
    data: Dataset,
    *,
    # settings of LinkTellerRequest
    epsilon_edges: float,
    probes: int = 100,
    private_share: float = 0.2,
    runs: int = 5,
    seed: int = 0,
    # end of settings
) -> Attack:
    """A client of a served model changes one node after the other and watches the others' answers for edges.

    .. settings of LinkTellerRequest
    ``epsilon_edges``: Privacy budget of each private edge (epsilon).
    ``probes``: Number of probed nodes, one query each.
    ``private_share``: Share of edges treated as private, drawn anew for every seed.
    ``runs``: Number of runs, with consecutive seeds.
    ``seed``: First seed.
    .. end of settings
    """
    return _attacked("linkteller", data, {
        # values of LinkTellerRequest
        "epsilon_edges": epsilon_edges,
        "probes": probes,
        "private_share": private_share,
        "runs": runs,
        "seed": seed,
        # end of values
    })


def reconstruct(
    data: Dataset,
    *,
    # settings of ReconstructRequest
    epsilon_features: float,
    width: int = 32,
    runs: int = 5,
    seed: int = 0,
    # end of settings
) -> Attack:
    """A decoder that learned from public people rebuilds features from reports.

    .. settings of ReconstructRequest
    ``epsilon_features``: Privacy budget of each row of features (epsilon).
    ``width``: Columns of the reported embedding, a fixed random projection.
    ``runs``: Number of runs, with consecutive seeds.
    ``seed``: First seed.
    .. end of settings
    """
    return _attacked("reconstruct", data, {
        # values of ReconstructRequest
        "epsilon_features": epsilon_features,
        "width": width,
        "runs": runs,
        "seed": seed,
        # end of values
    })


def _attacked(name: str, data: Union[Dataset, GraphSet], settings: dict[str, Any]) -> Attack:
    if not isinstance(data, (Dataset, GraphSet)):
        raise TypeError(f"data: found {type(data).__name__}, expected a Dataset or a GraphSet")
    return Attack(_native.attack(name, settings, data._native, bar("attacking")))


__all__ = ["Attack", "linkteller", "membership", "poison", "reconstruct"]
