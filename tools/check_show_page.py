"""Look at pages of `beeline show` in a real browser, headless Chromium.

    python tools/check_show_page.py PAGE... [--screenshots DIR] [--browser chromium]

Fails if a page logs an error, asks for anything but itself, is wider than a desktop's window or a
phone's, has text with too little contrast (WCAG 2.1, 1.4.3), has things to click without a name, is
not walked through by keys, or hides where the focus is.
"""

from __future__ import annotations

import argparse
import base64
import sys
import tempfile
from pathlib import Path

from browser_pipe import Browser
from check_report_page import DESKTOP, HEIGHT, OVERFLOW, PHONE, unwanted

# Text whose contrast with the ground below it is too low, with the ratio.
CONTRAST = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  function rgba(colour) {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  }
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  function ground(element) {
    let found = [255, 255, 255];
    const chain = [];
    for (let each = element; each; each = each.parentElement) chain.unshift(each);
    for (const each of chain) {
      found = over(rgba(getComputedStyle(each).backgroundColor), found);
      const rect = each.tagName === "g" ? each.querySelector(":scope > rect") : null;
      if (rect && rect !== element) {
        const style = getComputedStyle(rect);
        const fill = style.fill === "none" ? [0, 0, 0, 0] : rgba(style.fill);
        fill[3] *= Number(style.opacity) * Number(style.fillOpacity);
        found = over(fill, found);
      }
    }
    return found;
  }
  const bad = new Map();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    if (element.closest("script, style, title, .hidden, .skip, :disabled")) continue;
    const style = getComputedStyle(element);
    const svg = element.namespaceURI.endsWith("svg");
    const below = ground(element);
    const ink = over(rgba(svg ? style.fill : style.color), below);
    const [a, b] = [light(ink), light(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      bad.set(`${element.tagName}.${element.getAttribute("class") ?? ""}`, ratio.toFixed(2));
    }
  }
  return [...bad].map(([where, ratio]) => `${where} ${ratio}`);
})()"""
FOCUS = """(() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const s = getComputedStyle(e);
  const seen = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0;
  return [`${e.tagName}#${e.id}.${e.className.baseVal ?? e.className}`, seen];
})()"""
NOW = 'document.getElementById("now").textContent'
LAST = 'document.getElementById("slider")?.max ?? ""'
MIDDLE = """(() => {
  document.activeElement.blur();
  const steps = document.querySelectorAll("#timeline button");
  steps[Math.floor(steps.length / 2)]?.click();
  const nodes = document.querySelectorAll(".tree .node");
  nodes[Math.floor(nodes.length / 2)]?.dispatchEvent(new MouseEvent("click"));
  window.scrollTo(0, 0);
})()"""
NAMED = ("button", "slider", "link", "region", "img")
MOST_STOPS = 60  # of the Tab key


def check_page(browser: Browser, page: Path, folder: Path | None = None) -> list[str]:
    """What is wrong with a page in both sizes and on both grounds."""
    problems = []
    address = page.resolve(strict=True).as_uri()
    for size_name, size in (("phone", PHONE), ("desktop", DESKTOP)):
        for ground in ("light", "dark"):
            browser.events.clear()
            browser.open(address, size, ground)
            found = [*check_looks(browser), *check_names(browser), *check_keys(browser)]
            browser.evaluate(MIDDLE)
            found += [*check_looks(browser), *unwanted(browser.events, address)]
            problems += [f"{size_name}, {ground}: {each}" for each in dict.fromkeys(found)]
            if folder is not None:
                picture = browser.screenshot(size[0], int(browser.evaluate(HEIGHT)))
                file = folder / f"{page.stem}-{size_name}-{ground}.png"
                file.write_bytes(base64.b64decode(picture))
    return problems


def check_looks(browser: Browser) -> list[str]:
    """Whether the page fits its window, and its text can be read."""
    overflow = browser.evaluate(OVERFLOW)
    problems = [f"the page is {overflow} pixels too wide"] if overflow > 0 else []
    return problems + [f"the contrast of {each}" for each in browser.evaluate(CONTRAST)]


def check_names(browser: Browser) -> list[str]:
    """Whether a screen reader has a name for all that can be used or looked at."""
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    found = [(each.get("role", {}).get("value"), each.get("name", {})) for each in nodes]
    return [
        f"a {role} without a name"
        for role, name in found
        if role in NAMED and not str(name.get("value", "")).strip()
    ]


def check_keys(browser: Browser) -> list[str]:
    """Whether Tab leads everywhere and is seen there, and other keys through the states."""
    problems: list[str] = []
    reached: list[str] = []
    for _ in range(MOST_STOPS):
        browser.press("Tab")
        here = browser.evaluate(FOCUS)
        if here is None or here[0] in reached[:1]:
            break
        reached.append(here[0])
        if not here[1]:
            problems.append(f"no focus is seen on {here[0]}")
    problems += check_search(browser, reached)
    last = browser.evaluate(LAST)
    if not last:
        return problems
    for part in ("INPUT#slider", "BUTTON#on", "BUTTON#play"):
        if not any(each.startswith(part) for each in reached):
            problems.append(f"Tab does not lead to {part}")
    walk = (
        ("document.activeElement.blur()", "ArrowRight", 1),
        ('document.querySelector("#timeline [aria-current]").focus()', "ArrowDown", 2),
        ('document.getElementById("slider").focus()', "End", int(last)),
        ("document.activeElement.blur()", "ArrowLeft", int(last) - 1),
    )
    for start, key, step in walk:
        browser.evaluate(start)
        browser.press(key)
        step = min(step, int(last))
        wanted = f"Step {step} of {last}" if step else "Before"
        if not browser.evaluate(NOW).startswith(wanted):
            problems.append(f"{key} does not lead to step {step}")
    return problems


def check_search(browser: Browser, reached: list[str]) -> list[str]:
    """Whether keys lead through the expansions of a search, if the page has one."""
    last = browser.evaluate('document.getElementById("expansion")?.max ?? ""')
    if not last:
        return []
    problems = [
        f"Tab does not lead to {part}"
        for part in ("INPUT#expansion", "BUTTON#later", "DIV#.canvas tall")
        if last != "0" and not any(each.startswith(part) for each in reached)
    ]
    browser.evaluate('document.getElementById("expansion").focus()')
    for key, place in (("End", int(last)), ("ArrowLeft", max(0, int(last) - 1))):
        browser.press(key)
        shown = browser.evaluate('document.getElementById("turn").value')
        node = browser.evaluate('document.querySelector(".tree .here").dataset.node')
        if (shown, node) != (f"{place + 1} / {int(last) + 1}", f"{place}"):
            problems.append(f"{key} does not lead to expansion {place + 1}")
    return problems


def main() -> int:
    """Check the pages that the command line names; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", type=Path, nargs="+", metavar="PAGE")
    parser.add_argument("--screenshots", type=Path, metavar="DIR", help="keep pictures here")
    parser.add_argument("--browser", default="chromium", help="the browser's program")
    chosen = parser.parse_args()
    if chosen.screenshots is not None:
        chosen.screenshots.mkdir(parents=True, exist_ok=True)
    # Helpers of the browser may still write to its profile when it has ended.
    scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    wrong = 0
    with scratch as profile, Browser(chosen.browser, profile) as browser:
        for page in chosen.pages:
            problems = check_page(browser, page, chosen.screenshots)
            wrong += len(problems)
            for problem in problems:
                print(f"{page}: {problem}", file=sys.stderr)
    if not wrong:
        print(f"{len(chosen.pages)} pages fit, can be read and walked through; nothing is logged")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
