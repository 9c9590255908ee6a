"""`beeline train`, and what comes after it, as users and scripts see it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from neural_models import ON_ANY_DOMAIN, random_model, small_dataset
from processes import wait_until

import beeline
from beeline.cli.main import main
from beeline.core.errors import install_hint
from beeline.fitting.objectives import METRICS
from beeline.generators import domain_text, instances
from beeline.models.families import NETWORKS
from beeline.models.model_file import load
from beeline.models.neural_model import CHOICES
from beeline.pddl import parse_domain

if TYPE_CHECKING:
    from pathlib import Path

SIZES = {"linear": [], "nlm": ["--option", "width=3", "--option", "depth=2"]}
# Exit code and standard error of every command line on standard input.
WITHOUT_TORCH = """
import contextlib, io, json, sys
sys.modules["torch"] = None
from beeline.cli.main import main
for words in json.load(sys.stdin):
    error = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(error):
        code = main(words)
    print(json.dumps([code, error.getvalue()]))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset, and files of two domains."""
    folder = tmp_path_factory.mktemp("train")
    small_dataset(folder).rename(folder / "set")
    for name, size in (("blocksworld", {"blocks": 5}), ("ferry", {"cars": 2, "locations": 3})):
        (folder / f"{name}.pddl").write_text(domain_text(name))
        ((_, text),) = instances(name, count=1, seed=9, **size)
        (folder / f"{name}-task.pddl").write_text(text)
    return folder


def called(capsys: pytest.CaptureFixture[str], *words: str | Path, code: int = 0) -> dict[str, Any]:
    """The JSON object that a command prints."""
    assert main([*map(str, words), "--json"]) == code
    fields: dict[str, Any] = json.loads(capsys.readouterr().out)
    return fields


@pytest.mark.parametrize("network", SIZES)
def test_from_a_dataset_to_plans(
    network: str, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "m.beeline"
    words = ["--model", network, *SIZES[network], "--steps", "30"]
    trained = called(capsys, "train", place / "set", "-o", model, *words)
    assert trained["network"] == network
    assert trained["bytes"] == model.stat().st_size
    assert trained["steps"] == 30
    assert (tmp_path / "m.beeline.training" / "seed-0" / "log.csv").is_file()

    info = called(capsys, "models", "info", model)
    assert info["domain"] == "blocksworld"
    assert info["network"]["weights"] == trained["weights"]
    assert info["distribution"]["lower"] == "lmcut"
    assert info["training"]["validation"] == trained["validation"]

    task = [place / "blocksworld.pddl", place / "blocksworld-task.pddl"]
    plan = tmp_path / "plan"
    planned = called(capsys, "plan", model, *task, "-o", plan)
    assert planned["status"] == "solved"
    assert main(["validate", *map(str, task), str(plan)]) == 0
    capsys.readouterr()

    for extra in ([], ["--quantile", "0.2"], ["--estimate", "clip"]):
        solved = called(capsys, "solve", *task, "--heuristic", model, *extra)
        assert solved["status"] == "solved"
        assert solved["config"]["heuristics"] == [f"model:{model}"]
    words = ["--heuristic", f"{model},ff", "--tie-breaking", "[round(h), lmcut, fifo]"]
    assert called(capsys, "solve", *task, *words)["config"]["heuristics"][1] == "ff"

    other = [place / "ferry.pddl", place / "ferry-task.pddl"]
    for command in (["plan", model, *other], ["solve", *other, "--heuristic", model]):
        refusal = called(capsys, *command, code=31)["error"]
        assert refusal["file"] == str(model)
        assert "learned in 'blocksworld', does not fit the domain 'ferry'" in refusal["message"]


def test_text(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.beeline"
    words = ["--model", "linear", "--steps", "20", "--seeds", "2", "--log", str(tmp_path / "log")]
    assert main(["train", str(place / "set"), "-o", str(model), *words, "--plot"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("learned from 4 tasks with ")
    assert lines[2].startswith("chosen: seed ")
    assert lines[-1] == f"next: beeline plan {model} DOMAIN TASK"
    assert (tmp_path / "log" / "seed-1" / "curves.png").is_file()
    assert not (tmp_path / "m.beeline.training").exists()
    assert main(["models", "info", str(model)]) == 0
    rows = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert rows["encoder"].startswith("gomoluch: four numbers")
    assert rows["sizes"] == "10 weights"
    assert rows["distribution"] == ("truncated-gaussian, sigma learned; the heuristic is its mean")
    assert rows["residual"] == "h_ff + output"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "there is no dataset"),
        (["SET"], "there is no file to write to"),
        (["SET", "-o", "OUT/no/m"], "there is no such folder"),
        (["SET", "-o", "OUT"], "is a folder"),
        (["OUT", "-o", "OUT/m"], "not a dataset"),
        (["SET", "-o", "OUT/m", "--model", "nml"], "did you mean 'nlm'"),
        (["SET", "-o", "OUT/m", "--loss", "l3"], "unknown loss 'l3'"),
        (["SET", "-o", "OUT/m", "--steps", "few"], "--steps 'few' is not a whole number"),
        (["SET", "-o", "OUT/m", "--option", "width"], "is no KEY=VALUE"),
        (["SET", "-o", "OUT/m", "--option", "width=-3"], "network 'nlm' with"),
        (["SET", "-o", "OUT/m", "--option", "girth=3"], "network 'nlm' with"),
    ],
)
def test_bad_calls(
    words: list[str],
    message: str,
    place: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    places = {"SET": str(place / "set")}
    filled = [places.get(word, word.replace("OUT", str(tmp_path))) for word in words]
    assert main(["train", *filled]) == 31
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1
    assert not any(path.name == "m" for path in tmp_path.iterdir())


def test_a_file_that_is_no_model_is_kept_unless_forced(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / "notes"
    notes.write_text("what to buy")
    call = ["train", str(place / "set"), "--model", "linear", "--steps", "5", "-o", str(notes)]
    assert main(call) == 31
    message = f"{notes}: exists and is no model (hint: another -o FILE, or --force)"
    assert capsys.readouterr() == ("", f"beeline: error: {message}\n")
    assert [each.name for each in tmp_path.iterdir()] == ["notes"]
    assert main([*call, "--force"]) == 0
    assert load(notes).domain_name == "blocksworld"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--estimate", "mean"], "belong to neural models"),
        (["--heuristic", "none.beeline"], "no such file"),
        (["--heuristic", "TASK"], "PDDL, not a Beeline model"),
        (["--heuristic", "MODEL", "--estimate", "mode"], "unknown estimate 'mode'"),
        (["--heuristic", "MODEL", "--quantile", "2"], "not between 0 and 1"),
        (["--heuristic", "MODEL", "--estimate", "mu", "--quantile", "0.2"], "--quantile with"),
        (["--heuristic", "COLOURS", "--estimate", "mu"], "no distribution to estimate"),
        (["--heuristic", "MODEL,MODEL"], "named twice"),
    ],
)
def test_bad_heuristics(
    words: list[str],
    message: str,
    place: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from hand_tables import small_blocksworld

    domain, task = place / "blocksworld.pddl", place / "blocksworld-task.pddl"
    model, colours = tmp_path / "m.beeline", tmp_path / "c.beeline"
    random_model("linear", parse_domain(domain.read_text())).save(model)
    small_blocksworld().model().save(colours)
    names = {"MODEL": model, "TASK": task, "COLOURS": colours}
    filled = []
    for word in words:
        for name, path in names.items():
            word = word.replace(name, str(path))
        filled.append(word)
    assert main(["solve", str(domain), str(task), *filled]) == 31
    assert message in capsys.readouterr().err
    assert main(["solve", str(domain), str(task), "--heuristic", str(colours), "--quiet"]) == 0


class TestStops:
    """A training that is stopped leaves a checkpoint, and goes on when it is called again."""

    @pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 23)])
    def test_signals(
        self,
        number: signal.Signals,
        code: int,
        place: Path,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        model = tmp_path / "m.beeline"
        log = tmp_path / "m.beeline.training" / "seed-0" / "log.csv"
        call = ["train", str(place / "set"), "--model", "linear", "--json"]
        endless = ["--steps", "100000000", "--time-limit", "100", "-o", str(model)]

        def stop_it() -> None:
            assert wait_until(lambda: log.is_file() and log.read_text().count("\n") > 1, 90)
            os.kill(os.getpid(), number)

        watcher = threading.Thread(target=stop_it)
        watcher.start()
        assert main([*call, *endless]) == code
        watcher.join()
        fields = json.loads(capsys.readouterr().out)
        assert fields["exit_code"] == code
        assert fields["error"]["hint"] == "the same command goes on where this one stopped"
        assert os.listdir(tmp_path) == ["m.beeline.training"]
        assert (log.parent / "checkpoint.safetensors").is_file()
        if number == signal.SIGINT:
            self.check_going_on(call, log, model, tmp_path / "n")
            capsys.readouterr()

    def check_going_on(self, call: list[str], log: Path, broken: Path, unbroken: Path) -> None:
        """Called again, it gives what a training would give that was never stopped."""
        taken = int(log.read_text().splitlines()[-1].split(",")[0])
        for output in (broken, unbroken):
            assert main([*call, "--steps", str(taken + 200), "-o", str(output)]) == 0
        assert broken.read_bytes() == unbroken.read_bytes()

    def test_a_time_limit_gives_the_best_model_so_far(
        self, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        started = time.perf_counter()
        words = ["--model", "linear", "--steps", "10000000", "--time-limit", "0.5"]
        fields = called(capsys, "train", place / "set", "-o", tmp_path / "m", *words)
        assert time.perf_counter() - started < 60
        assert 0 < fields["best_step"] <= fields["steps"] < 10_000_000
        assert beeline.load_model(tmp_path / "m").domain_name == "blocksworld"


def test_without_torch(place: Path, tmp_path: Path) -> None:
    """Only training needs it, and says how to get it."""
    domain = parse_domain((place / "blocksworld.pddl").read_text())
    task = [str(place / "blocksworld.pddl"), str(place / "blocksworld-task.pddl")]
    calls = [["--help"], ["train", "--help"], ["train", str(place / "set"), "-o", "m"]]
    for network in ON_ANY_DOMAIN:
        model = str(tmp_path / f"{network}.beeline")
        random_model(network, domain, scale=0.1).save(model)
        calls += [["models", "info", model], ["plan", model, *task, "--quiet"]]
        calls += [["solve", *task, "--heuristic", model, "--quiet"]]
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
    )
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(answers) == len(calls)
    for call, (code, error) in zip(calls, answers, strict=True):
        if call[1:2] == [str(place / "set")]:
            assert code == 31
            assert install_hint("neural") in error
            assert len(error.splitlines()) == 1
        else:
            assert (code, error) == (0, "")


def test_help_names_every_choice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for name in (*NETWORKS, *METRICS[::2], *(word for words in CHOICES.values() for word in words)):
        if name not in CHOICES["estimate"]:
            assert name in text
    assert main(["solve", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for name in CHOICES["estimate"]:
        assert name in text
