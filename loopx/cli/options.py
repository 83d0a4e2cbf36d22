"""The options every command has, those of reads, those of writes. The grammar takes them out: verbs never see them.

A command takes only the options that mean something to it, so that none is ever ignored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

_COMMON = (
    click.option("--json", "as_json", is_flag=True, help="Print one JSON envelope on stdout and nothing else."),
    click.option("--workspace", metavar="PATH", help="Use this workspace instead of the nearest one."),
    click.option(
        "--actor", metavar="ACTOR", help="Who asks: human:NAME or agent:ID (default: $LOOPX_ACTOR, then Git)."
    ),
    click.option("-v", "--verbose", is_flag=True, help="Say more on stderr: the workspace and the operation id."),
)
_READS = (
    click.option("--at", metavar="REV", help="Read as of this revision."),
    click.option("--no-take-in", "no_take_in", is_flag=True, help="Do not take in hand edits first."),
)
_OP = click.option("--op", metavar="ID", help="Operation id: the same id and request never run twice.")
_EXPECT = click.option("--expect-revision", metavar="REV", help="Refuse unless the workspace is at this revision.")
_RENDER = click.option("--render", is_flag=True, help="Write the pages now, and wait for it.")
SHARED = frozenset({"as_json", "workspace", "actor", "verbose", "at", "no_take_in", "op", "expect_revision", "render"})
"""Parameter names that belong to the request, not to the verb."""


def common(function: F) -> F:
    """The options of every command."""
    return _with(function, _COMMON)


def nameless(function: F) -> F:
    """The common options but for ``--actor``: for ``log``, where that name chooses whose doings are listed."""
    return _with(function, tuple(each for each in _COMMON if each is not _COMMON[2]))


def reads(function: F) -> F:
    """The options of a command that only reads the state."""
    return _with(function, (*_READS, *_COMMON))


def writes(function: F) -> F:
    """The options of a command that proposes one change."""
    return _with(function, (_OP, _EXPECT, _RENDER, *_COMMON))


def render(function: F) -> F:
    """``--render`` alone."""
    return _RENDER(function)


def past(function: F) -> F:
    """``--at`` alone: for a read that takes in nothing."""
    return _READS[0](function)


def operates(function: F) -> F:
    """The options of a write that works out what it is based on by itself (rollback, undo)."""
    return _with(function, (_OP, _RENDER, *_COMMON))


def settles(function: F) -> F:
    """The options of a write that settles something already there and so needs no operation id of the caller's."""
    return _with(function, (_RENDER, *_COMMON))


def _with(function: F, options: tuple[Callable[[F], F], ...]) -> F:
    for option in reversed(options):
        function = option(function)
    return function
