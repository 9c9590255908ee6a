"""Make the packaged models, and the page of what they solve.

For each built-in domain: generate tasks, learn from the small ones with seed 0, plan in larger
ones. A domain whose model is there is left alone, and only tried out if it has not been; so a run
that was stopped goes on where it was.

    python tools/make_models.py
    python tools/make_models.py --domain ferry --force --jobs 2
    python tools/make_models.py --domain ferry -o elsewhere
"""

from __future__ import annotations

import argparse
import json
import os
import time
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model_results import page
from model_tasks import training_recipes, trial_recipes, write_tasks
from model_trials import Limits, try_out

from beeline.core.files import write_atomically
from beeline.generators import names
from beeline.learning.learn import learn
from beeline.models.model_file import FOLDER, SUFFIX, load_model

if TYPE_CHECKING:
    from beeline.learning.workshop import Phase

RESULTS, PAGE = "results.json", "RESULTS.md"
SEED = 0


def main() -> None:
    """All domains, or those that were asked for."""
    options = parsed()
    results = read_results(options.output, options.limits)
    for domain in options.domain or names():
        model = options.output / f"{domain}{SUFFIX}"
        work = options.work / domain
        learned_in = None  # seconds; unknown for a model that was there
        if options.force or not model.exists():
            learned_in = make_model(domain, model, work / "training", options)
        digest = sha256(model.read_bytes()).hexdigest()
        known = results["domains"].get(domain)
        if known is not None and known["sha256"] == digest and not options.force:
            print(f"{domain}: there already")
            continue
        results["domains"][domain] = {
            "sha256": digest,
            "bytes": model.stat().st_size,
            "learning_seconds": learned_in,
            "training": load_model(model).summary,
            "tests": trials(domain, model, work / "tests", options),
        }
        write_atomically(options.output / RESULTS, json.dumps(results, indent=1) + "\n")
        write_atomically(options.output / PAGE, page(results))


def parsed() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description="make the packaged models")
    parser.add_argument("--domain", action="append", choices=names(), help="may be repeated")
    parser.add_argument("--force", action="store_true", help="make models that are there, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, metavar="DIR")
    parser.add_argument("--work", type=Path, default=Path("build/models"), metavar="DIR")
    parser.add_argument("--learning-limit", type=float, metavar="SECONDS", help="for each domain")
    parser.add_argument("--time-limit", type=float, default=10.0, metavar="SECONDS")
    parser.add_argument("--memory-limit", default="4G", metavar="SIZE")
    options = parser.parse_args()
    options.limits = Limits(options.time_limit, options.memory_limit)
    options.output.mkdir(parents=True, exist_ok=True)
    return options


def read_results(folder: Path, limits: Limits) -> dict[str, Any]:
    """What is known so far; results under other limits do not count."""
    path = folder / RESULTS
    fresh = {"seconds": limits.seconds, "memory": limits.memory, "domains": {}}
    if not path.exists():
        return fresh
    found: dict[str, Any] = json.loads(path.read_text())
    return found if (found["seconds"], found["memory"]) == limits else fresh


def make_model(domain: str, path: Path, folder: Path, options: argparse.Namespace) -> float:
    """Learn a model and write it; the seconds that it took."""
    files = write_tasks(domain, training_recipes(domain), folder)
    print(f"{domain}: learning from {len(files)} tasks", flush=True)
    start = time.perf_counter()

    def progress(phase: Phase) -> None:
        if phase.done == phase.total:
            print(f"  {time.perf_counter() - start:.0f} s: {phase.name}", flush=True)

    model = learn(
        folder / "domain.pddl",
        files,
        seed=SEED,
        jobs=options.jobs,
        time_limit=options.learning_limit,
        progress=progress,
        warn=lambda message: print(f"  {message}", flush=True),
    )
    model.save(path)
    seconds = time.perf_counter() - start
    print(f"  {model.summary['candidate']}, {seconds:.0f} s", flush=True)
    return round(seconds, 1)


def trials(
    domain: str, model: Path, folder: Path, options: argparse.Namespace
) -> list[dict[str, Any]]:
    """How the model and h_FF do on the test tasks."""
    recipes = trial_recipes(domain)
    files = write_tasks(domain, recipes, folder)
    print(f"{domain}: planning in {len(files)} larger tasks", flush=True)
    records = try_out(model, files, options.limits, options.jobs, lambda line: print(f"  {line}"))
    sizes = [
        ", ".join(f"{name} {value:g}" for name, value in recipe.parameters.items())
        for recipe in recipes
    ]
    return [{**record, "size": size} for record, size in zip(records, sizes, strict=True)]


if __name__ == "__main__":
    main()
