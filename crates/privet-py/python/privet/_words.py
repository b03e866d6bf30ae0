"""Settings as the words of the command line, where their names, defaults and meanings are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def words(settings: Mapping[str, Any]) -> list[str]:
    """``{"hidden": [64, 32], "baselines": True, "k": None}`` is ``--hidden=64,32 --baselines``."""
    said = []
    for name, value in settings.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            said.append(option)
        elif isinstance(value, (list, tuple, set, frozenset)) or getattr(value, "ndim", 0) > 0:
            said.append(f"{option}={','.join(_word(one) for one in value) or 'none'}")
        else:
            said.append(f"{option}={_word(value)}")
    return said


def _word(value: Any) -> str:
    if hasattr(value, "item"):
        value = value.item()
    return repr(value) if isinstance(value, float) else str(value)
