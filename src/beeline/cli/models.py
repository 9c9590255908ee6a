"""`beeline models`: those that come with the package, and what is in one, in words."""

from __future__ import annotations

import os
from typing import Any

from beeline.cli.command import Screen, command, late
from beeline.core.errors import BeelineError
from beeline.core.settings import About
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
