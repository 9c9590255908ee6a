"""Look at a page of `beeline report` in a real browser, headless Chromium.

    python tools/check_report_page.py report/index.html [--screenshots DIR] [--browser chromium]

Fails if the page logs an error, asks for anything but itself, is wider than a phone, looks the
same on a dark ground as on a light one, or does not sort: every column of every table is clicked
twice, and once a column is chosen by keyboard.
"""

from __future__ import annotations

import argparse
import base64
import sys
import tempfile
from pathlib import Path
from typing import Any

from browser_pipe import Browser

PHONE, DESKTOP = (390, 844), (1280, 900)
MISSING = "–"

TABLES = """[...document.querySelectorAll("table.sortable")].map(
  (table) => ({name: table.dataset.name, columns: table.tHead.rows[0].cells.length}))"""
CLICK = """(() => {
  const table = document.querySelectorAll("table.sortable")[%d];
  const head = table.tHead.rows[0].cells[%d];
  head.querySelector("button").click();
  return {
    order: head.getAttribute("aria-sort"),
    cells: [...table.tBodies[0].rows].map((row) => {
      const cell = row.cells[%d];
      return [cell.textContent.trim(), cell.dataset.value ?? null];
    }),
    foot: table.tFoot === null || table.tFoot === table.lastElementChild,
  };
})()"""
FOCUS = 'document.querySelector("table.sortable thead button").focus()'
ORDER = 'document.querySelector("table.sortable thead th").getAttribute("aria-sort")'
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
GROUND = "getComputedStyle(document.body).backgroundColor"
OPEN_ALL = 'document.querySelectorAll("details").forEach((each) => { each.open = true; })'
HEIGHT = "document.documentElement.scrollHeight"


def wrong_order(cells: list[list[str | None]], order: str | None, wanted: str) -> str | None:
    """What is wrong with a sorted column of texts and values; None if nothing is."""
    if order != wanted:
        return f"aria-sort is {order} instead of {wanted}"
    texts = [str(text) for text, _ in cells]
    gaps = [text == MISSING for text in texts]
    if gaps != sorted(gaps):
        return "cells without a value are not last"
    filled = [cell for cell, gap in zip(cells, gaps, strict=True) if not gap]
    if any(value is None for _, value in filled):
        return None  # words: their order is the browser's business
    numbers = [float(str(value)) for _, value in filled]
    if numbers != sorted(numbers, reverse=wanted == "descending"):
        return f"numbers are not {wanted}: {numbers}"
    return None


def check_sorting(browser: Browser) -> list[str]:
    """Click every column of every table twice, then sort once by keyboard."""
    problems = []
    tables = browser.evaluate(TABLES)
    for number, table in enumerate(tables):
        for column in range(table["columns"]):
            for wanted in ("ascending", "descending"):
                found = browser.evaluate(CLICK % (number, column, column))
                wrong = wrong_order(found["cells"], found["order"], wanted)
                if wrong is not None or not found["foot"]:
                    place = f"table {table['name']}, column {column + 1}"
                    problems.append(f"{place}: {wrong or 'the foot has moved'}")
    if not tables:
        return ["there is no table to sort"]
    browser.evaluate(FOCUS)
    before = browser.evaluate(ORDER)
    browser.press("Enter")
    if browser.evaluate(ORDER) == before:
        problems.append("the Enter key does not sort")
    return problems


def check_looks(browser: Browser, address: str, folder: Path | None) -> list[str]:
    """Open the page in both sizes and on both grounds."""
    problems = []
    grounds = set()
    for size_name, size in (("phone", PHONE), ("desktop", DESKTOP)):
        for ground in ("light", "dark"):
            browser.open(address, size, ground)
            grounds.add(browser.evaluate(GROUND))
            browser.evaluate(OPEN_ALL)
            overflow = browser.evaluate(OVERFLOW)
            if overflow > 0:
                problems.append(f"{size_name}: the page is {overflow} pixels too wide")
            if folder is not None:
                picture = browser.screenshot(size[0], int(browser.evaluate(HEIGHT)))
                (folder / f"{size_name}-{ground}.png").write_bytes(base64.b64decode(picture))
    if len(grounds) != 2:
        problems.append(f"light and dark ground are the same: {grounds}")
    return problems


def unwanted(events: list[dict[str, Any]], address: str) -> list[str]:
    """Errors that the page logged, and addresses it asked for."""
    problems = []
    for event in events:
        method, facts = event["method"], event["params"]
        if method == "Runtime.exceptionThrown":
            problems.append(f"exception: {facts['exceptionDetails'].get('text')}")
        elif method == "Runtime.consoleAPICalled" and facts["type"] in ("error", "warning"):
            problems.append(f"console: {[each.get('value') for each in facts['args']]}")
        elif method == "Log.entryAdded" and facts["entry"]["level"] in ("error", "warning"):
            problems.append(f"log: {facts['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            url = facts["request"]["url"]
            if url.partition("#")[0] != address and not url.startswith("data:"):
                problems.append(f"the page asks for {url}")
    return problems


def main() -> int:
    """Check the page that the command line names; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("--screenshots", type=Path, metavar="DIR", help="keep pictures here")
    parser.add_argument("--browser", default="chromium", help="the browser's program")
    chosen = parser.parse_args()
    if chosen.screenshots is not None:
        chosen.screenshots.mkdir(parents=True, exist_ok=True)
    address = chosen.page.resolve(strict=True).as_uri()
    # Helpers of the browser may still write to its profile when it has ended.
    scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    with scratch as profile, Browser(chosen.browser, profile) as browser:
        problems = check_looks(browser, address, chosen.screenshots)
        problems += check_sorting(browser)
        tables = len(browser.evaluate(TABLES))
        problems += unwanted(browser.events, address)
    for problem in problems:
        print(f"{chosen.page}: {problem}", file=sys.stderr)
    if not problems:
        print(f"{chosen.page}: {tables} tables sort, nothing is logged, nothing is fetched")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
