"""What is shown as a page: pictures, the whole report, and a file of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol, Union

PathLike = Union[str, "os.PathLike[str]"]


class Drawn(Protocol):
    """What the library hands out of a report."""

    def plots(self) -> list[tuple[str, str]]: ...
    def html(self) -> str: ...


class Page:
    """Numbers that the laboratory drew. They were computed from raw data or from made-up people: none of it is a release."""

    def _drawn(self) -> Drawn:
        raise NotImplementedError

    def plots(self) -> dict[str, str]:
        """The pictures, as SVG."""
        return dict(self._drawn().plots())

    def html(self) -> str:
        """The whole report as one page."""
        return self._drawn().html()

    def write(self, path: PathLike) -> Path:
        """Writes the page to a file. What was measured on raw data is not for publication."""
        file = Path(path)
        file.write_text(self.html(), encoding="utf-8")
        return file
