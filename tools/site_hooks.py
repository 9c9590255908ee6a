"""What the site of the documentation needs beyond mkdocs.

That is navigation, pages from elsewhere, formulas, colours of code, tables that scroll with figures
that stay on one line, and an index of words that a page may load when it is opened as a file.

Some pages of the site lie outside the folder `docs`; links to them are turned to their places on
the site. Formulas are fenced blocks called `math`, in LaTeX. They become MathML, which browsers
show by themselves, and code hosts know such blocks, too.
"""

from __future__ import annotations

import json
import os.path
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
# Pages of the site, and the files of the repository that they are.
FROM_ELSEWHERE = {
    "results/packaged-models.md": "src/beeline/pretrained/RESULTS.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
OTHER_PAGES = "<!-- the other pages of this folder -->\n"
# A cell with numbers and what stands between them, such as "1.08 ± 0.83" or "12 of 12".
FIGURE = re.compile(
    r"<td([^>]*)>(?=(?:<strong>)?[×–+-]?\d)((?:[\d.,±×()%–+/K -]|of|to|</?strong>)+)</td>"
)
LIGHT_CODE, DARK_CODE = "xcode", "github-dark"  # styles of Pygments with enough contrast
PERMALINK = r" \u00b6"  # behind headings, as JSON has it
LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Complete the navigation, and let formulas be translated."""
    config.nav = navigation(config.nav or [], Path(config.docs_dir))
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {})
    fences["custom_fences"] = [{"name": "math", "class": "math", "format": formula}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie elsewhere."""
    from mkdocs.structure.files import File

    for page, source in FROM_ELSEWHERE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text("utf-8")))
    files.append(File.generated(config, "stylesheets/code.css", content=code_style()))
    return files


def code_style() -> str:
    """The colours of code on a light ground, on a dark one, and where the system decides.

    >>> ".highlight .k " in code_style()
    True
    """
    from pygments.formatters import HtmlFormatter

    def rules(style: str, place: str) -> str:
        lines = HtmlFormatter(style=style).get_style_defs(f"{place}.highlight").splitlines()
        return "\n".join(line for line in lines if "background" not in line.split("{")[-1])

    dark = rules(DARK_CODE, ':root:not([data-ground="light"]) ')
    return "\n".join(
        (
            rules(LIGHT_CODE, ""),
            rules(DARK_CODE, '[data-ground="dark"] '),
            f"@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n",
        )
    )


def on_post_build(config: MkDocsConfig) -> None:
    """Let the index of words be a script: pages that are opened as files may read nothing else."""
    folder = Path(config.site_dir, "search")
    index = json.loads((folder / "search_index.json").read_text("utf-8"))
    words = json.dumps({"docs": index["docs"]}, separators=(",", ":")).replace(PERMALINK, "")
    (folder / "search_index.js").write_text(f"window.searchIndex = {words};\n", "utf-8")
    (folder / "search_index.json").unlink()


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Turn links to the pages from elsewhere, and list pages where a comment asks for them.

    Pages of results have wide tables, which need the place of the table of contents.
    """
    if page.file.src_uri.startswith("results/"):
        page.meta["hide"] = ["toc"]
    if OTHER_PAGES in markdown:
        markdown = markdown.replace(OTHER_PAGES, listed(Path(page.file.abs_src_path or "")))
    return turned_links(markdown, page.file.src_uri)


def on_page_content(html: str, **_: Any) -> str:
    """Put tables into boxes that scroll, and mark cells that hold figures, for the style sheet."""
    html = html.replace("<table>", '<div class="table"><table>')
    return marked_figures(html.replace("</table>", "</table></div>"))


def marked_figures(html: str) -> str:
    """The text with a class on cells that are figures and nothing else.

    >>> marked_figures("<td><strong>4.8</strong> ± 0.1 (5.1)</td><td>5 weights</td>")
    '<td class="figure"><strong>4.8</strong> ± 0.1 (5.1)</td><td>5 weights</td>'
    """
    return FIGURE.sub(r'<td\1 class="figure">\2</td>', html)


def listed(page: Path) -> str:
    """Links to the other pages of a page's folder, by their headings.

    >>> listed(Path("docs/reference/planning.md")).splitlines()[1]
    '- [Data](data.md)'
    """
    others = sorted(other for other in page.parent.glob("*.md") if other != page)
    headings = (other.read_text("utf-8").partition("# ")[2].partition("\n")[0] for other in others)
    links = zip(headings, others, strict=True)
    return "".join(f"- [{heading}]({other.name})\n" for heading, other in links)


def turned_links(markdown: str, page: str) -> str:
    """The text of a page with links to files of the repository turned to pages of the site.

    >>> turned_links("[changes](../../CHANGELOG.md#unreleased)", "results/index.md")
    '[changes](../changelog.md#unreleased)'
    >>> turned_links("[figures](../performance.md)", "results/index.md")
    '[figures](../performance.md)'
    """
    places = {source: place for place, source in FROM_ELSEWHERE.items()}
    folder = PurePosixPath("docs", page).parent

    def turned(link: re.Match[str]) -> str:
        place = places.get(os.path.normpath(folder / link[1]))
        if place is None:
            return link[0]
        return f"]({os.path.relpath(place, PurePosixPath(page).parent)}{link[2] or ''})"

    return LINK.sub(turned, markdown)


def navigation(entries: list[Any], folder: Path) -> list[Any]:
    """The entries with patterns replaced by the pages that have no place yet, and no dead ones.

    >>> navigation([{"Guide": ["no-such-page.md"]}], Path("docs"))
    []
    """
    return list(_existing(entries, folder, set(_pages(entries))))


def _pages(entries: Any) -> Iterator[str]:
    """All names of pages in a navigation."""
    if isinstance(entries, str):
        yield entries
    else:
        for entry in entries.values() if isinstance(entries, dict) else entries:
            yield from _pages(entry)


def _existing(entries: list[Any], folder: Path, taken: set[str]) -> Iterator[Any]:
    for entry in entries:
        if isinstance(entry, str):
            found = sorted(page.relative_to(folder).as_posix() for page in folder.glob(entry))
            yield from (page for page in found if page == entry or page not in taken)
            continue
        ((title, content),) = entry.items()
        if isinstance(content, list):
            content = list(_existing(content, folder, taken))
        elif content not in FROM_ELSEWHERE and not (folder / content).is_file():
            content = []
        if content:
            yield {title: content}


def formula(source: str, *_: Any, **__: Any) -> str:
    """A formula in LaTeX as a block of MathML, for the hook of fenced blocks.

    >>> formula("x^2")[:24]
    '<div class="formula"><ma'
    """
    from latex2mathml.converter import convert

    return f'<div class="formula">{convert(source.strip(), display="block")}</div>'
