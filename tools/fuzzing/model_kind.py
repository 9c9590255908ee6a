"""Damaged model files: packaged ones, and small neural ones where torch is installed."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from model_tasks import training_recipes

from beeline.generators import domain_text, names
from fuzzing.corpus import made_in_a_child
from fuzzing.findings import WrongAnswerError
from fuzzing.mutations import mutated_bytes, mutated_value

if TYPE_CHECKING:
    import random

    from beeline.task.ground_task import GroundTask

PACKAGED = Path(__file__).resolve().parents[2] / "src" / "beeline" / "pretrained"
FIRST_LINE = re.compile(rb"(beeline-model \d+ by [!-~]+, )\d+ bytes, sha256 [0-9a-f]{64}\n")
EXPANSIONS = 40  # of a search with a model that may be nonsense


class ModelKind:
    """A model file, mostly with a digest that fits the damage: else nothing gets past it."""

    def __init__(self) -> None:
        self._models = {path.name: path.read_bytes() for path in sorted(PACKAGED.glob("*.beeline"))}
        self._models.update(made_in_a_child(_neural_models, "neural models"))
        self._tasks: dict[str, GroundTask] = {}

    def make(self, rng: random.Random) -> dict[str, bytes]:
        """A model and the name of its domain."""
        name = rng.choice(list(self._models))
        data = self._models[name]
        kind = rng.random()
        if kind < 0.1:
            data = mutated_bytes(rng, data, rng.choice((1, 3)))
        else:
            data = _signed(_damaged_body(rng, data, kind))
        return {"model.beeline": data, "domain": name.split(".")[0].split("-")[0].encode()}

    def run(self, folder: Path, rng: random.Random) -> None:
        """Load the model, tell what is in it, plan a little with it, and write it again."""
        import beeline
        from beeline.cli.models import info

        path = folder / "model.beeline"
        model = beeline.load_model(path)
        info(str(path), json=rng.random() < 0.5, top=rng.choice((3, 40)))
        task = self._task((folder / "domain").read_text())
        options = {"fallback": rng.random() < 0.5, "max_expansions": EXPANSIONS, "time_limit": 2.0}
        beeline.plan(model, task, **options)
        model.save(folder / "again.beeline")
        again = beeline.load_model(folder / "again.beeline")
        again.save(folder / "third.beeline")
        if (folder / "again.beeline").read_bytes() != (folder / "third.beeline").read_bytes():
            raise WrongAnswerError("a model is another one after writing and reading")

    def _task(self, name: str) -> GroundTask:
        import beeline

        if name not in self._tasks:
            if name == "walk":
                from one_state_space import WALK, walk_text

                texts = WALK, walk_text()
            else:
                texts = domain_text(name), training_recipes(name)[1].text()
            domain = beeline.parse_domain(texts[0])
            self._tasks[name] = beeline.ground(beeline.parse_problem(domain, texts[1]))
        return self._tasks[name]


def _damaged_body(rng: random.Random, data: bytes, kind: float) -> bytes:
    first, header, arrays = data.split(b"\n", 2)
    if kind < 0.65:
        content = json.loads(header)
        for _ in range(rng.choice((1, 1, 2))):
            content = mutated_value(rng, content)
        header = json.dumps(content, separators=(",", ":")).encode("utf-8", "backslashreplace")
    elif kind < 0.7:
        header = mutated_bytes(rng, header, 1)
    else:
        changed = bytearray(arrays)
        for _ in range(rng.choice((1, 1, 5, 50))):
            if changed:
                changed[rng.randrange(len(changed))] = rng.choice((0, 1, 127, 128, 255, 2, 16))
        arrays = bytes(changed)
    return b"\n".join([first, header, arrays])


def _signed(data: bytes) -> bytes:
    """The same with length and digest as they should be."""
    match = FIRST_LINE.match(data)
    if match is None:
        return data
    body = data[match.end() :]
    origin = match[1] + f"{len(body)} bytes, ".encode()
    return origin + b"sha256 " + sha256(origin + body).hexdigest().encode() + b"\n" + body


def _neural_models() -> dict[str, bytes]:
    from neural_models import ON_ANY_DOMAIN, OPTIONS, home, random_model
    from one_state_space import random_task_model, walk

    import beeline
    from beeline.models.model_file import to_bytes

    models = {}
    for network in OPTIONS:
        own = home(network)[0]
        for domain in ("blocksworld", own) if network in ON_ANY_DOMAIN else (own,):
            assert domain in names()
            model = random_model(network, beeline.parse_domain(domain_text(domain)))
            models[f"{domain}-{network}.beeline"] = to_bytes(model)
    models["walk-task.beeline"] = to_bytes(random_task_model(walk()))
    return models
