"""Old plans, whose steps have one of four words for a status: what each word is taken for. Pure.

Nothing is taken for more than the old plan shows: a completed step without evidence of its verification was carried
out, and nobody has judged it. A word there is no rule for is an error that names it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from loopx.errors import LoopxError
from loopx.kernel.plans.checking import plan_problem
from loopx.model.defining import dataclass
from loopx.model.ids import folded
from loopx.model.plan import Action, PlanStep
from loopx.model.step import StepStatus

_COMPLETED, _FAILED = "completed", "failed"
_PLAIN = {"pending": StepStatus.PENDING, "in_progress": StepStatus.IN_PROGRESS}
_EVIDENCE = ("verification_passed", "verified", "verification", "verification_evidence")
"""Where old plans keep that a step was verified; ``verification: passed`` and ``true`` are evidence, texts that say
otherwise are not."""
_NO_EVIDENCE = frozenset({"", "false", "no", "none", "failed", "disabled", "skipped", "not_run", "pending"})
_TERMINAL = ("terminal", "is_terminal", "terminal_failure")


@dataclass(frozen=True, slots=True)
class OldStep:
    """One step of an old plan, as it is taken."""

    meant: PlanStep
    status: StepStatus
    output: Any = None
    because: str = ""
    """Which word it stood under, and what it was taken for."""


@dataclass(frozen=True, slots=True)
class OldPlan:
    """An old plan, as it is taken."""

    objective: str | None
    steps: tuple[OldStep, ...]


def migrated(old: Mapping[str, Any]) -> OldPlan:
    """The plan ``old`` (its file as values) tells of. Raises :class:`LoopxError` (``plan-invalid``)."""
    rows = old.get("steps")
    if not isinstance(rows, list) or not all(isinstance(each, Mapping) for each in rows):
        raise _invalid("The file has no list of steps.")
    steps = tuple(_step(row, number) for number, row in enumerate(rows, 1))
    problem = plan_problem([each.meant for each in steps])
    if problem is not None:
        raise _invalid(problem)
    objective = old.get("objective") or old.get("goal")
    return OldPlan(str(objective) if objective else None, steps)


def status_of(row: Mapping[str, Any]) -> StepStatus:
    """What a step's old word is taken for. Raises :class:`LoopxError` (``plan-invalid``) naming any other word."""
    word = row.get("status", "pending")
    if word == _COMPLETED:
        return StepStatus.VERIFIED_COMPLETED if _has_evidence(row) else StepStatus.EXECUTED
    if word == _FAILED:
        return StepStatus.FAILED if _is_terminal(row) else StepStatus.EVALUATION_FAILED
    found = _PLAIN.get(word) if isinstance(word, str) else None
    if found is None:
        raise _invalid(f"The step {row.get('id')} has the status {word!r}, which no old plan knows.")
    return found


def _step(row: Mapping[str, Any], number: int) -> OldStep:
    status = status_of(row)
    title = str(row.get("title") or row.get("description") or row.get("name") or f"Step {number}")
    meant = PlanStep(
        id=_identity(row.get("id", number)),
        title=" ".join(title.split())[:1000],
        action=_action(row, title),
        depends_on=tuple(map(_identity, _names(row))),
    )
    return OldStep(
        meant, status, row.get("output", row.get("result")), f"{row.get('status', 'pending')} in the old plan"
    )


def _action(row: Mapping[str, Any], title: str) -> Action:
    """What an old step does: its command where it has one; otherwise a person is asked to do it."""
    from loopx.model.plan import ActorKind

    argv = row.get("argv") or row.get("command")
    if isinstance(argv, str):
        argv = ["sh", "-c", argv]
    if isinstance(argv, list) and argv and all(isinstance(each, str) for each in argv):
        return Action(argv=tuple(argv))
    return Action(actor=ActorKind.HUMAN, question=" ".join(title.split())[:1000])


def _names(row: Mapping[str, Any]) -> Iterable[Any]:
    found = row.get("depends_on", row.get("dependencies", ()))
    return found if isinstance(found, (list, tuple)) else ()


def _identity(name: Any) -> str:
    """An old id as a step's name: ``Step 1`` and ``1`` become ``step-1`` and ``s1``."""
    text = "-".join(folded(str(name)).split())
    return f"s{text}" if text.isdigit() else text


def _has_evidence(row: Mapping[str, Any]) -> bool:
    metadata = row.get("metadata")
    places = (row, metadata) if isinstance(metadata, Mapping) else (row,)
    return any(_is_evidence(place.get(name)) for place in places for name in _EVIDENCE)


def _is_evidence(value: Any) -> bool:
    if isinstance(value, Mapping):
        return _is_evidence(value.get("passed", value.get("verified", False)))
    if isinstance(value, str):
        return value.strip().lower() not in _NO_EVIDENCE
    return bool(value)


def _is_terminal(row: Mapping[str, Any]) -> bool:
    if any(row.get(name) is True for name in _TERMINAL):
        return True
    failures = row.get("failures", [row.get("failure")])
    told = [each for each in (failures if isinstance(failures, list) else ()) if isinstance(each, Mapping)]
    return any(each.get("status") == "terminal" or each.get("recoverable") is False for each in told)


def _invalid(message: str) -> LoopxError:
    return LoopxError("plan-invalid", message)


def read_old(text: str) -> Mapping[str, Any]:
    """The values of an old plan's file in JSON. Raises :class:`LoopxError` (``plan-invalid``)."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise _invalid(f"The file is no JSON: {error}.") from error
    if not isinstance(found, Mapping):
        raise _invalid("The file is no JSON object.")
    return found
