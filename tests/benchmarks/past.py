"""A long past, made quickly: thousands of settled turns, each a commit with its evidence, as agents leave them.

Git's own importer writes them, so that history is packed as Git packs it; the files follow by plain Git. Nothing of it
is kept in the repository.
"""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from loopx.documents import emit
from loopx.kernel.outcome import Receipt
from loopx.kernel.traces import operations_of
from loopx.model.actor import Actor, Origin
from loopx.model.entities import Entity, goal_of, kind_of
from loopx.model.layout import record_path
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.turn import DeliveryOutcome, Scale, Spend, Turn, TurnStatus
from loopx.workspace import trailers

BOT = Actor.parse("agent:bot")
_GAP = timedelta(minutes=20)
_OUTCOMES = (DeliveryOutcome.OUTCOME_PROGRESS, DeliveryOutcome.SURFACE_ONLY, DeliveryOutcome.OUTCOME_GAP)


@dataclass(frozen=True, slots=True)
class Settled:
    """One settled turn as its commit holds it."""

    at: datetime
    turn: Turn
    evidence: Evidence


def add_past(root: Path, turns: int, goals: int) -> None:
    """Let ``goals`` Goals of the workspace in ``root`` have had ``turns`` settled turns between them."""
    folder = root / ".loopx"
    head = _git(folder, "rev-parse", "refs/heads/main")
    stream = b"".join(itertools.chain(_stream(head, _past(turns, goals)), [b"done\n"]))
    _git(folder, "fast-import", "--quiet", "--done", given=stream)
    _git(folder, "reset", "--quiet", "--hard", "refs/heads/main")
    _git(folder, "update-ref", "refs/loopx/admitted", "refs/heads/main")


def _past(turns: int, goals: int) -> Iterator[Settled]:
    """Oldest first, ending a week ago, spread over the Goals in turn."""
    newest = datetime.now(UTC).replace(microsecond=0) - timedelta(days=7)
    for number in range(turns):
        at, goal = newest - _GAP * (turns - number), f"goal-{number % goals:03d}"
        name, operation = f"{number:08d}", f"op-past-{number}"
        evidence = Evidence(
            id=f"e-a{name}", kind=EvidenceKind.OBSERVATION, subject=f"t-past{number % 997:04d}", source=str(BOT),
            observed_at=at, result=EvidenceResult.NOTED, summary=f"What was seen in turn {number}", operation=operation,
            goal=goal,
        )  # fmt: skip
        turn = Turn(
            id=f"turn-a{name}", agent="bot", status=TurnStatus.SETTLED, todo=evidence.subject, opened_at=at - _GAP / 2,
            opened_by=operation, settled_at=at, settled_by=operation, scale=Scale.SINGLE_SURFACE,
            outcome=_OUTCOMES[number % 3], delta=(f"evidence:new:{evidence.id}",), evidence=(evidence.id,),
            spend=Spend(slots=1, at=at, operation=operation), goal=goal,
        )  # fmt: skip
        yield Settled(at, turn, evidence)


def _stream(base: str, past: Iterator[Settled]) -> Iterator[bytes]:
    """The commits as Git's importer reads them."""
    previous = f"from {base}\n"
    for settled in past:
        yield b"commit refs/heads/main\n"
        yield f"committer bot <bot@agents.invalid> {int(settled.at.timestamp())} +0000\n".encode()
        yield _data(trailers.message(_receipt(settled), f"turn: settle {settled.turn.id}").encode())
        yield previous.encode()
        for entity in (settled.turn, settled.evidence):
            path = _path(entity)
            yield f"M 100644 inline {path}\n".encode() + _data(emit(path, entity))
        previous = ""


def _receipt(settled: Settled) -> Receipt:
    [operation] = operations_of(settled.turn)
    return Receipt(
        operation=operation, command="refresh-state", actor=BOT, origin=Origin.COMMAND,
        subject=f"turn {settled.turn.id}", goal=settled.turn.goal, request="0" * 64, at=settled.at,
        result={"id": settled.turn.id},
    )  # fmt: skip


def _path(entity: Entity) -> str:
    at = entity.opened_at if isinstance(entity, Turn) else entity.observed_at  # type: ignore[union-attr]
    return record_path(kind_of(entity), goal_of(entity), entity.id, at)  # type: ignore[union-attr]


def _data(content: bytes) -> bytes:
    return b"data %d\n" % len(content) + content + b"\n"


def _git(folder: Path, *arguments: str, given: bytes | None = None) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], input=given, capture_output=True, check=True)
    return done.stdout.decode().strip()
