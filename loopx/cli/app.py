"""The outermost edge: arguments in, exit status out. The only place of the command line that catches everything."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from loopx.cli.answer import Answer
from loopx.cli.output import Outlet, prepare_streams
from loopx.cli.surroundings import Surroundings
from loopx.errors import LoopxError, Problem

PROGRAM = "loopx"
COMPLETE_VARIABLE = "_LOOPX_COMPLETE"


def start(arguments: Sequence[str], operation: str = "") -> int:
    """Run one request as this process; returns its exit status.

    ``operation`` is the id it was handed to a daemon under, whose answer was lost.
    """
    _insist_on_utf8()
    prepare_streams()
    return run(arguments, Surroundings.real(operation))


def run(arguments: Sequence[str], around: Surroundings) -> int:
    """Carry out one request and write its answer or problem; returns the exit status."""
    outlet = Outlet(wants_json(arguments), around.environ)
    try:
        found = outcome(arguments, around)
        return int(outlet.answer(found) if isinstance(found, Answer) else outlet.problem(found))
    except KeyboardInterrupt:
        return int(outlet.problem(Problem("interrupted", "The command was interrupted.")))
    except LoopxError as error:  # an answer that does its work while it is told
        return int(outlet.problem(error.problem))
    except Exception as error:  # noqa: BLE001  (the outermost edge: what nobody knew becomes a report)
        return int(outlet.problem(_bug(error, arguments, around)))
    finally:
        around.close()


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether ``--json`` was typed as an option, also where the rest of the line cannot be understood."""
    for each in arguments:
        if each == "--":
            return False
        if each == "--json":
            return True
    return False


def outcome(arguments: Sequence[str], around: Surroundings) -> Answer | Problem:
    """Carry out one request and write nothing. What it opened stays open: answers look things up as they are told.

    Raises what nobody knows how to explain.
    """
    import click

    from loopx.cli.failures import problem_of
    from loopx.cli.grammar import Shown
    from loopx.cli.root import root

    try:
        if around.environ.get(COMPLETE_VARIABLE):
            _complete(around)
        with root.make_context(PROGRAM, list(arguments), obj=around) as context:
            return root.invoke(context)  # type: ignore[no-any-return]
    except Shown as wanted:
        return wanted.answer
    except (Exception, click.Abort, KeyboardInterrupt) as error:
        problem = problem_of(error)
        if problem is None:
            raise
        return problem


def _complete(around: Surroundings) -> None:
    """Answer a shell's completion request and end the process."""
    from click.shell_completion import shell_complete

    from loopx.cli.root import root

    instruction = around.environ[COMPLETE_VARIABLE]
    raise SystemExit(shell_complete(root, {"obj": around}, PROGRAM, COMPLETE_VARIABLE, instruction))


def _bug(error: Exception, arguments: Sequence[str], around: Surroundings) -> Problem:
    from loopx.workspace.bugs import report

    return report(error, arguments, around.opened[-1].places.root if around.opened else None)


def _insist_on_utf8() -> None:
    """Start over in Python's UTF-8 mode where the locale says otherwise: names, files and arguments are UTF-8 here."""
    if sys.flags.utf8_mode or sys.getfilesystemencoding() == "utf-8" or os.name != "posix":
        return
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
