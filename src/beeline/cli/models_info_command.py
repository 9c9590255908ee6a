"""`beeline models info`: what is in a model file, with its strongest features in words."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from beeline.cli.messages import print_json
from beeline.cli.models_list_command import overview, training_words
from beeline.cli.neural_words import domain_counts, show_neural
from beeline.cli.task_words import show_task_model
from beeline.cli.values import whole_number
from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from beeline.cli.parameters import InspectedModel, Json, Quiet, TopFeatures
    from beeline.learned.describe import Feature
    from beeline.learned.model import Model


def run(
    model: InspectedModel, *, top: TopFeatures = "10", json: Json = False, quiet: Quiet = False
) -> int:
    """Show what a model is made of and what its strongest features count.

    A state's score is the sum of weight times count over all features; search prefers states
    with low scores. A neural model has no features that could be told one by one: shown are its
    encoder, its network, and the distribution whose parameters the network predicts. For a file
    that is no model or a damaged one the exit code is 31.

    Example:
      beeline models info model.beeline
      beeline models info model.beeline --top 50 --json | jq '.top[].words'
    """
    from beeline.learned.describe import legend, strongest_features
    from beeline.learned.model import Model
    from beeline.learned.model_file import load
    from beeline.learned.packaged import model_path
    from beeline.learned.task_model import TaskModel

    shown = whole_number("--top", top) or 0
    if shown < 0:
        raise BeelineError(f"--top {shown} is less than nothing", hint="such as 10")
    path = model_path(model)
    loaded = load(path)
    if isinstance(loaded, TaskModel):
        show_task_model(loaded, str(path), os.path.getsize(path), json=json)
        return 0
    if not isinstance(loaded, Model):
        show_neural(loaded, str(path), os.path.getsize(path), json=json)
        return 0
    features = strongest_features(loaded, shown)
    facts = {"file": str(path), "bytes": os.path.getsize(path), **overview(loaded)}
    if json:
        print_json(
            {
                "status": "ok",
                **facts,
                "signature": loaded.signature,
                "h_ff_weight": loaded.scorer.ff_weight / 2**loaded.scorer.shift,
                "top": [feature._asdict() for feature in features],
            }
        )
        return 0
    print("\n".join(_lines(loaded, facts, features)))
    if features and not quiet:
        print("\n" + "\n".join(f"({line})" for line in legend(loaded)))
    return 0


def _lines(model: Model, facts: dict[str, Any], features: list[Feature]) -> Iterator[str]:
    style = ", ".join(name for name, chosen in facts["style"].items() if chosen)
    rows = [
        ("model", f"{facts['file']}, {facts['bytes'] / 1024:.1f} KB"),
        ("domain", f"{facts['domain']}: {domain_counts(model.signature)}"),
        ("encoder", f"colours of {facts['rounds']} rounds, neighbour {facts['neighbours']}s"),
        ("features", f"{facts['features']:,} with a weight, of {facts['colours']:,} colours"),
        ("search style", style or "plain"),
        ("training", training_words(model.summary) or "not told"),
        ("seed", str(model.seed)),
        ("made by", f"Beeline {model.package_version}"),
    ]
    if model.policy is not None:
        count = model.policy.logits.num_features
        rows.insert(4, ("policy", f"logits of children from {count:,} features"))
    yield from (f"{name:<13} {value}" for name, value in rows)
    if features or model.scorer.ff_weight:
        yield ""
        yield f"{'weight':>10}  round  the number of"
    if model.scorer.ff_weight:
        weight = model.scorer.ff_weight / 2**model.scorer.shift
        yield f"{weight:>+10.3f}  {'':5}  h_FF, the cost of a relaxed plan"
    for feature in features:
        yield f"{feature.weight:>+10.3f}  {feature.round:>5}  {feature.words}"
