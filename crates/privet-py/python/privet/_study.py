"""What plans, tours, attacks and searches have in common: numbers, and the same for people. None of them is a release."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from privet import _native
from privet._page import Drawn, Page


class Study(Page):
    """Something that was found out by simulation: nothing was released, and no budget was spent."""

    def __init__(self, native: _native.Study) -> None:
        self._native = native
        self._numbers: dict[str, Any] = json.loads(native.json())

    @property
    def headline(self) -> str:
        """What it comes to, in a sentence or two."""
        return str(self._numbers["verdict"])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The numbers that stand beside one another, a row each."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Everything, as the command line prints it with ``--json``."""
        copied: dict[str, Any] = json.loads(self._native.json())
        return copied

    def to_pandas(self) -> Any:
        """The rows as a table; what is nested has names with dots."""
        import pandas

        return pandas.json_normalize(self.rows)

    def _drawn(self) -> Drawn:
        return self._native

    def __str__(self) -> str:
        """The report as text."""
        return self._native.text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline}>"

    def _repr_html_(self) -> str:
        # A frame of its own: neither the page's looks nor its script reach the notebook.
        page = escape(self.html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:42em;border:0" title="{type(self).__name__}"></iframe>'
