"""Processes of ``loopx`` that cost no start: forks of one that has everything imported, and whose end is a real one.

:class:`Forks` asks; ``python -m tests.support.forking`` answers, one line of JSON for each. A fork holds nothing of the
one before it: it opens the workspace anew, and is killed with nothing flushed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LIMIT_SECONDS = 90.0
"""After this long a process that should have ended is taken for hung, and killed."""
_LOOK_SECONDS = 0.002


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that ended: ``code`` is negative for a signal, and ``None`` for one that hung."""

    code: int | None
    out: str
    err: str
    seconds: float

    @property
    def was_killed(self) -> bool:
        return self.code == -signal.SIGKILL

    @property
    def answer(self) -> Any:
        """What it said with ``--json``."""
        return json.loads(self.out)

    def expect(self, *codes: int) -> Ended:
        """This, if it ended with one of ``codes`` (0)."""
        assert self.code in (codes or (0,)), f"ended with {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"
        return self


class Forks:
    """Starts processes in ``folder``, one or several at a time."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forking"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            encoding="utf-8",
        )
        self._number = 0

    def close(self) -> None:
        self._server.communicate(timeout=LIMIT_SECONDS)

    def start(
        self,
        *arguments: str,
        folder: Path,
        point: str | None = None,
        number: int = 1,
        keeper: Path | None = None,
        reached: Path | None = None,
    ) -> int:
        """Start ``loopx`` with ``arguments``; its process id. It kills itself when it reaches ``point`` for the
        ``number``-th time. ``keeper`` is the program its executions run under instead of LoopX's own; the names of the
        points it passes are written to ``reached``."""
        self._number += 1
        told = {
            "argv": arguments,
            "folder": str(folder),
            "environment": {**os.environ, "LOOPX_PAGES": "off"},
            "said": str(folder.parent / f"said-{self._number}"),
            "point": point,
            "number": number,
            "keeper": str(keeper) if keeper is not None else None,
            "reached": str(reached) if reached is not None else None,
        }
        return int(self._asked("start", told)["pid"])

    def wait(self, pid: int, kill_after: float | None = None) -> Ended:
        """Wait until it has ended; ``kill -9`` it after so many seconds."""
        return Ended(**self._asked("wait", {"pid": pid, "kill_after": kill_after}))

    def run(self, *arguments: str, folder: Path, kill_after: float | None = None, **more: Any) -> Ended:
        """Start a process and wait until it has ended."""
        return self.wait(self.start(*arguments, folder=folder, **more), kill_after)

    def _asked(self, what: str, told: Mapping[str, Any]) -> Any:
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server.stdin.write(json.dumps({"what": what, **told}) + "\n")
        self._server.stdin.flush()
        return json.loads(self._server.stdout.readline())


# the process that forks ----------------------------------------------------------------------


def main() -> int:
    """Answer until the input ends."""
    _import_everything()
    said: dict[int, tuple[str, float]] = {}
    for line in sys.stdin:
        request = json.loads(line)
        if request.pop("what") == "start":
            for each in ("out", "err"):  # a process may be killed before it has done as much as this
                Path(f"{request['said']}.{each}").touch()
            pid = os.fork()
            if pid == 0:
                _become(request)
            said[pid] = request["said"], time.monotonic()
            answer: dict[str, Any] = {"pid": pid}
        else:
            answer = _ended(request["pid"], request["kill_after"], *said.pop(request["pid"]))
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    return 0


def _import_everything() -> None:
    import git  # noqa: F401
    import ruamel.yaml  # noqa: F401

    import loopx.cli.app
    import loopx.cli.commands.run
    import loopx.cli.failures
    import loopx.cli.root
    import loopx.loop.components.commands
    import loopx.loop.work.running
    import loopx.runtime.settling  # noqa: F401


def _ended(pid: int, kill_after: float | None, said: str, begun: float) -> dict[str, Any]:
    patience = threading.Event()
    limit = LIMIT_SECONDS if kill_after is None else kill_after
    is_hung = False
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            break
        if time.monotonic() - begun >= limit:
            is_hung = kill_after is None
            os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            break
        patience.wait(_LOOK_SECONDS)
    code = None if is_hung else os.waitstatus_to_exitcode(status)
    out, err = (Path(f"{said}.{each}").read_text("utf-8", "replace") for each in ("out", "err"))
    return {"code": code, "out": out, "err": err, "seconds": time.monotonic() - begun}


def _become(request: Mapping[str, Any]) -> None:
    """In the fork: be ``loopx``, and end as it does."""
    code = 70
    try:
        for fd, name in ((0, os.devnull), (1, f"{request['said']}.out"), (2, f"{request['said']}.err")):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), fd)
        sys.stdin = os.fdopen(0, closefd=False)  # what the server has read of its own is nothing of ours
        os.environ.clear()
        os.environ.update(request["environment"])
        time.tzset()
        os.chdir(request["folder"])
        _listen(request["point"], request["number"], request["reached"])
        if request["keeper"] is not None:
            from loopx.loop.components import keepers

            keepers.program = lambda: request["keeper"]  # type: ignore[assignment]
        from loopx.cli.app import start

        code = start(request["argv"])
    except BaseException:  # noqa: BLE001  (the edge of a process: whatever it was is told by the test)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _listen(point: str | None, number: int, reached: str | None) -> None:
    from loopx.workspace import crashpoints

    left = number
    file = os.open(reached, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) if reached is not None else None

    def hook(name: str) -> None:
        nonlocal left
        if file is not None:
            os.write(file, f"{name}\n".encode())
        left -= name == point
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    listening: Callable[[str], None] = hook
    crashpoints.hook = listening


if __name__ == "__main__":
    sys.exit(main())
