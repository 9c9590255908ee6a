"""A configuration of a suite: how tasks are searched, by the words of `beeline solve`.

With a model and no search it is `beeline plan`; with a model and a search, the word "model" among
heuristics and preferred operators stands for the model.

Limits of a run: what the search is told, and what the operating system enforces.

The model of a configuration: what it is, and how it becomes a heuristic of its search.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from math import ceil, inf
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.files import read_bytes
from beeline.core.limits import limited_memory, lower_limit, memory_size
from beeline.core.settings import settings_of
from beeline.models.model_file import is_automatic, model_path, to_bytes
from beeline.planning.plan import PlanSettings
from beeline.planning.python_heuristics import MODEL, ModelHeuristic
from beeline.planning.result import told
from beeline.planning.specification import SearchSettings, SearchSpec, make_spec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from beeline.evaluate.suite import Section
    from beeline.planning.model import Model


GRACE = 10  # seconds of work beyond the time limit before a run is killed
_LIMITS = {
    "time_limit": "time",
    "memory_limit": "memory",
    "max_evaluations": "evaluations",
    "max_expansions": "expansions",
    "processor_time_limit": "processor_time",
}  # as `solve` and `plan` call them, and in short


@dataclass(frozen=True)
class RunLimits:
    """Seconds, bytes of the run's process, and counts; None means no limit."""

    time: float | None = None
    memory: int | None = None
    evaluations: int | None = None
    expansions: int | None = None
    processor_time: float | None = None

    def search_words(self) -> dict[str, Any]:
        """The limits as `solve` and `plan` call them."""
        return told({full: getattr(self, short) for full, short in _LIMITS.items()})

    def to_json(self) -> dict[str, float | None]:
        """The limits as records have them."""
        return {_LIMITS[full]: limit for full, limit in self.search_words().items()}


def run_limits(section: Section) -> RunLimits:
    """The limits of the table [limits]."""
    section.known((*_LIMITS.values(), *_LIMITS))
    words = {short: _limit_word(section, full, short) for full, short in _LIMITS.items()}
    found: dict[str, Any] = {}
    for short, kind, most, hint in (
        ("time", "a number", inf, "seconds, above 0"),
        ("processor_time", "a number", inf, "seconds, above 0"),
        ("evaluations", "a whole number", 2**62, "a whole number from 1 up"),
        ("expansions", "a whole number", 2**62, "a whole number from 1 up"),
    ):
        value = section.get(words[short], kind)
        if value is not None and not 0 < value < most:
            raise section.error(f"'{words[short]}' is {value}", words[short], hint)
        found[short] = float(value) if kind == "a number" and value is not None else value
    return RunLimits(memory=_memory(section, words["memory"]), **found)


def _limit_word(section: Section, full: str, short: str) -> str:
    """The word that the suite has for a limit."""
    if full in section.values and short in section.values:
        raise section.error(f"'{full}' and '{short}'", full, "leave one of them out")
    return full if full in section.values else short


@contextmanager
def enforced(limits: RunLimits) -> Iterator[None]:
    """Let the system refuse memory beyond the limit, and kill what goes on long after its time.

    Searches watch their limits themselves; this is for everything else, such as reading a task.
    """
    import resource

    kinds = (resource.RLIMIT_CPU, resource.RLIMIT_CORE)
    previous = {kind: resource.getrlimit(kind) for kind in kinds}
    seconds = [each for each in (limits.time, limits.processor_time) if each is not None]
    if seconds:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        lower_limit(kinds[0], ceil(usage.ru_utime + usage.ru_stime + min(seconds)) + GRACE)
        lower_limit(kinds[1], 0)  # to be killed is no reason to leave a core file
    try:
        with limited_memory(limits.memory):
            yield
    finally:
        for kind, pair in previous.items():
            resource.setrlimit(kind, pair)


def _memory(section: Section, word: str) -> int | None:
    value = section.values.get(word)
    if value is None:
        return None
    with suppress(BeelineError):
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            size = memory_size(word, str(value))
            if size:
                return size
    raise section.error(f"'{word}' is {value!r}", word, 'such as "2G"; a plain number means MB')


MODEL_WORD = "model"  # among heuristics: the model of the configuration
PACKAGED = "packaged:"  # how the name of a model of the package begins

_NAME_LISTS = ("heuristic", "preferred")
_OF_RUNS = ("seed", *_LIMITS)  # the suite has seeds, and the table [limits]
_SEARCH_WORDS = {
    each.name: each.kind
    for each in settings_of(SearchSettings)
    if each.name not in (*_NAME_LISTS, *_OF_RUNS)
}
_MODEL_WORDS = {"estimate": "a text", "quantile": "a number"}
_PLAN_WORDS = {
    each.name: each.kind for each in settings_of(PlanSettings) if each.name not in _OF_RUNS
}
_OWN_WORDS = ("name", "model", "domains", "seeds")


