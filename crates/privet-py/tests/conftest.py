"""What the tests share: generated people, and the command line beside the library."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import privet


@pytest.fixture(autouse=True)
def state(tmp_path_factory, monkeypatch) -> None:
    """What is known of projects outside of their folders, for one test: whose people another test had is forgotten."""
    monkeypatch.setenv("PRIVET_STATE_DIR", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def people() -> privet.Dataset:
    """A few hundred people with features, labels and friends."""
    return privet.stochastic_blocks(seed=5, nodes=120, classes=3, features=8, mean_degree=3.0)


@pytest.fixture
def rows() -> np.ndarray:
    """Features between 0 and 1."""
    return np.random.default_rng(1).random((50, 6), dtype=np.float32)


@pytest.fixture
def command(tmp_path: Path):
    """The command line of the same checkout, which is no part of the package."""
    target = os.environ.get("CARGO_TARGET_DIR") or Path(__file__).resolve().parents[3] / "target"
    program = Path(os.environ.get("PRIVET_PROGRAM") or Path(target) / "debug" / "privet")
    if not program.is_file():
        pytest.skip(f"the command is not built ({program}); PRIVET_PROGRAM says where it is")

    def run(*words: object, code: int = 0) -> str:
        told = subprocess.run([program, *map(str, words)], capture_output=True, text=True,
                              cwd=tmp_path, env={**os.environ, "NO_COLOR": "1"}, check=False)
        assert told.returncode == code, told.stdout + told.stderr
        return told.stdout

    return run


def benchmark(name: str) -> privet.Dataset:
    """A published benchmark, or a skipped test where its files are not on this machine."""
    if not privet.benchmarks().get(name):
        pytest.skip(f"the benchmark {name} is not on this machine; PRIVET_DATA_DIR says where it is")
    return privet.load(name)
