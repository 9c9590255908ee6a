"""A reader can follow one task from its files to a plan: few modules run on the way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import beeline

BLOCKS = Path(__file__).parents[2] / "examples" / "blocks"
FILES = [str(BLOCKS / "domain.pddl"), str(BLOCKS / "task.pddl")]

# Counts files with a function that runs; what runs while modules are imported does not count.
PROFILED = """
import inspect, os, sys
import beeline
from beeline.cli.main import main

files, root = set(), os.path.dirname(beeline.__file__)  # __path__ may name other folders first

def note(frame, event, _):
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(root):
        return
    if not code.co_flags & inspect.CO_OPTIMIZED:  # the body of a module or a class
        return
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(root):
            return
        frame = frame.f_back
    files.add(code.co_filename[len(root) + 1 :])

sys.setprofile(note)
exit_code = main(sys.argv[1:])
sys.setprofile(None)
assert exit_code == 0
print(*sorted(files), file=sys.stderr)
"""


def walked(*words: str) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", PROFILED, *words], capture_output=True, text=True, check=True
    )
    return run.stderr.split()


def test_solve_runs_through_25_files() -> None:
    files = walked("solve", *FILES, "--quiet")
    assert len(files) <= 25
    assert {"task/grounding.py", "planning/solve.py", "task/validator.py"} <= {*files}


@pytest.mark.usefixtures("few_made_tasks")
def test_plan_runs_through_30_files(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="one task to learn from"):
        model = beeline.learn(FILES[0], FILES[1], rounds=1, jobs=1)
    model.save(tmp_path / "m.beeline")
    files = walked("plan", str(tmp_path / "m.beeline"), *FILES, "--quiet")
    assert len(files) <= 30
    doors = {"models/model_file.py", "task/grounding.py", "planning/plan.py", "task/validator.py"}
    assert doors <= {*files}
