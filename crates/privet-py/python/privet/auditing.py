"""Audits that try to break every claim."""

from __future__ import annotations

from typing import NamedTuple, Optional

from privet import _native
from privet._html import table


class Finding(NamedTuple):
    """What was claimed, and what was measured."""

    #: The mechanism or accountant.
    name: str
    #: What was tried.
    subject: str
    #: The claim.
    claimed: float
    #: The measurement.
    measured: float
    #: Whether the claim held.
    holds: bool


class Findings(list[Finding]):
    """Everything that was tried."""

    @property
    def broken(self) -> list[Finding]:
        """Claims that did not hold."""
        return [finding for finding in self if not finding.holds]

    def _repr_html_(self) -> str:
        rows = [(one.name, one.subject, f"{one.claimed:.6g}", f"{one.measured:.6g}", "holds" if one.holds else "BROKEN")
                for one in self]
        return table(rows, head=("mechanism", "what was tried", "claimed", "measured", ""))


def audit(name: Optional[str] = None) -> Findings:
    """Tries to break the claims of one mechanism, or of all: each is taken apart exactly where choices are finite.

    >>> import privet
    >>> privet.audit("hds").broken
    []
    """
    return Findings(Finding(*claim) for claim in _native.audit(name))
