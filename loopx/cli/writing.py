"""Carrying out a write: one command handed to the workspace under one operation id, and its receipt told.

The id is the caller's (``--op``) or made for the request. A made one is said on stderr *before* the write, unless a
person is looking at the terminal and did not ask for it: should the answer be lost, ``loopx op show ID`` tells what
happened.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from loopx.cli.answer import Answer
from loopx.cli.request import Request
from loopx.cli.screen import is_terminal
from loopx.cli.texts.receipts import receipt_facts, receipt_line
from loopx.errors import LoopxError, Problem

if TYPE_CHECKING:
    from loopx.kernel.commands import Command
    from loopx.workspace.proposal import Proposal
    from loopx.workspace.results import Committed


def submit(request: Request, command: Command, done: str) -> Answer:
    """Hand ``command`` to the workspace; ``done`` is the word for it afterwards, such as ``added``."""
    proposed = proposal(request, command)
    with named(request, proposed.operation):
        committed = request.door.settle(proposed)
    return answer_of(request, done, committed)


def proposal(request: Request, command: Command) -> Proposal:
    """``command`` as this request proposes it: by whom, under which id, on which revision."""
    return request.door.proposal(command, actor=request.who, op=request.op, expect_revision=request.expect_revision)


@contextmanager
def named(request: Request, operation: str) -> Iterator[None]:
    """Say the operation's id first where it was made here; an error raised within carries it, to be read back."""
    if request.op is None and (request.verbose or not is_terminal(sys.stderr)):
        sys.stderr.write(f"operation {operation}\n")
        sys.stderr.flush()
    try:
        yield
    except LoopxError as error:
        facts = {**error.problem.facts, "operation": operation}
        raise LoopxError.of(replace(error.problem, facts=facts)) from error


def answer_of(request: Request, done: str, committed: Committed) -> Answer:
    """The answer that tells a receipt."""
    told = with_pages(request, committed)
    return Answer(receipt_facts(told), lambda screen: [receipt_line(told, done, screen)], told.revision, told.warnings)


def with_pages(request: Request, committed: Committed) -> Committed:
    """``committed``, once the pages are written where the request waits for them.

    Pages that cannot be written are a warning: what was committed is committed.
    """
    if not request.render:
        return committed
    failed = render_pages(request)
    return replace(committed, pages_pending=bool(failed), warnings=(*committed.warnings, *failed))


def render_pages(request: Request) -> tuple[Problem, ...]:
    """Write the pages now; what kept them from being written, if anything did."""
    try:
        request.door.render(wait=True)
    except LoopxError as error:
        if error.code != "pages-failed":
            raise
        return (error.problem,)
    return ()
