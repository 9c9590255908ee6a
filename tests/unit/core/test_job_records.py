"""The queue: what is run, what is not run again, and what stays when the work is stopped."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from beeline.core.errors import BeelineError, WriteError
from beeline.core.limits import StopRequest
from beeline.core.records import (
    Glance,
    InlineExecutor,
    Job,
    Record,
    RecordFolder,
    code_version,
    other_versions,
    run_jobs,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def make(value: object) -> Record:
    if isinstance(value, BaseException):
        raise value
    return {"value": value}


def jobs(*values: object, seed: int = 1) -> list[Job]:
    return [
        Job(f"folder/{number}", {"seed": seed}, make, (value,))
        for number, value in enumerate(values)
    ]


def run(folder: Path, work: Sequence[Job]) -> list[Glance]:
    glances: list[Glance] = []
    with InlineExecutor() as executor:
        assert run_jobs(work, RecordFolder(folder), executor, glances.append) == len(glances)
    return glances


def test_a_record_knows_its_settings_and_its_code(tmp_path: Path) -> None:
    run(tmp_path, jobs(7))
    record = RecordFolder(tmp_path).read(jobs(7)[0])
    assert record == {"settings": {"seed": 1}, "code": code_version(), "value": 7}


def test_what_has_a_record_of_equal_settings_is_not_run_again(tmp_path: Path) -> None:
    run(tmp_path, jobs(1, 2))
    glances = run(tmp_path, jobs(RuntimeError("again"), RuntimeError("again"), 3))
    assert glances == [Glance(done=3, made=1, total=3, failed=0, latest="folder/2")]
    assert len(run(tmp_path, jobs(1, 2, seed=2))) == 2


@pytest.mark.parametrize("text", ["", '{"settings": {"se', "[]", "{}", "[" * 100_000])
def test_a_damaged_record_is_made_again(text: str, tmp_path: Path) -> None:
    run(tmp_path, jobs(1, 2))
    (tmp_path / "folder" / "1.json").write_text(text)
    assert [glance.latest for glance in run(tmp_path, jobs(1, 2))] == ["folder/1"]
    assert run(tmp_path, jobs(1, 2)) == []


@pytest.mark.parametrize(
    "event",
    [KeyboardInterrupt(), BeelineError("odd"), WriteError("disk full", "m"), TypeError("bug")],
)
def test_whatever_ends_the_work_leaves_the_records_that_were_made(
    event: BaseException, tmp_path: Path
) -> None:
    with pytest.raises(type(event)):
        run(tmp_path, jobs(1, event, 3))
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "0.json"]
    assert [glance.latest for glance in run(tmp_path, jobs(1, 2, 3))] == ["folder/1", "folder/2"]


def deaf(value: object) -> Record:
    """A job that is asked to stop and ends as if nothing had happened."""
    with StopRequest([signal.SIGINT]):
        os.kill(os.getpid(), signal.SIGINT)
    return make(value)


def test_what_was_asked_to_stop_leaves_no_record_and_ends_the_work(tmp_path: Path) -> None:
    first, second, third = jobs(1, 2, 3)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, [first, second._replace(function=deaf), third])
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "0.json"]


def test_records_of_other_code_are_told_apart() -> None:
    assert other_versions([code_version(), "0.0.1+abc", None]) == 2
