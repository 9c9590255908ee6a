"""Look for a word on the documentation's site as a reader would who has opened it from disk.

    python tools/check_site_search.py build/site [--word landmarks] [--browser chromium]

Fails if the search of the first page finds nothing, or if that page or one that is found logs an
error, asks a network for anything, is too wide for its window or has text with too little contrast.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from browser_pipe import Browser
from check_report_page import DESKTOP, PHONE, unwanted
from check_show_page import check_looks

FIELD = 'document.getElementById("query")'
READY = "Boolean(window.searchIndex)"
FOUND = '[...document.querySelectorAll("#found a")].map((each) => each.href)'
PATIENCE = 20.0  # seconds


def wait_for(browser: Browser, script: str) -> object:
    """The value of a script as soon as it is something."""
    end = time.monotonic() + PATIENCE
    while not (found := browser.evaluate(script)) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def troubles(browser: Browser, address: str) -> list[str]:
    """What is wrong with the page that is shown; it may ask for other files of the site."""
    asked = unwanted(browser.events, address)
    return [each for each in asked if "asks for file:" not in each] + check_looks(browser)


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
        assert found is None or isinstance(found, list)
        problems = troubles(browser, address)
        for page in dict.fromkeys(str(each).partition("#")[0] for each in found or ()):
            for size in (PHONE, DESKTOP):
                for ground in ("light", "dark"):
                    browser.events.clear()
                    browser.open(page, size, ground)
                    problems += [f"{page}: {each}" for each in troubles(browser, page)]
    problems += [] if found else [f"nothing is found for '{chosen.word}'"]
    for problem in problems:
        print(f"{chosen.site}: {problem}", file=sys.stderr)
    if not problems and found:
        print(f"{chosen.site}: {len(found)} places found for '{chosen.word}', without a network")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
