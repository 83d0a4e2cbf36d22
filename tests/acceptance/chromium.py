"""A real Chromium to look at pages with: started headless, driven over its debugging pipe, ended with the test.

The pipe is Chromium's own: messages are JSON ended by a NUL byte, read from descriptor 3 and written to 4, so nothing
but the standard library is needed and no port is opened.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SECONDS = 60.0
"""How long anything may take before the test fails."""

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)

_LAUNCH = """
import os, sys
os.dup2(int(sys.argv[1]), 10), os.dup2(int(sys.argv[2]), 11)
os.dup2(10, 3), os.dup2(11, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""

_KEYS = {
    "ArrowDown": 40,
    "ArrowRight": 39,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "Enter": 13,
    "Escape": 27,
    "/": 191,
    "Tab": 9,
}


def found() -> str | None:
    """The program, or ``None`` where there is none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def dump(page: str, folder: Path, *flags: str) -> str:
    """The document of ``page`` as it stands after its script ran; ``folder`` holds the browser's profile."""
    command = [found() or "chromium", *_FLAGS, f"--user-data-dir={folder}", *flags, "--dump-dom", page]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS).stdout


class Browser:
    """One page in one browser."""

    def __init__(self, folder: Path) -> None:
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        command = [found() or "chromium", *_FLAGS, f"--user-data-dir={folder}", "--remote-debugging-pipe"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, str(theirs_in), str(theirs_out), *command],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._in, self._out = ours_in, ours_out
        self._number, self._rest, self._session = 0, b"", ""
        self.events: list[dict[str, Any]] = []
        self._attach()

    def open(self, address: str) -> None:
        """Load ``address`` and wait until it is there."""
        self.events.clear()
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && !location.href.startsWith('about:')")

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page, run as if a person had just clicked there."""
        answer = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until a JavaScript expression holds: for what the page does a moment later."""
        deadline = time.monotonic() + SECONDS
        while not self.evaluate(expression):
            assert time.monotonic() < deadline, f"{expression} does not come true"

    def press(self, key: str) -> None:
        """Press a key where the page has its focus."""
        code = _KEYS.get(key, ord(key[0].upper()))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        known: dict[str, Any] = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **known, **({"text": text} if text else {}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", **known)

    def size(self, width: int, height: int, *, is_phone: bool = False) -> None:
        """Give the page a window of this size."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone)

    def prefer(self, scheme: str) -> None:
        """Let the page think the person prefers ``light`` or ``dark``."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self) -> bytes:
        """What the page looks like, as PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot")["data"])

    def complaints(self) -> list[str]:
        """What the page wrote to the console since it was opened: errors, refusals of its security policy."""
        return [json.dumps(each) for each in self.events if each["method"] in _COMPLAINTS]

    def requests(self) -> list[str]:
        """What was asked for since the page was opened."""
        sent = (each for each in self.events if each["method"] == "Network.requestWillBeSent")
        return [each["params"]["request"]["url"] for each in sent]

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one command and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                found: dict[str, Any] = answer["result"]
                return found
            self.events.append(answer)

    def close(self) -> None:
        """End the browser, whatever state it is in."""
        self._session = ""
        try:
            self.ask("Browser.close")
            self._process.wait(timeout=SECONDS)
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._in)
            os.close(self._out)

    def _attach(self) -> None:
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def _read(self) -> dict[str, Any]:
        until = time.monotonic() + SECONDS
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, until - time.monotonic()))
            piece = os.read(self._in, 1 << 20) if ready else b""
            if not piece:
                raise AssertionError("the browser does not answer")
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message


_COMPLAINTS = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
