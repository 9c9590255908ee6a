"""Kills and full disks in the middle of long commands: nothing lost, and the same result.

A kill is one that no program can hear. A limit on the size of files stands for a full disk.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import pytest
from learning_sets import blocks
from neural_models import small_dataset
from processes import any_running, descendants, wait_until
from suites import FF, write_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ray.cluster_utils import Cluster

KILLS = 5
CHANGES = 2  # of the files in the output until a kill
VOLATILE = ("time", "seconds", "memory", '"line"')  # words in lines that differ between equal runs
UNEQUAL = (
    "tensorboard",
    "training.json",
    "report",
    "suite.json",
    "results.md",
    "-3.json",
    "-4.json",
)

# From some file on, which is written as usual but for that, no file has room for more than a line.
DISK_THAT_FILLS = """
import resource, sys
from beeline.cli.main import main
from beeline.core import files
calls = 0
def write(*arguments, original=files._write_temporary):
    global calls
    calls += 1
    if calls > int(sys.argv[1]):
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
    return original(*arguments)
files._write_temporary = write
sys.exit(main(sys.argv[2:]))
"""


class Command(NamedTuple):
    """Words that end with the place to write to, and how many files are written before it is full.

    `resumes` says whether a second call goes on where the first one stopped.
    """

    words: list[str]
    written: int
    resumes: bool = True


def learn_command(folder: Path) -> Command:
    domain, files = blocks(folder / "tasks", range(3, 7))
    return Command(["learn", domain, *files, "--rounds", "2", "--jobs", "1", "-o"], 1, False)


def train_command(folder: Path) -> Command:
    dataset = str(small_dataset(folder))
    return Command(["train", dataset, "--model", "linear", "--steps", "4000", "-o"], 3)


def data_command(_: Path) -> Command:
    words = ["--generator", "ferry", "-p", "cars=2", "--count", "40", "--jobs", "1", "-o"]
    return Command(["data", "plans", *words], 12)


def evaluate_command(folder: Path) -> Command:
    suite = write_suite(folder, FF, sizes=(2, 3, 4, 5) * 10)
    return Command(["evaluate", str(suite), "--jobs", "1", "-o"], 12)


def experiment_command(_: Path) -> Command:
    words = ["minini2023-table4.5", "--scale", "tiny", "--jobs", "1", "-o"]
    return Command(["experiment", *words], 12)


COMMANDS = {
    "learn": learn_command,
    "train": train_command,
    "data": data_command,
    "evaluate": evaluate_command,
    "experiment": experiment_command,
}


def files_of(place: Path) -> list[Path]:
    """The output: a file with what stands beside it, or a folder."""
    return [path for path in sorted(place.parent.rglob("*")) if path.is_file()]


def result(place: Path) -> dict[str, str]:
    """Digests of all files that equal runs have in common, without lines about times."""
    found = {}
    for path in files_of(place):
        name = path.relative_to(place.parent).as_posix()
        if any(word in name for word in UNEQUAL):
            continue
        data = path.read_bytes()
        if path.name == "checkpoint.safetensors":
            continue  # holds the seconds that were spent
        if path.suffix == ".json":
            lines = [
                line for line in data.decode().splitlines() if not any(w in line for w in VOLATILE)
            ]
            data = "\n".join(lines).encode()
        found[name] = sha256(data).hexdigest()
    return found


def run(command: Command, place: Path, *, python: tuple[str, ...] = ("-m", "beeline")) -> int:
    place.parent.mkdir(exist_ok=True)
    words = [sys.executable, *python, *command.words, str(place)]
    return subprocess.run(words, capture_output=True, check=False).returncode


def start_and_kill(command: Command, place: Path, moment: Callable[[], bool]) -> bool:
    """Whether the command was still running at this moment and got killed."""
    place.parent.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "beeline", *command.words, str(place)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert wait_until(lambda: process.poll() is not None or moment(), 300)
    children = descendants(process.pid)
    process.kill()
    assert wait_until(lambda: not any_running(children))
    return process.wait() == -signal.SIGKILL


def after_changes(place: Path, wanted: int) -> Callable[[], bool]:
    """The moment when files have appeared or changed so many times."""
    seen, changes = None, -1

    def moment() -> bool:
        nonlocal seen, changes
        now = []
        for path in files_of(place):
            try:
                now.append((path, path.stat().st_mtime_ns))
            except FileNotFoundError:  # it was a temporary one
                continue
        changes += now != seen
        seen = now
        return changes >= wanted

    return moment


def after_seconds(seconds: float) -> Callable[[], bool]:
    deadline = time.monotonic() + seconds
    return lambda: time.monotonic() >= deadline


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_five_kills_and_a_full_disk_change_nothing(name: str, tmp_path: Path) -> None:
    command = COMMANDS[name](tmp_path)
    start = time.monotonic()
    assert run(command, tmp_path / "undisturbed" / "out") == 0
    seconds = time.monotonic() - start
    expected = result(tmp_path / "undisturbed" / "out")
    assert expected

    place = tmp_path / "killed" / "out"
    kills = 0
    for number in range(KILLS):
        moment = after_changes(place, CHANGES + number % 3)
        if not command.resumes:
            moment = after_seconds(seconds * (number + 0.5) / KILLS)
        kills += start_and_kill(command, place, moment)
        if not command.resumes and not place.exists():
            assert files_of(place) == []
    assert kills == KILLS or not command.resumes
    assert run(command, place) == 0
    assert result(place) == expected
    if name != "evaluate":  # where another process might be writing them
        assert not list(place.parent.rglob("*.tmp"))

    place = tmp_path / "full" / "out"
    filling = ("-c", DISK_THAT_FILLS, str(command.written))
    assert run(command, place, python=filling) == 32
    assert result(place) != expected
    assert run(command, place) == 0
    assert result(place) == expected


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A Ray cluster of one node, on the loopback interface."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # no other address than 127.0.0.1
    from ray._private import ray_constants
    from ray.cluster_utils import Cluster

    monkeypatch.setattr(ray_constants, "ENABLE_RAY_CLUSTER", False)
    head = {"num_cpus": 1, "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args=head)
    monkeypatch.setenv("RAY_ADDRESS", made.address)
    yield made
    made.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["learn", "data", "evaluate", "experiment"])
def test_a_node_that_is_killed_changes_nothing(name: str, tmp_path: Path, cluster: Cluster) -> None:
    command = COMMANDS[name](tmp_path)
    place = tmp_path / "here" / "out"
    assert run(command, place) == 0

    node = cluster.add_node(num_cpus=1)
    raylet = node.all_processes["raylet"][0].process.pid
    there = tmp_path / "there" / "out"
    there.parent.mkdir()
    words = [*command.words[:-1], "--backend", "ray", "--json", "-o", str(there)]
    process = subprocess.Popen(
        [sys.executable, "-m", "beeline", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    busy = wait_until(
        lambda: process.poll() is not None or bool(descendants(raylet, "ray::call")), 120
    )
    assert busy
    assert process.poll() is None
    cluster.remove_node(node, allow_graceful=False)
    output, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    assert isinstance(json.loads(output), dict)  # and nothing else on standard output
    assert result(there) == result(place)


def test_a_kill_and_a_full_disk_do_not_change_a_dataset(tmp_path: Path) -> None:
    words = ["data", "plans", "--generator", "ferry", "-p", "cars=1", "--count", "6"]
    command = Command([*words, "--jobs", "1", "-o"], 6)
    assert run(command, tmp_path / "undisturbed" / "out") == 0
    place = tmp_path / "disturbed" / "out"
    filling = ("-c", DISK_THAT_FILLS, str(command.written))
    assert run(command, place, python=filling) == 32
    assert start_and_kill(command, place, after_changes(place, 1))
    assert run(command, place) == 0
    assert result(place) == result(tmp_path / "undisturbed" / "out")
