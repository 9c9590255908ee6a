"""HTML pages, taken apart."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "br", "input"}


class ParsedPage(HTMLParser):
    """A page that closes what it opens; collects ids, references and cells of tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.rows: dict[str, list[int]] = {}
        self.table = ""
        self.feed(text)
        self.close()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        if facts.get("id"):
            self.ids.append(str(facts["id"]))
        for name in ("href", "aria-labelledby", "for"):
            if facts.get(name):
                self.targets.append(str(facts[name]).removeprefix("#"))
        if tag == "table":
            self.table = str(facts.get("data-name"))
            self.rows.setdefault(self.table, [])
        elif tag == "tr":
            self.rows[self.table].append(0)
        elif tag in ("td", "th"):
            self.rows[self.table][-1] += 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
