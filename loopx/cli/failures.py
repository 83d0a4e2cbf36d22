"""Every way a request can end badly, turned into one :class:`~loopx.errors.Problem` and told in words.

The outermost edge of the command line uses this. Nothing here prints a traceback; what LoopX itself got wrong goes into
a report file (:mod:`loopx.workspace.bugs`).
"""

from __future__ import annotations

import errno
from collections.abc import Iterator

import click

from loopx.cli.columns import shown
from loopx.cli.screen import Screen
from loopx.errors import LoopxError, Place, Problem

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.ELOOP, errno.EMFILE, errno.ENFILE})


def problem_of(error: BaseException) -> Problem | None:
    """The problem ``error`` stands for; ``None`` when it is none we know, which makes it a bug."""
    if isinstance(error, LoopxError):
        return error.problem
    if isinstance(error, click.UsageError):
        return _usage(error)
    if isinstance(error, click.FileError):
        return Problem("usage", error.format_message(), Place(error.ui_filename))
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return Problem("interrupted", "The command was interrupted.")
    return _of_the_system(error) if isinstance(error, OSError) else None


def told(problem: Problem, screen: Screen, *, grade: str = "error") -> Iterator[str]:
    """The lines a person reads: grade and code with the sentence, then place, output and hint where there are any."""
    style = "red" if grade == "error" else "yellow"
    yield screen.paint(f"{grade}[{problem.code}]:", style) + " " + shown(problem.message)
    if problem.place is not None:
        yield f"  at {shown(str(problem.place))}"
    yield from _output(problem)
    if problem.hint:
        yield f"  hint: {shown(problem.hint)}"


def told_warning(problem: Problem, screen: Screen) -> str:
    """A warning in one line: place first, as compilers write it."""
    place = f"{shown(str(problem.place))}: " if problem.place is not None else ""
    head = screen.paint(f"warning[{problem.code}]:", "yellow")
    return f"{head} {place}{shown(problem.message)}"


def _of_the_system(error: OSError) -> Problem | None:
    """What the machine refused; other errors of that class are ours to explain, and so a bug."""
    code = "disk-full" if error.errno in _FULL else "file-failed" if error.errno in _REFUSED else None
    if code is None:
        return None
    return Problem(code, f"{error.strerror}.", Place(str(error.filename)) if error.filename else None)


def _output(problem: Problem) -> Iterator[str]:
    output = problem.facts.get("output")
    if isinstance(output, str):
        for line in output.splitlines():
            yield f"  | {shown(line)}"


def _usage(error: click.UsageError) -> Problem:
    message = error.message if hasattr(error, "possibilities") else error.format_message()
    # click spreads the words to choose from over lines.
    return Problem("usage", message.replace("\n\t", " "), _option(error), _usage_hint(error))


def _option(error: click.UsageError) -> Place | None:
    if isinstance(error, click.BadParameter) and error.param is not None:
        return Place(error.param.get_error_hint(error.ctx).replace("'", "") if error.ctx else error.param.name or "")
    name = getattr(error, "option_name", None)
    return Place(name) if name else None


def _usage_hint(error: click.UsageError) -> str:
    nearest = getattr(error, "possibilities", None)
    if nearest:
        return f"Did you mean {' or '.join(f'`{each}`' for each in nearest)}?"
    return f"See `{error.ctx.command_path} --help`." if error.ctx is not None else ""
