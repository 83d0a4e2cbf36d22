"""A diagnosis in words: what was looked at first, then what is wrong, whose fact it is, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from loopx.cli.columns import shown
from loopx.cli.screen import Screen
from loopx.cli.texts.places import FOUND_BY
from loopx.cli.texts.receipts import short
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.workspace.doctor import Basis, Diagnosis, Finding, Repaired

_GOALS_SHOWN = 10


def doctor_lines(found: Diagnosis, screen: Screen) -> Iterator[str]:
    """The whole diagnosis."""
    yield from _basis(found.basis, screen)
    yield from _findings("Wrong", found.faults, screen)
    yield from _findings("Resolves itself", [each for each in found.findings if not each.is_fault], screen)
    yield ""
    yield f"compared: {', '.join(found.looked_at)}"
    yield _verdict(found, screen)


def repair_lines(done: Repaired, screen: Screen) -> Iterator[str]:
    """What was repaired, what to look at again, and what is left."""
    yield from (shown(each) for each in done.done)
    if not done.done:
        yield "nothing that is derived was wrong"
    if done.reassess:
        yield ""
        yield screen.paint("Look again at", "bold")
        yield from (f"  {shown(each.id)}  {shown(each.why)}" for each in done.reassess)
    yield from _findings("Left", done.after.faults, screen)
    yield ""
    yield f"read back: {_verdict(done.after, screen)}"


def _basis(basis: Basis, screen: Screen) -> Iterator[str]:
    yield f"{screen.paint(shown(basis.root), 'bold')}  {FOUND_BY.get(basis.found_by, basis.found_by)}"
    yield from (f"  {name:<9} {shown(text)}" for name, text in _facts(basis))
    yield from (f"  note      {shown(each)}" for each in basis.notes)


def _facts(basis: Basis) -> Iterator[tuple[str, str]]:
    goals = [f"{goal} ({status})" for goal, status in basis.goals.items()]
    more = f" and {len(goals) - _GOALS_SHOWN} more" if len(goals) > _GOALS_SHOWN else ""
    yield "goals", (", ".join(goals[:_GOALS_SHOWN]) or "none") + more
    yield "source", f"revision {short(basis.admitted)}" + _others(basis)
    yield (
        "mode",
        "; ".join(
            ["the past" if basis.is_past else "the present", *(f"{name} {value}" for name, value in basis.mode.items())]
        ),
    )
    if basis.actor is not None:
        yield "actor", f"{basis.actor}, named by LOOPX_ACTOR"
    newest = f"; the newest stamp is {format_instant(basis.newest_stamp)}" if basis.newest_stamp else ""
    yield "time", f"{format_instant(basis.now)}{newest}"
    if basis.truncated:
        cut = ", ".join(f"{count} of {name}" for name, count in basis.truncated.items())
        yield "lists", f"`loopx status` leaves out {cut}; counts and decisions are over everything"


def _others(basis: Basis) -> str:
    """Whatever does not stand at the revision that counts."""
    parts = []
    if not basis.is_past and basis.head != basis.admitted:
        parts.append(f"main is at {short(basis.head)}")
    if not basis.is_past and basis.cache_revision != basis.admitted:
        parts.append(f"the cache at {short(basis.cache_revision) or 'none'}")
    return f" ({', '.join(parts)})" if parts else ""


def _findings(title: str, found: Sequence[Finding], screen: Screen) -> Iterator[str]:
    if not found:
        return
    yield ""
    yield screen.paint(title, "bold")
    for each in found:
        style = "red" if each.is_fault else "yellow"
        yield f"  {screen.paint(f'{each.surface}[{each.kind}]', style)} {shown(each.place)}"
        yield f"    {shown(each.why)}"
        yield f"    owner: {shown(each.owner)}"
        yield f"    next:  {shown(each.next_step)}"


def _verdict(found: Diagnosis, screen: Screen) -> str:
    count = len(found.faults)
    if not count:
        said = "nothing is wrong" if found.findings else "every surface agrees with its source"
        return screen.paint(said, "green")
    return screen.paint(f"{count} disagreement{'' if count == 1 else 's'}", "red")
