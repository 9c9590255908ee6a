"""`beeline show` as users and scripts see it, and its pages in a real browser."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import beeline
from beeline.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator

    from browser_pipe import Browser

EXAMPLES = Path(__file__).parents[2] / "examples"
BLOCKS = [str(EXAMPLES / "blocks" / name) for name in ("domain.pddl", "task.pddl", "task.plan")]


def test_a_plan_becomes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert main(["show", *BLOCKS, "-o", str(page)]) == 0
    assert capsys.readouterr().out.endswith("page.html: 8 steps\n")
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert main(["show", *BLOCKS[:2], "--model", "auto", "-o", str(page), "--json"]) == 0
    fields = json.loads(capsys.readouterr().out)
    assert (fields["status"], fields["page"]) == ("solved", str(page))


def test_what_is_no_page_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "notes"
    file.write_text("important\n")
    assert main(["show", *BLOCKS, "-o", str(file)]) == 31
    assert "exists and is no page" in capsys.readouterr().err
    assert main(["show", *BLOCKS, "-o", str(file), "--force"]) == 0
    assert main(["show", *BLOCKS]) == 31
    assert "name one with -o PAGE.html" in capsys.readouterr().err


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, plan, task = (tmp_path / name for name in ("page.html", "plan", "task.pddl"))
    plan.write_text("(put-down a)\n")
    assert main(["show", *BLOCKS[:2], str(plan), "-o", str(page)]) == 1
    assert "warning: The plan is not valid. Step 1" in capsys.readouterr().err
    text = Path(BLOCKS[1]).read_text().replace("(on b a)", "(on a a)")
    task.write_text(text)
    assert main(["show", BLOCKS[0], str(task), "-o", str(page)]) == 11
    assert "There is no plan to show" in page.read_text()
    assert main(["show", *BLOCKS, "--model", "ferry", "-o", str(page)]) == 31


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    from browser_pipe import Browser

    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no Chromium on this machine")
    with Browser(program, str(tmp_path_factory.mktemp("profile"))) as browser:
        yield browser


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("blocksworld", {"blocks": 8}),
        ("sokoban", {}),
        ("ferry", {}),
        ("gripper", {}),
        ("rovers", {}),
        ("transport", {}),
    ],
)
def test_pages_can_be_read_and_walked_through_in_chromium(
    name: str, size: dict[str, int], browser: Browser, tmp_path: Path
) -> None:
    from check_show_page import check_page

    task = beeline.ground(beeline.generators.generate(name, seed=0, **size))
    beeline.show(task, model=name).save(tmp_path / f"{name}.html")
    assert check_page(browser, tmp_path / f"{name}.html") == []


@pytest.mark.slow
def test_the_check_finds_what_is_wrong(browser: Browser, tmp_path: Path) -> None:
    from check_show_page import check_page

    page = tmp_path / "page.html"
    beeline.show(beeline.load(*BLOCKS[:2]), beeline.read_plan(BLOCKS[2])).save(page)
    whole = page.read_text()
    faults = {
        "pixels too wide": ("</main>", '<div style="width: 3000px">x</div></main>'),
        "the contrast of P.pale": ("</main>", '<p class="pale" style="color: #999">x</p></main>'),
        "a button without a name": ("</main>", "<button></button></main>"),
        "no focus is seen on INPUT#slider": ("</style>", "#slider { outline: none }</style>"),
        "ArrowRight does not lead to step 1": ("ArrowRight: 1", "ArrowRight: 0"),
        "exception": ("go(0);", "go(0); nonesuch();"),
        "console": ("go(0);", "go(0); console.error(1);"),
    }  # fmt: skip
    for words, (old, new) in faults.items():
        assert old in whole
        page.write_text(whole.replace(old, new))
        assert any(words in problem for problem in check_page(browser, page)), words
