"""Folders of records as `beeline evaluate` and experiments write them, with made-up figures."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

DOMAINS = ("blocksworld", "ferry", "transport")
# How often a task is solved, and how many states are expanded in comparison.
CONFIGURATIONS = {"gbfs-ff": (0.9, 1.0), "learned": (0.99, 0.05), "blind": (0.98, 30.0)}


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def run_record(
    domain: str, task: str, configuration: str, seed: int = 0, **fields: Any
) -> dict[str, Any]:
    """A record of a run that found a plan, but for the fields that are given."""
    return {
        "format": 1,
        "domain": domain,
        "task": task,
        "configuration": configuration,
        "seed": seed,
        "settings": {},
        "status": "solved",
        "reason": None,
        "cost": 10,
        "length": 10,
        "expanded": 100,
        "evaluated": 300,
        "generated": 900,
        "initial_h": 7,
        "search_time": 0.4,
        "total_time": 0.5,
        "peak_memory": 50_000_000,
        "cost_bound": None,
        "limits": {"time": 60, "memory": 2**31, "evaluations": None, "expansions": None},
        "plan": None,
        **fields,
    }


def write_run(folder: Path, record: dict[str, Any]) -> Path:
    name = "{task}--{configuration}--seed{seed}.json".format(**record)
    path = folder / "runs" / record["domain"] / name
    write_json(path, record)
    return path


def write_records(folder: Path, tasks: int = 8, seeds: int = 2) -> Path:
    """Records of all kinds, the same for the same numbers."""
    rng = random.Random(1)
    write_json(
        folder / "suite.json",
        {
            "name": "three domains",
            "digest": "0f3a",
            "configurations": [
                {"name": name, "search": "gbfs", "heuristic": name} for name in CONFIGURATIONS
            ],
            "limits": {"time": 60, "memory": 2**31, "evaluations": None, "expansions": None},
            "machine": {"cores": 2, "memory": 24 * 2**30, "platform": "Linux x86_64"},
            "version": "0.1.0",
        },
    )
    for domain in DOMAINS:
        for number in range(tasks):
            size = 50 * 1.5**number * rng.uniform(0.7, 1.4)
            for name, (chance, factor) in CONFIGURATIONS.items():
                for seed in range(seeds):
                    states = size * factor * rng.lognormvariate(0, 0.3)
                    fields: dict[str, Any] = {
                        "expanded": int(states) + 1,
                        "evaluated": int(3 * states) + 1,
                        "total_time": round(0.02 + states / 200, 3),
                        "cost": 10 + number + rng.randrange(3),
                    }
                    if rng.random() > chance or fields["total_time"] > 60:
                        fields = {"status": "time_limit", "cost": None, "length": None}
                    write_run(folder, run_record(domain, f"p{number + 1:02}", name, seed, **fields))
    failed = run_record("ferry", "p01", "blind", 0, status="failed", reason="killed by signal 9")
    write_run(folder, {**failed, "cost": None, "total_time": None})
    _write_models(folder, rng)
    write_json(
        folder / "tables" / "coverage.json",
        {
            "format": 1,
            "title": "Table 1: coverage beside the paper's",
            "note": "Small scale: 8 tasks instead of 100.",
            "header": ["domain", "paper", "here"],
            "rows": [["ferry", "93.1 ± 2", "**97.2**"], ["blocks & <b>", 12, None]],
            "claims": [
                {
                    "text": "Learning helps",
                    "paper": "A. Author, On Learning, Table 1",
                    "holds": True,
                    "detail": "3 of 3 domains",
                },
                {"text": "It is faster", "paper": "", "holds": False, "detail": ""},
                {"text": "It scales", "paper": "", "holds": None, "detail": "not run"},
            ],
        },
    )
    return folder


def _write_models(folder: Path, rng: random.Random) -> None:
    for name, noise in (("learned", 1.0), ("wide", 3.0)):
        for seed in range(2):
            truth = [rng.randrange(1, 30) for _ in range(120)]
            write_json(
                folder / "predictions" / f"ferry-{name}-{seed}.json",
                {
                    "format": 1,
                    "configuration": name,
                    "domain": "ferry",
                    "seed": seed,
                    "h": [value + rng.gauss(0, noise) for value in truth],
                    "h_star": truth,
                    "sigma": [noise * 1.3] * len(truth),
                },
            )
            steps = list(range(0, 1000, 50))
            write_json(
                folder / "curves" / f"ferry-{name}-{seed}.json",
                {
                    "format": 1,
                    "configuration": name,
                    "domain": "ferry",
                    "seed": seed,
                    "step": steps,
                    "columns": {
                        "train/loss": [100 * noise / (step + 1) for step in steps],
                        "val/mse": [None, *(noise + 10 / step for step in steps[1:])],
                    },
                },
            )
