"""What a person sees while a run goes on: a table that keeps itself up to date on a terminal, and anywhere else a line
for each thing that happens. On stderr, so that stdout holds the answer alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from loopx.cli.columns import shown
from loopx.cli.screen import Screen, is_terminal, screen_of

if TYPE_CHECKING:
    from datetime import datetime

    from loopx.loop.state import LoopState
    from loopx.loop.trace import Line
    from loopx.model.clock import Clock
    from loopx.model.plan import PlanDocument
    from loopx.model.todo import Todo

_WORDS = {
    "in_progress": ("runs", "cyan"),
    "executed": ("ran", "cyan"),
    "evaluated": ("passed", "cyan"),
    "evaluation_failed": ("rejected", "red"),
    "verification_failed": ("not verified", "red"),
    "verified_completed": ("done", "green"),
    "recovery_pending": ("recovering", "yellow"),
    "retry_pending": ("will be tried again", "yellow"),
    "skipped": ("skipped", "yellow"),
    "blocked": ("blocked", "yellow"),
    "failed": ("failed", "red"),
    "cancelled": ("cancelled", "red"),
}
"""What a step that came to a status is said to do, and in which colour; the rest is not worth a line."""
_PASSING = frozenset({"executed", "evaluated"})
"""What a step that goes well passes through in a moment."""
_RECOVERING = "recovery_pending"
_RECOVERY = frozenset({"recovery_planned", "recovery_failed"})
_FAILURE = re.compile("f-[0-9a-z]+")
_LONGEST = 160
_ROWS = 12
"""Steps a live table shows at once."""


@contextmanager
def watching(environ: Mapping[str, str], clock: Clock, stream: TextIO | None = None) -> Iterator[Plain | Live]:
    """A listener that shows a run on ``stream`` (stderr) until the end of the block."""
    out = stream or sys.stderr
    screen = screen_of(out, environ)
    if not is_terminal(out) or environ.get("TERM", "") == "dumb":
        yield Plain(out, screen)
        return
    live = Live(out, clock)
    try:
        yield live
    finally:
        live.close()


class Plain:
    """A line for each thing that happens."""

    def __init__(self, out: TextIO, screen: Screen) -> None:
        self._out = out
        self._screen = screen
        self._is_known = False
        self._last: tuple[str, str] | None = None
        """The step and the reason that were told last: a failure is not told twice."""

    def began(self, plan: PlanDocument, todo: Todo, state: LoopState) -> None:
        if not self._is_known:
            self._write(f"{plan.run}  {shown(plan.objective)}  ({_steps(len(plan.steps))}, {todo.id})")
        self._is_known = True

    def saved(self, state: LoopState, lines: Sequence[Line]) -> None:
        for line in lines:
            for text in self._told(line):
                self._write(text)

    def note(self, text: str) -> None:
        """Say something that is about no step."""
        self._write(text)

    def _told(self, line: Line) -> Iterator[str]:
        at, entity, _, after, _, cause, refused, evidence = line
        kind, _, name = entity.partition(" ")
        if refused is not None:
            return
        if kind == "step" and after in _WORDS and after not in _PASSING:
            why = _why(after, cause)
            if after == _RECOVERING and not why:
                return
            word, colour = _WORDS[after]
            self._last = (name, why)
            yield _row(at, name, self._screen.paint(word, colour), why)
        elif kind == "failure" and after == "unhandled":
            said = str((evidence or {}).get("step") or "the plan")
            if (said, cause) != self._last:
                yield _row(at, said, self._screen.paint("failure", "red"), cause)
        elif kind == "failure" and after in _RECOVERY:
            yield _row(at, "", "recovery", cause.removesuffix(" chosen"))
        elif kind == "artifact":
            yield _row(at, "files", f"put back as they were in snapshot {after[:7]}")

    def _write(self, text: str) -> None:
        self._out.write(f"{text}\n")
        self._out.flush()


class Live:
    """A table of the steps that matter now, redrawn by itself."""

    def __init__(self, out: TextIO, clock: Clock) -> None:
        from rich.console import Console
        from rich.live import Live as Redrawn

        self._clock = clock
        self._state: LoopState | None = None
        self._plan: PlanDocument | None = None
        self._live = Redrawn(
            console=Console(file=out), get_renderable=self._drawn, transient=True, refresh_per_second=4
        )
        self._is_started = False

    def began(self, plan: PlanDocument, todo: Todo, state: LoopState) -> None:
        self._state, self._plan = state, plan
        if not self._is_started:
            self._live.start(refresh=True)
            self._is_started = True

    def saved(self, state: LoopState, lines: Sequence[Line]) -> None:
        self._state = state

    def note(self, text: str) -> None:
        """Say something that is about no step, above the table."""
        self._live.console.print(text, markup=False)

    def close(self) -> None:
        """Take the table away; the answer says how it ended."""
        if self._is_started:
            self._live.stop()
            self._is_started = False

    def _drawn(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2))
        state, plan = self._state, self._plan
        if state is None or plan is None:
            return table
        done = round(state.plan.get_progress() * 100)
        seconds = int(state.active_seconds(self._clock.now()))
        head = f"{plan.objective}  {done} %  {seconds // 60}:{seconds % 60:02}"
        table.add_row(Text(plan.run, "bold"), Text(head[:200]), Text(""))
        for name in _of_interest(state):
            step = state.plan.step(name)
            word, colour = _WORDS.get(step.status, (str(step.status).replace("_", " "), "dim"))
            tries = f"attempt {len(step.attempts)}" if len(step.attempts) > 1 else ""
            table.add_row(Text(f"  {name}"), Text(step.title[:60]), Text(f"{word} {tries}".strip(), colour))
        if state.question is not None:
            table.add_row(Text("  waits"), Text(str(state.question.get("question"))[:100]), Text(state.gate or ""))
        return table


def _of_interest(state: LoopState) -> list[str]:
    """The steps to show: what runs or went wrong first, then what comes next, in the plan's order."""
    ids = state.plan.ids
    if len(ids) <= _ROWS:
        return list(ids)
    going = [each for each in ids if state.plan.status(each) in _LIVELY]
    waiting = (each for each in ids if state.plan.status(each) in ("ready", "pending"))
    chosen = set(going[:_ROWS])
    while len(chosen) < _ROWS and (found := next(waiting, None)) is not None:
        chosen.add(found)
    return [each for each in ids if each in chosen]


_LIVELY = frozenset(_WORDS) - {"verified_completed", "skipped"}


def _steps(count: int) -> str:
    return f"{count} step{'' if count == 1 else 's'}"


def _row(at: datetime, name: str, text: str, why: str = "") -> str:
    return f"{at:%H:%M:%S}  {name:<16}  {text}{f': {shown(why[:_LONGEST])}' if why else ''}"


def _why(status: str, cause: str) -> str:
    """What is worth saying about a step that came to ``status``. The id of the failure it is about is not."""
    if status in ("in_progress", "verified_completed", "executed", "evaluated"):
        return ""
    about, _, more = cause.partition(": ")
    return more if _FAILURE.fullmatch(about) else cause
