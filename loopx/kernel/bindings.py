"""What evidence was made on, compared with how that is today: it applies, needs reassessment, or is superseded.

Nothing is ever deleted when something changes; this tells what is still worth what. Everything that rests on evidence
asks here: criteria, Gates, the audit, the page of one piece of evidence.

Not known is neither unchanged nor changed. Where something cannot be looked at now (no repository, a file that cannot
be read) evidence made on it is not known to apply: it needs reassessment and says what could not be compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum

from loopx.kernel.digest import boundary_text, criterion_text, gate_inputs, of_everything, validation_inputs
from loopx.kernel.durations import parse_duration
from loopx.kernel.state import State
from loopx.kernel.wording import cut, listed
from loopx.model.defining import dataclass
from loopx.model.goal import Goal
from loopx.model.kind import Kind
from loopx.model.records import Assessment, Binding, Evidence, EvidenceKind, EvidenceResult
from loopx.model.times import format_instant
from loopx.model.todo import Todo, Validation

ARTIFACT, VALIDATION, BOUNDARY = "artifact", "validation", "boundary"
_BY_LOOPX = "loopx:"
_DECIDED = (EvidenceResult.PASSED, EvidenceResult.FAILED)
_LOOKED_AT = 200
"""How many pieces of evidence about one subject are looked at, so that no number of runs makes a read slow."""
_WILD = frozenset("*?[")
_GONE = "gone"
"""Stands for the digest of something that is known not to be there any more; equals no digest."""


class EvidenceVerdict(StrEnum):
    """What a piece of evidence is worth now."""

    APPLIES = "applies"
    NEEDS_REASSESSMENT = "needs_reassessment"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class EvidenceStanding:
    """What a piece of evidence is worth at one instant. ``why`` is one sentence."""

    verdict: EvidenceVerdict
    is_fresh: bool
    """Whether it is within the time it counts for; always, where it names none."""
    why: str
    changed: tuple[str, ...] = ()
    """What it was made on and now is different."""
    unknown: tuple[str, ...] = ()
    """What it was made on and cannot be looked at now."""
    judgement: Evidence | None = None
    """The reassessment that settles it, where one does."""

    @property
    def counts(self) -> bool:
        """Whether something may rest on it."""
        return self.verdict is EvidenceVerdict.APPLIES and self.is_fresh


def evidence_standing(state: State, evidence: Evidence, now: datetime | None) -> EvidenceStanding:
    """What ``evidence`` is worth at ``now``; without a time, whether it is fresh is not asked."""
    fresh = is_fresh(evidence, now)
    judgement = newest_judgement(state, evidence)
    if _is_undone(state, evidence):
        return EvidenceStanding(EvidenceVerdict.SUPERSEDED, fresh, "The completion it backed was undone.")
    if judgement is not None and _said(judgement) is Assessment.SUPERSEDED:
        why = f"{judgement.source} judged it superseded{_because(judgement)}"
        return EvidenceStanding(EvidenceVerdict.SUPERSEDED, fresh, why, judgement=judgement)
    changed, unknown = compared(state, evidence)
    newer = newer_run(state, evidence)
    if newer is not None and (changed or unknown or newer.result is EvidenceResult.FAILED):
        why = f"{newer.id} looked at the same on {format_instant(newer.observed_at)} and {newer.result}."
        return EvidenceStanding(EvidenceVerdict.SUPERSEDED, fresh, why, changed, unknown)
    if not changed and not unknown:
        why = "Nothing it was made on has changed." if fresh else _stale(evidence)
        return EvidenceStanding(EvidenceVerdict.APPLIES, fresh, why)
    if judgement is not None and not unknown and _speaks_of_today(state, evidence, judgement):
        why = f"{judgement.source} judged that it still applies{_because(judgement)}"
        return EvidenceStanding(EvidenceVerdict.APPLIES, fresh, why, changed, judgement=judgement)
    why = _changes_in_words(changed, unknown)
    return EvidenceStanding(EvidenceVerdict.NEEDS_REASSESSMENT, fresh, why, changed, unknown, judgement)


def then(evidence: Evidence) -> dict[str, str]:
    """Everything ``evidence`` was made on, by name, as a digest of how it was."""
    found: dict[str, str] = {}
    if evidence.inputs is not None:
        found[VALIDATION] = evidence.inputs
    elif evidence.kind is EvidenceKind.VALIDATION and not evidence.bound:
        found[VALIDATION] = _GONE  # a validation that does not say of what says nothing
    if evidence.artifact is not None:
        found[ARTIFACT] = evidence.artifact
    elif evidence.kind is EvidenceKind.VALIDATION and evidence.artifact_revision is not None:
        found[ARTIFACT] = evidence.artifact_revision
    found.update((each.what, each.digest) for each in evidence.bound)
    return found


def today(state: State, evidence: Evidence, what: str) -> str | None:
    """The digest of one such thing as it is now; ``None`` when that is not known."""
    word, _, name = what.partition(":")
    match word:
        case "artifact":
            return _artifact(state, evidence)
        case "file":
            return state.environment.file_digest(name)
        case "environment":
            return state.environment.variable_digest(name)
        case _:
            return _recorded(state, evidence, word, name)


def compared(state: State, evidence: Evidence) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What ``evidence`` was made on and has changed since, and what of it is not known now."""
    changed: list[str] = []
    unknown: list[str] = []
    for what, digest in then(evidence).items():
        now = today(state, evidence, what)
        if now is None:
            unknown.append(what)
        elif now != digest:
            changed.append(what)
    return tuple(changed), tuple(unknown)


