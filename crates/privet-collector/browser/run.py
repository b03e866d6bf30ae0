"""What a person and an administrator see, in a real browser.

    python3 run.py PROGRAM [-v] [NAME ...]     PROGRAM: the example `service`, built with PRIVET_BROWSER=1

`cargo xtask browser` does both. PRIVET_PICTURES=FOLDER leaves pictures of all pages there.
"""

import sys
import unittest

from case import Case
from test_looks import Looks
from test_person import Person

__all__ = ["Looks", "Person"]

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    Case.program = sys.argv.pop(1)
    unittest.main()
