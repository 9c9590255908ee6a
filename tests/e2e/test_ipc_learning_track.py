"""The learning track, with this test as its organisers: scripts, limits, SIGTERM, validation."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from few_made_tasks import FEW_MADE_TASKS
from learning_sets import blocks
from processes import any_running, descendants, wait_until
from search_tasks import PUZZLE, puzzle_task, write_task

import beeline.learning.learn as learning
from beeline.cli.main import main
from beeline.integrations.ipc import NOTHING_LEARNED, ONE_THREAD, learn, load_knowledge, numbers
from beeline.learning.settings import LearnSettings
from beeline.models.model_file import packaged_path, to_bytes
from beeline.pddl import read_domain, read_problem
from beeline.task.plan_file import parse_plan, read_plan
from beeline.task.validator import validate

if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPTS = Path(__file__).resolve().parents[2] / "tools" / "ipc"
PROMPT = 10.0  # seconds; the track allows 60, the rest is for a loaded machine
BEELINE = Path(sys.executable).with_name("beeline")

# The learner with few tasks of its own and few candidates; one of its steps says that it begins,
# and takes for ever.
LEARNER = f"""{FEW_MADE_TASKS}
import sys, time, beeline.learning.learn as learning
from beeline.cli.main import main
from beeline.learning.settings import LearnSettings
learning.LearnSettings = lambda **_: LearnSettings(rounds=1, neighbours="set", h_ff=False)
def endless(*_, **__):
    print("begins", flush=True)
    time.sleep(600)
setattr(learning, sys.argv[1], endless)
sys.exit(main(sys.argv[2:]))
"""


def few_candidates(**_: object) -> LearnSettings:
    return LearnSettings(rounds=1, neighbours="set", h_ff=False)


def start_learner(endless_step: str, *words: object) -> subprocess.Popen[str]:
    call = [sys.executable, "-c", LEARNER, endless_step, "ipc", "learn", *map(str, words)]
    return subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def start_script(name: str, *words: object) -> subprocess.Popen[str]:
    """As the organisers call it."""
    return subprocess.Popen(
        [SCRIPTS / name, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BEELINE": str(BEELINE), "BEELINE_MEMORY_LIMIT": "2G"},
    )


def stop(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code and output after SIGTERM, which must not take long."""
    workers = descendants(process.pid)
    begin = time.perf_counter()
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert time.perf_counter() - begin < PROMPT
    assert wait_until(lambda: not any_running(workers))
    return process.returncode, out, err


def no_rubbish(folder: Path, prefixes: Sequence[str]) -> bool:
    """Whether all files of a folder are whole numbered ones."""
    return all(path.stem in prefixes and path.suffix[1:].isdigit() for path in folder.iterdir())


def validated_costs(domain: str, task: str, prefix: Path) -> list[int]:
    """The costs of all plans, of which each must be valid."""
    problem = read_problem(read_domain(domain), task)
    costs = []
    for number in numbers(prefix):
        verdict = validate(problem, read_plan(f"{prefix}.{number}"))
        assert verdict.cost is not None, verdict.failure
        costs.append(verdict.cost)
    return costs


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ONE_THREAD:  # which the commands set
        monkeypatch.setenv(name, "1")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.mark.usefixtures("few_made_tasks")
