"""`python -m beeline` is the same as `beeline`."""

from __future__ import annotations

import sys

from beeline.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
