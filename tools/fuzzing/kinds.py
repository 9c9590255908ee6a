"""The kinds of inputs by name, and how one input of a kind is made and tried."""

from __future__ import annotations

import contextlib
import io
import os
import random
import shutil
import tempfile
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from beeline.core.errors import BeelineError
from fuzzing.findings import Finding, WrongAnswerError, findings_of

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_WORDS = 3000  # characters of an error; nobody reads more


class Kind(Protocol):
    """Makes inputs of one kind, as files, and lets the package read them."""

    def make(self, rng: random.Random) -> dict[str, bytes]:
        """The files of an input."""

    def run(self, folder: Path, rng: random.Random) -> None:
        """Use the input in this folder; wrong answers raise, and so does what cannot be used."""


class Trials:
    """The inputs of one kind and seed, by number."""

    def __init__(self, name: str, kind: Kind, seed: int) -> None:
        self.name = name
        self.kind = kind
        self.seed = seed
        # In memory where there is such a place: an input is written, read once and removed.
        memory = Path("/dev/shm")
        within = memory if memory.is_dir() else None
        self._folder = Path(tempfile.mkdtemp(prefix="beeline-fuzz-", dir=within))

    def files(self, number: int) -> dict[str, bytes]:
        """The files of an input, the same at each call."""
        return self.kind.make(self._random("make", number))

    def __call__(self, number: int) -> str | list[Finding]:
        """Try an input: "accepted", "refused" for a proper error, or what was found."""
        try:
            files = self.files(number)
        except Exception as error:
            raise RuntimeError(f"{self.name} {number}: the input cannot be made") from error
        folder = self._folder / str(os.getpid())
        try:
            for name, content in files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            with contextlib.redirect_stdout(io.StringIO()):
                self.kind.run(folder, self._random("run", number))
        except BeelineError as error:
            try:
                _check_error(error)
            except WrongAnswerError as wrong:
                return findings_of(self.name, number, wrong)
            return "refused"
        except Exception as error:
            return findings_of(self.name, number, error)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return "accepted"

    def clean(self) -> None:
        """Remove the folder of all inputs."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _random(self, purpose: str, number: int) -> random.Random:
        return random.Random(f"{self.name} {self.seed} {number} {purpose}")


def _check_error(error: BeelineError) -> None:
    words = str(error)
    if not error.message.strip():
        raise WrongAnswerError("an error without a message")
    if len(words.splitlines()) != 1:
        raise WrongAnswerError(f"an error of several lines\n{words!r}") from error
    if len(words) > MOST_WORDS:
        raise WrongAnswerError(f"an error of very many characters\n{words!r}") from error
    if any(unicodedata.category(character) == "Cc" for character in words):
        raise WrongAnswerError(f"an error with control characters\n{words!r}") from error


def all_kinds() -> dict[str, Callable[[], Kind]]:
    """What makes each kind; what it needs is prepared at that call."""
    from fuzzing.data_kinds import DatasetKind, RecordKind, SuiteKind
    from fuzzing.model_kind import ModelKind
    from fuzzing.pddl_kinds import PddlKind, PlanKind, TaskKind

    return {
        "pddl": PddlKind,
        "tasks": TaskKind,
        "plans": PlanKind,
        "models": ModelKind,
        "datasets": DatasetKind,
        "records": RecordKind,
        "suites": SuiteKind,
    }