def test_knowledge_gets_better_and_plans_get_cheaper(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    domain, tasks = blocks(tmp_path / "set", range(3, 5))
    monkeypatch.setattr(learning, "LearnSettings", few_candidates)
    assert main(["ipc", "learn", str(out / "dk"), domain, *tasks, "--json"]) == 0
    fields = json.loads(capsys.readouterr().out)
    files = numbers(out / "dk")
    assert fields["learned"] is True
    assert fields["knowledge"] == [f"{out / 'dk'}.{number}" for number in files]
    assert files == [*range(1, len(files) + 1)]
    assert (out / "dk.1").read_bytes() == NOTHING_LEARNED
    assert all(load_knowledge(f"{out / 'dk'}.{number}") for number in files[1:])
    planner = start_script("plan", out / "dk", domain, tasks[-1], out / "plan")
    printed, err = planner.communicate(timeout=60)
    assert planner.returncode == 0, err
    assert "no plan is cheaper" in err
    assert parse_plan(printed)
    costs = validated_costs(domain, tasks[-1], out / "plan")
    assert costs == sorted(set(costs), reverse=True) != []
    assert no_rubbish(out, ["dk", "plan"])


def test_a_learner_stopped_before_its_first_model_leaves_usable_knowledge(
    tmp_path: Path, out: Path
) -> None:
    domain, tasks = blocks(tmp_path / "set", range(3, 5))
    learner = start_learner("find_plans", out / "dk", domain, *tasks)
    assert learner.stdout is not None
    assert learner.stdout.readline() == "begins\n"
    exit_code, printed, err = stop(learner)
    assert exit_code == 0, err
    assert "nothing learned" in printed
    assert "SIGTERM was received" in err
    assert numbers(out / "dk") == [1]
    assert no_rubbish(out, ["dk"])
    assert main(["ipc", "plan", str(out / "dk"), domain, tasks[0], str(out / "plan")]) == 0
    assert validated_costs(domain, tasks[0], out / "plan")


def terminate_me(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)


@pytest.mark.usefixtures("few_made_tasks")
@pytest.mark.parametrize(("step", "has_model"), [("read_training_set", False), ("slim", True)])
def test_a_signal_in_any_step_keeps_the_best_so_far(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch, step: str, has_model: bool
) -> None:
    domain, tasks = blocks(tmp_path / "set", range(3, 5))
    monkeypatch.setattr(learning, "LearnSettings", few_candidates)
    monkeypatch.setattr(learning, step, terminate_me)
    warnings: list[str] = []
    learned = learn(out / "dk", domain, tasks, warn=warnings.append)
    assert warnings[-1].startswith("SIGTERM was received")
    assert (learned.model is not None) == has_model
    assert learned.files == [f"{out / 'dk'}.{number}" for number in numbers(out / "dk")]
    model = load_knowledge(out / "dk")
    assert (model is not None) == has_model
    assert model is None or to_bytes(model) == to_bytes(learned.model)
    assert no_rubbish(out, ["dk"])


def test_a_killed_learner_leaves_what_it_had(tmp_path: Path, out: Path) -> None:
    domain, tasks = blocks(tmp_path / "set", range(3, 5))
    learner = start_learner("improve", out / "dk", domain, *tasks)
    assert learner.stdout is not None
    assert learner.stdout.readline() == "begins\n"
    workers = descendants(learner.pid)
    learner.kill()
    learner.communicate(timeout=60)
    assert wait_until(lambda: not any_running(workers))
    assert load_knowledge(out / "dk") is not None
    assert no_rubbish(out, ["dk"])


def test_a_planner_stopped_at_the_limit_leaves_valid_plans(tmp_path: Path, out: Path) -> None:
    domain, task = write_task(tmp_path, PUZZLE, puzzle_task(4, 4, 3))
    knowledge = out / "dk.1"
    knowledge.write_bytes(NOTHING_LEARNED)
    for number in (1, 2, 3):  # of an earlier run
        (out / f"plan.{number}").touch()
    planner = start_script("plan", knowledge, domain, task, out / "plan")
    assert wait_until(lambda: (out / "plan.1").exists() and (out / "plan.1").stat().st_size)
    exit_code, printed, err = stop(planner)
    assert exit_code == 0, err
    assert "interrupted" in err
    assert parse_plan(printed)
    costs = validated_costs(domain, task, out / "plan")
    assert costs == sorted(set(costs), reverse=True) != []
    assert no_rubbish(out, ["dk", "plan"])


def test_a_planner_stopped_without_a_plan_leaves_none(tmp_path: Path, out: Path) -> None:
    domain, task = write_task(tmp_path, PUZZLE, puzzle_task(9, 9, 3))
    knowledge = out / "dk.1"
    knowledge.write_bytes(NOTHING_LEARNED)
    planner = start_script("plan", knowledge, domain, task, out / "plan")
    time.sleep(1.5)
    exit_code, _, _ = stop(planner)
    assert exit_code in (23, -signal.SIGTERM)  # -SIGTERM while Python was starting
    assert numbers(out / "plan") == []
    assert no_rubbish(out, ["dk"])


def test_knowledge_of_another_domain_is_refused(
    tmp_path: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domain, tasks = blocks(tmp_path / "set", range(3, 4))
    words = [str(packaged_path("ferry")), domain, tasks[0], str(out / "plan")]
    assert main(["ipc", "plan", *words]) == 31
    assert "does not fit the domain" in capsys.readouterr().err
    assert main(["ipc", "plan", str(out / "dk"), *words[1:]]) == 31
    assert "no such file" in capsys.readouterr().err
    assert list(out.iterdir()) == []


def test_the_memory_limit_comes_from_option_or_environment(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    domain, tasks = blocks(tmp_path / "set", range(3, 4))
    (out / "dk.1").write_bytes(NOTHING_LEARNED)
    words = ["ipc", "plan", str(out / "dk"), domain, tasks[0], str(out / "plan"), "--json"]
    monkeypatch.setenv("BEELINE_MEMORY_LIMIT", "3G")
    limits = []
    for option in ([], ["--memory-limit", "4G"]):
        assert main([*words, *option]) == 0
        limits.append(json.loads(capsys.readouterr().out)["config"]["memory_limit"])
    assert limits == [3 * 2**30, 4 * 2**30]
    monkeypatch.setenv("BEELINE_MEMORY_LIMIT", "much")
    assert main(words) == 31
    assert "BEELINE_MEMORY_LIMIT 'much' is not a size" in capsys.readouterr().err


def test_a_learner_needs_tasks(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ipc", "learn", str(out / "dk"), "domain.pddl"]) == 31
    assert "there are no tasks" in capsys.readouterr().err
    assert list(out.iterdir()) == []
