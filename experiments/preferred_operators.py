"""Discovered preferred operators: the tables of a published experiment, on a small scale.

DATA has a folder for each domain, with domain.pddl, task.pddl, whose state space is sampled, and
init/*.pddl, the same task with other initial states. Trains heuristics and preferred operators,
searches with them from all initial states, and writes RESULTS/report.md. What has a record is not
done again: the command can be stopped and repeated, and goes on.

    python experiments/preferred_operators.py DATA -o RESULTS
    python experiments/preferred_operators.py DATA -o RESULTS --stage report
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from command_line import clock, some_of
from discovered_operators.grid import DOMAINS, IDEAL_DOMAINS, KINDS, PERCENTS, Choice, networks
from discovered_operators.report import report
from discovered_operators.searching import search_works
from discovered_operators.training import training_works
from records import make_records

from beeline.core.errors import BeelineError
from beeline.core.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence

STAGES = ("train", "search", "report")


def main(words: Sequence[str] | None = None) -> int:
    """Run all stages, or one; 1 if some runs failed."""
    options = _options(words)
    data, results = Path(options.data).resolve(), Path(options.output).resolve()
    results.mkdir(parents=True, exist_ok=True)
    choice = Choice(
        options.domains,
        options.ideal_domains,
        options.sample_seeds,
        options.network_seeds,
        options.percents,
        options.only,
        options.epochs,
    )
    stages = STAGES if options.stage is None else (options.stage,)
    failed = 0
    try:
        if "train" in stages:
            works = training_works(networks(choice), data, results)
            failed += make_records(works, options.jobs, clock())
        everything = networks(choice._replace(only=KINDS))
        order = "rounded" if options.rounded else "plain"
        if "search" in stages:
            works = search_works(choice, everything, order, data, results)
            failed += make_records(works, options.jobs, clock())
        if "report" in stages:
            path = results / ("report-rounded.md" if options.rounded else "report.md")
            write_atomically(path, report(choice, everything, order, data, results))
            print(path)
    except BeelineError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130
    return 1 if failed else 0


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="tables of discovered preferred operators, on a small scale"
    )
    add = parser.add_argument
    add("data", help="folder of the state spaces, DOMAIN/{domain,task,init/*}.pddl")
    add("-o", "--output", required=True, help="folder for records, models and the report")
    add("--domains", type=some_of(DOMAINS), default=DOMAINS, help="of " + ",".join(DOMAINS))
    add(
        "--ideal-domains",
        type=some_of(DOMAINS),
        default=IDEAL_DOMAINS,
        help="those with learned po*",
    )
    add("--sample-seeds", type=int, default=2, help="sets of samples (default: 2)")
    add("--network-seeds", type=int, default=2, help="networks of each set (default: 2)")
    add("--percents", type=_numbers, default=PERCENTS, help="of the state space (default: 1,5,10)")
    add("--only", type=some_of(KINDS), default=KINDS, help="train these: of " + ",".join(KINDS))
    add("--epochs", type=int, help="at most (default: as long as patience lasts)")
    add("--stage", choices=STAGES, help="do this stage only")
    add("--rounded", action="store_true", help="search with learned heuristics as whole numbers")
    add("--jobs", type=int, default=2, help="processes, one thread each (default: 2)")
    return parser.parse_args(words)


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
