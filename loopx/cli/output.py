"""Writing an answer or a problem out: JSON or text on stdout, warnings and errors in words on stderr.

A reader that goes away early (``loopx log | head``) changes nothing about what was done, so it changes neither the
exit status nor the screen.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TextIO

from loopx.cli import envelope
from loopx.cli.answer import Answer
from loopx.cli.failures import told, told_warning
from loopx.cli.screen import is_terminal, screen_of
from loopx.errors import Exit, Problem
from loopx.model.defining import dataclass

WARNINGS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Outlet:
    """Where answers go and in which form. Streams are looked up when used, so that they may be replaced."""

    as_json: bool
    environ: Mapping[str, str]

    def answer(self, answer: Answer) -> Exit:
        """Write ``answer`` and return its exit status."""
        exit_status = Exit.DONE if answer.problem is None else answer.problem.exit
        if self.as_json:
            return self._json(envelope.of_answer(answer), exit_status)
        lines = answer.lines(screen_of(sys.stdout, self.environ))
        ended = self._text(sys.stdout, lines, exit_status)
        self._text(sys.stderr, self._warnings(answer.warnings), exit_status)
        return ended

    def problem(self, problem: Problem) -> Exit:
        """Write ``problem`` and return its exit status."""
        if self.as_json:
            return self._json(envelope.of_problem(problem), problem.exit)
        return self._text(sys.stderr, told(problem, screen_of(sys.stderr, self.environ)), problem.exit)

    def _json(self, found: dict[str, object], exit_status: Exit) -> Exit:
        text = envelope.written(found, indent=is_terminal(sys.stdout))
        return self._text(sys.stdout, [text], exit_status)

    def _warnings(self, warnings: tuple[Problem, ...]) -> Iterable[str]:
        screen = screen_of(sys.stderr, self.environ)
        yield from (told_warning(each, screen) for each in warnings[:WARNINGS_SHOWN])
        if len(warnings) > WARNINGS_SHOWN:
            yield f"and {len(warnings) - WARNINGS_SHOWN} more: loopx status"

    def _text(self, stream: TextIO, lines: Iterable[str], exit_status: Exit) -> Exit:
        try:
            stream.writelines(f"{line}\n" for line in lines)
            stream.flush()
        except BrokenPipeError:
            _silence(stream)
        except OSError as error:
            _silence(stream)
            if stream is sys.stderr:
                return exit_status
            return self._text(sys.stderr, told(unwritten(error), screen_of(sys.stderr, self.environ)), Exit.UNAVAILABLE)
        return exit_status


def prepare_streams() -> None:
    """Make stdout and stderr UTF-8 whatever the locale, and give a closed one somewhere to go."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if sys.stdin is not None and hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="strict")


def unwritten(error: OSError) -> Problem:
    """The problem of an answer that its reader could not be given."""
    return Problem("output-failed", f"The answer could not be written: {error.strerror or error}.")


def _silence(stream: TextIO) -> None:
    """Point a stream nobody reads at nothing, so that the interpreter's own last flush cannot fail either."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
    except (OSError, ValueError):
        return
