"""Everything that documentation shows runs: docstrings, the notebooks in docs/notebooks, and the Python on its pages."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import privet

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: The book's pages are links to some of them.
WRITTEN = sorted({page.resolve() for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))})
PAGES = [page for page in WRITTEN if BLOCK.search(page.read_text(encoding="utf-8"))]
MODULES = ["privet", *(f"privet.{one.name}" for one in pkgutil.iter_modules(privet.__path__) if one.name[0] != "_")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    if name == "privet.sklearn":
        pytest.importorskip("sklearn", reason="scikit-learn is not installed")
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


@pytest.fixture
def scene(tmp_path, command):
    """What a page takes for granted: arrays, graphs, and the files that the command line made."""
    people, later = (privet.stochastic_blocks(seed=seed, nodes=700, classes=7, features=20) for seed in (1, 2))
    (tmp_path / "task.toml").write_text('title = "Winter"\npurpose = "How an illness spreads"\n'
                                        'contact = "study@example.org"\npeople = "people.txt"\n'
                                        '[label]\nquestion = "Ill?"\nclasses = ["no", "yes"]\nepsilon = 1.0\n'
                                        '[contacts]\nquestion = "Whom did you meet?"\nepsilon = 2.0\n')
    (tmp_path / "people.txt").write_text("ann\nbob\neve\nzoe\n")
    command("collect", "create", "task.toml", "-o", "task.json", "--key", "key")
    rng = np.random.default_rng(1)
    shop = tmp_path / "shop"
    shop.mkdir()
    for table in (shop / "people.csv", tmp_path / "december.csv"):
        rows = [f"{at},{rng.integers(16, 100)},{'ab'[at % 2]}" for at in range(300)]
        table.write_text("id,age,kind\n" + "\n".join(rows) + "\n")
    # Calls of the people of the shop, and others among the people of December.
    for table, step in ((shop / "calls.csv", 2), (tmp_path / "calls.csv", 5)):
        table.write_text("from,to\n" + "\n".join(f"{at},{(at + step) % 300}" for at in range(300)) + "\n")
    command("init", "shop", "--people", "people.csv", "--id", "id", "--label", "kind", "--classes", "a,b",
            "--column", "age=number:16..100", "--edges", "calls.csv:from:to", "--protects", "people",
            "--epsilon", 3, "--delta", 1e-6)
    rows, others = (np.asarray(one.features.todense() if hasattr(one.features, "todense") else one.features)
                    for one in (people, later))
    return {"edge_index": people.edge_index, "X": rows, "y": people.labels, "graph": people.edge_index,
            "new_graph": later.edge_index, "new_X": others}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages(page, scene, tmp_path, monkeypatch):
    """Block by block in one namespace, in a folder of its own; a block whose package is not installed is said and left out."""
    monkeypatch.chdir(tmp_path)
    here: dict = {"__name__": "__main__", **scene}
    text = page.read_text()
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 2
        code = compile("\n" * (line - 1) + block[1], str(page), "exec")
        try:
            exec(code, here)
        except ModuleNotFoundError as missing:
            warnings.warn(f"skipped: {page.name}, line {line}: {missing}", stacklevel=1)


def test_there_are_pages():
    assert {page.name for page in PAGES} >= {"README.md", "python.md"}
