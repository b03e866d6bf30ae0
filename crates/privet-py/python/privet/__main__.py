"""The command line: ``python -m privet`` and ``privet`` are the same."""

from __future__ import annotations

import sys

from privet import _native


def main() -> int:
    """Does what was typed, and gives the exit code."""
    sys.stdout.flush()
    return _native.main(["privet", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
