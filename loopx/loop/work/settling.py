"""What a run that is left, or has ended, makes of its Todo: the turn it worked in is settled with the evidence.

Completed work may complete the Todo, under the Todo's own guards; every other end leaves it open with a blocker, and a
question to a person makes it wait for that person. Nothing here claims more than the run's record says.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from loopx.errors import Exit, LoopxError
from loopx.kernel.bindings import bindings_of
from loopx.kernel.commands import RecordEvidence, SettleTurn, VoidTurn
from loopx.kernel.commands.turns import TodoSettlement, VisionSettlement
from loopx.kernel.wording import cut
from loopx.loop.keeping.asked import awaited_gates
from loopx.model.actor import Origin
from loopx.model.ids import EVIDENCE, derived
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.step import ExecutionState, StepStatus, VerificationStatus
from loopx.model.turn import DeliveryOutcome, Scale
from loopx.runtime.settling import refresh
from loopx.workspace.crashpoints import reach

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from loopx.errors import Problem
    from loopx.kernel.state import State
    from loopx.model.actor import Actor
    from loopx.model.run import RunRecord, StepRecord
    from loopx.workspace import Workspace
    from loopx.workspace.results import Committed

SOURCE = "loopx:run"
_WORDS = {
    VerificationStatus.VERIFIED: "every step was verified independently",
    VerificationStatus.PARTIAL: "some steps were verified independently",
    VerificationStatus.FAILED: "verification failed",
    VerificationStatus.NOT_RUN: "nothing was verified",
    VerificationStatus.DISABLED: "verification is disabled, so nothing was verified",
}
_LONGEST = 280


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """What whoever starts a run says for the case that it completes its Todo."""

    successors: tuple[str, ...] = ()
    no_follow_up: str | None = None
    meets: tuple[str, ...] = ()
    vision_unchanged: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of the turn and the Todo. ``problem`` says what kept completed work from completing the Todo."""

    todo: str | None = None
    """``done``, ``blocked`` or ``deferred``; ``None`` where it stays open."""
    turn: str | None = None
    outcome: str | None = None
    evidence: str | None = None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """One turn to be settled: by whom, under which Lease, in which surroundings."""

    workspace: Workspace
    actor: Actor
    turn: str
    lease_key: str | None
    environ: Mapping[str, str] = field(default_factory=dict)
    following: Following = field(default_factory=Following)
    is_waiting: bool = False
    """Whether nothing of the run can go on before a person has answered."""

    def settle(self, run: str) -> Settled:
        """Settle the turn as the record of ``run`` tells."""
        state = self.workspace.read(take_in=False).state
        record = state.run(run)
        assert record is not None
        if self._is_idle(state, record):
            gone = VoidTurn(turn=self.turn, reason=f"{record.id} was left for later, and nothing of it carried out.")
            self.workspace.submit(gone, actor=self.actor)
            return Settled(turn=self.turn)
        evidence = self._delivered(state, record)
        reach("evidence-recorded")
        if record.status is ExecutionState.COMPLETED:
            return self._completed(record, evidence)
        committed, became = self._left(state, record, evidence)
        return _told(committed, became, evidence)

    # what a run's end makes of its Todo ----------------------------------------------------------

    def _completed(self, record: RunRecord, evidence: str) -> Settled:
        said = self.following
        done = TodoSettlement(done=True, successors=said.successors, no_follow_up=said.no_follow_up)
        try:
            committed = self._write(record, DeliveryOutcome.OUTCOME_PROGRESS, evidence, done, meets=said.meets)
        except LoopxError as error:
            if error.exit not in (Exit.REFUSED, Exit.FAILED, Exit.UNAVAILABLE) or _is_fence(error):
                raise
            kept = self._write(record, DeliveryOutcome.OUTCOME_GAP, evidence, next_action=cut(str(error), _LONGEST))
            return replace(_told(kept, None, evidence), problem=error.problem)
        return _told(committed, "done", evidence)

    def _left(self, state: State, record: RunRecord, evidence: str) -> tuple[Committed, str | None]:
        if record.status.is_terminal:
            why = cut(" ".join(reason_of(record).split()), _LONGEST)
            blocked = TodoSettlement(blocked=why)
            return self._write(record, DeliveryOutcome.OUTCOME_GAP, evidence, blocked, negative=(why,)), "blocked"
        gate = (
            next(iter(awaited_gates(state, record.id, self.workspace.clock.now())), None) if self.is_waiting else None
        )
        if gate is not None:
            waiting = TodoSettlement(deferred_until=f"gate_approved:{gate.id}")
            asked = f"Answer {gate.id}: {cut(gate.question, _LONGEST - 40)}"
            return self._write(record, self._so_far(state, record), evidence, waiting, next_action=asked), "deferred"
        again = f"Go on with {record.id}."
        return self._write(record, self._so_far(state, record), evidence, next_action=again), None

    def _so_far(self, state: State, record: RunRecord) -> DeliveryOutcome:
        """What a run that goes on later is worth so far: steps that were verified in this turn bring it closer."""
        is_closer = any(_is_verified_since(each, self._since(state)) for each in state.steps_of(record.id))
        return DeliveryOutcome.OUTCOME_PROGRESS if is_closer else DeliveryOutcome.SURFACE_ONLY

    def _is_idle(self, state: State, record: RunRecord) -> bool:
        """Whether the turn has nothing to show: the run goes on later, and nothing of it was carried out."""
        if record.status.is_terminal or self.is_waiting:
            return False
        since = self._since(state)
        return not any(_is_touched_since(each, since) for each in state.steps_of(record.id))

    def _since(self, state: State) -> datetime:
        """When the turn began, perhaps in a process that did not come to its end."""
        turn = state.turn(self.turn)
        assert turn is not None
        return turn.opened_at

    def _write(
        self,
        record: RunRecord,
        outcome: DeliveryOutcome,
        evidence: str,
        settlement: TodoSettlement | None = None,
        *,
        meets: tuple[str, ...] = (),
        negative: tuple[str, ...] = (),
        next_action: str | None = None,
    ) -> Committed:
        command = SettleTurn(
            goal=record.goal,
            turn=self.turn,
            scale=Scale.IMPLEMENTATION,
            outcome=outcome,
            settlement=settlement or TodoSettlement(),
            vision=VisionSettlement(unchanged_reason=self.following.vision_unchanged),
            evidence=(evidence,),
            negative=negative,
            meets=meets,
            next_action=next_action,
            note=f"Run {record.id} is {record.status}.",
            lease_key=self.lease_key,
        )
        return refresh(self.workspace, command, actor=self.actor, environ=self.environ or None)

    def _delivered(self, state: State, record: RunRecord) -> str:
        """Put on record what the run came to, bound to the files it speaks of; the id of the Evidence."""
        operation = f"{record.id}.{record.trace_count}.delivered"
        known = state.receipt(operation)
        if known is not None:
            return str(known.result["id"])
        todo = state.todo(record.todo)
        scopes = todo.write_scopes if todo is not None else ()
        is_verified = record.verification_status is VerificationStatus.VERIFIED
        is_whole = record.status is ExecutionState.COMPLETED
        artifact = self.workspace.environment().artifact(scopes) if scopes else None
        evidence = Evidence(
            id=derived(EVIDENCE, operation),
            kind=EvidenceKind.DELIVERY,
            subject=record.todo,
            source=SOURCE,
            observed_at=self.workspace.clock.now().replace(microsecond=0),
            result=EvidenceResult.PASSED if is_whole and is_verified else EvidenceResult.NOTED,
            summary=summary_of(state, record),
            artifact=artifact,
            artifact_scopes=scopes,
            bound=bindings_of(state, record.goal, record.todo),
            references=(record.id,),
            operation=operation,
            goal=record.goal,
        )
        command = RecordEvidence(evidence=evidence)
        self.workspace.submit(command, actor=self.actor, op=operation, origin=Origin.SYSTEM)
        return evidence.id