def inputs_today(state: State, evidence: Evidence) -> str:
    """Digest of everything ``evidence`` is bound to as it is now: what a judgement on it today speaks of."""
    return of_everything({what: today(state, evidence, what) for what in then(evidence)})


def bindings_of(state: State, goal: str, subject: str) -> tuple[Binding, ...]:
    """What evidence about ``subject`` of ``goal`` is made on, of what LoopX itself keeps, as it is now.

    ``subject`` is the id of a Todo or a Gate, or ``GOAL/CRITERION``.
    """
    probe = Evidence(
        id="", kind=EvidenceKind.OBSERVATION, subject=subject, source="", observed_at=datetime.min,
        result=EvidenceResult.NOTED, goal=goal,
    )  # fmt: skip
    found = ((what, today(state, probe, what)) for what in _named(subject))
    return tuple(Binding(what=what, digest=digest) for what, digest in found if digest not in (None, _GONE))


def artifact_scopes(todo: Todo | None, goal: Goal | None) -> tuple[str, ...]:
    """The path patterns whose files a validation of ``todo``, or (without one) a check of ``goal``, is made on.

    What the Todo may write, else what the Goal may, else everything; and what the validation declares beyond that.
    """
    own = todo.write_scopes if todo else ()
    bounds = own or (goal.boundary.write_scopes if goal and goal.boundary else ())
    if not bounds or todo is None or todo.validation is None:
        return bounds
    return (*bounds, *(each for each in todo.validation.rests_on if each not in bounds))


def declared_bindings(state: State, validation: Validation) -> tuple[Binding, ...]:
    """Bindings of the single files and the variables a validation declares to rest on, as far as they are there."""
    files = [each for each in validation.rests_on if not _WILD & set(each)]
    looked = [
        *((f"file:{each}", state.environment.file_digest(each)) for each in files),
        *((f"environment:{each}", state.environment.variable_digest(each)) for each in validation.variables),
    ]
    return tuple(Binding(what=what, digest=digest) for what, digest in looked if digest is not None)


def newest_judgement(state: State, evidence: Evidence) -> Evidence | None:
    """The newest reassessment of ``evidence``. Of two made in one second the one that says ``superseded`` holds."""
    made = [each for each in state.evidence_about(evidence.id) if _is_judgement_of(each, evidence.id)]
    return max(made, key=lambda each: (each.observed_at, _said(each) is Assessment.SUPERSEDED, each.id), default=None)


def newer_run(state: State, evidence: Evidence) -> Evidence | None:
    """The newest check or validation that LoopX ran after ``evidence`` of the same subject, that came to an answer, and
    that was made on things as they are now."""
    return _newest_run(state, evidence.subject, evidence.goal, evidence.observed_at)


