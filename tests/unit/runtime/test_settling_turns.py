"""Settling a turn with what must be run for it: outside the lock, before anything is written, and kept as it ended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import AddAgent, AddTodo, EditGoal, NewGoal, OpenTurn, SettleTurn
from loopx.kernel.commands.turns import TodoSettlement
from loopx.kernel.state import State
from loopx.model.actor import Actor
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.todo import TodoStatus, Validation
from loopx.model.turn import DeliveryOutcome, Scale, Turn, TurnStatus
from loopx.runtime.settling import refresh
from loopx.workspace import Workspace
from tests.support.clock import FakeClock
from tests.support.ids import FixedIds
from tests.support.process import LOOPX
from tests.support.project import Project

ANN, BOT = Actor.parse("human:Ann"), Actor.parse("agent:bot")
PRIMARY, GAP = DeliveryOutcome.PRIMARY_GOAL_OUTCOME, DeliveryOutcome.OUTCOME_GAP


@dataclass
class Place:
    """A project with a workspace, in which bot has a turn open on a Todo that advances a1."""

    project: Project
    ws: Workspace
    todo: str = ""
    turn: str = ""

    @property
    def log(self) -> Path:
        """Where commands note that they ran; outside the project, which they leave as it is."""
        return self.project.root.parent / "ran.log"

    @property
    def state(self) -> State:
        return self.ws.read().state

    @property
    def found(self) -> Turn:
        turn = self.state.turn(self.turn)
        assert turn is not None
        return turn

    @property
    def status(self) -> TodoStatus:
        todo = self.state.todo(self.todo)
        assert todo is not None
        return todo.status

    @property
    def evidence(self) -> list[Evidence]:
        return list(self.state.evidences())

    def revisions(self) -> int:
        return len(self.project.loopx_git("log", "--format=%H").splitlines())

    def settle(self, **asked: Any) -> Any:
        became = TodoSettlement(**asked.pop("became", {"done": True}))
        command = SettleTurn(
            **{
                "goal": "beta",
                "turn": self.turn,
                "scale": Scale.IMPLEMENTATION,
                "outcome": PRIMARY,
                "settlement": became,
                **asked,
            }
        )
        return refresh(self.ws, command, actor=BOT, op=asked.get("op"), environ=dict(os.environ))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setenv("LOOPX_PAGES", "off")
    project = Project.make(tmp_path / "lab")
    ws = Workspace.create(project.root, environ=os.environ, clock=FakeClock(), ids=FixedIds())
    ws.submit(NewGoal(goal="beta", title="Ship the beta", acceptance=("It is built",)), actor=ANN)
    ws.submit(AddAgent(agent="bot"), actor=ANN)
    yield Place(project, ws)
    ws.close()


def begin(place: Place, validation: str | None = None, check: str | None = None) -> Place:
    """The Todo with its validation and the criterion with its check, both shell scripts, and the turn opened on it."""
    if check is not None:
        acceptance = [{"id": "a1", "text": "It is built", "check": ["sh", "-c", check]}]
        place.ws.submit(EditGoal(goal="beta", fields={"acceptance": acceptance}), actor=ANN)
    declared = Validation(argv=("sh", "-c", validation), label="the check") if validation else None
    added = place.ws.submit(AddTodo(goal="beta", title="Build it", acceptance=("a1",), validation=declared), actor=ANN)
    place.todo = str(added.receipt.result["id"])
    opened = place.ws.submit(OpenTurn(goal="beta", todo=place.todo), actor=BOT)
    place.turn = str(opened.receipt.result["id"])
    return place


def failing(place: Place, **asked: Any) -> LoopxError:
    with pytest.raises(LoopxError) as raised:
        place.settle(**asked)
    return raised.value


def test_a_turn_is_settled_on_a_validation_that_passed(place: Place) -> None:
    begin(place, validation="echo fine")
    before = place.revisions()
    committed = place.settle(meets=("a1",), evidence=("built",))
    assert place.status is TodoStatus.DONE and place.found.status is TurnStatus.SETTLED
    assert (place.found.outcome, place.found.meets) == (PRIMARY, ("a1",))
    assert place.found.spend is not None and place.found.spend.validated
    run = next(each for each in place.evidence if each.kind is EvidenceKind.VALIDATION)
    assert run.operation == committed.receipt.operation and run.id in place.found.evidence
    assert place.revisions() == before + 1, "everything is one commit"


def test_a_validation_that_fails_is_kept_and_settles_nothing(place: Place) -> None:
    begin(place, validation="echo broken; exit 3")
    error = failing(place, evidence=("built",))
    assert (error.code, error.exit) == ("validation-failed", 5) and "broken" in error.problem.facts["output"]
    assert place.status is TodoStatus.OPEN and place.found.status is TurnStatus.OPEN
    [kept] = place.evidence
    assert (kept.id, kept.result) == (error.problem.facts["evidence"], EvidenceResult.FAILED)
    place.settle(became={}, outcome=GAP, evidence=(kept.id,))
    assert (place.found.outcome, place.found.spend, place.found.evidence) == (GAP, None, (kept.id,))


def test_nothing_runs_for_what_would_be_refused_anyway(place: Place) -> None:
    begin(place, validation=f"echo v >> {place.log}")
    assert failing(place, evidence=("e-zzzz9999",)).code == "evidence-unknown"
    assert not place.log.exists()


def test_the_check_of_a_criterion_runs_where_nothing_cited_shows_it(place: Place) -> None:
    begin(place, check="test -f built.txt")
    error = failing(place, meets=("a1",), evidence=("built",))
    assert (error.code, error.exit) == ("check-failed", 5)
    assert place.status is TodoStatus.OPEN and place.found.status is TurnStatus.OPEN
    (place.project.root / "built.txt").write_text("yes")
    place.settle(meets=("a1",), evidence=("built",))
    assert place.found.meets == ("a1",) and place.status is TodoStatus.DONE
    runs = [each for each in place.evidence if each.subject == "beta/a1"]
    assert [each.result for each in runs] == [EvidenceResult.FAILED, EvidenceResult.PASSED]
    assert runs[1].id in place.found.evidence


def test_validation_and_check_run_once_each_for_one_settling(place: Place) -> None:
    begin(place, validation=f"echo v >> {place.log}", check=f"echo c >> {place.log}")
    place.settle(meets=("a1",), evidence=("built",))
    assert place.log.read_text().split() == ["v", "c"]
    assert place.found.meets == ("a1",)


def test_a_validation_that_passed_is_kept_when_the_check_after_it_fails(place: Place) -> None:
    begin(place, validation="true", check="exit 1")
    error = failing(place, meets=("a1",), evidence=("built",))
    assert error.code == "check-failed"
    assert sorted(each.result.value for each in place.evidence) == ["failed", "passed"]
    assert place.status is TodoStatus.OPEN and place.found.status is TurnStatus.OPEN


def test_what_passed_is_kept_when_the_todo_changed_meanwhile(place: Place) -> None:
    blocked = f"{LOOPX} todo block t-a0000001 --reason 'wait for Ann' --actor human:Ann"
    begin(place, validation=blocked)
    error = failing(place, evidence=("built",))
    assert error.code == "revision-conflict" and place.status is TodoStatus.BLOCKED
    [kept] = place.evidence
    assert (kept.id, kept.result) == (error.problem.facts["evidence"], EvidenceResult.PASSED)
    assert place.found.status is TurnStatus.OPEN


def test_the_same_operation_runs_nothing_a_second_time(place: Place) -> None:
    begin(place, validation=f"echo v >> {place.log}")
    command = SettleTurn(
        goal="beta", turn=place.turn, scale=Scale.IMPLEMENTATION, outcome=GAP, settlement=TodoSettlement(done=True)
    )
    first = refresh(place.ws, command, actor=BOT, op="mine")
    again = refresh(place.ws, command, actor=BOT, op="mine")
    assert again.replayed and again.receipt == first.receipt and again.revision == first.revision
    other = refresh(place.ws, command, actor=BOT, op="another")
    assert other.replayed and other.receipt == first.receipt
    assert place.log.read_text().split() == ["v"]
