"""The fuzzer notices what it is there to notice, and gives the same inputs for the same seed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import fuzz
import pytest
from fuzzing.findings import FindingFolder, WrongAnswerError, findings_of
from fuzzing.kinds import Trials, all_kinds
from fuzzing.pool import Limits, try_all

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    import random
    from pathlib import Path

SLOW = pytest.mark.slow  # it imports torch


class OddKind:
    """Inputs that end badly in all ways, by their number."""

    def make(self, rng: random.Random) -> dict[str, bytes]:
        words = (b"fine", b"bad", b"abort", b"hang", b"broken", b"noise")
        return {"word": rng.choices(words, (4, 3, 1, 1, 3, 3))[0]}

    def run(self, folder: Path, rng: random.Random) -> None:
        word = (folder / "word").read_text()
        if word == "bad":
            raise BeelineError("not good")
        if word == "abort":
            os.abort()
        if word == "hang":
            while True:
                pass
        if word == "broken":
            raise KeyError(word)
        if word == "noise":
            os.write(2, b"a runtime error: noise\n")


def test_every_input_has_its_outcome() -> None:
    trials = Trials("odd", OddKind(), 0)
    limits = Limits(seconds=0.5, megabytes=4000)
    outcomes = dict(try_all(iter(range(20)), trials, limits, "odd", workers=2))
    trials.clean()
    assert sorted(outcomes) == list(range(20))
    expected = {
        b"fine": "accepted",
        b"bad": "refused",
        b"abort": "ended by signal 6",
        b"hang": "no end after 0.5 seconds",
        b"broken": "KeyError at test_fuzz.py:run: ..",
        b"noise": "output on standard error a runtime error: noise",
    }
    seen = set()
    for number, outcome in outcomes.items():
        word = trials.files(number)["word"]
        seen.add(word)
        shown = outcome if isinstance(outcome, str) else outcome[0].signature
        assert shown.startswith(expected[word])
    assert seen == set(expected)


def test_memory_beyond_the_limit_is_found() -> None:
    def trial(number: int) -> str:
        taken = bytearray(600 * 2**20)
        taken[:: 2**12] = b"x" * len(taken[:: 2**12])
        time.sleep(30)
        return "accepted"

    limits = Limits(seconds=20.0, megabytes=400, limit_addresses=False)
    ((_, outcome),) = try_all(iter([0]), trial, limits, "odd", workers=1)
    assert isinstance(outcome, list)
    assert outcome[0].signature.startswith("more than 400 MB")


def test_findings_are_written_with_what_repeats_them(tmp_path: Path) -> None:
    findings = FindingFolder(tmp_path)
    for number in range(5):
        error = WrongAnswerError(f"cost {number} instead of 7\ndetails")
        (found,) = findings_of("odd", number, error)
        findings.add(found, {"a/b": b"\xff"}, f"repeat {number}")
    assert findings.counts == {"odd: cost N instead of N": 5}
    folders = sorted(tmp_path.iterdir())
    assert len(folders) == 3
    assert (folders[0] / "input" / "a" / "b").read_bytes() == b"\xff"
    assert "repeat with: repeat 0" in (folders[0] / "report.txt").read_text()


@pytest.mark.parametrize("name", ["pddl", "tasks", "plans", "suites", "records"])
def test_the_same_seed_gives_the_same_inputs(name: str) -> None:
    kind = all_kinds()[name]()
    first, again, other = (Trials(name, kind, seed) for seed in (3, 3, 4))
    assert [first.files(n) for n in range(20)] == [again.files(n) for n in range(20)]
    assert [first.files(n) for n in range(20)] != [other.files(n) for n in range(20)]
    for trials in (first, again, other):
        trials.clean()


@pytest.mark.parametrize(
    "name",
    ["pddl", "plans", "suites", "records", "datasets", pytest.param("models", marks=SLOW)],
)
def test_some_inputs_of_each_kind_end_well(name: str, tmp_path: Path) -> None:
    words = ["--kind", name, "--count", "40", "--workers", "1", "-o", str(tmp_path)]
    run = subprocess.run(
        [sys.executable, fuzz.__file__, *words], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, ""), run.stdout + run.stderr
    assert "40 inputs: " in run.stdout
