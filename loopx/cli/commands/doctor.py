"""``loopx doctor`` and ``repair``: where surfaces disagree, and making the derived ones anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from loopx.cli.answer import Answer
from loopx.cli.documents import values
from loopx.cli.grammar import Verb
from loopx.cli.options import common, past
from loopx.cli.parameters import GOAL
from loopx.cli.request import Request
from loopx.cli.texts.doctor import doctor_lines, repair_lines
from loopx.errors import Problem

if TYPE_CHECKING:
    from loopx.workspace.doctor import Diagnosis


@click.command(
    "doctor", cls=Verb, epilog="  loopx doctor\n  loopx doctor --goal beta --json\n  loopx doctor --at HEAD~5"
)
@click.option("--goal", metavar="GOAL", type=GOAL, help="Look at the documents of this Goal alone.")
@past
@common
def doctor(request: Request, goal: str | None) -> Answer:
    """Find which surface is wrong, and who owns the fact."""
    found = request.door.doctor(goal=goal, at=request.at)
    return Answer(
        _facts(found), lambda screen: doctor_lines(found, screen), found.basis.admitted, problem=_problem(found)
    )


@click.command(
    "repair",
    cls=Verb,
    epilog='  loopx repair\n  loopx repair --cause "A sync client wrote into status/; it is excluded now"',
)
@click.option("--cause", metavar="TEXT", help="What earlier repairs were due to: they count no further.")
@common
def repair(request: Request, cause: str | None) -> Answer:
    """Repair pages, cache, index and journal; explain the rest."""
    done = request.door.repair(actor=request.who, cause=cause)
    facts = {
        "done": list(done.done),
        "repaired": done.is_clean,
        "reassess": [values(each) for each in done.reassess],
        "before": _facts(done.before),
        "after": _facts(done.after),
    }
    revision = done.after.basis.admitted
    return Answer(facts, lambda screen: repair_lines(done, screen), revision, problem=_problem(done.after))


def _facts(found: Diagnosis) -> dict[str, object]:
    return {
        "basis": values(found.basis),
        "looked_at": list(found.looked_at),
        "findings": [{**values(each), "may_be_repaired": each.may_be_repaired} for each in found.findings],
        "faults": len(found.faults),
    }


def _problem(found: Diagnosis) -> Problem | None:
    count = len(found.faults)
    if not count:
        return None
    hint = "`loopx repair` mends what is derived." if any(each.may_be_repaired for each in found.faults) else ""
    message = f"{count} disagreement{'' if count == 1 else 's'} found."
    return Problem("problems-found", message, hint=hint, facts={"count": count})
