"""Every page of the documentation has its place, and its links, names and marks are right."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from site_hooks import FROM_ELSEWHERE, listed, marked_figures, navigation, turned_links

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def test_every_page_has_a_place_in_the_navigation() -> None:
    # The rest of the file may have tags that only mkdocs knows.
    text = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    places = str(navigation(yaml.safe_load(text), DOCS))
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert [page for page in sorted(pages | FROM_ELSEWHERE.keys()) if page not in places] == []


def test_links_between_pages_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *DOCS.rglob("*.md")):
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_navigation_takes_what_a_pattern_finds_and_drops_what_is_missing(tmp_path: Path) -> None:
    for name in ("index", "first", "second"):
        (tmp_path / f"{name}.md").write_text(f"# The {name} page\n")
    entries = [{"Results": ["index.md", {"Renamed": "second.md"}, "*.md"]}, {"Later": "later.md"}]
    expected = ["index.md", {"Renamed": "second.md"}, "first.md"]
    assert navigation(entries, tmp_path) == [{"Results": expected}]
    assert listed(tmp_path / "index.md").splitlines() == [
        "- [The first page](first.md)",
        "- [The second page](second.md)",
    ]


def test_links_to_files_outside_the_site_are_turned() -> None:
    outside = "[a](../../CHANGELOG.md#unreleased) [b](../performance.md)"
    turned = "[a](../changelog.md#unreleased) [b](../performance.md)"
    assert turned_links(outside, "results/index.md") == turned


def test_cells_of_figures_are_marked_so_that_they_stay_on_one_line() -> None:
    for figure in ("12 of 12", "<strong>1.08</strong> ± 0.83", "54K (1,276, ×0.06)", "79 to 431"):
        cell = f'<td style="text-align: right;">{figure}</td>'
        assert 'class="figure"' in marked_figures(cell)
    for words in ("5 weights for each output", "–", "2x8r", "time limit", ""):
        assert marked_figures(f"<td>{words}</td>") == f"<td>{words}</td>"


def test_no_star_of_a_name_becomes_emphasis() -> None:
    """Two unescaped stars in one paragraph, as in A* and L*, would make all between italic."""
    from markdown import markdown

    for page in (ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))):
        shown = markdown(page.read_text(), extensions=["tables", "fenced_code"])
        wrong = re.findall(r"\b[ALh]<em>.{0,40}", shown)
        assert not wrong, f"{page.name}: {wrong[0]}"
