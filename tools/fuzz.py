"""Fuzzing: damaged and odd inputs, thousands a minute, each of which must end well.

An input ends well with a right answer or with a `BeelineError` of one line. Any other exception, a
wrong answer, a crash, a report of a sanitizer, an input without end or with too much memory is a
finding: it is written to a folder with all that is needed to repeat it, and the exit code is 1.

    python tools/fuzz.py --kind pddl --count 100000 --seed 7
    python tools/fuzz.py --kind pddl --seed 7 --only 4711     # one input again
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
for folder in (ROOT / "tools", ROOT / "tests" / "support", ROOT / "benchmarks"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from fuzzing.findings import FindingFolder  # noqa: E402
from fuzzing.kinds import Trials, all_kinds  # noqa: E402
from fuzzing.pool import Limits, try_all  # noqa: E402

# Shares of a run over all kinds: what is quick and rich gets most.
SHARES = {
    "pddl": 0.5,
    "tasks": 0.05,
    "plans": 0.1,
    "models": 0.1,
    "datasets": 0.05,
    "records": 0.1,
    "suites": 0.1,
}


def main(words: list[str] | None = None) -> int:
    """Run the fuzzer and return its exit code."""
    options = _parser().parse_args(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that workers end and files go
    findings = FindingFolder(Path(options.output))
    limits = Limits(options.timeout, options.memory, not options.no_address_limit)
    kinds = all_kinds()
    for name in options.kind or list(kinds):
        share = 1.0 if options.kind else SHARES[name]
        count = max(1, round(options.count * share))
        _run(Trials(name, kinds[name](), options.seed), count, limits, findings, options)
    total = sum(findings.counts.values())
    for words_of_it, times in sorted(findings.counts.items(), key=lambda item: -item[1]):
        print(f"{times:>7} x {words_of_it}")
    if total:
        print(f"{total} findings, {len(findings.counts)} distinct: see {findings.folder}")
    return 1 if total else 0


def _run(
    trials: Trials,
    count: int,
    limits: Limits,
    findings: FindingFolder,
    options: argparse.Namespace,
) -> None:
    numbers = range(count) if options.only is None else range(options.only, options.only + 1)
    outcomes: Counter[str] = Counter()
    start = shown = time.monotonic()
    try:
        for number, outcome in try_all(iter(numbers), trials, limits, trials.name, options.workers):
            outcomes[outcome if isinstance(outcome, str) else "findings"] += 1
            for found in outcome if isinstance(outcome, list) else ():
                command = f"tools/fuzz.py --kind {trials.name} --seed {trials.seed} --only {number}"
                place = findings.add(found, trials.files(number), command)
                if place is not None:
                    _clear_line()
                    print(f"{trials.name} {number}: {found.signature} -> {place}", flush=True)
            now = time.monotonic()
            if sys.stdout.isatty() and now - shown > 0.2:
                shown = now
                print(f"\r{_line(trials.name, outcomes, now - start)}\x1b[K", end="", flush=True)
            if options.seconds is not None and now - start > options.seconds:
                break
    finally:
        trials.clean()
    _clear_line()
    print(_line(trials.name, outcomes, time.monotonic() - start), flush=True)


def _line(name: str, outcomes: Counter[str], seconds: float) -> str:
    done = sum(outcomes.values())
    parts = [f"{outcomes[word]:,} {word}" for word in ("accepted", "refused", "findings")]
    return f"{name:<9} {done:,} inputs: {', '.join(parts)}; {done / max(seconds, 1e-9):,.0f}/s"


def _clear_line() -> None:
    if sys.stdout.isatty():
        print("\r\x1b[K", end="")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--kind", action="append", choices=list(SHARES), help="default: all")
    parser.add_argument("--count", type=int, default=2000, help="inputs; shared by kinds if all")
    parser.add_argument("--seed", type=int, default=0, help="the same seed, the same inputs")
    parser.add_argument("--only", type=int, help="the number of the one input to try")
    parser.add_argument("--seconds", type=float, help="for each kind at most")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--timeout", type=float, default=20, help="seconds for one input")
    parser.add_argument("--memory", type=int, default=2000, help="MB for one worker")
    parser.add_argument(
        "--no-address-limit", action="store_true", help="for AddressSanitizer: look at memory only"
    )
    parser.add_argument("-o", "--output", default="build/fuzz", help="folder for reproducers")
    return parser


if __name__ == "__main__":
    sys.exit(main())
