"""A person's own device, from Python: the bytes are those of the command line, and asking again gets the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import privet

TASK = """title = "Winter"
purpose = "How an illness spreads"
contact = "study@example.org"
people = "people.txt"

[label]
question = "Have you been ill?"
classes = ["no", "yes"]
epsilon = 1.0

[contacts]
question = "Whom did you meet?"
epsilon = 2.0
"""


@pytest.fixture
def task(tmp_path, command):
    (tmp_path / "task.toml").write_text(TASK)
    (tmp_path / "people.txt").write_text("ann\nbob\neve\nzoe\n")
    command("collect", "create", str(tmp_path / "task.toml"), "-o", str(tmp_path / "task.json"),
            "--key", str(tmp_path / "key"))
    return (tmp_path / "task.json").read_text()


def test_the_bytes_are_those_of_the_command_line(tmp_path, task, command):
    device = privet.Device(tmp_path / "mine", lifetime=5)
    sent = device.answer(task, 0, label=1, contacts=[2, 1], seed=7)
    command("collect", "answer", str(tmp_path / "task.json"), "--people", str(tmp_path / "people.txt"),
            "--me", "ann", "--label", "yes", "--contacts", "bob,eve", "--device", str(tmp_path / "other"),
            "--lifetime", "5", "--seed", "7", "-o", str(tmp_path / "ann.report"))
    assert sent == ((tmp_path / "ann.report").read_bytes(), False)
    # Another seed, and another device object: the same bytes, and nothing more is spent.
    again = privet.Device(tmp_path / "mine").answer(task, 0, label=1, contacts=[1, 2], seed=8)
    assert again == (sent.report, True)
    assert device.spent() == (1, 2, 5)


def test_what_is_wrong_is_said_and_costs_nothing(tmp_path, task):
    device = privet.Device(tmp_path / "mine", lifetime=1.5)
    for wrong in [{"label": 1}, {"label": 9, "contacts": []}, {"label": 1, "contacts": [0]},
                  {"label": 1, "contacts": [], "features": [1]}]:
        with pytest.raises(ValueError):
            device.answer(task, 0, **wrong)
    with pytest.raises(privet.BudgetExceeded, match="1.5"):
        device.answer(task, 0, label=1, contacts=[1])
    changed = json.loads(task)
    changed["task"] = changed["task"].replace('"epsilon":1.0', '"epsilon":0.1')
    with pytest.raises(ValueError, match="signature"):
        device.answer(json.dumps(changed), 0, label=1, contacts=[])
    with pytest.raises(ValueError):
        device.answer("{", 0, label=1)
    with pytest.raises(privet.PrivetError):
        privet.Device(tmp_path / "mine", lifetime=9)
    assert device.spent() == (0, 0, 1.5)


def test_the_tasks_of_the_protocol_are_read(tmp_path):
    """The vectors that every implementation has to read the same way."""
    vectors = json.loads((Path(__file__).resolve().parents[2] / "privet-protocol/tests/vectors.json").read_text())
    sealed = json.dumps({key: vectors[key] for key in ("task", "collector", "signature")})
    asks = json.loads(vectors["task"])["asks"]
    row = [0.5] * len(asks["features"]["columns"])
    sent = privet.Device(tmp_path / "mine", lifetime=20).answer(sealed, 7, features=row, label=0, contacts=[1])
    assert sent.report.hex().startswith("01" + vectors["name"] + "07")
