"""Domains that nobody tuned to: does `learn` learn, and does `plan` beat LAMA with the result?

For every family, `beeline learn` without options but the number of jobs, from all training tasks,
from ten of them, or from a single one of the larger ones; then all test tasks with each model and
with Fast Downward's `lama-first`, 30 seconds of processor time each. With `--anytime`, `beeline
plan --anytime` and `lama`, 60 seconds each. Every plan is validated.

    python benchmarks/any_domain.py ../shared/data -o records
    python benchmarks/any_domain.py ../shared/data -o records --from ten --from one
    python benchmarks/any_domain.py ../shared/data -o records --suite track

What has a model, a log or a record is not made again. Ratios are ours divided by LAMA's, geometric
means over the tasks that both solve.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import lama
from coverage_report import read_records
from solved_tasks import SUITES, make_cases, run_all

SETS = ("all", "ten", "one")


def main() -> None:
    """Learn what has no model yet, run what has no record yet, then print tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for records")
    parser.add_argument("--suite", choices=SUITES, default="ipc", help="which tasks; ipc")
    parser.add_argument("--from", dest="sets", action="append", choices=SETS, default=[])
    parser.add_argument("--domain", action="append", default=[], help="only this one")
    parser.add_argument("--task", action="append", default=[], help="only this one, as test-p02")
    parser.add_argument("--anytime", action="store_true", help="better plans until time is up")
    parser.add_argument("--jobs", type=int, default=1, help="of learning, and runs at a time")
    parser.add_argument("--wall-limit", type=int, default=120, metavar="SECONDS")
    parser.add_argument("--no-peer", action="store_true", help="only Beeline's runs")
    parser.add_argument("--report", action="store_true", help="run nothing")
    options = parser.parse_args()
    options.time_limit, options.memory_limit = (60, 8) if options.anytime else (30, 8)
    if options.anytime:  # Beeline ends by the clock
        options.wall_limit = options.time_limit - 2
    top = options.output
    peer, ours = ("lama", "beeline-anytime") if options.anytime else ("lama-first", "beeline")
    for chosen in options.sets or SETS[:1]:
        models = options.models = top / "models" / chosen
        if not options.report:
            learn_all(options, chosen, models)
        print(f"\n## Learned from {chosen}\n\n{learned(models)}\n", flush=True)
        found = []
        for planner, place in ((peer, "peer"), (ours, chosen)):
            options.planner = [planner]
            options.output = top / ("anytime" if options.anytime else "first") / place
            if not options.report and not (planner == peer and options.no_peer):
                cases = make_cases(options)
                wanted = [each for each in cases if each.job.task_name in options.task]
                run_all(wanted if options.task else cases, options.jobs)
            found += read_records(options.output)
        print(lama.table(found, peer, ours), flush=True)


def learn_all(options: argparse.Namespace, chosen: str, models: Path) -> None:
    """A model for each family, with a log and a record of the time that it took."""
    models.mkdir(parents=True, exist_ok=True)
    root = options.data.resolve() / SUITES[options.suite][0]
    for domain in sorted(root.glob("*/domain.pddl")):
        name = domain.parent.name
        model, log = models / f"{name}.beeline", models / f"{name}.log"
        if model.exists() or log.exists() or (options.domain and name not in options.domain):
            continue
        words = ["learn", domain, *training(domain.parent / "training", chosen), "-o", model]
        start, before = time.perf_counter(), processor_time()
        with log.open("w") as output:
            run = subprocess.run(
                [sys.executable, "-m", "beeline", *words, "--jobs", str(options.jobs)],
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
        seconds, work = round(time.perf_counter() - start), round(processor_time() - before)
        record = {"domain": name, "exit_code": run.returncode, "seconds": seconds, "work": work}
        (models / f"{name}.json").write_text(json.dumps(record) + "\n")
        spent = f"{seconds} s, {work} s of the processor"
        print(f"{name}: exit code {run.returncode} after {spent}", flush=True)


def processor_time() -> float:
    """Seconds of the processor that programs started from here have taken so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def training(folder: Path, chosen: str) -> list[Path]:
    """The training tasks of one kind: files at even distances by size if not all of them."""
    files = sorted(folder.glob("*.pddl"), key=lambda file: (file.stat().st_size, file.name))
    if chosen == "ten" and len(files) > 10:
        return [files[place * (len(files) - 1) // 9] for place in range(10)]
    return [files[len(files) * 3 // 4]] if chosen == "one" else files


def learned(models: Path) -> str:
    """How learning went in each family."""
    lines = ["| domain | model | seconds | of the processor |", "|---|---|---:|---:|"]
    for file in sorted(models.glob("*.json")):
        record = json.loads(file.read_text())
        has_model = (models / f"{record['domain']}.beeline").exists()
        words = record["domain"], "yes" if has_model else "no", record["seconds"]
        lines.append(f"| {' | '.join(map(str, (*words, record.get('work', ''))))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
