"""The verbs of ``loopx step`` that move one: skip and cancel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.keys import execution_key
from loopx.cli.options import common
from loopx.cli.parameters import RUN
from loopx.cli.request import Request, found
from loopx.cli.texts.steps import moved_facts, moved_lines
from loopx.kernel.plans.finding import find_run, find_step

if TYPE_CHECKING:
    from loopx.loop.work.stepping import Moved

_LEASE = click.option("--lease", "lease_key", metavar="KEY", help="Your execution key (default: $LOOPX_LEASE_KEY).")


@click.command(
    "skip", cls=Verb, epilog='  loopx step skip t-4k9x2m7q docs --reason "The guide is not needed for the beta"'
)
@click.argument("run", metavar="RUN|TODO", type=RUN)
@click.argument("step", metavar="STEP")
@click.option("--reason", required=True, help="Why.")
@_LEASE
@common
def skip(request: Request, run: str, step: str, reason: str, lease_key: str | None) -> Answer:
    """Put a step aside, before it begins or after it failed; an optional one then counts as complete."""
    from loopx.loop.work import stepping

    identity, name = _named(request, run, step)
    return _told(stepping.skip(request.door, identity, name, reason, request.who, execution_key(request, lease_key)))


@click.command(
    "cancel", cls=Verb, epilog='  loopx step cancel t-4k9x2m7q deploy --reason "It goes out with the next one"'
)
@click.argument("run", metavar="RUN|TODO", type=RUN)
@click.argument("step", metavar="STEP")
@click.option("--reason", required=True, help="Why.")
@_LEASE
@common
def cancel(request: Request, run: str, step: str, reason: str, lease_key: str | None) -> Answer:
    """Give a step up for good; whatever waits for it is blocked."""
    from loopx.loop.work import stepping

    identity, name = _named(request, run, step)
    return _told(stepping.cancel(request.door, identity, name, reason, request.who, execution_key(request, lease_key)))


def _named(request: Request, run: str, step: str) -> tuple[str, str]:
    """The run and the step that are meant."""
    state = request.door.read().state
    plan = found(find_run(state, run))
    return plan.run, found(find_step(state, plan, step))


def _told(moved: Moved) -> Answer:
    warnings = (moved.problem,) if moved.problem is not None else ()
    return Answer(moved_facts(moved), lambda screen: moved_lines(moved, screen), moved.revision, warnings)
