"""Suite files: what they mean, and what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from suites import FF, LAMPS, lamps_task, write_suite

from beeline.core.errors import BeelineError
from beeline.evaluate.configuration import RunLimits
from beeline.evaluate.evaluation import planned_runs
from beeline.evaluate.suite import read_suite

if TYPE_CHECKING:
    from pathlib import Path


def names(path: Path) -> list[str]:
    return [run.name for run in planned_runs(read_suite(path))]


def test_runs_are_tasks_times_configurations_times_seeds(tmp_path: Path) -> None:
    blind = '[[configurations]]\nname = "blind"\nheuristic = "blind"\nseeds = [4, 7]\n'
    assert names(write_suite(tmp_path, FF + blind)) == [
        *("lamps/p01--ff--seed0", "lamps/p01--blind--seed4", "lamps/p01--blind--seed7"),
        *("lamps/p02--ff--seed0", "lamps/p02--blind--seed4", "lamps/p02--blind--seed7"),
    ]


def test_limits_have_units(tmp_path: Path) -> None:
    path = write_suite(tmp_path, FF + '[limits]\ntime = 2\nmemory = "1.5G"\nexpansions = 7\n')
    assert read_suite(path).limits == RunLimits(2.0, 3 * 2**29, None, 7)
    path = write_suite(tmp_path, FF + "[limits]\nmemory = 200\n")
    assert read_suite(path).limits.memory == 200 * 2**20


def test_tasks_are_named_matched_or_found_in_folders(tmp_path: Path) -> None:
    path = write_suite(tmp_path)
    (tmp_path / "more" / "deep").mkdir(parents=True)
    for name in ("more/p01.pddl", "more/deep/p09.pddl", "one.pddl"):
        (tmp_path / name).write_text(lamps_task(2))
    listed = '["tasks", "more/**/*.pddl", "one.pddl", "one.pddl"]'
    path.write_text(path.read_text().replace('tasks = "tasks"', f"tasks = {listed}"))
    assert [task.name for task in read_suite(path).tasks] == [
        *("tasks-p01", "p02", "p09", "more-p01", "one")
    ]


def test_generated_tasks_of_a_range_have_their_sizes_in_their_names(tmp_path: Path) -> None:
    tasks = '[[tasks]]\ngenerator = "gripper"\nparameters = { balls = "2..4" }\n'
    path = tmp_path / "suite.toml"
    path.write_text(f'name = "range"\n{tasks}{FF}')
    assert [task.name for task in read_suite(path).tasks] == [
        f"gripper-balls{balls:03d}-0-0000" for balls in (2, 3, 4)
    ]


def test_generated_tasks_of_several_sizes_have_different_names(tmp_path: Path) -> None:
    path = tmp_path / "suite.toml"
    sizes = [
        f'[[tasks]]\ngenerator = "gripper"\nparameters = {{ balls = {balls} }}\nseeds = [1, 2]\n'
        for balls in (2, 3)
    ]
    path.write_text(f'name = "sizes"\n{"".join(sizes)}{FF}')
    assert [task.name for task in read_suite(path).tasks] == [
        *("gripper-balls2-1-0000", "gripper-balls2-2-0000"),
        *("gripper-balls3-1-0000", "gripper-balls3-2-0000"),
    ]


def test_a_model_is_chosen_by_domain_and_checked_before_anything_runs(tmp_path: Path) -> None:
    model = '[[configurations]]\nname = "learned"\nmodel = "packaged:{domain}"\n'
    path = tmp_path / "suite.toml"
    tasks = "".join(f'[[tasks]]\ngenerator = "{name}"\n' for name in ("gripper", "ferry"))
    path.write_text(f'name = "models"\n{tasks}{model}')
    runs = planned_runs(read_suite(path))
    assert [run.model for run in runs] == ["gripper", "ferry"]
    assert len({run.settings["model"]["digest"] for run in runs}) == 2
    path.write_text(path.read_text().replace("{domain}", "ferry"))
    with pytest.raises(BeelineError, match=r"'learned': the model.* does not fit.*'gripper"):
        planned_runs(read_suite(path))


def test_settings_tell_what_a_run_depends_on(tmp_path: Path) -> None:
    path = write_suite(tmp_path)
    before = planned_runs(read_suite(path))[0].settings
    path.write_text(path.read_text().replace('heuristic = "ff"', 'search = "gbfs"'))
    assert planned_runs(read_suite(path))[0].settings == before  # the same in other words
    path.write_text(path.read_text() + "[limits]\nevaluations = 5\n")
    limited = planned_runs(read_suite(path))[0].settings
    (tmp_path / "tasks" / "p01.pddl").write_text(lamps_task(9))
    changed = planned_runs(read_suite(path))[0].settings
    assert before != limited != changed


CONFIGURATION = '[[configurations]]\nname = "c"\n'


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        (CONFIGURATION + 'serach = "gbfs"', r":7: .*unknown word 'serach'.*did you mean 'search'"),
        (CONFIGURATION + 'search = "gbsf"', r":7: .*unknown search 'gbsf'.*did you mean 'gbfs'"),
        (CONFIGURATION + 'heuristic = "fff"', r":7: .*unknown heuristic 'fff'.*'ff'"),
        (CONFIGURATION + "boost = true", r":7: .*'boost' is not a whole number"),
        (
            CONFIGURATION + 'search = "gbfs"\nboost = 5',
            r"configurations 'c': a boost without preferred",
        ),
        (CONFIGURATION + 'heuristic = "model"', "there is no model"),
        (CONFIGURATION + 'model = "auto"\nheuristic = "ff"', r":8: .*add search"),
        (CONFIGURATION + 'model = "packaged:fery"', "'c': no model file.*'fery'.*'ferry'"),
        (CONFIGURATION + 'model = "no.beeline"', r"no.beeline: configuration 'c': no such file"),
        (CONFIGURATION + "seeds = [1, 1]", ":7: .*different whole numbers"),
        (CONFIGURATION + 'domains = ["lamp"]', ":7: .*no tasks are of.*did you mean 'lamps'"),
        (CONFIGURATION + CONFIGURATION, "two configurations have this name"),
        ('[[configurations]]\nname = "a/b"\n', "cannot be part of a file's name"),
        ("[[configurations]]\n", "has no name"),
        ("[limits]\n", "there are no configurations"),
        (FF + "[limits]\ntime = 0\n", ":9: .*'time' is 0"),
        (FF + '[limits]\nmemory = "much"\n', ":9: .*'memory' is 'much'"),
        (FF + "[limits]\nevaluation = 5\n", ":9: .*did you mean 'evaluations'"),
        (FF + "[[tasks]]\n", "no domain file"),
        (FF + '[[tasks]]\ngenerator = "gripper"\ncuont = 3\n', ":10: .*did you mean 'count'"),
        (FF + '[[tasks]]\ngenerator = "griper"\n', ":9: .*'griper'.*did you mean 'gripper'"),
        (FF + '[[tasks]]\ngenerator = "gripper"\nparameters = {ball = 1}\n', "mean 'balls'"),
        (FF + '[[tasks]]\ndomain = "tasks/domain.pddl"\ntasks = "x*"\n', ":10: .*no task .*x\\*"),
        (FF + '[[tasks]]\ndomain = "tasks/domain.pddl"\ntasks = "tasks"\n', "two tasks called"),
        (FF + '[[tasks]]\ndomain = "no.pddl"\ntasks = "tasks"\n', ":9: .*no file .*no.pddl"),
        (FF + "[limits\n", ":8: not a TOML file"),
        ("configurations = 3\n", ":5: tasks 1: unknown word 'configurations'"),
    ],
)
def test_what_makes_no_sense_is_told_with_its_place(
    rest: str, message: str, tmp_path: Path
) -> None:
    path = write_suite(tmp_path, rest)
    with pytest.raises(BeelineError, match=message) as caught:
        planned_runs(read_suite(path))
    assert "\n" not in str(caught.value)


def test_a_suite_needs_a_name_and_known_words(tmp_path: Path) -> None:
    path = tmp_path / "suite.toml"
    path.write_text("seeds = [0]\n")
    with pytest.raises(BeelineError, match="the suite has no name"):
        read_suite(path)
    path.write_text('nmae = "x"\n')
    with pytest.raises(BeelineError, match=r"suite.toml:1: unknown word 'nmae'.*'name'"):
        read_suite(path)


def test_a_broken_domain_is_named_before_anything_runs(tmp_path: Path) -> None:
    path = write_suite(tmp_path)
    (tmp_path / "tasks" / "domain.pddl").write_text(LAMPS.replace("(on ?l)))", "(off ?l)))"))
    with pytest.raises(BeelineError, match=r"domain.pddl:2: .*'off'"):
        read_suite(path)
