"""A configuration of a suite: how tasks are searched, by the words of `beeline solve`.

With a model and no search it is `beeline plan`; with a model and a search, the word "model" among
heuristics and preferred operators stands for the model.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.evaluate.limits import RunLimits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from beeline.evaluate.suite_text import Section
    from beeline.planning.specification import SearchSpec

MODEL_WORD = "model"  # among heuristics: the model of the configuration
PACKAGED = "packaged:"  # how the name of a model of the package begins

_SEARCH_WORDS = {
    "search": "a text",
    "weight": "a number",
    "alpha": "a number",
    "beta": "a number",
    "tie_breaking": "a text",
    "boost": "a whole number",
    "deferred": "true or false",
    "reopen": "true or false",
    "requeue": "true or false",
    "goal_at_generation": "true or false",
    "batch": "a whole number",
    "anytime": "true or false",
    "bound": "a whole number",
}
_NAME_LISTS = ("heuristic", "preferred")
_MODEL_WORDS = {"estimate": "a text", "quantile": "a number"}
_PLAN_WORDS = {"anytime": "true or false", "fallback": "true or false"}
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
        from beeline.planning.specification import make_spec

        return make_spec(**(self.search or {}), seed=seed, **limits.search_words())

    def to_json(self) -> dict[str, object]:
        """The words of the suite file."""
        from beeline.planning.batch import MODEL

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
    _check_name(section, name)
    model = section.get("model", "a text")
    if model is None:
        section.known([*_OWN_WORDS, *_SEARCH_WORDS, *_NAME_LISTS])
    elif "search" in section.values:
        section.known([*_OWN_WORDS, *_SEARCH_WORDS, *_NAME_LISTS, *_MODEL_WORDS])
    else:
        for word in {*_SEARCH_WORDS, *_NAME_LISTS, *_MODEL_WORDS} - {*_PLAN_WORDS}:
            if word in section.values:
                raise section.error(
                    f"a model with '{word}' and no search", word, 'add search = "gbfs"'
                )
        section.known([*_OWN_WORDS, "search", *_PLAN_WORDS])
    searches = model is None or "search" in section.values
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


def model_file(word: str, domain: str, seed: int, folder: str) -> str:
    """The path of a model, or the name of one of the package.

    >>> model_file("packaged:{domain}", "ferry", 0, "suites")
    'ferry'
    >>> model_file("models/{domain}-{seed}.beeline", "ferry", 3, "suites")
    'suites/models/ferry-3.beeline'
    """
    filled = word.replace("{domain}", domain).replace("{seed}", str(seed))
    if filled.startswith(PACKAGED):
        return filled.removeprefix(PACKAGED)
    return filled if filled == "auto" else os.path.join(folder, filled)


def _check_name(section: Section, name: str) -> None:
    import re

    if not re.fullmatch(r"\w[\w.+]*(-[\w.+]+)*", name) or len(name) > 80:
        raise section.error(
            f"the name '{name[:40]}' cannot be part of a file's name",
            name,
            "letters, digits and . _ + -, as in gbfs-ff",
        )


def _chosen(section: Section, kinds: Mapping[str, str]) -> dict[str, Any]:
    found = {word: section.get(word, kind) for word, kind in kinds.items()}
    return {word: value for word, value in found.items() if value is not None}


def _search(section: Section, model: str | None) -> dict[str, Any]:
    """The words of a search, with the model's name in place of its stand-in."""
    from beeline.planning.batch import MODEL

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
