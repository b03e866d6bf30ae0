"""Private graph learning, from Python.

Raw data goes in as a :class:`Dataset`; what comes out is :class:`Protected`, a value and the :class:`Card` of the
releases it was made of. Between them stands a :class:`Ledger`, which writes the cost down before noise is drawn.

>>> import privet
>>> club = privet.karate_club()
>>> noisy = privet.edges.Dprr(epsilon=2).run(club, seed=1)      # ledger="year.ledger" protects people
>>> noisy.get().node_count, noisy.card.is_simulation
(34, True)

=====================================================  =====================================================
one part of a dataset, randomised                      :mod:`privet.features`, :mod:`privet.labels`, :mod:`privet.edges`
a whole graph, published once                          :func:`publish`
systems that learn, as scikit-learn has estimators     :class:`LdpGe`, :class:`Dpar`, :class:`Dprr`, :class:`HeteroRr`
who will be connected to whom                          :class:`LdpGeLinks`
features spread over the graph                         :func:`embed`
a system beside its control and its ceiling            :func:`compare`
what to expect, before anything is spent               :func:`plan`
better settings; what an attacker finds                :func:`tune`, :mod:`privet.attack`
the four trust models, on generated people      :func:`demo`
one budget for all releases about the same people      :class:`Project`
a person's own device, which answers a collector       :class:`Device`
what would it cost; is it true                         :mod:`privet.account`, :func:`audit`
files, benchmarks, made-up people                      :func:`read`, :func:`load`, :func:`karate_club`, ...
=====================================================  =====================================================
"""

from typing import Any as _Any

from privet import account, attack, edges, features, labels
from privet._native import BudgetExceeded, LedgerError, PrivetError, Refused, __version__
from privet.auditing import Finding, audit
from privet.card import Card
from privet.comparison import Comparison
from privet.dataset import Dataset, GraphSet
from privet.device import Device
from privet.embedding import embed
from privet.ledger import Ledger
from privet.planning import Plan, plan
from privet.project import Project
from privet.protected import Protected, load_dataset
from privet.publishing import publish
from privet.sources import benchmarks, karate_club, load, read, stochastic_blocks, threads
from privet.systems import Dpar, Dprr, HeteroRr, LdpGe, LdpGeLinks
from privet.touring import Tour, demo
from privet.tuning import Tuned, tune


def compare(system: _Any, data: _Any, *, seeds: _Any = 5) -> Comparison:
    """A system beside its control and its ceiling, over the same seeds: :meth:`System.compare`."""
    found: Comparison = system.compare(data, seeds=seeds)
    return found


__all__ = [
    "BudgetExceeded",
    "Card",
    "Comparison",
    "Dataset",
    "Device",
    "Dpar",
    "Dprr",
    "Finding",
    "GraphSet",
    "HeteroRr",
    "LdpGe",
    "LdpGeLinks",
    "Ledger",
    "LedgerError",
    "Plan",
    "PrivetError",
    "Project",
    "Protected",
    "Refused",
    "Tour",
    "Tuned",
    "__version__",
    "account",
    "attack",
    "audit",
    "benchmarks",
    "compare",
    "demo",
    "edges",
    "embed",
    "features",
    "karate_club",
    "labels",
    "load",
    "load_dataset",
    "plan",
    "publish",
    "read",
    "stochastic_blocks",
    "threads",
    "tune",
]
