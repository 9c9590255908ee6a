"""`beeline models` as users and scripts see it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hand_tables import HandTable, built_in, small_blocksworld

from beeline.cli.main import main
from beeline.models import model_file as packaged
from beeline.models.model_file import save

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    save(small_blocksworld(multiset=True).model(ff_weight=8), tmp_path / "blocksworld.beeline")
    save(HandTable(built_in("ferry")).model(), tmp_path / "ferry.beeline")
    monkeypatch.setattr(packaged, "FOLDER", tmp_path)
    return tmp_path


class TestList:
    def test_text(self, shelf: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["models", "list"]) == 0
        title, *rows = capsys.readouterr().out.splitlines()
        assert title.split()[:2] == ["name", "domain"]
        assert [row.split()[0] for row in rows] == ["blocksworld", "ferry"]
        assert rows[0].split()[3:7] == ["3", "multiset", "4", "yes"]
        assert rows[0].endswith("  learned from 3 tasks")
        assert main(["models", "info", "blocksworld"]) == 0
        assert "\ntraining      learned from 3 tasks\n" in capsys.readouterr().out

    def test_packaged_models_say_in_a_sentence_what_they_were_learned_from(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["models", "list"]) == 0
        _, *rows = capsys.readouterr().out.splitlines()
        sentence = r"  learned from \d+ tasks \((all|\d+) with [a-z0-9, ]+ the longest \d+ steps\)"
        sentence += r"( and \d+ tasks that were made from them)?$"
        assert len(rows) >= 18
        assert [row for row in rows if not re.search(sentence, row)] == []
        assert main(["models", "info", "npuzzle", "--top", "0"]) == 0
        text = capsys.readouterr().out
        assert "\ntraining      learned from 81 tasks (all with optimal plans, the longest" in text
        assert "\nexam          examined in 16 larger tasks: 15 solved, about 84" in text
        assert "{" not in text

    def test_json(self, shelf: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["models", "list", "--json"]) == 0
        fields = json.loads(capsys.readouterr().out)
        first = fields["models"][0]
        assert (first["name"], first["domain"]) == ("blocksworld", "blocksworld")
        assert first["bytes"] == (shelf / "blocksworld.beeline").stat().st_size
        assert (first["features"], first["rounds"]) == (4, 3)

    def test_no_models(
        self, shelf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(packaged, "FOLDER", shelf / "none")
        assert main(["models", "list"]) == 0
        assert "'beeline learn' makes them" in capsys.readouterr().out
        assert main(["models", "list", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["models"] == []


class TestInfo:
    def test_text(self, shelf: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["models", "info", "blocksworld"]) == 0
        text = capsys.readouterr().out
        rows = dict(line.split(maxsplit=1) for line in text.splitlines() if line[:1].isalpha())
        assert rows["domain"] == "blocksworld: 5 predicates, 4 actions, 1 type"
        assert rows["encoder"] == "colours of 3 rounds, neighbour multisets"
        assert rows["features"] == "4 with a weight, of 41 colours"
        assert "    +0.500         h_FF, the cost of a relaxed plan\n" in text
        assert "    +1.875      0  open goals (on ?x ?y)\n" in text
        assert "(open goals are not true yet, reached goals are)\n" in text

    def test_quiet_and_top(self, shelf: Path, capsys: pytest.CaptureFixture[str]) -> None:
        words = ["models", "info", str(shelf / "blocksworld.beeline"), "--top", "1", "--quiet"]
        assert main(words) == 0
        text = capsys.readouterr().out
        assert text.endswith("open goals (on ?x ?y)\n")
        assert main(["models", "info", "ferry", "--top", "0"]) == 0
        assert "weight  round" not in capsys.readouterr().out

    def test_json(self, shelf: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["models", "info", "blocksworld", "--json", "--top=2"]) == 0
        fields = json.loads(capsys.readouterr().out)
        assert fields["status"] == "ok"
        assert fields["h_ff_weight"] == 0.5
        assert fields["signature"]["name"] == "blocksworld"
        assert fields["training"] == {"tasks": 3, "loss": "rank-siblings"}
        assert [feature["weight"] for feature in fields["top"]] == [1.875, 0.75]
        assert fields["top"][0]["words"] == "open goals (on ?x ?y)"

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["chess"], "no model file and no packaged model is called 'chess'"),
            (["chess.beeline"], "chess.beeline: no such file"),
            (["."], ".: is a directory, not a model"),
            (["ferry", "--top", "few"], "--top 'few' is not a whole number"),
            (["ferry", "--top=-1"], "--top -1 is less than nothing"),
        ],
    )
    def test_errors(
        self, words: list[str], message: str, shelf: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["models", "info", *words]) == 31
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith(f"beeline: error: {message}")
        assert captured.err.count("\n") == 1
