"""Everything that documentation shows runs: docstrings, and the notebooks in docs/notebooks."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
from pathlib import Path

import pytest

import privet

NOTEBOOKS = sorted((Path(__file__).resolve().parents[3] / "docs" / "notebooks").glob("*.ipynb"))
MODULES = ["privet", *(f"privet.{one.name}" for one in pkgutil.iter_modules(privet.__path__) if one.name[0] != "_")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    found = doctest.testmod(importlib.import_module(name),
                            optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert found.failed == 0


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks(path, tmp_path, monkeypatch):
    """Cell by cell in one namespace: what a kernel does, without one."""
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(path.read_text())
    here: dict = {"__name__": "__main__"}
    for number, cell in enumerate(notebook["cells"]):
        assert not cell.get("outputs"), f"cell {number} was saved with its output"
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), here)


def test_there_is_a_notebook_for_every_trust_model():
    assert len(NOTEBOOKS) == 4
