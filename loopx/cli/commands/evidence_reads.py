"""The verbs of ``loopx evidence`` that read: list and show."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.listing import Listing, listed
from loopx.cli.options import reads
from loopx.cli.parameters import EVIDENCE, GOAL, one_of
from loopx.cli.request import Request, found
from loopx.cli.texts.evidence import evidence_facts, evidence_lines, evidence_row, standing_facts
from loopx.kernel.bindings import EvidenceVerdict, evidence_standing
from loopx.kernel.resolve import find_goal, resolve
from loopx.kernel.subjects import find_subject
from loopx.model.kind import Kind
from loopx.model.records import Evidence, EvidenceKind

if TYPE_CHECKING:
    from loopx.workspace.results import View

_LISTED = Listing("evidence", ("ID", "SEEN", "KIND", "RESULT", "WORTH", "ABOUT", "SUMMARY"), "no evidence")
_NEWEST = 50
"""How many are listed where nothing else was asked for."""


@click.command(
    "list", cls=Verb, epilog="  loopx evidence list --goal beta\n  loopx evidence list --about beta/a1 --worth applies"
)
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only evidence of this Goal.")
@click.option("--about", metavar="SUBJECT", help="Only evidence about this Todo, Gate, effect or GOAL/CRITERION.")
@click.option("--kind", multiple=True, type=one_of(EvidenceKind), help="Only evidence of this kind (repeatable).")
@click.option("--worth", multiple=True, type=one_of(EvidenceVerdict), help="Only evidence worth this (repeatable).")
@click.option("--limit", type=click.IntRange(min=1), default=_NEWEST, show_default=True, help="How many at most.")
@reads
def listing(
    request: Request,
    goal: str | None,
    about: str | None,
    kind: tuple[str, ...],
    worth: tuple[str, ...],
    limit: int,
) -> Answer:
    """List evidence, newest first, with what it is worth now."""
    view = request.view()
    of_goal = found(find_goal(view.state, goal)).id if goal else None
    asked = (each for each in _asked(view, of_goal, about) if not kind or each.kind in kind)
    standings = ((each, evidence_standing(view.state, each, view.at)) for each in asked)
    chosen = list(islice((each for each in standings if not worth or each[1].verdict in worth), limit + 1))
    notes = [f"older ones with --limit {limit * 2}"] if len(chosen) > limit else []
    answer = listed(
        _LISTED, view, chosen[:limit], lambda each: standing_facts(*each), lambda each: evidence_row(*each), notes=notes
    )
    more = {"total": None, "truncated": True} if notes else {}
    return Answer(lambda: {**_data(answer), **more}, answer.lines, answer.revision, answer.warnings)


@click.command("show", cls=Verb, epilog="  loopx evidence show e-4k9x2m7q")
@click.argument("evidence_id", metavar="EVIDENCE", type=EVIDENCE)
@reads
def show(request: Request, evidence_id: str) -> Answer:
    """Show a piece of evidence: what it was made on, what of that changed, and what cites it."""
    view = request.view()
    known = view.state.evidence(found(resolve(view.state, Kind.EVIDENCE, evidence_id)))
    assert known is not None
    facts = evidence_facts(view, known, request.door.environment())
    return Answer(facts, lambda screen: evidence_lines(facts, screen), view.revision, view.warnings)


def _asked(view: View, goal: str | None, about: str | None) -> Iterator[Evidence]:
    if about is None:
        return view.state.source.latest(Kind.EVIDENCE, goal)  # type: ignore[return-value]
    subject = found(find_subject(view.state, about, goal))
    return view.state.source.latest(Kind.EVIDENCE, subject.goal, owner=subject.id)  # type: ignore[return-value]


def _data(answer: Answer) -> dict[str, object]:
    return dict(answer.data() if callable(answer.data) else answer.data)
