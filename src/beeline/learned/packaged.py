"""Models that come with the package, and the way from a word to a model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.learned.model_file import SUFFIX, load

if TYPE_CHECKING:
    from beeline.learned.model_file import AnyModel
    from beeline.pddl.model import Domain

FOLDER = Path(__file__).resolve().parents[1] / "pretrained"
AUTO = "auto"  # the word for whichever packaged model fits


def packaged_names() -> list[str]:
    """The models that come with the package, sorted."""
    if not FOLDER.is_dir():
        return []
    return sorted(path.stem for path in FOLDER.iterdir() if path.suffix == SUFFIX)


def packaged_path(name: str) -> Path:
    """The file of a packaged model."""
    return FOLDER / f"{name}{SUFFIX}"


def model_path(name_or_path: str | os.PathLike[str]) -> Path:
    """The file that a user means: an existing path comes first, then a packaged model's name."""
    word = os.fspath(name_or_path)
    names = packaged_names()
    if os.path.exists(word) or word not in names:
        if not os.path.exists(word) and os.path.basename(word) == word and "." not in word:
            _refuse_name(word, names)
        return Path(word)
    return packaged_path(word)


def load_model(name_or_path: str | os.PathLike[str]) -> AnyModel:
    """Read a model file, or a packaged model by its name, and check it.

    >>> load_model("nonesuch")
    Traceback (most recent call last):
    ...
    beeline.core.errors.BeelineError: no model file and no packaged model is called 'nonesuch' ...
    """
    return load(model_path(name_or_path))


def is_automatic(name_or_path: str | os.PathLike[str]) -> bool:
    """Whether a user leaves the choice to the domain."""
    return os.fspath(name_or_path) == AUTO and not os.path.exists(AUTO)


def find_model(name_or_path: str | os.PathLike[str], domain: Domain) -> AnyModel:
    """The model that a user means, checked to fit the domain.

    The word `auto` stands for the packaged model that fits.
    """
    from beeline.learned.domain_match import check_fits, fits

    if not is_automatic(name_or_path):
        model = load_model(name_or_path)
        check_fits(model, domain, os.fspath(name_or_path))
        return model
    for name in packaged_names():
        model = load(packaged_path(name))
        if fits(model, domain):
            return model
    raise BeelineError(
        f"no packaged model fits the domain '{domain.name}'",
        hint="'beeline learn' makes one, 'beeline models list' shows what there is",
    )


def _refuse_name(word: str, names: list[str]) -> None:
    from difflib import get_close_matches

    close = get_close_matches(word, [*names, AUTO], n=1)
    listed = f"packaged are {', '.join(names)}" if names else "no models are packaged"
    raise BeelineError(
        f"no model file and no packaged model is called '{word[:60]}'",
        hint=f"did you mean '{close[0]}'? {listed}" if close else listed,
    )
