"""`beeline models`: those that come with the package, what is in one, and how far it errs."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from beeline.cli.command import Screen, command, late
from beeline.core.errors import BeelineError
from beeline.core.settings import About, values_of
from beeline.evaluate.settings import ErrorSettings
from beeline.models.training_words import learned_from

PACKAGED = late("beeline.models.model_file", "packaged_names")


@command()
def list_models(*, screen: Screen) -> int:
    """List the models that come with the package, and what they were trained on.

    'beeline plan' takes their names for MODEL. The exit code is 0, with or without models.

    Example:
      beeline models list
      beeline models list --json | jq '.models[].name'
    """
    from beeline.models.model_file import load_model, packaged_names, packaged_path

    rows = [
        {"name": name, "file": str(packaged_path(name)), **load_model(name).describe()}
        for name in packaged_names()
    ]
    for row in rows:
        row["bytes"] = packaged_path(str(row["name"])).stat().st_size
    fields = {"status": "ok", "models": rows}
    if rows:
        screen.show(fields, _table(rows))
    else:
        screen.mention(fields, "No models come with this package; 'beeline learn' makes them.")
    return 0


@command(
    model=About("A model file, or the name of a packaged model.", "MODEL", names=PACKAGED),
    top=About("How many of the strongest features to show.", "N"),
)
def info(model: str, *, top: int = 10, screen: Screen) -> int:
    """Show what a model is made of and what its strongest features count.

    A state's score is the sum of weight times count over all features; search prefers states
    with low scores. A neural model has no features that could be told one by one: shown are its
    encoder, its network, and the distribution whose parameters the network predicts. For a file
    that is no model or a damaged one the exit code is 31.

    Example:
      beeline models info model.beeline
      beeline models info model.beeline --top 50 --json | jq '.top[].words'
    """
    from beeline.models.model_file import load, model_path

    if top < 0:
        raise BeelineError(f"--top {top} is less than nothing", hint="such as 10")
    path = model_path(model)
    loaded = load(path)
    size = os.path.getsize(path)
    lines = [f"{'model':<13} {path}, {size / 1024:.1f} KB"]
    screen.show(
        {"status": "ok", "file": str(path), "bytes": size, **loaded.describe(top)},
        lambda: "\n".join([*lines, *loaded.lines(top, legend=not screen.quiet)]),
    )
    return 0


@command(
    model=About("A file of a neural model, as 'beeline train' makes it.", "MODEL"),
    dataset=About("States with known costs, as 'beeline data plans' makes them.", "DATASET"),
    settings=ErrorSettings,
    plot=About("Draw the reliability plot into this file.", "FILE.svg"),
)
def errors(
    model: str, dataset: str, *, settings: ErrorSettings, plot: str | None = None, screen: Screen
) -> int:
    """Compare the costs that a neural model predicts with those of a dataset's optimal plans.

    h is what a search would get, the mean of the distribution that the network predicts; "clip" is
    mu, pulled up to the lower bound. mse and mae are mean squared and absolute errors, nll is the
    mean negative log-likelihood of h*, bias the mean of h - h*. below_bound is the share of states
    whose h violates the bound, mu_below_bound that whose mu does, overestimated that with h above
    h*. within_80 is the share of states whose h* lies in the interval that the distribution fills
    to 80%: if it is less, sigma is too small. The same follows for tasks of similar numbers of
    objects, and the mean squared errors of h_FF and h_LM-cut for comparison. A dataset of another
    domain, or without optimal plans, gives the exit code 31. Needs torch.

    Example:
      beeline data plans --generator ferry --preset nunez2024-val --seed 9 --split test=1 -o tests
      beeline models errors model.beeline tests
      beeline models errors model.beeline tests --split test --plot reliability.svg
      beeline models errors model.beeline tests --json | jq '.sizes[] | [.objects, .mse]'
    """
    from beeline.core.files import write_atomically
    from beeline.evaluate.model_errors import model_errors
    from beeline.evaluate.tables import Cell, terminal

    found = model_errors(model, dataset, **values_of(settings))
    if plot is not None:
        write_atomically(Path(plot), found.plot().svg)
    table = found.table()
    columns = list(zip(table.header, *table.rows, strict=True))
    turned = replace(
        table,
        header=("objects", *(cell.text for cell in columns[0][1:])),
        rows=tuple((Cell(name), *cells) for name, *cells in columns[1:]),
    )
    alone = [f"h_{name:<8} mse {value:.4g}" for name, value in found.heuristics.items()]
    left = [f"{count} states are left out: {reason}" for reason, count in found.dropped.items()]
    lines = [terminal(turned), "", *alone, *left]
    fields = {"status": "ok", "model": model, "dataset": dataset, "plot": plot, **found.to_json()}
    screen.show(fields, "\n".join(lines))
    return 0


def _table(rows: list[dict[str, Any]]) -> str:
    titles = ("name", "domain", "KB", "rounds", "neighbours", "features", "h_FF", "training")
    cells = [
        (
            str(row["name"]),
            str(row["domain"]),
            f"{row['bytes'] / 1024:.1f}",
            str(row.get("rounds", "")),
            str(row["neighbours"] if "neighbours" in row else row["network"]["name"]),
            f"{row['features'] if 'features' in row else row['network']['weights']:,}",
            "yes" if row["uses_h_ff"] else "no",
            learned_from(row["training"]),
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
    return "\n".join(
        "  ".join(f"{word:<{width}}" for word, width in zip(line, widths, strict=True)).rstrip()
        for line in (titles, *cells)
    )
