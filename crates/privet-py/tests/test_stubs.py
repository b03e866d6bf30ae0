"""The stubs say what the module has, and mypy's strict mode has nothing to say."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import privet
from privet import _native

STUB = Path(privet.__file__).with_name("_native.pyi")


def public(names):
    return {name for name in names if not name.startswith("__")}


def parameters(node: ast.FunctionDef) -> list[str]:
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return [one.arg for one in given if one.arg not in ("self", "cls")]


def test_every_name_is_stubbed_and_every_stub_is_there():
    body = ast.parse(STUB.read_text()).body
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    assert public(functions) | public(classes) == public(dir(_native))
    for name, node in functions.items():
        assert list(inspect.signature(getattr(_native, name)).parameters) == parameters(node), name
    for name, node in classes.items():
        cls = getattr(_native, name)
        if issubclass(cls, Exception):
            assert [base.id for base in node.bases] == [cls.__base__.__name__], name
            continue
        stubbed = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
        assert public(stubbed) == public(vars(cls)), name
        for method, part in stubbed.items():
            found = inspect.getattr_static(cls, method)
            is_property = any(isinstance(one, ast.Name) and one.id == "property" for one in part.decorator_list)
            assert is_property == inspect.isgetsetdescriptor(found), f"{name}.{method}"
            if not is_property and not method.startswith("__"):
                given = [one for one in inspect.signature(getattr(cls, method)).parameters if one != "self"]
                assert given == parameters(part), f"{name}.{method}"


def test_everything_public_is_said_in_words():
    for name in privet.__all__:
        thing = getattr(privet, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing) and thing.__module__.startswith("privet."):
            for part, found in vars(thing).items():
                if not part.startswith("_") and (callable(found) or isinstance(found, property)):
                    assert inspect.getdoc(getattr(thing, part)), f"{name}.{part}"


def checked(*arguments: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("mypy", reason="mypy is not installed")
    config = Path(__file__).resolve().parents[3] / "pyproject.toml"
    # Installed packages are found by themselves, and named they would shadow others.
    sources = {} if "site-packages" in str(STUB) else {"MYPYPATH": str(STUB.parents[1])}
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), "--cache-dir", os.devnull, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **sources})


def test_mypy():
    told = checked("-p", "privet")
    assert told.returncode == 0, told.stdout


def test_mypy_knows_every_setting(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import privet\n"
                      "privet.Dpar(epsilon=8, steps=3, method='class-sums')\n"
                      "privet.Dpar(epsilon=8, stepz=3)\n"
                      "privet.Dpar(epsilon=8, steps='many')\n"
                      "privet.Dpar(epsilon=8, method='class-sum')\n"
                      "privet.plan(peeple=3)\n")
    told = checked(str(script))
    found = [int(line.split(":")[1]) for line in told.stdout.splitlines() if ": error: " in line]
    assert found == [3, 4, 5, 6], told.stdout
