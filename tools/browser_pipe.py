"""Chromium without a screen, driven through its DevTools protocol over a pair of pipes.

Over pipes (`--remote-debugging-pipe`) messages are JSON objects that end with a zero byte, so that
the standard library is enough.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import time
from select import select
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--remote-debugging-pipe"),
)
PATIENCE = 60.0  # seconds for an answer
KEYS = {  # numbers, and what they write
    **{"Enter": (13, "\r"), "Tab": (9, ""), "End": (35, "")},
    **{"ArrowLeft": (37, ""), "ArrowRight": (39, ""), "ArrowDown": (40, "")},
}
READ_END, WRITE_END = 3, 4  # where Chromium expects the pipes


class Browser:
    """A browser with one tab; `events` keeps what the tab reports."""

    def __init__(self, program: str, profile: str) -> None:
        to_read, self._commands = os.pipe()
        self._answers, to_write = os.pipe()
        # Above the two numbers that the browser wants, so that neither overwrites the other.
        ends = [fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in (to_read, to_write)]

        def give_pipes() -> None:
            os.dup2(ends[0], READ_END)
            os.dup2(ends[1], WRITE_END)

        self._process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=give_pipes,
            pass_fds=(READ_END, WRITE_END),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for each in (to_read, to_write, *ends):
            os.close(each)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        try:
            self._session = None
            self.call("Browser.close")  # ends its helpers too
            self._process.wait(timeout=PATIENCE)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._commands)
        os.close(self._answers)

    def open(self, address: str, size: tuple[int, int], ground: str) -> None:
        """Show a page in a window of this size on a `light` or `dark` ground."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=size[0],
            height=size[1],
            deviceScaleFactor=1,
            mobile=size[0] < 600,
        )
        features = [
            {"name": "prefers-color-scheme", "value": ground},
            {"name": "prefers-reduced-motion", "value": "reduce"},  # nothing moves in a screenshot
        ]
        self.call("Emulation.setEmulatedMedia", features=features)
        loaded = sum(event["method"] == "Page.loadEventFired" for event in self.events)
        self.call("Page.navigate", url=address)
        while sum(event["method"] == "Page.loadEventFired" for event in self.events) == loaded:
            self.events.append(self._receive())

    def evaluate(self, script: str) -> Any:
        """The value of a script in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{answer['exceptionDetails']['text']}: {script[:80]}")
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key of `KEYS` where the focus is."""
        number, text = KEYS[key]
        about = {"key": key, "code": key, "windowsVirtualKeyCode": number}
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, **about, **({"text": text} if text else {})
            )

    def screenshot(self, width: int, height: int) -> str:
        """The whole page as PNG, in base 64."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        return str(
            self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"]
        )

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") != self._number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                result: dict[str, Any] = answer["result"]
                return result

    def _receive(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            if not select([self._answers], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._answers, 1 << 20)
            if not data:
                raise RuntimeError("the browser has ended")
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        received: dict[str, Any] = json.loads(message)
        return received
