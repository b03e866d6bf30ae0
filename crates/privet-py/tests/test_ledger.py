"""The wall: nothing leaves without an entry, and no object spends twice."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading

import pytest

import privet


def test_a_budget_that_is_used_up_is_used_up(people, tmp_path):
    ledger = privet.Ledger(tmp_path / "year.ledger", limit=3)
    assert (ledger.exists, ledger.spent, ledger.left) == (False, 0.0, 3.0)
    first = privet.labels.LabelRr(epsilon=2).run(people, ledger=ledger)
    assert not first.is_simulation and (ledger.spent, ledger.left, len(ledger)) == (2.0, 1.0, 1)
    before = (tmp_path / "year.ledger").read_bytes()
    with pytest.raises(privet.BudgetExceeded, match="over the limit"):
        privet.labels.LabelRr(epsilon=2).run(people, ledger=ledger)
    assert (tmp_path / "year.ledger").read_bytes() == before
    privet.labels.LabelRr(epsilon=1).run(people, ledger=tmp_path / "year.ledger")
    assert (ledger.spent, ledger.left) == (3.0, 0.0)
    assert issubclass(privet.BudgetExceeded, privet.Refused)


def test_a_release_needs_a_place_for_its_cost(people):
    for system in (privet.edges.Dprr(epsilon=1), privet.LdpGe(epsilon=1), privet.Dpar(epsilon=1)):
        with pytest.raises(ValueError, match="say where that is written down"):
            system.run(people)
    with pytest.raises(ValueError, match="say where"):
        privet.publish(people, epsilon_edges=1)
    with pytest.raises(ValueError, match="two places"):
        privet.edges.Dprr(epsilon=1).run(people, ledger="a", folder="b")


def test_a_ledger_is_for_one_unit(people, tmp_path):
    privet.labels.LabelRr(epsilon=1).run(people, ledger=tmp_path / "a.ledger")
    with pytest.raises(privet.LedgerError, match="unit"):
        privet.edges.Dprr(epsilon=1).run(people, ledger=tmp_path / "a.ledger")


def test_two_releases_differ_and_noise_is_fresh(people, tmp_path):
    ledger = privet.Ledger(tmp_path / "a.ledger", limit=10)
    one, other = (privet.labels.LabelRr(epsilon=1).run(people, ledger=ledger).get().labels for _ in range(2))
    assert (one != other).any()


def test_a_ledger_shows_what_protects_nobody(people, tmp_path):
    ledger = privet.Ledger(tmp_path / "a.ledger", limit=10)
    privet.labels.LabelRr(epsilon=1).run(people, ledger=ledger)
    assert "SIMULATION" not in ledger._repr_html_() and "operating-system" in ledger._repr_html_()
    privet.labels.LabelRr(epsilon=1).run(people, ledger=ledger, seed=1)
    assert ledger._repr_html_().count("SIMULATION") == 1 and "record-ldp: (epsilon 2, delta 0); simulation" in repr(ledger)


def test_a_ledger_cannot_be_copied(people, tmp_path):
    ledger = privet.Ledger(tmp_path / "a.ledger", limit=3)
    noisy = privet.labels.LabelRr(epsilon=1).run(people, ledger=ledger)
    for thing in (ledger, ledger._native, noisy, noisy._native):
        for copies in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError):
                copies(thing)


def test_nothing_makes_a_release(people):
    with pytest.raises(TypeError):
        privet.Protected(people)
    with pytest.raises(TypeError):
        privet._native.Protected()
    with pytest.raises(TypeError):
        privet.Card({"subject": "nothing"})
    with pytest.raises(TypeError):
        privet._native.Card()


def test_a_fork_has_no_right_to_spend(people, tmp_path):
    ledger = privet.Ledger(tmp_path / "a.ledger", limit=5)
    privet.labels.LabelRr(epsilon=1).run(people, ledger=ledger)
    child = os.fork()
    if child == 0:
        try:
            privet.labels.LabelRr(epsilon=1).run(people, ledger=ledger)
            os._exit(1)
        except privet.LedgerError as told:
            os._exit(0 if "fork" in str(told) else 2)
        finally:
            os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(ledger) == 1


def test_a_fork_does_not_wait_for_threads_that_are_not_there(people):
    """Work in a fork of a process that has worked would hang; it is refused."""
    privet.features.Hds(epsilon=1).run(people, seed=1)
    for work in (lambda: privet.features.Hds(epsilon=1).run(people, seed=1), lambda: people.declare(bounds=(0, 2)),
                 lambda: privet.Dataset.from_edges([(0, 1)], nodes=2)):
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            try:
                work()
                os._exit(0)
            except privet.PrivetError as told:
                os._exit(0 if "fork" in str(told) else 2)
            finally:
                os._exit(3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_child_that_opens_its_own_is_counted(people, tmp_path):
    ledger = privet.Ledger(tmp_path / "a.ledger", limit=5)
    worker = multiprocessing.get_context("spawn").Process(target=spend, args=(str(tmp_path / "a.ledger"),))
    worker.start()
    worker.join()
    assert worker.exitcode == 0 and ledger.spent == 1.0


def spend(path):
    privet.edges.Dprr(epsilon=1).run(privet.karate_club(), ledger=privet.Ledger(path, limit=5))


def test_threads_do_not_double_anything(tmp_path):
    """A refused request is refused; what went through is written down, once each."""
    big = privet.stochastic_blocks(seed=1, nodes=2000)
    ledger = privet.Ledger(tmp_path / "a.ledger", limit=100)
    told, made = [], []

    def work():
        for _ in range(5):
            try:
                released = privet.features.Hds(epsilon=1, accept="loose-limit").run(big, ledger=ledger)
                made.append(released.get().features)
            except privet.LedgerError as error:
                told.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) + len(told) == 20 and made
    assert all("one release at a time" in error or "in use" in error for error in told), told
    assert len(ledger) == len(made) and ledger.spent == float(len(made))


def test_an_exit_in_the_middle_leaves_a_ledger_that_can_be_read(tmp_path):
    """The interpreter ends while a release is drawn: the charge stays, and nothing crashes."""
    script = """
