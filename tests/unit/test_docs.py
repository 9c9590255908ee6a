"""The Python code in the documentation runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_on_the_page_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for block in blocks:  # a page is read from top to bottom
        exec(compile(block, str(page), "exec"), names)
