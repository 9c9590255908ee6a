"""Learning that makes few tasks of its own, for tests in which the model is beside the point."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

MANY_TASKS, CROWDS = 8, (4,)  # instead of those in beeline.learning.workshop

# What a script of a test begins with, and the whole command line as one.
FEW_MADE_TASKS = f"""
from beeline.learning import workshop
workshop.MANY_TASKS, workshop.CROWDS = {MANY_TASKS}, {CROWDS}
"""
BEELINE = f"""{FEW_MADE_TASKS}
import sys
from beeline.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def make_few_tasks(patch: pytest.MonkeyPatch) -> None:
    """Learning in this process makes few tasks until the patch is undone."""
    patch.setattr("beeline.learning.workshop.MANY_TASKS", MANY_TASKS)
    patch.setattr("beeline.learning.workshop.CROWDS", CROWDS)
