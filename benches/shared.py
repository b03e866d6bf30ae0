"""What the comparisons share: the rivals' interpreter, Privet's benchmarks, and running either.

An interpreter that has the rivals' packages is made in target/bench-venv; what it lacks is installed there.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / "target" / "bench-venv"


def arguments_of(document):
    """A parser that knows where to find both sides."""
    parser = argparse.ArgumentParser(description=document.splitlines()[0])
    parser.add_argument("--privet", help="the built benchmark (otherwise cargo builds and runs it)")
    parser.add_argument("--python", help="an interpreter that has the rivals (otherwise a virtual environment)")
    return parser


def benchmark(crate, name, built=None):
    """The command that runs one of Privet's benchmarks."""
    cargo = ["cargo", "bench", "--quiet", "-p", crate, "--bench", name, "--"]
    return [built] if built else cargo


def interpreter(*packages, named=None):
    """An interpreter that can import the packages, which are called on the index as they are imported."""
    if named:
        return named
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    check = [python, "-c", f"import {', '.join(packages)}"]
    if subprocess.run(check, stderr=subprocess.DEVNULL).returncode:
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


def run(command):
    """What a command prints."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def ask(python, script, *words):
    """What a comparison's other half, run by the rivals' interpreter, prints as JSON."""
    return json.loads(run([python, "-W", "ignore", script, *words]).splitlines()[-1])


def fields(line):
    """The `key=value` words of a line."""
    return dict(word.split("=", 1) for word in line.split())
