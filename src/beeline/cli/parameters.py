"""Arguments and options, each described once; commands name them as their annotations."""

from __future__ import annotations

from typing import Annotated

import typer

from beeline.backends import BACKENDS
from beeline.losses.registry import DEFAULT_LOSS, LOSSES
from beeline.planning.heuristics import HEURISTICS
from beeline.planning.specification import DEFAULT_BOOST, DEFAULT_WEIGHT, SEARCHES

DomainFile = Annotated[str, typer.Argument(metavar="DOMAIN", help="PDDL domain file.")]
TaskFile = Annotated[str, typer.Argument(metavar="TASK", help="PDDL problem file.")]
PlanFile = Annotated[str, typer.Argument(metavar="PLAN", help="Plan file, a step on each line.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print no warnings and no progress.")]
UnitCosts = Annotated[
    bool, typer.Option("--unit-costs", help="Let every action cost 1, whatever the files say.")
]

# Searches
Search = Annotated[str, typer.Option("--search", metavar="NAME", help=", ".join(SEARCHES) + ".")]
HeuristicNames = Annotated[
    str | None,
    typer.Option(
        "--heuristic",
        metavar="NAMES",
        help=f"One of {', '.join(HEURISTICS)}, or the file of a learned model, MODEL.beeline; or"
        " several, with commas, that take turns. By default ff, for astar lmcut.",
    ),
]
Estimate = Annotated[
    str | None,
    typer.Option(
        "--estimate",
        metavar="KIND",
        help="What a neural model's distribution is turned into: mean, mu, clip (mu, but at least"
        " the lower bound) or quantile. By default what the model says.",
    ),
]
Quantile = Annotated[
    str | None,
    typer.Option(
        "--quantile",
        metavar="Q",
        help="Take this quantile of a neural model's distribution, between 0 and 1: the lower, the"
        " more likely it is admissible.",
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight", metavar="W", help=f"Weight of h in wastar, from 1 up; {DEFAULT_WEIGHT:g}."
    ),
]
Alpha = Annotated[
    str | None, typer.Option("--alpha", metavar="A", help="Weight of g in best-first; 1.")
]
Beta = Annotated[
    str | None, typer.Option("--beta", metavar="B", help="Weight of h in best-first; 1.")
]
TieBreaking = Annotated[
    str | None,
    typer.Option(
        "--tie-breaking",
        metavar="WORDS",
        help="What decides between equals, such as h,fifo or f,h,lifo or round(h),ff,random.",
    ),
]
Preferred = Annotated[
    str | None,
    typer.Option(
        "--preferred",
        metavar="NAMES",
        help="Use the preferred operators of this heuristic, or of a model of the task.",
    ),
]
Boost = Annotated[
    str | None,
    typer.Option(
        "--boost",
        metavar="N",
        help="How many states in a row come from the queue of preferred operators after"
        f" progress; {DEFAULT_BOOST}. 0: plain alternation.",
    ),
]
Deferred = Annotated[
    bool, typer.Option("--deferred", help="Evaluate states when they are taken from a queue.")
]
Reopen = Annotated[
    bool, typer.Option("--reopen", help="Expand states again that are reached at lower cost.")
]
Requeue = Annotated[
    bool,
    typer.Option(
        "--requeue",
        help="Queue open states once more that are reached at lower cost, as newer versions of "
        "Fast Downward do.",
    ),
]
NoReopen = Annotated[bool, typer.Option("--no-reopen", help="Expand every state only once.")]
GoalAtGeneration = Annotated[
    bool, typer.Option("--goal-at-generation", help="Stop as soon as a goal state is generated.")
]
Batch = Annotated[
    str | None,
    typer.Option("--batch", metavar="K", help="Expand the K best states per step; 1."),
]
Bound = Annotated[
    str | None, typer.Option("--bound", metavar="COST", help="Only plans that cost less.")
]
Seed = Annotated[
    str | None, typer.Option("--seed", metavar="N", help="Seed for random tie-breaking; 0.")
]
Anytime = Annotated[
    bool,
    typer.Option("--anytime", help="After the first plan look for better ones: PLAN.1, PLAN.2 ..."),
]
TimeLimit = Annotated[
    str | None, typer.Option("--time-limit", metavar="SECONDS", help="Stop after this time.")
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit", metavar="SIZE", help="Such as 200M or 2G; a plain number means MB."
    ),
]
MaxEvaluations = Annotated[
    str | None, typer.Option("--max-evaluations", metavar="N", help="Stop after N evaluations.")
]
MaxExpansions = Annotated[
    str | None, typer.Option("--max-expansions", metavar="N", help="Stop after N expansions.")
]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="PLAN", help="Write the plan to this file.")
]

# Learned models
ModelName = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model file, the name of a packaged model, or 'auto' for the one that fits.",
    ),
]
InspectedModel = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file, or the name of a packaged model.")
]
NoFallback = Annotated[
    bool,
    typer.Option("--no-fallback", help="Trust the model alone: never turn to h_FF for help."),
]
TopFeatures = Annotated[
    str, typer.Option("--top", metavar="N", help="How many of the strongest features to show.")
]

