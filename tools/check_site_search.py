"""Look for a word on the documentation's site as a reader would who has opened it from disk.

    python tools/check_site_search.py build/site [--word landmarks] [--browser chromium]

Fails if the search of the first page finds nothing, logs an error, or asks a network for anything.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from browser_pipe import Browser
from check_report_page import unwanted

FIELD = 'document.querySelector("[data-md-component=search-query]")'
READY = 'document.querySelector(".md-search-result__meta").textContent.includes("Type to")'
FOUND = '[...document.querySelectorAll(".md-search-result__item a")].map((each) => each.href)'
PATIENCE = 20.0  # seconds


def wait_for(browser: Browser, script: str) -> object:
    """The value of a script as soon as it is something."""
    end = time.monotonic() + PATIENCE
    while not (found := browser.evaluate(script)) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def main() -> int:
    """Search the site that the command line names; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--word", default="landmarks")
    parser.add_argument("--browser", default="chromium", help="the browser's program")
    chosen = parser.parse_args()
    address = (chosen.site / "index.html").resolve(strict=True).as_uri()
    scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    with scratch as profile, Browser(chosen.browser, profile) as browser:
        browser.open(address, (1280, 900), "light")
        browser.evaluate(f"{FIELD}.focus()")
        wait_for(browser, READY)
        browser.call("Input.insertText", text=chosen.word)
        browser.press("End")
        found = wait_for(browser, FOUND)
        problems = [
            each
            for each in unwanted(browser.events, address)
            if not each.startswith("the page asks for file:")
        ]
    problems += [] if found else [f"nothing is found for '{chosen.word}'"]
    for problem in problems:
        print(f"{chosen.site}: {problem}", file=sys.stderr)
    if not problems and isinstance(found, list):
        print(f"{chosen.site}: {len(found)} places found for '{chosen.word}', without a network")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
