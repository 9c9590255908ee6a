"""Age and memory of the process, also where the operating system tells less."""

from __future__ import annotations

import time

import pytest

from beeline.core.limits import elapsed_time, peak_memory


def forbid_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, *_: object) -> None:
        raise FileNotFoundError(2, "No such file or directory", path)

    monkeypatch.setattr("builtins.open", refuse)


@pytest.mark.parametrize("with_proc", [True, False])
def test_time_passes(with_proc: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not with_proc:
        forbid_proc(monkeypatch)
    first = elapsed_time()
    time.sleep(0.05)
    assert 0 < first < elapsed_time() < first + 10


@pytest.mark.parametrize("with_proc", [True, False])
def test_memory_is_counted_in_kilobytes(with_proc: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not with_proc:
        forbid_proc(monkeypatch)
    peak = peak_memory()
    assert peak is not None
    assert 5_000 < peak < 10_000_000
