"""Records of experiments: what counts as one, and what ends the making of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from beeline.core.errors import BeelineError, WriteError
from beeline.core.records import Glance, code_version
from beeline.experiments.records import Record, Work, make_records, read_record, record_of

if TYPE_CHECKING:
    from pathlib import Path


def make(value: object) -> Record:
    if isinstance(value, Exception):
        raise value
    return {"line": "made", "value": value}


def work(path: Path, value: object) -> Work:
    return Work(path, {"seed": 1}, make, (value,))


@pytest.mark.parametrize("text", ["", '{"settings": {"se', "[]", "{}", "7"])
def test_a_damaged_record_is_made_again(text: str, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(text)
    assert read_record(path) is None
    assert make_records([work(path, 5)], 1, lambda _: None) == 0
    assert record_of(work(path, 5))
    assert read_record(path) == {
        "settings": {"seed": 1},
        "code": code_version(),
        "line": "made",
        "value": 5,
    }


def test_what_cannot_be_written_ends_the_work_and_is_no_failed_run(tmp_path: Path) -> None:
    names = ["a", "b", "c"]
    values = [BeelineError("odd"), WriteError("cannot write: disk full", "m"), 3]
    works = [work(tmp_path / name, value) for name, value in zip(names, values, strict=True)]
    said: list[str] = []
    glances: list[Glance] = []
    with pytest.raises(WriteError, match="m: cannot write: disk full"):
        make_records(works, 1, said.append, glances.append)
    assert said == [f"[1/3] {tmp_path.name}/a: FAILED: odd"]
    assert glances == [Glance(1, 1, 3, failed=1, latest=str(tmp_path / "a"))]
    assert not any(map(record_of, works))
