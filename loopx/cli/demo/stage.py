"""Where the demo happens: its own project folder, commands carried out there as if typed, files saved there by hand.

Commands go through the same door as typed ones, in this process. What comes out otherwise than the story says ends the
demo as a bug that names the step. Nothing outside the folder is written.
"""

from __future__ import annotations

import io
import shlex
from collections.abc import Mapping
from contextlib import redirect_stderr
from dataclasses import replace
from pathlib import Path
from typing import Any

from loopx.cli import envelope
from loopx.cli.answer import Answer
from loopx.cli.app import outcome
from loopx.cli.demo.beats import Ran, Saved
from loopx.cli.failures import told, told_warning
from loopx.cli.screen import Screen
from loopx.cli.surroundings import Surroundings
from loopx.errors import LoopxError, Problem
from loopx.model.defining import dataclass
from loopx.runtime.process import Ending, run, scrubbed

_OURS = {"LOOPX_PAGES": "off"}
"""Pages are written where the story says so, not by a process in the background."""
_ELSEWHERE = ("LOOPX_ACTOR", "LOOPX_WORKSPACE")
"""The person's settings for other work: the demo has its own workspace and its own cast."""
_QUIET_GIT = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "commit.gpgSign",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.hooksPath",
    "GIT_CONFIG_VALUE_1": "/dev/null",
}
"""A person's settings for all of their repositories that could ask for a passphrase or run a program here."""
_GIT_SECONDS = 30.0


@dataclass
class Stage:
    """The folder, with the means to do things in it. ``screen`` is what the demo is told on."""

    folder: Path
    around: Surroundings
    screen: Screen
    verbose: bool = False

    def loopx(self, *arguments: str, ends: str = "") -> Ran:
        """Carry out ``loopx ARGUMENTS``; ``ends`` is the code it must end with, nothing for success."""
        typed = _typed("loopx", arguments)
        around = self._surroundings()
        aside = io.StringIO()
        try:
            with redirect_stderr(aside):
                found = outcome(arguments, around)
            ran = self._ran(typed, found, aside.getvalue())
        finally:
            around.close()
        problem = found if isinstance(found, Problem) else found.problem
        if ends != ("" if problem is None else problem.code):
            raise otherwise(typed, "\n".join(ran.said))
        return ran

    def git(self, *arguments: str) -> Ran:
        """Carry out ``git ARGUMENTS`` in the project, as a person would."""
        typed = _typed("git", arguments)
        ran = run(
            ["git", *arguments],
            folder=str(self.folder),
            environ={**scrubbed(self.around.environ), **_QUIET_GIT},
            timeout_seconds=_GIT_SECONDS,
        )
        if ran.ending is Ending.UNAVAILABLE:
            raise LoopxError("git-missing", "The program `git` was not found on the search path.")
        if not ran.passed:
            raise otherwise(typed, ran.output)
        return Ran(typed, 0, tuple(ran.output.splitlines()))

    def save(self, path: str, text: str) -> Saved:
        """Save a file as a person does, in the place of what was there."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return Saved(path, text)

    def change(self, path: str, old: str, new: str) -> Saved:
        """Change a piece of a file by hand."""
        before = (self.folder / path).read_text(encoding="utf-8")
        if old not in before:
            raise otherwise(f"editing {path}", before)
        return self.save(path, before.replace(old, new, 1))

    def seen(self, path: str) -> Saved:
        """What a file holds now."""
        return Saved(path, (self.folder / path).read_text(encoding="utf-8"), "now")

    def _surroundings(self) -> Surroundings:
        """Those of the demo's folder, each command opening and closing what it needs."""
        environ = {name: value for name, value in self.around.environ.items() if name not in _ELSEWHERE}

        def create(path: Path | None = None, **named: Any) -> Any:
            return self.around.create(path or self.folder, **named)

        return replace(self.around, environ={**environ, **_OURS}, folder=self.folder, create=create, opened=[])

    def _ran(self, typed: str, found: Answer | Problem, aside: str) -> Ran:
        before = tuple(aside.splitlines()) if self.verbose else ()
        if isinstance(found, Problem):
            return Ran(typed, found.exit, (*before, *told(found, self.screen)), envelope.of_problem(found))
        warnings = (told_warning(each, self.screen) for each in found.warnings)
        said = (*before, *found.lines(self.screen), *warnings)
        return Ran(typed, found.problem.exit if found.problem else 0, said, envelope.of_answer(found))


def otherwise(step: str, said: str) -> LoopxError:
    """The error for a step that did not come out as the story tells it."""
    return LoopxError(
        "bug",
        f"The demo's step `{step}` came out otherwise than told.",
        hint="Please report it with what the step said; what was made so far stays where it is.",
        facts={"step": step, "output": said},
    )


def data_of(ran: Ran) -> Mapping[str, Any]:
    """What a step that succeeded answered."""
    found = ran.answer.get("data")
    if not isinstance(found, Mapping):
        raise otherwise(ran.typed, "\n".join(ran.said))
    return found


def _typed(program: str, arguments: tuple[str, ...]) -> str:
    return " ".join([program, *map(_quoted, arguments)])


def _quoted(argument: str) -> str:
    """As a person would type it: double quotes where they are enough."""
    plain = argument if "~" in argument[1:] else shlex.quote(argument)  # a shell leaves a tilde inside a word alone
    return f'"{argument}"' if plain != argument and not set('"$`\\!') & set(argument) else plain
