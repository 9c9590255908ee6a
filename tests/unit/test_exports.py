"""The names that `import beeline` offers."""

from __future__ import annotations

import subprocess
import sys

import pytest

import beeline


@pytest.mark.parametrize("name", sorted(beeline.__all__))
def test_every_promised_name_exists(name: str) -> None:
    assert getattr(beeline, name) is not None
    assert name in dir(beeline)


def test_other_names_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="'beeline' has no attribute 'lode'"):
        beeline.lode  # noqa: B018


def test_import_alone_loads_no_room_of_the_package() -> None:
    script = "import beeline, sys; print(*[m for m in sys.modules if m.startswith('beeline')])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["beeline._version", "beeline"]
