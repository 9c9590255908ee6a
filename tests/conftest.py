"""Settings shared by all tests."""

from __future__ import annotations

import gc
import signal
from typing import TYPE_CHECKING

import pytest
from few_made_tasks import make_few_tasks
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

# The same examples on every machine and in every run; time limits belong in benchmarks.
settings.register_profile("beeline", derandomize=True, deadline=None)
settings.load_profile("beeline")

# A suite that was started in the background of a shell ignores Ctrl-C, and so would every program
# that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Thousands of tests and the libraries they import stay: nobody looks for garbage in them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(name="few_made_tasks")
def _few_made_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learning makes few tasks of its own: the model is beside the point."""
    make_few_tasks(monkeypatch)
