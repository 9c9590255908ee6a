"""Every setting of every verb has one name and one default: in Python, in words, in suites."""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

import pytest
from suites import write_suite

import beeline
from beeline.cli.command import COMMANDS, find, written
from beeline.core.errors import BeelineError
from beeline.core.settings import FLAG, NUMBER, SIZE, WHOLE, settings_of
from beeline.data.state_spaces import state_space_samples
from beeline.evaluate.model_errors import model_errors
from beeline.evaluate.report import write_report
from beeline.evaluate.suite import read_suite
from beeline.experiments.running import run_experiment
from beeline.generators.registry import InstanceSettings, recipes
from beeline.planning.plan import PlanSettings
from beeline.planning.specification import SearchSettings, make_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from beeline.core.settings import Setting
    from beeline.planning.specification import SearchSpec

# What Python calls a verb that is no name of the package itself.
INSIDE = {
    "write_report": write_report,
    "run_experiment": run_experiment,
    "state_space_samples": state_space_samples,
    "recipes": recipes,
    "model_errors": model_errors,
}
VERBS = INSIDE | {
    name: verb for name in beeline.__all__ if hasattr(verb := getattr(beeline, name), "settings")
}
# Commands that show things, without anything to choose about how they are made.
SHOWING = {"inspect", "validate", "data summary", "models list", "models info"}
OF_COMMANDS = [
    pytest.param(name, settings, id=f"{name}, {settings.__name__}")
    for name in COMMANDS
    for settings in find(name).settings.values()
]
IN_SUITES = [
    pytest.param(settings, each, id=f"{settings.__name__}.{each.name}")
    for settings in (SearchSettings, PlanSettings)
    for each in settings_of(settings)
    if each.name != "seed"  # suites have lists of these
]


def values(option: Setting) -> list[Any]:
    """Some values that a setting may have."""
    if option.kind == FLAG:
        return [True, False]
    plain = {WHOLE: [3], NUMBER: [0.5, 2.0], SIZE: ["2G"]}
    return [*plain.get(option.kind, []), *option.about.choices()]


def test_every_verb_has_a_class_of_settings() -> None:
    assert {name for name in COMMANDS if not find(name).settings} == SHOWING
    for name in COMMANDS:
        for settings in find(name).settings.values():
            assert is_dataclass(settings)
            assert settings.__dataclass_params__.frozen
            with pytest.raises(TypeError):
                settings(no_such_setting=1)


def test_verbs_of_python_take_the_settings_of_commands() -> None:
    assert VERBS.keys() >= {"solve", "plan", "learn", "learn_task", "train"}
    assert VERBS.keys() >= {"evaluate_suite", "certify_ranking"}
    taken = [verb.settings for verb in VERBS.values()]
    for verb in VERBS.values():
        offered = [settings for each in COMMANDS for settings in find(each).settings.values()]
        assert any(issubclass(verb.settings, settings) for settings in offered)
    assert len(taken) == len({*taken})


@pytest.mark.parametrize(("name", "settings"), OF_COMMANDS)
def test_options_have_the_names_and_defaults_of_python(name: str, settings: type) -> None:
    options = {each.name: each for each in find(name).options}
    verbs = [verb for verb in VERBS.values() if issubclass(verb.settings, settings)]
    for each in settings_of(settings):
        assert options[each.name].default == each.default
        assert options[each.name].kind == each.kind
        flag = written(each)[0].removeprefix("--").removeprefix("no-").replace("-", "_")
        assert flag in (each.name, each.name.removesuffix("s"))
        assert each.about.text.endswith((".", "..."))
        for verb in [*verbs, settings]:
            parameter = signature(verb).parameters[each.name]
            made = repr(parameter.default) == "<factory>"
            assert made or parameter.default == each.default


def outcome(make: Callable[[], Any]) -> Any:
    """What is made, or why it cannot be made."""
    try:
        return make()
    except BeelineError as error:
        return error.message.rpartition("': ")[2]


@pytest.mark.parametrize(("settings", "each"), IN_SUITES)
def test_suites_know_the_words_of_python(settings: type, each: Setting, tmp_path: Path) -> None:
    limits = ("time_limit", "memory_limit", "max_evaluations", "max_expansions")
    is_limit = each.name in (*limits, "processor_time_limit")
    model = 'model = "packaged:blocksworld"\n' if settings is PlanSettings else ""
    for value in values(each):
        text = json.dumps(value)
        title = "[limits]\n" if is_limit else ""
        table = f'[[configurations]]\nname = "c"\n{model}{title}{each.name} = {text}\n'
        file = write_suite(tmp_path, table)
        if settings is PlanSettings:
            suite = read_suite(file)
            chosen = {**suite.configurations[0].plan, **suite.limits.search_words()}
            assert PlanSettings(**chosen) == PlanSettings(**{each.name: value})
        else:
            wanted = outcome(partial(make_spec, **{each.name: value}))
            assert outcome(partial(spec_of, file)) == wanted


@pytest.mark.parametrize("each", settings_of(InstanceSettings), ids=lambda each: each.name)
def test_suites_know_the_words_of_generators(each: Setting, tmp_path: Path) -> None:
    words = {"preset": "easy", "count": 2, "seed": 3, "parameters": {"cars": 2}}
    value = words[each.name]
    text = "{ cars = 2 }" if each.name == "parameters" else json.dumps(value)
    key, text = ("seeds", f"[{text}]") if each.name == "seed" else (each.name, text)
    file = tmp_path / "suite.toml"
    tasks = f'name = "s"\n[[tasks]]\ngenerator = "ferry"\n{key} = {text}\n'
    file.write_text(tasks + '[[configurations]]\nname = "c"\n')
    drawn = [task.task_text() for task in read_suite(file).tasks]
    assert drawn == [recipe.text() for recipe in recipes("ferry", **{each.name: value})]


def spec_of(file: Path) -> SearchSpec:
    """How the first configuration of a suite searches."""
    suite = read_suite(file)
    return suite.configurations[0].search_spec(0, suite.limits)


def test_sizes_of_memory_are_words_in_python_too() -> None:
    for verb in VERBS.values():
        if "memory_limit" in signature(verb.settings).parameters:
            assert verb.settings(memory_limit="2G").memory_limit == 2**31
            with pytest.raises(BeelineError, match="is not a size"):
                verb.settings(memory_limit="much")