def _is_touched_since(step: StepRecord, since: datetime) -> bool:
    """Whether an execution of ``step`` began since then, or it was verified."""
    return any(each.started_at >= since for each in step.attempts) or _is_verified_since(step, since)


def _is_verified_since(step: StepRecord, since: datetime) -> bool:
    """Whether ``step`` came to its end since then, verified by somebody else than whoever carried it out."""
    return bool(step.verification_passed) and step.end_time is not None and step.end_time >= since


def summary_of(state: State, record: RunRecord) -> str:
    """What a run came to so far, in a sentence or two."""
    plan = state.plan(record.id)
    there = {each.id for each in plan.steps} if plan is not None else set()
    done = [each for each in state.steps_of(record.id) if each.status is StepStatus.VERIFIED_COMPLETED]
    counted = sum(each.step in there for each in done)
    verified = f", and {_WORDS[record.verification_status]}" if record.status.is_terminal else " so far"
    parts = [f"{record.id} is {record.status}: {counted} of {len(there)} steps are done{verified}."]
    if record.status.is_terminal and record.status is not ExecutionState.COMPLETED:
        parts.append(f"{reason_of(record)}.")
    return cut(" ".join(" ".join(parts).split()), 1000)


def reason_of(record: RunRecord) -> str:
    """Why a run that ended without completing its work did."""
    said = (record.abstention or record.error or "").strip().rstrip(".")
    return f"The run {record.id} is {record.status}" + (f": {said}" if said else "")


def _told(committed: Committed, became: str | None, evidence: str) -> Settled:
    result = committed.receipt.result
    return Settled(todo=became, turn=result.get("id"), outcome=result.get("outcome"), evidence=evidence)


def _is_fence(error: LoopxError) -> bool:
    """Whether the work is not this process's to settle any more."""
    return error.code.startswith(("lease-", "turn-")) or error.code in ("todo-claimed", "actor-not-permitted")
