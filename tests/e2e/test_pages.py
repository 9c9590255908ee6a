"""What the pages of the documentation print works as printed, with the extras and without."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from page_walk import MODULES, SLOW, PageError, blocks, walk

from beeline.cli.command import COMMANDS, GROUPS, find
from beeline.cli.help_pages import OF_BEELINE

ROOT = Path(__file__).resolve().parents[2]
WALKER = ROOT / "tests" / "support" / "page_walk.py"
ENTRANCES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
PAGES = [*ENTRANCES, *sorted((ROOT / "docs").rglob("*.md"))]
GUIDE = [
    ROOT / "README.md",
    *(
        page
        for name in (".", "extending", "tutorials")
        for page in (ROOT / "docs" / name).glob("*.md")
    ),
]
BLOCKS = {page: blocks(page.read_text()) for page in PAGES}
RUNNABLE = {"console", "python"}
FOR_THE_READER = {"ini", "math", "text", "toml"}
WALKED = [page for page in PAGES if any(each.language in RUNNABLE for each in BLOCKS[page])]
WITH_EXTRAS = [page for page in WALKED if any(each.extras for each in BLOCKS[page])]
WITH_SLOW = [page for page in WALKED if any(SLOW.search(each.text) for each in BLOCKS[page])]
# Several trainings on a page take a while, as torch alone does: tests of their own are quicker.
SEVERAL_TRAININGS = {"experiments", "neural", "per-task", "ranking"}
# What a clone has and commands of pages use.
LINKED = (
    *("CMakeLists.txt", "Makefile", "constraints.txt"),
    *("docs", "native", "pyproject.toml", "src"),
)


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def walk_in_clone(page: Path, folder: Path, *words: str, without: tuple[str, ...] = ()) -> None:
    """Walk a page in a folder that looks like a clone after `make demo`."""
    clone, hidden = folder / "clone", folder / "hidden"
    shutil.copytree(ROOT / "examples", clone / "examples")
    for name in LINKED:
        (clone / name).symlink_to(ROOT / name)
    (clone / ".venv").symlink_to(sys.prefix)
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text(
        f"import sys\nsys.modules.update(dict.fromkeys({without!r}))\n"
    )
    environment = {
        **os.environ,
        "MAKEFLAGS": "n",  # it only says what it would do
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(hidden),
    }
    if page not in ENTRANCES:  # the others begin after `. .venv/bin/activate`
        environment["PATH"] = f"{sysconfig.get_path('scripts')}:{environment['PATH']}"
    run = subprocess.run(
        [sys.executable, "-W", "error", str(WALKER), str(page), *words],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("page", WALKED, ids=named)
def test_a_page_works_as_printed_without_extras(page: Path, tmp_path: Path) -> None:
    walk_in_clone(page, tmp_path, without=tuple(MODULES.values()))


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow if page.stem in SEVERAL_TRAININGS else ())
        for page in WITH_EXTRAS
    ],
    ids=named,
)
def test_a_page_works_as_printed_with_extras(page: Path, tmp_path: Path) -> None:
    walk_in_clone(page, tmp_path, "extras_only")


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_SLOW, ids=named)
def test_a_page_works_as_printed_where_that_takes_minutes(page: Path, tmp_path: Path) -> None:
    walk_in_clone(page, tmp_path, "slow")


def test_pages_of_the_guide_have_something_that_runs() -> None:
    assert [named(page) for page in GUIDE if page not in WALKED] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_blocks_say_whether_they_run(page: Path) -> None:
    text = page.read_text()
    assert {each.language for each in BLOCKS[page]} <= RUNNABLE | FOR_THE_READER
    assert text.count("\n```") == 2 * len(BLOCKS[page]), "a fence that is no block"
    for each in BLOCKS[page]:
        place = f"{named(page)}:{each.line}"
        if each.language == "console":
            assert each.text.startswith(("$ ", "# ")), f"{place}: no command comes first"
        else:
            assert "\n$ " not in f"\n{each.text}", f"{place}: commands belong in a block 'console'"
        if each.language == "text":
            lines = re.findall(r"^beeline .*", each.text.replace("\\\n", ""), re.MULTILINE)
            shown = [line for line in lines if not re.search(r"[A-Z]{4}|--scale paper", line)]
            assert shown == [], f"{place}: a command without placeholders can run"
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^\n    \S.*", outside, re.MULTILINE) == [], "an indented block"


def options_of_commands() -> dict[str, set[str]]:
    """The options of each command, by its words."""
    groups: dict[str, set[str]] = {name: set() for name in GROUPS}
    return {**groups, **{name: {*find(name).flags()} for name in COMMANDS}}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_and_options_that_a_page_names_exist(page: Path) -> None:
    options = options_of_commands()
    known = {"--help", *OF_BEELINE, *(each for every in options.values() for each in every)}
    text = page.read_text()
    for code in re.findall(r"`([^`\n]+)`", text):
        words = code.split()
        if (
            words[:1] == ["beeline"]
            and len(words) > 1
            and words[1].isalpha()
            and words[1].islower()
        ):
            pair = " ".join(words[1:3])
            command = pair if pair in options else words[1]
            assert command in options, f"{named(page)}: no command in `{code}`"
            known_here = options[command] | {"--help"}
        else:
            known_here = known
        if words[0] == "beeline" or words[0].startswith("--"):
            named_here = {word.partition("=")[0] for word in words if word.startswith("--")}
            assert named_here <= known_here, f"{named(page)}: no such option in `{code}`"
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", text)) <= targets


PAGE = """# A page

```console
$ cat note.txt      # exit code 1
```

```toml title="note.txt"
a = 1
```

```console
$ cat note.txt
a = ...
$ for word in one two; do
>   echo $word \\
>     more
> done
two more
$ exit 3            # takes minutes
```

```python
from pathlib import Path

assert Path("note.txt").read_text() == "a = 1\\n"
value = 1
```

```python
assert value == 1
```
"""


def test_a_page_is_walked_in_order_and_shares_what_it_has_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    walk(page)
    (tmp_path / "note.txt").unlink()
    with pytest.raises(PageError, match=r"page.md:19: exit code 3 instead of 0"):
        walk(page, slow=True)


@pytest.mark.parametrize(
    ("shown", "message"),
    [
        ("```console\n$ true\n\n$ false\n```\n", r"page.md:4: exit code 1 instead of 0"),
        ("```console\n$ echo one\ntwo\n```\n", r"page.md:2: the output lacks 'two'"),
        ("```console\n$ true # exit code 7\n```\n", r"page.md:2: exit code 0 instead of 7"),
        ("```python\n\nassert not 1\n```\n", r"page.md:3: (?s:.*)AssertionError"),
    ],
)
def test_what_does_not_work_is_told_with_page_and_line(
    shown: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.md").write_text(shown)
    with pytest.raises(PageError, match=message):
        walk(tmp_path / "page.md")