# Instances of built-in domains
GeneratorName = Annotated[
    str | None, typer.Argument(metavar="NAME", help="A domain; 'beeline generate --list' has all.")
]
GeneratorParameters = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter", "-p", metavar="KEY=VALUE", help="Choose a parameter; may be repeated."
    ),
]
PresetName = Annotated[
    str | None, typer.Option("--preset", metavar="NAME", help="Sizes of a well-known set of tasks.")
]
Count = Annotated[
    str | None,
    typer.Option("--count", metavar="N", help="How many; all of the preset, or 1 without one."),
]
InstanceSeed = Annotated[
    str, typer.Option("--seed", metavar="N", help="Other seeds give other instances.")
]
OutputFolder = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="DIR", help="Folder for the files; made if missing."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that are different.")]
ListDomains = Annotated[
    bool, typer.Option("--list", help="Show domains, parameters with ranges, and presets.")
]

# Datasets
DatasetDomain = Annotated[
    str | None, typer.Argument(metavar="DOMAIN", help="PDDL domain file, without --generator.")
]
DatasetTasks = Annotated[
    list[str] | None, typer.Argument(metavar="TASK", help="PDDL problem files of the domain.")
]
DatasetFolder = Annotated[str, typer.Argument(metavar="DIR", help="The dataset's directory.")]
NewDatasetFolder = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="DIR", help="The dataset's directory; completed if it is there."
    ),
]
Generator = Annotated[
    str | None,
    typer.Option("--generator", metavar="NAME", help="Take random tasks of this domain."),
]
DatasetSeed = Annotated[
    str, typer.Option("--seed", metavar="N", help="Decides on random tasks and on splits.")
]
Siblings = Annotated[
    bool,
    typer.Option("--siblings", help="Also keep the states generated beside the plan."),
]
SiblingHStar = Annotated[
    bool, typer.Option("--sibling-h-star", help="Solve the task from each of these, too.")
]
Orders = Annotated[
    str,
    typer.Option(
        "--orders",
        metavar="K",
        help="Keep up to K orders of the steps of each plan, the plan's own first.",
    ),
]
PlansFolder = Annotated[
    str | None,
    typer.Option("--plans", metavar="DIR", help="Take plans from here: TASK.plan for each task."),
]
OptimalPlans = Annotated[
    bool, typer.Option("--optimal-plans", help="These plans are cheapest ones; trust me.")
]
Split = Annotated[
    str,
    typer.Option("--split", metavar="SHARES", help="Shares of instances, by name."),
]
Attempts = Annotated[
    str,
    typer.Option("--attempts", metavar="N", help="Random tasks to try in place of one too hard."),
]
MinLength = Annotated[
    str, typer.Option("--min-length", metavar="N", help="Steps of the shortest plan worth keeping.")
]
EvaluationsPerTask = Annotated[
    str, typer.Option("--max-evaluations", metavar="N", help="Limit on the search in each task.")
]
SecondsPerTask = Annotated[
    str,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="Safety net; unlike evaluations it is not the same on every machine.",
    ),
]
Jobs = Annotated[
    str | None, typer.Option("--jobs", metavar="N", help="Processes; one for each core.")
]
Backend = Annotated[
    str, typer.Option("--backend", metavar="NAME", help=f"One of {', '.join(BACKENDS)}.")
]

# Learning
LearnTasks = Annotated[
    list[str] | None,
    typer.Argument(metavar="TASK...", help="PDDL problem files, or folders of them."),
]
NewModel = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="MODEL", help="Write the model to this file."),
]
GivenPlans = Annotated[
    str | None,
    typer.Option(
        "--plans",
        metavar="DIR",
        help="Take plans from here, TASK.plan; find those that are missing.",
    ),
]
Loss = Annotated[
    str, typer.Option("--loss", metavar="NAME", help=f"One of {', '.join(LOSSES)}; {DEFAULT_LOSS}.")
]
Rounds = Annotated[
    str | None,
    typer.Option("--rounds", metavar="L", help="Rounds of refinement, 1 to 4; chosen by planning."),
]
Neighbours = Annotated[
    str | None,
    typer.Option(
        "--neighbours",
        metavar="KIND",
        help="set or multiset: whether equal neighbours are counted.",
    ),
]
WithFF = Annotated[bool, typer.Option("--h-ff", help="Only models that use h_FF as a feature.")]
WithoutFF = Annotated[bool, typer.Option("--no-h-ff", help="Only models that do not use h_FF.")]
LearnSeed = Annotated[
    str, typer.Option("--seed", metavar="N", help="Decides which states are drawn at random.")
]
LearnTimeLimit = Annotated[
    str | None,
    typer.Option(
        "--time-limit", metavar="SECONDS", help="Write the best model so far after this time."
    ),
]

PerTask = Annotated[
    bool,
    typer.Option("--per-task", help="Learn one task, for any initial state; needs torch."),
]