import privet, sys, threading, time
data = privet.stochastic_blocks(seed=1, nodes=4000, features=400)
ledger = privet.Ledger(sys.argv[1], limit=5)
threading.Thread(target=lambda: privet.features.Hds(epsilon=1).run(data, ledger=ledger), daemon=True).start()
while True:
    try:
        if ledger.exists and len(ledger): break
    except privet.LedgerError: pass  # its first line is being written
    time.sleep(0.001)
sys.exit(7)
"""
    told = subprocess.run([sys.executable, "-c", script, str(tmp_path / "a.ledger")], capture_output=True, text=True)
    assert told.returncode == 7, told.stderr
    assert privet.Ledger(tmp_path / "a.ledger").spent == 1.0


def test_a_damaged_ledger_is_not_spent_from(people, tmp_path):
    ledger = privet.Ledger(tmp_path / "a.ledger", limit=5)
    privet.labels.LabelRr(epsilon=1).run(people, ledger=ledger)
    text = (tmp_path / "a.ledger").read_text()
    (tmp_path / "a.ledger").write_text(text.replace("label-rr", "label-xx"))
    with pytest.raises(privet.LedgerError):
        privet.labels.LabelRr(epsilon=1).run(people, ledger=ledger)
    with pytest.raises(privet.LedgerError):
        ledger.spent  # noqa: B018


def test_cards_hold_and_notice(people, tmp_path):
    noisy = privet.edges.Dprr(epsilon=1).run(people, folder=tmp_path / "release")
    card = noisy.save(tmp_path / "release")
    place = tmp_path / "release" / "card.json"
    assert privet.Card.read(place) == card and card.check(place) == []
    assert privet.load_dataset(tmp_path / "release").get().edge_count == noisy.get().edge_count
    edited = json.loads(place.read_text())
    edited["guarantees"][0]["loss"]["epsilon"] = 0.1
    place.write_text(json.dumps(edited))
    assert privet.Card.read(place).check(place)
    with pytest.raises(ValueError):
        privet.load_dataset(tmp_path / "release")


def test_parts_go_on_where_the_card_ends(people):
    edges = privet.edges.Dprr(epsilon=1).run(people, seed=1)
    both = privet.labels.LabelRr(epsilon=2).run(edges, seed=1)
    assert sorted(guarantee["unit"] for guarantee in both.card.guarantees) == ["label", "neighbor-bit"]
    with pytest.raises(privet.Refused, match="randomised already"):
        privet.edges.Dprr(epsilon=1).run(edges, seed=1)


def test_a2_published_lists_come_first_in_every_repr(tmp_path):
    club = privet.karate_club()
    wishes = tmp_path / "wishes.csv"
    wishes.write_text("".join(f"{person},public\n" for person in range(1, 34)))
    card = privet.edges.Dprr(epsilon=1, budgets=wishes).run(club, seed=1).card
    assert card.losses[0].startswith("relationship-dp: (epsilon inf, delta 0) for relationships with a person")
    assert "epsilon 0" not in repr(card) and "relationship-dp: (epsilon inf" in repr(card)


def test_a6_every_repr_has_its_conditions(people):
    card = privet.Dpar(epsilon=8, steps=5, seed=1).fit(people).card_
    assert "the curator is trusted with the raw data" in repr(card) and "simulation" in repr(card)
    assert "the curator is trusted with the raw data" in card._repr_html_()


def test_a7_a_copied_card_names_its_file(tmp_path):
    for name in ("one", "two"):
        privet.edges.Dprr(epsilon=1).run(privet.karate_club(), folder=tmp_path / name).save(tmp_path / name)
        assert privet.Card.read(tmp_path / name / "card.json").check(tmp_path / name / "card.json") == []
    copied = tmp_path / "two" / "card.json"
    copied.write_bytes((tmp_path / "one" / "card.json").read_bytes())
    assert privet.Card.read(copied).check(copied)


def test_facts_must_be_public(tmp_path):
    told = privet.Dataset.from_edges([("ann", "bob")])
    with pytest.raises(privet.Refused, match="nodes=") as refused:
        privet.edges.Dprr(epsilon=1).run(told, folder=tmp_path / "out")
    assert "ann" not in str(refused.value) and not list((tmp_path / "out").iterdir())
    taken = privet.Dataset.from_edges([("ann", "bob")], assume_public=["ids"])
    card = privet.edges.Dprr(epsilon=1).run(taken, seed=1).card
    assert any("the list of ids" in line for line in card.unprotected)
