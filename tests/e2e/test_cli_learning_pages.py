"""Pages about how learning went: `learn --page` and `train --page`."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest
from learning_sets import ferry
from neural_models import small_dataset
from parsed_pages import ParsedPage

import beeline
from beeline.cli.main import main
from beeline.learning.selection import Diary

if TYPE_CHECKING:
    from pathlib import Path

QUICK = ["--rounds", "2", "--neighbours", "set", "--no-h-ff", "--jobs", "1", "--quiet"]
# A line of a table, its cells apart.
CELLS = re.compile(r"<t[hd][^>]*>(?:<strong[^>]*>)?([^<]*)")


pytestmark = pytest.mark.usefixtures("few_made_tasks")


def rows_of(page: str, table: str) -> list[list[str]]:
    found = re.search(rf'<table class="sortable" data-name="{table}">.*?</table>', page, re.S)
    assert found is not None
    return [CELLS.findall(row) for row in found[0].split("<tr>")[2:]]


def test_a_diary_has_what_became_of_tasks_and_candidates(tmp_path: Path) -> None:
    domain, files = ferry(tmp_path, range(2, 5), each=3)
    diary, chosen = Diary(), {"rounds": 2, "neighbours": "set", "h_ff": False, "jobs": 1}
    model = beeline.learn(domain, files, **chosen, diary=diary, warn=lambda _: None)
    given = model.summary["tasks"]["given"]
    made = model.summary["tasks"]["made"]
    assert len(diary.tasks) == given + made
    assert all(0 <= t.score.solved <= t.score.tasks for r in diary.rounds for t in r.trials)
    assert diary.rounds[0].phase == f"choosing ({len(diary.rounds[0].trials)} models)"
    assert {r.phase for r in diary.rounds} >= {"checking the last fit"}
    again = beeline.learn(domain, files, **chosen, warn=lambda _: None)
    assert again.summary == model.summary  # to write it down changes nothing


def test_learn_leaves_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain, _ = ferry(tmp_path / "set", range(2, 5), each=3)
    words = ["learn", domain, str(tmp_path / "set"), "-o", str(tmp_path / "m.beeline"), *QUICK]
    page = tmp_path / "page.html"
    assert main([*words, "--page", str(page)]) == 0
    text = page.read_text()
    assert ParsedPage(text).open == []
    rounds = rows_of(text, "rounds")
    assert [row[0] for row in rounds] == [str(number + 1) for number in range(len(rounds))]
    assert all(re.fullmatch(r"\d+ of \d+", row[3]) for row in rounds)
    assert all(row[0].startswith("2 rounds, neighbour sets") for row in rows_of(text, "candidates"))
    assert "p00-00" in {row[0] for row in rows_of(text, "tasks")}
    assert rows_of(text, "features")
    (tmp_path / "notes").write_text("important\n")
    assert main([*words, "--page", str(tmp_path / "notes")]) == 31
    assert "exists and is no page" in capsys.readouterr().err
    assert main([*words, "--page", str(page), "--per-task"]) == 31


def test_train_leaves_a_page(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    dataset = small_dataset(tmp_path)
    model, page = tmp_path / "m.beeline", tmp_path / "page.html"
    few = ["--model", "linear", "--steps", "40", "--validate-every", "10", "--seeds", "2"]
    words = ["train", str(dataset), "-o", str(model), *few, "--loss", "gaussian"]
    assert main([*words, "--lower", "none", "--page", str(page), "--quiet"]) == 0
    text = page.read_text()
    assert ParsedPage(text).open == []
    assert [row[0] for row in rows_of(text, "seeds")] == ["0", "1"]
    assert "train loss</strong>" in text
    assert "val mse</strong>" in text


def test_a_page_without_its_libraries_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    domain, files = ferry(tmp_path, range(2, 3))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    words = ["learn", domain, *files, "-o", str(tmp_path / "m.beeline"), *QUICK]
    assert main([*words, "--page", str(tmp_path / "page.html")]) == 31
    assert "reports need matplotlib, which is not installed" in capsys.readouterr().err
    assert not (tmp_path / "m.beeline").exists()
