#!/usr/bin/env python3
"""What Python adds to the library: processor time of three tasks beside the same from Rust, import time, memory.

    cargo build --release -p privet-py --example from_rust
    python crates/privet-py/benches/overhead.py target/release/examples/from_rust

Run it with an interpreter that has a release wheel of privet. HDS on 19,717 x 500, DPRR on a million edges, DPAR on
2,000 people. Rust and Python each do a task once, in turns, so that whatever else a machine does happens to both; what is
compared are medians, and their interval comes from drawing the turns again (bootstrap). ``REPEATS`` says how often.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import privet

#: How often each task is done by each.
REPEATS = {"hds": 200, "dprr": 40, "dpar": 100}
ROWS, COLUMNS = 19_717, 500


def main() -> int:
    """Measures, prints a table, and says whether five percent are kept."""
    good = True
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        tasks = prepare(folder)
        with subprocess.Popen([sys.argv[1], folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as rust:
            print("| task | Rust, CPU ms | Python, CPU ms | Python adds | 95 % of it |\n|---|---:|---:|---:|---:|")
            for name, task in tasks.items():
                turns = [(told(rust, name), timed(task)) for _ in range(REPEATS[name] + 3)]
                both = 1e3 * np.asarray(turns[3:])  # the first few warm up
                ours, low, high = added(both)
                good &= ours <= 0.05
                print(f"| {name} | {np.median(both[:, 0]):.2f} | {np.median(both[:, 1]):.2f} | {100 * ours:+.1f} % "
                      f"| {100 * low:+.1f} to {100 * high:+.1f} % |", flush=True)
            rust.stdin.close()
    print(f"\nimport privet: {imported():.0f} ms more than numpy alone (best of 10)")
    print(f"peak memory of HDS on 20,000 x 1,000 floats: {copied():.2f} times the matrix beyond the matrix")
    return 0 if good else 1


def told(rust: subprocess.Popen[str], name: str) -> float:
    """Seconds of the processor that Rust takes for a task."""
    rust.stdin.write(name + "\n")
    rust.stdin.flush()
    return float(rust.stdout.readline())


def added(both):
    """What the second column has more than the first, by their medians, and its interval."""
    more = lambda turns: float(np.median(turns[:, 1]) / np.median(turns[:, 0])) - 1  # noqa: E731
    rng = np.random.default_rng(1)
    drawn = [more(both[rng.integers(0, len(both), len(both))]) for _ in range(2000)]
    return more(both), *np.percentile(drawn, [2.5, 97.5])


def prepare(folder: Path):
    """The same data for both, in files and in memory."""
    rows = np.random.default_rng(1).random((ROWS, COLUMNS), dtype=np.float32)
    privet.Dataset.from_edges([], features=rows, bounds=(0, 1)).write(folder / "rows.npz")
    made = [sys.executable, "-m", "privet", "data", "generate", "barabasi-albert", "--nodes", "100000",
            "--edges-per-node", "10", "-o", str(folder / "friends.npz")]
    subprocess.run(made, check=True, capture_output=True)
    friends = privet.read(folder / "friends.npz")
    people = privet.stochastic_blocks(seed=1, nodes=2000, features=500)
    people.write(folder / "people.npz")
    hds, dprr = privet.features.Hds(epsilon=1), privet.edges.Dprr(epsilon=1)
    return {
        "hds": lambda: hds.run(privet.Dataset.from_edges([], features=rows, bounds=(0, 1)), seed=1),
        "dprr": lambda: dprr.run(friends, seed=1),
        "dpar": lambda: privet.Dpar(epsilon=8, seed=1).fit(people),
    }


def timed(task) -> float:
    """Seconds of the processor, of all threads."""
    begun = time.process_time()
    task()
    return time.process_time() - begun


def imported() -> float:
    """Milliseconds that importing privet adds to a process that has numpy."""
    script = "import numpy, time; t = time.perf_counter(); import privet; print(1e3 * (time.perf_counter() - t))"
    times = [float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout)
             for _ in range(10)]
    return min(times)


def copied() -> float:
    """How much memory a release takes beyond the matrix it reads, in matrices."""
    script = """
import numpy as np, privet
def peak():  # of this process; getrusage begins with what the parent had
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024
rows = np.random.default_rng(1).random((20000, 1000), dtype=np.float32)
before = peak()
privet.features.Hds(epsilon=1, k=1).run(privet.Dataset.from_edges([], features=rows, bounds=(0, 1)), seed=1)
print((peak() - before) / (rows.nbytes / 2**20))
"""
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    sys.exit(main())
