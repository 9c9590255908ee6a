"""The reference part of docs/generators.md, made from the registry.

Run this file to bring the page up to date:

    .venv/bin/python tests/support/generator_pages.py
"""

from __future__ import annotations

from pathlib import Path

from beeline.generators.registry import DOMAINS, Entry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "generators.md"
MARK = "<!-- What follows is made by tests/support/generator_pages.py -->\n"


def reference() -> str:
    """All domains with their distributions, parameters and presets."""
    return "\n".join(_section(domain) for domain in DOMAINS.values())


def _section(domain: Entry) -> str:
    _, _, text = domain.distribution.strip().partition(": ")
    lines = [f"## {domain.name}", "", f"{text[0].upper()}{text[1:]}", ""]
    lines += ["| parameter | meaning | range | default |", "|---|---|---|---|"]
    for each in domain.parameters.described():
        span = f"{each.minimum} to {each.maximum}"
        lines.append(f"| `{each.name}` | {each.meaning} | {span} | {each.default} |")
    lines += ["", "| preset | tasks | sizes |", "|---|---|---|"]
    for name, preset in domain.presets.items():
        first, last = preset.entries[0], preset.entries[-1]
        ends = ", ".join(f"`{key}` {_span(first[key], last[key])}" for key in first)
        lines.append(f"| `{name}` | {preset.size} | {ends} |")
    return "\n".join([*lines, ""])


def _span(first: float, last: float) -> str:
    return str(first) if first == last else f"{first} to {last}"


if __name__ == "__main__":
    introduction = PAGE.read_text().partition(MARK)[0]
    PAGE.write_text(f"{introduction}{MARK}\n{reference()}")