@dataclass(frozen=True)
class Configuration:
    """One way to plan; `model` is a word or path, in which {domain} and {seed} stand for those."""

    name: str
    seeds: tuple[int, ...] = (0,)
    domains: tuple[str, ...] | None = None  # None: all
    model: str | None = None
    estimate: Mapping[str, Any] = field(default_factory=dict)
    search: Mapping[str, Any] | None = None  # None: plan with the model
    plan: Mapping[str, Any] = field(default_factory=dict)

    def search_spec(self, seed: int, limits: RunLimits) -> SearchSpec:
        """The settings of a search, completed and checked."""
        return make_spec(**(self.search or {}), seed=seed, **limits.search_words())

    def to_json(self) -> dict[str, object]:
        """The words of the suite file."""
        words = {**(self.search or {}), **self.plan, **self.estimate}
        for name in _NAME_LISTS:
            if name in words:
                words[name] = ",".join(words[name]).replace(f"{MODEL}{self.model}", MODEL_WORD)
        if self.model is not None:
            words["model"] = self.model
        return {"name": self.name, **words, "seeds": list(self.seeds)}


def configuration(section: Section, seeds: tuple[int, ...]) -> Configuration:
    """The configuration of one table [[configurations]]; nonsense is an error that names it."""
    name = section.get("name", "a text")
    if name is None:
        raise section.error("a configuration has no name", hint='such as name = "gbfs-ff"')
    if not re.fullmatch(r"\w[\w.+]*(-[\w.+]+)*", name) or len(name) > 80:
        raise section.error(
            f"the name '{name[:40]}' cannot be part of a file's name",
            name,
            "letters, digits and . _ + -, as in gbfs-ff",
        )
    model = section.get("model", "a text")
    searches = model is None or "search" in section.values
    of_search = [*_SEARCH_WORDS, *_NAME_LISTS, *(_MODEL_WORDS if model is not None else ())]
    if not searches:
        for word in {*of_search} - {*_PLAN_WORDS}:
            if word in section.values:
                raise section.error(
                    f"a model with '{word}' and no search", word, 'add search = "gbfs"'
                )
    section.known([*_OWN_WORDS, *(of_search if searches else ("search", *_PLAN_WORDS))])
    made = Configuration(
        name=name,
        seeds=section.numbers("seeds") or seeds,
        domains=section.texts("domains"),
        model=model,
        estimate=_chosen(section, _MODEL_WORDS),
        search=_search(section, model) if searches else None,
        plan={} if searches else _chosen(section, _PLAN_WORDS),
    )
    try:
        if made.search is not None:
            made.search_spec(0, RunLimits())
    except BeelineError as error:
        wrong = [f"{word}" for word in section.values.values() if f"'{word}'" in error.message]
        raise section.at(error, wrong[0] if len(wrong) == 1 else "") from None
    return made


def model_file(name: str, folder: str) -> str:
    """The path of a model, or the name of one of the package.

    >>> model_file("packaged:ferry", "suites"), model_file("models/ferry.beeline", "suites")
    ('ferry', 'suites/models/ferry.beeline')
    """
    if name.startswith(PACKAGED):
        return name.removeprefix(PACKAGED)
    return name if name == "auto" else os.path.join(folder, name)


def filled_name(word: str, domain: str, seed: int) -> str:
    """A word with the domain and the seed of a run in their places.

    >>> filled_name("models/{domain}-{seed}.beeline", "ferry", 3)
    'models/ferry-3.beeline'
    """
    return word.replace("{domain}", domain).replace("{seed}", str(seed))


def _chosen(section: Section, kinds: Mapping[str, str]) -> dict[str, Any]:
    found = {word: section.get(word, kind) for word, kind in kinds.items()}
    return {word: value for word, value in found.items() if value is not None}


def _search(section: Section, model: str | None) -> dict[str, Any]:
    """The words of a search, with the model's name in place of its stand-in."""
    words = _chosen(section, _SEARCH_WORDS)
    for list_name in _NAME_LISTS:
        texts = section.texts(list_name)
        if texts is not None:
            names = [name.strip() for text in texts for name in text.split(",")]
            if model is None and MODEL_WORD in names:
                raise section.error("there is no model", hint='add model = "MODEL.beeline"')
            stands_for = {MODEL_WORD: f"{MODEL}{model}"}
            words[list_name] = [stands_for.get(name, name) for name in names]
    if model is not None:
        words.setdefault("heuristic", [f"{MODEL}{model}"])
    return words


def model_heuristics(
    configuration: Configuration, model: Model, file: str
) -> dict[str, ModelHeuristic]:
    """What `run` takes besides a specification; nothing if the model plans without a search.

    A model that cannot do what it is for is refused; `file` is its name in messages.
    """
    words = configuration.search
    if words is None:
        return {}
    chosen = configuration.estimate
    if chosen and not model.has_distribution:
        raise BeelineError(
            "the model gives a score, and no distribution to estimate a cost from",
            file,
            hint="leave out estimate and quantile",
        )
    if chosen:
        model = model.with_estimate(chosen.get("estimate", "quantile"), chosen.get("quantile"))
    made = ModelHeuristic(model, configuration.model)
    if made.name in words["heuristic"] and not model.has_heuristic:
        raise BeelineError(
            "the model knows preferred operators, and no heuristic",
            file,
            hint='take heuristic = "ff" and preferred = "model"',
        )
    if made.name in words.get("preferred", ()) and not made.has_preferred:
        raise BeelineError(
            "the model has no preferred operators",
            file,
            hint="'beeline learn --per-task' makes models that have",
        )
    return {made.name: made}


def model_digest(word: str, model: Model) -> str:
    """What tells a model from all others: its file, or what its file would be."""
    data = to_bytes(model) if is_automatic(word) else read_bytes(model_path(word), "model")
    return sha256(data).hexdigest()
