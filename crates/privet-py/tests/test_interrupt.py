"""Ctrl-C and threads."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import privet

SLOW = """
import privet, os, sys, time
data = privet.stochastic_blocks(seed=1, nodes=3000, features=200)
print("ready", flush=True)
begun = time.monotonic()
try:
    privet.{system}.run(data, {place})
except KeyboardInterrupt as told:
    print(f"stopped {{told}}", flush=True)
    # What goes on in a thread would use the processor.
    used = time.process_time()
    time.sleep(1.0)
    working = [name for name in os.listdir("/proc/self/task") if open(f"/proc/self/task/{{name}}/comm").read() == "privet\\n"]
    print(f"{{time.process_time() - used:.3f}} {{len(working)}}", flush=True)
    sys.exit(3)
print("finished", flush=True)
"""


@pytest.mark.parametrize("system, place", [
    ("LdpGe(epsilon=1, epochs=100000, patience=100000)", "folder=sys.argv[1]"),
    ("Dpar(epsilon=8, steps=50000)", "folder=sys.argv[1]"),
    ("Dpar(epsilon=8, steps=50000, method='em0')", "folder=sys.argv[1]"),
])
def test_ctrl_c_stops_within_a_second_and_loses_nothing(system, place, tmp_path):
    folder = tmp_path / "release"
    process = subprocess.Popen([sys.executable, "-c", SLOW.format(system=system, place=place), str(folder)],
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "ready"
    deadline = time.monotonic() + 60
    # The first line opens the account, the second is the charge.
    while not any(path.read_text().count("\n") > 1 for path in folder.glob("*.ledger")):
        assert time.monotonic() < deadline, "nothing was charged"
        time.sleep(0.01)
    time.sleep(0.3)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    told = process.stdout.readline()
    took = time.monotonic() - begun
    used, working = process.stdout.readline().split()
    process.wait(timeout=60)
    assert process.returncode == 3 and told.startswith("stopped"), told
    assert took < 1.5, took
    assert float(used) < 0.2 and working == "0", "work goes on in a thread"
    charged = [path for path in folder.glob("*.ledger") if privet.Ledger(path).spent > 0]
    assert charged and all(str(path) in told for path in charged), told


def test_other_threads_go_on_while_it_works():
    """The GIL is not held: a counter in another thread counts."""
    data = privet.stochastic_blocks(seed=1, nodes=3000, features=100)
    counted, done = 0, threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    privet.LdpGe(epsilon=1, epochs=40, patience=40).run(data, seed=1)
    done.set()
    thread.join()
    # With the GIL held it would have counted to one, or two.
    assert counted > 10


def test_progress_is_told():
    from privet import _native

    data = privet.stochastic_blocks(seed=1, nodes=2000, features=100)
    seen = []
    model = privet.LdpGe(epsilon=1, epochs=40)
    _native.run_system("ldp-ge", model._settings, data._native, [], None, 1, lambda done, of: seen.append((done, of)))
    assert seen and seen[-1][0] <= seen[-1][1]

    def stop(done, of):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        _native.run_system("ldp-ge", model._settings, data._native, [], None, 1, stop)


def test_importing_brings_nothing_heavy():
    script = "import privet, sys; print([m for m in ('torch', 'pandas', 'scipy', 'sklearn', 'networkx') if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "[]"


def test_prices():
    price = privet.account.gaussian(epsilon=1, rate=0.01, steps=100, delta=1e-5)
    assert price.epsilon <= 1 and price.noise_multiplier > 0.5 and price.quotes
    again = privet.account.gaussian(noise=price.noise_multiplier, rate=0.01, steps=100, delta=1e-5)
    assert np.isclose(again.epsilon, price.epsilon)
    noisy = privet.edges.Dprr(epsilon=2).run(privet.karate_club(), seed=1)
    assert noisy.card.guarantees[0]["loss"]["epsilon"] == 2.0
    for bad in ({}, {"noise": 1, "epsilon": 1}, {"noise": -1}, {"noise": 1, "rate": 2}):
        with pytest.raises(ValueError):
            privet.account.gaussian(delta=1e-5, **bad)
    with pytest.raises(ValueError, match="events"):
        privet.account.compose([{"kind": "magic"}], delta=0)
