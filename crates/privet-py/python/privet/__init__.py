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
a system beside its control and its ceiling            :func:`compare`
one budget for all releases about the same people      :class:`Project`
a person's own device, which answers a collector       :class:`Device`
what would it cost; is it true                         :mod:`privet.account`, :func:`audit`
files, benchmarks, made-up people                      :func:`read`, :func:`load`, :func:`karate_club`, ...
=====================================================  =====================================================
"""

from typing import Any as _Any

from privet import account, edges, features, labels
from privet._native import BudgetExceeded, LedgerError, PrivetError, Refused, __version__
from privet.auditing import Finding, audit
from privet.card import Card
from privet.comparison import Comparison
from privet.dataset import Dataset, GraphSet
from privet.device import Device
from privet.ledger import Ledger
from privet.project import Project
from privet.protected import Protected, load_dataset
from privet.publishing import publish
from privet.sources import benchmarks, karate_club, load, read, stochastic_blocks, threads
from privet.systems import Dpar, Dprr, HeteroRr, LdpGe


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
    "Ledger",
    "LedgerError",
    "PrivetError",
    "Project",
    "Protected",
    "Refused",
    "__version__",
    "account",
    "audit",
    "benchmarks",
    "compare",
    "edges",
    "features",
    "karate_club",
    "labels",
    "load",
    "load_dataset",
    "publish",
    "read",
    "stochastic_blocks",
    "threads",
]
