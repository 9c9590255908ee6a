"""What the browser's check of a page counts as wrong; the browser itself is not needed here."""

from __future__ import annotations

import pytest
from check_report_page import unwanted, wrong_order

ADDRESS = "file:///report/index.html"


@pytest.mark.parametrize(
    ("cells", "order", "wanted", "problem"),
    [
        ([["1", "1"], ["10", "10"], ["–", None]], "ascending", "ascending", None),
        ([["10", "10"], ["1", "1"], ["–", None]], "descending", "descending", None),
        ([["1", "1"]], None, "ascending", "aria-sort is None instead of ascending"),
        ([["–", None], ["1", "1"]], "ascending", "ascending", "without a value are not last"),
        ([["10", "10"], ["9", "9"]], "ascending", "ascending", "numbers are not ascending"),
        ([["b", None], ["a", None]], "ascending", "ascending", None),
    ],
)
def test_order_of_a_column(
    cells: list[list[str | None]], order: str | None, wanted: str, problem: str | None
) -> None:
    found = wrong_order(cells, order, wanted)
    assert (found is None) if problem is None else (found is not None and problem in found)


def test_errors_and_requests_are_reported() -> None:
    request = {"method": "Network.requestWillBeSent"}
    events = [
        {**request, "params": {"request": {"url": f"{ADDRESS}#runs"}}},
        {**request, "params": {"request": {"url": "data:,"}}},
        {**request, "params": {"request": {"url": "https://elsewhere/x.js"}}},
        {"method": "Log.entryAdded", "params": {"entry": {"level": "error", "text": "refused"}}},
        {"method": "Runtime.exceptionThrown", "params": {"exceptionDetails": {"text": "Uncaught"}}},
        {"method": "Page.loadEventFired", "params": {}},
    ]
    assert unwanted(events, ADDRESS) == [
        "the page asks for https://elsewhere/x.js",
        "log: refused",
        "exception: Uncaught",
    ]
