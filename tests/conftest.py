"""Settings shared by all tests."""

from __future__ import annotations

from hypothesis import settings

# The same examples on every machine and in every run; time limits belong in benchmarks.
settings.register_profile("beeline", derandomize=True, deadline=None)
settings.load_profile("beeline")
