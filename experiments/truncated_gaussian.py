"""Learning with admissible bounds: the tables of a published experiment, on a small scale.

Makes the sets of states, trains Gaussian and truncated Gaussian models, measures their errors on
larger instances, searches with them, and writes RESULTS/report.md. What has a record is not done
again: the command can be stopped and repeated, and goes on.

    python experiments/truncated_gaussian.py -o results
    python experiments/truncated_gaussian.py -o results --stage report
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from admissible_bounds.datasets import make_sets
from admissible_bounds.grid import DOMAINS, HGN_DOMAINS, MODELS, Choice, training_runs
from admissible_bounds.planning import PlanningSettings, contestants, planning_works
from admissible_bounds.report import report
from admissible_bounds.training import training_works
from command_line import clock, some_of
from records import make_records

from beeline.core.errors import BeelineError
from beeline.core.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence

STAGES = ("data", "train", "plan", "report")


def main(words: Sequence[str] | None = None) -> int:
    """Run all stages, or one; 1 if some runs failed."""
    options = _options(words)
    results = Path(options.output).resolve()
    results.mkdir(parents=True, exist_ok=True)
    sets = Path(options.data).resolve() if options.data else results / "sets"
    choice = Choice(
        options.models, options.domains, options.hgn_domains, options.seeds, options.steps_scale
    )
    runs = training_runs(choice)
    order = "rounded" if options.rounded else "plain"
    settings = PlanningSettings(options.tasks, options.max_evaluations, options.time_limit, order)
    stages = STAGES if options.stage is None else (options.stage,)
    failed = 0
    try:
        if "data" in stages:
            make_sets(sets, choice.domains, options.jobs, clock())
        if "train" in stages:
            failed += make_records(training_works(runs, sets, results), options.jobs, clock())
        if "plan" in stages:
            entrants = contestants(runs, choice.domains, results)
            works = planning_works(entrants, settings, results)
            failed += make_records(works, options.jobs, clock())
        if "report" in stages:
            write_atomically(results / "report.md", report(choice, runs, settings, sets, results))
            print(results / "report.md")
    except BeelineError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130
    return 1 if failed else 0


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="tables of learning with admissible bounds, on a small scale"
    )
    add = parser.add_argument
    add("-o", "--output", required=True, help="folder for records, models and the report")
    add("--data", help="folder with the sets SPLIT/DOMAIN (default: OUTPUT/sets)")
    add("--models", type=some_of(MODELS), default=MODELS, help="of nlm,linear,hgn")
    add("--domains", type=some_of(DOMAINS), default=DOMAINS, help="of " + ",".join(DOMAINS))
    add("--hgn-domains", type=some_of(DOMAINS), default=HGN_DOMAINS, help="where hgn is trained")
    add("--seeds", type=int, default=2, help="runs of each configuration (default: 2)")
    add("--steps-scale", type=float, default=1.0, help="times the usual number of steps")
    add("--stage", choices=STAGES, help="do this stage only")
    add("--tasks", type=int, default=20, help="tasks of each domain to search (default: 20)")
    add("--max-evaluations", type=int, default=10_000, help="of each search")
    add("--time-limit", type=float, default=60.0, help="seconds of each search (default: 60)")
    add("--rounded", action="store_true", help="search in the order [round(h), ff, fifo]")
    add("--jobs", type=int, default=2, help="processes, one thread each (default: 2)")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
