"""A bar for long work, on a terminal with tqdm installed."""

from __future__ import annotations

import sys
from typing import Any, Optional


class Bar:
    """Made when there is something to show, and not before."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._bar: Optional[Any] = None

    def __call__(self, done: int, of: int) -> None:
        """So much is done, of so much at most."""
        if self._bar is None:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=of, desc=self._what, leave=False)
        self._bar.n = done
        self._bar.refresh()
        if done >= of:
            self._bar.close()


def bar(what: str) -> Optional[Bar]:
    """A bar, if it would be visible."""
    seen = "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())
    if not seen:
        return None
    try:
        import tqdm  # noqa: F401
    except ImportError:
        return None
    return Bar(what)
