"""`beeline generate` as users meet it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from beeline import generators
from beeline.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def test_files_are_what_the_library_generates(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "tasks"
    words = ["generate", "ferry", "-p", "cars=3", "-p", "locations=4", "--count", "2"]
    assert main([*words, "--seed", "7", "-o", str(folder)]) == 0
    expected = {
        f"{name}.pddl": text
        for name, text in generators.instances("ferry", count=2, seed=7, cars=3, locations=4)
    }
    assert contents(folder) == {**expected, "domain.pddl": generators.domain_text("ferry")}


def test_the_written_files_can_be_solved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", "gripper", "-p", "balls=3", "-o", str(tmp_path)]) == 0
    assert "1 task, gripper-0-0000.pddl" in capsys.readouterr().out
    files = [str(tmp_path / "domain.pddl"), str(tmp_path / "gripper-0-0000.pddl")]
    assert main(["solve", *files, "--quiet"]) == 0


def test_json_names_files_and_parameters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["generate", "blocksworld", "--preset", "nunez2024-train", "--count", "3", "--json"]
    assert main([*words, "-o", str(tmp_path)]) == 0
    fields = json.loads(capsys.readouterr().out)
    assert fields["written"] == 4
    assert [each["parameters"] for each in fields["files"]] == [{"blocks": n} for n in (5, 6, 7)]
    assert all((tmp_path / f"{each['task']}.pddl").is_file() for each in fields["files"])


def test_the_name_that_a_preset_had_before_is_taken_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["generate", "ferry", "--preset", "seed003-train", "--count", "1", "-o", str(tmp_path)]
    assert main(words) == 0
    warning = "deprecated: the preset 'seed003-train' is called 'nunez2024-train' now"
    assert capsys.readouterr().err == f"beeline: warning: {warning}\n"
    assert (tmp_path / "ferry-nunez2024-train-0-0000.pddl").is_file()


def test_a_second_run_writes_nothing_and_completes_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["generate", "miconic", "--count", "3", "-o", str(tmp_path)]
    main(words)
    before = contents(tmp_path)
    (tmp_path / "miconic-0-0001.pddl").unlink()
    capsys.readouterr()
    assert main(words) == 0
    assert "3 of the files were there already" in capsys.readouterr().out
    assert contents(tmp_path) == before


def test_different_files_are_kept_unless_forced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["generate", "miconic", "--count", "2", "-o", str(tmp_path)]
    (tmp_path / "miconic-0-0001.pddl").write_text("mine")
    assert main(words) == 31
    assert "miconic-0-0001.pddl: exists and is different" in capsys.readouterr().err
    assert contents(tmp_path) == {"miconic-0-0001.pddl": "mine"}
    assert main([*words, "--force"]) == 0
    assert "mine" not in contents(tmp_path).values()


def test_two_domains_do_not_share_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["generate", "miconic", "-o", str(tmp_path)])
    before = contents(tmp_path)
    assert main(["generate", "ferry", "-o", str(tmp_path)]) == 31
    assert "domain.pddl: exists and is different" in capsys.readouterr().err
    assert contents(tmp_path) == before


def sizes(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[object]:
    """The parameters of the tasks that a call makes, in the order of their files' names."""
    capsys.readouterr()
    assert main(["generate", *words, "--json", "-o", str(folder)]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert len({each["file"] for each in files}) == len(files)
    return [each["parameters"] for each in sorted(files, key=lambda each: each["file"])]


class TestRanges:
    def test_there_is_one_task_of_each_size(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        made = sizes(tmp_path, capsys, "blocksworld", "-p", "blocks=8..11")
        assert made == [{"blocks": number} for number in range(8, 12)]
        assert sorted(contents(tmp_path))[0] == "blocksworld-blocks008-0-0000.pddl"
        files = [str(tmp_path / "domain.pddl"), str(tmp_path / "blocksworld-blocks008-0-0000.pddl")]
        assert main(["inspect", *files, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["objects"] == 8

    @pytest.mark.parametrize(
        ("count", "expected"),
        [
            (1, [3]),
            (2, [3, 6]),
            (3, [3, 5, 6]),
            (4, [3, 4, 5, 6]),
            (9, [3, 3, 3, 4, 4, 5, 5, 6, 6]),
        ],
    )
    def test_sizes_are_spread_over_the_count(
        self, count: int, expected: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        made = sizes(tmp_path, capsys, "gripper", "-p", "balls=3..6", "--count", str(count))
        assert made == [{"balls": number} for number in expected]
        tasks = [text for name, text in contents(tmp_path).items() if name != "domain.pddl"]
        assert len(set(tasks)) == count

    def test_several_ranges_grow_together(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        made = sizes(tmp_path, capsys, "ferry", "-p", "cars=2..6", "-p", "locations=3..4")
        pairs = [(2, 3), (3, 3), (4, 3), (5, 4), (6, 4)]
        assert made == [{"cars": cars, "locations": places} for cars, places in pairs]

    def test_numbers_that_are_not_whole_need_a_count(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["visitall", "-p", "ratio=0.2..0.8", "-p", "width=4", "--count", "3"]
        made = sizes(tmp_path, capsys, *words)
        assert [each["ratio"] for each in made] == [0.2, 0.5, 0.8]
        assert (tmp_path / "visitall-ratio0p5-width004-0-0000.pddl").is_file()

    def test_calls_with_other_words_share_a_folder(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        calls = [
            ["-p", "cars=2..5"],
            ["-p", "cars=4..9"],
            ["-p", "cars=2..9", "--count", "20"],
            ["-p", "cars=2..5", "-p", "locations=3"],
            ["-p", "cars=2..5", "--seed", "1"],
            ["-p", "cars=3"],
        ]
        for words in calls:
            sizes(tmp_path, capsys, "ferry", *words)
        before = contents(tmp_path)
        for words in calls:
            assert main(["generate", "ferry", *words, "-o", str(tmp_path)]) == 0
        assert contents(tmp_path) == before
        assert len(before) == 1 + 20 + 4 + 4 + 1

    def test_files_are_what_the_library_generates(self, tmp_path: Path) -> None:
        assert main(["generate", "ferry", "-p", "cars=2..3", "-o", str(tmp_path)]) == 0
        made = {f"{name}.pddl": text for name, text in generators.instances("ferry", cars="2..3")}
        assert contents(tmp_path) == {**made, "domain.pddl": generators.domain_text("ferry")}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["blocksworld", "-p", "blocks=0"], "blocks is a whole number from 2 to 1000"),
        (["blocksworld", "-p", "blocks=many"], "blocks is 'many'"),
        (["blocksworld", "-p", "blocks=" + "9" * 5000], "blocks is a whole number from 2 to 1000"),
        (["blocksworld", "-p", "blocks"], "has no value (hint: such as -p blocks=5)"),
        (["blocksworld", "-p", "blocks=5", "-p", "blocks=6"], "-p blocks is given twice"),
        (["visitall", "-p", "ratio=2.0"], "ratio is a number from 0.001 to 1.0"),
        (["visitall", "-p", "rato=1"], "did you mean 'ratio'?"),
        (
            ["blocksworld", "-p", "blocks=3..x"],
            "blocks is '3..x' (hint: ranges are",
        ),
        (["blocksworld", "-p", "blocks=..5"], "blocks is '..5'"),
        (["blocksworld", "-p", "blocks=0..5"], "blocks is a whole number from 2 to 1000"),
        (["blocksworld", "-p", "blocks=9..3"], "falls (hint: the smaller number comes first)"),
        (["blocksworld", "-p", "blocks=3..9", "--count", "0"], "the number of instances is 0"),
        (["blocksworld", "-p", "blocks=3..9", "--preset", "easy"], "a preset has its own sizes"),
        (["visitall", "-p", "ratio=0.1..0.9"], "is a range for (hint: say it with --count)"),
        (["grid", "-p", "keys=1..9", "-p", "shapes=3..4"], "keys"),
        (["visitall", "--preset", "nunez2024"], "visitall has no preset 'nunez2024'"),
        (["visitall", "--count", "0"], "the number of instances is 0"),
        (["visitall", "--count", "x"], "--count 'x' is not a whole number"),
        (["visitall", "--seed", "1.5"], "--seed '1.5' is not a whole number"),
        (["chess"], "there is no generator for 'chess'"),
        ([], "no domain was named"),
    ],
)
def test_nonsense_is_one_line_and_leaves_no_file(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", *words, "-o", str(tmp_path / "tasks")]) == 31
    errors = capsys.readouterr().err
    assert message in errors
    assert len(errors.splitlines()) == 1
    assert not (tmp_path / "tasks").exists()


def test_a_folder_is_needed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "ferry"]) == 31
    assert "name one with -o DIR" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert main(["generate", "ferry", "-o", str(tmp_path / "file")]) == 31
    assert "is not a folder" in capsys.readouterr().err


def test_list_shows_ranges_and_presets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "--list"]) == 0
    text = capsys.readouterr().out
    assert all(f"{name}: " in text for name in generators.names())
    assert "share of the cells that must be visited (0.001 to 1.0, default 0.5)" in text
    assert main(["generate", "gripper", "--list", "--json"]) == 0
    [domain] = json.loads(capsys.readouterr().out)["domains"]
    assert domain["parameters"][0] == {
        "name": "balls",
        "meaning": "balls to carry",
        "minimum": 1,
        "maximum": 100_000,
        "default": 6,
    }
    assert {"name": "nunez2024-train", "summary": "2, 4, .. 10 balls, 80 of each", "size": 400} in (
        domain["presets"]
    )


def test_levels_of_a_file_become_tasks_and_are_drawn_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my.xsb").write_text("######\n#@$ .#\n######\n")
    words = ["generate", "warehouse", "--levels", str(tmp_path / "my.xsb")]
    folder = tmp_path / "tasks"
    assert main([*words, "-o", str(folder), "--draw", "numbers"]) == 0
    assert "1 task, warehouse-my-0000.pddl" in capsys.readouterr().out
    numbers = "0 0 0 0 0 0 0 3 4 1 2 0 " + "0 " * 24
    assert (folder / "levels.txt").read_text() == f"{numbers.strip()}\n"
    files = [str(folder / "domain.pddl"), str(folder / "warehouse-my-0000.pddl")]
    assert main(["solve", *files, "--quiet"]) == 0
    assert main([*words, "--count", "2", "-o", str(folder)]) == 31
    assert main(["generate", "maze", "--draw", "characters", "-o", str(tmp_path / "m")]) == 31