def failed_since(state: State, subject: str, goal: str, since: datetime) -> Evidence | None:
    """The newest such run of ``subject`` (of ``goal``) after ``since``, where it failed."""
    newest = _newest_run(state, subject, goal, since)
    return newest if newest is not None and newest.result is EvidenceResult.FAILED else None


def is_fresh(evidence: Evidence, now: datetime | None) -> bool:
    """Whether ``evidence`` is within the time it counts for. A time from the future never makes it count longer."""
    if evidence.fresh_for is None or now is None:
        return True
    try:
        return evidence.observed_at <= now <= evidence.observed_at + parse_duration(evidence.fresh_for)
    except (ValueError, OverflowError):
        return False


def _artifact(state: State, evidence: Evidence) -> str | None:
    if evidence.artifact is not None:
        return state.environment.artifact(evidence.artifact_scopes)
    return state.environment.artifact_revision()


def _recorded(state: State, evidence: Evidence, word: str, name: str) -> str | None:
    """The digest of something LoopX keeps; ``gone`` when it is not there any more."""
    goal = state.goal(evidence.goal)
    if word == VALIDATION:
        todo = state.todo(evidence.subject)
        return _GONE if todo is None else validation_inputs(todo, state.goal(todo.goal))
    if word == BOUNDARY:
        return _GONE if goal is None else boundary_text(goal)
    if word == "criterion":
        criterion = next((each for each in (goal.acceptance if goal else ()) if each.id == name), None)
        return _GONE if criterion is None else criterion_text(criterion)
    if word == "gate":
        gate = state.gate(name)
        return _GONE if gate is None else gate_inputs(gate)
    return None


def _named(subject: str) -> Iterator[str]:
    goal, slash, criterion = subject.partition("/")
    if slash:
        yield f"criterion:{criterion}"
    elif goal.startswith("g-"):
        yield f"gate:{goal}"
    else:
        yield VALIDATION
    yield BOUNDARY


def _is_undone(state: State, evidence: Evidence) -> bool:
    """Whether every completion that rests on it was reopened or rolled back."""
    if evidence.kind is not EvidenceKind.VALIDATION:
        return False
    log = state.completions(evidence.subject)
    resting = [each for each in (log.entries if log else ()) if evidence.id in each.evidence]
    return bool(resting) and not any(each.stands for each in resting)


def evidence_of(state: State, subject: str, goal: str, since: datetime | None = None) -> Iterator[Evidence]:
    """Evidence about ``subject`` itself, newest first, of the newest few hundred pieces."""
    return state.source.latest(Kind.EVIDENCE, goal, owner=subject, since=since, limit=_LOOKED_AT)  # type: ignore[return-value]


def _newest_run(state: State, subject: str, goal: str, since: datetime) -> Evidence | None:
    for each in evidence_of(state, subject, goal, since):
        if each.observed_at > since and _is_run(each) and _still_speaks(state, each):
            return each
    return None


def _is_run(evidence: Evidence) -> bool:
    return evidence.source.startswith(_BY_LOOPX) and evidence.result in _DECIDED


def _still_speaks(state: State, run: Evidence) -> bool:
    judgement = newest_judgement(state, run)
    is_out = judgement is not None and _said(judgement) is Assessment.SUPERSEDED
    return not is_out and compared(state, run) == ((), ())


def _is_judgement_of(evidence: Evidence, judged: str) -> bool:
    return evidence.reassessment is not None and evidence.reassessment.of == judged


def _said(judgement: Evidence) -> Assessment | None:
    return judgement.reassessment.assessment if judgement.reassessment else None


def _speaks_of_today(state: State, evidence: Evidence, judgement: Evidence) -> bool:
    return judgement.reassessment is not None and judgement.reassessment.inputs == inputs_today(state, evidence)


def _because(judgement: Evidence) -> str:
    return f": {cut(judgement.summary, 120)}" if judgement.summary else "."


def _stale(evidence: Evidence) -> str:
    return f"It was seen at {format_instant(evidence.observed_at)} and counts for {evidence.fresh_for}."


def _changes_in_words(changed: tuple[str, ...], unknown: tuple[str, ...]) -> str:
    parts = []
    if changed:
        parts.append(f"changed since: {listed(changed)}")
    if unknown:
        parts.append(f"cannot be compared now: {listed(unknown)}")
    return f"It needs reassessment; {'; '.join(parts)}."
