"""Settings shared by all tests."""

from __future__ import annotations

import signal

from hypothesis import settings

# The same examples on every machine and in every run; time limits belong in benchmarks.
settings.register_profile("beeline", derandomize=True, deadline=None)
settings.load_profile("beeline")

# A suite that was started in the background of a shell ignores Ctrl-C, and so would every program
# that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
