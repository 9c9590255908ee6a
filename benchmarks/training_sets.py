"""The training sets of a published experiment: 400 instances of each of four domains.

Makes the sets with `beeline data plans` (or completes them), and writes a table of what came out
into a Markdown page, between two marker comments. Blocksworld decides the total time: a tighter
limit on evaluations means more attempts, each of them shorter.

    python benchmarks/training_sets.py -o sets --page docs/datasets.md
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

DOMAINS = ("blocksworld", "ferry", "gripper", "visitall")
BEGIN = "<!-- training sets: made by benchmarks/training_sets.py -->"
END = "<!-- end of training sets -->"


def make_set(domain: str, options: argparse.Namespace) -> dict[str, Any]:
    """One dataset, its summary and the time that it took."""
    folder = Path(options.output, domain)
    words = ["--generator", domain, "--preset", "nunez2024-train", "--count", str(options.count)]
    words += ["--splits", "train=1", "--seed", str(options.seed), "--jobs", str(options.jobs)]
    words += ["--max-evaluations", str(options.max_evaluations), "-o", str(folder), "--json"]
    start = time.perf_counter()
    # Progress goes to the terminal, the result through the pipe.
    run = subprocess.run(
        [sys.executable, "-m", "beeline", "data", "plans", *words],
        stdout=subprocess.PIPE,
        check=True,
    )
    return {**json.loads(run.stdout), "seconds": time.perf_counter() - start}


def table(rows: list[dict[str, Any]], options: argparse.Namespace) -> str:
    """The sets as a Markdown table."""
    lines = [
        "| domain | instances | solved | tried | solved per try | states | h* (mean, largest)"
        " | time |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        h_star = {int(value): count for value, count in row["h_star"].items()}
        mean = sum(value * count for value, count in h_star.items()) / sum(h_star.values())
        rate = 100 * row["solved"] / row["attempts"]
        lines.append(
            f"| {row['config']['generator']} | {row['instances']} | {row['solved']}"
            f" | {row['attempts']} | {rate:.0f}% | {row['states']:,} | {mean:.1f}, {max(h_star)}"
            f" | {row['seconds']:.0f} s |"
        )
    total = sum(row["seconds"] for row in rows)
    lines.append("")
    lines.append(
        f"{options.max_evaluations:,} evaluations for each attempt, seed {options.seed},"
        f" {options.jobs} processes on a machine with {os.cpu_count()} cores:"
        f" {total / 60:.1f} minutes in all."
    )
    return "\n".join(lines)


def write_page(path: Path, text: str) -> None:
    """Put the table between the markers of the page."""
    page = path.read_text()
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{path} lacks the markers {BEGIN} and {END}")
    path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


def main() -> None:
    """Make all sets and the table."""
    parser = argparse.ArgumentParser(description="training sets of four domains")
    parser.add_argument("-o", "--output", required=True, help="folder for the datasets")
    parser.add_argument("--page", help="Markdown page with the markers for the table")
    parser.add_argument("--count", type=int, default=400, help="instances of each domain")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--max-evaluations", type=int, default=20_000)
    options = parser.parse_args()
    rows = [make_set(domain, options) for domain in DOMAINS]
    text = table(rows, options)
    print(text)
    if options.page:
        write_page(Path(options.page), text)


if __name__ == "__main__":
    main()
