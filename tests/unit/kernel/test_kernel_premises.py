"""Baselines: every accepted write of a Vision is recorded with its premises, and a change of one of them shows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopx.kernel.commands import (
    DecideGate,
    EditGoal,
    MeetCriterion,
    OpenGate,
    RetireVision,
    SetVision,
    WaiveCriterion,
)
from loopx.kernel.premises import KEPT, baseline_of, changed_premises, vision_digest
from loopx.model.actor import Channel
from loopx.model.baseline import Baseline
from loopx.model.goal import Boundary
from loopx.model.vision import Vision
from tests.support.kernel import ANN, BOT, Desk, criterion, edited, goal


def desk_with_vision() -> Desk:
    desk = Desk.of(goal(acceptance=(criterion(), criterion("a2", "It is fast"))))
    desk.do(SetVision(goal="beta", agent="bot", summary="Write, then test"), BOT)
    return desk


def vision(desk: Desk) -> Vision:
    found = desk.state.vision("beta", "bot")
    assert found is not None
    return found


def entries(desk: Desk) -> tuple[Baseline, ...]:
    log = desk.state.baselines("beta", "bot")
    return log.entries if log else ()


def changed(desk: Desk) -> tuple[str, ...]:
    return changed_premises(desk.state, desk.goal(), "bot", desk.now)


def test_a_vision_set_by_command_has_a_baseline() -> None:
    desk = desk_with_vision()
    [entry] = entries(desk)
    assert (entry.by, entry.operation, entry.turn) == ("agent:bot", "op-0001", None)
    assert entry.vision == vision_digest(vision(desk))
    assert baseline_of(desk.state, "beta", "bot") == entry
    assert changed(desk) == ()


def test_a_vision_typed_into_a_file_has_one_as_well() -> None:
    desk = Desk.of(goal())
    desk.typed(None, Vision(agent="bot", summary="Go on", goal="beta"))
    assert len(entries(desk)) == 1
    desk.typed(vision(desk), edited(vision(desk), body="With notes"))
    assert [each.by for each in entries(desk)] == ["human:Ann"] * 2
    assert baseline_of(desk.state, "beta", "bot") == entries(desk)[-1]


def test_a_write_that_changes_nothing_adds_none_unless_there_is_none() -> None:
    desk = desk_with_vision()
    assert desk.do(SetVision(goal="beta", agent="bot", summary="Write, then test")).changes == ()
    assert len(entries(desk)) == 1
    unrecorded = Desk.of(goal(), Vision(agent="bot", summary="Go on", goal="beta"))
    assert baseline_of(unrecorded.state, "beta", "bot") is None and changed(unrecorded) == ()
    unrecorded.do(SetVision(goal="beta", agent="bot", summary="Go on"), BOT)
    assert len(entries(unrecorded)) == 1


def test_a_vision_that_ends_keeps_its_baseline_and_gets_a_new_one_when_it_comes_back() -> None:
    desk = desk_with_vision()
    desk.do(RetireVision(goal="beta", agent="bot"))
    assert len(entries(desk)) == 1
    desk.do(SetVision(goal="beta", agent="bot", summary="Write, then test"))
    assert len(entries(desk)) == 2


def test_a_vision_that_was_put_back_has_its_old_baseline_and_a_foreign_text_has_none() -> None:
    desk = desk_with_vision()
    old = vision(desk)
    desk.do(SetVision(goal="beta", agent="bot", summary="Ship at once"))
    put_back = Desk.of(*(each for each in desk.entities if not isinstance(each, Vision)), old)
    assert baseline_of(put_back.state, "beta", "bot") == entries(desk)[0]
    other = Desk.of(*(each for each in desk.entities if not isinstance(each, Vision)), edited(old, summary="Else"))
    assert baseline_of(other.state, "beta", "bot") is None


def test_only_the_newest_versions_are_listed() -> None:
    desk = desk_with_vision()
    for number in range(KEPT + 5):
        desk.do(SetVision(goal="beta", agent="bot", last_patch=f"Round {number}"))
    assert len(entries(desk)) == KEPT and baseline_of(desk.state, "beta", "bot") == entries(desk)[-1]


def answer(desk: Desk) -> str:
    asked = desk.do(OpenGate(goal="beta", scope="production:goal:deploy", question="Go live?"), BOT)
    return str(asked.receipt.result["id"])


def approve(desk: Desk) -> None:
    verdict = DecideGate(gate=answer(desk), verb="approve", reason="yes", channel=Channel.TERMINAL, confirmed=True)
    desk.do(verdict)


@pytest.mark.parametrize(
    ("happens", "names"),
    [
        (lambda desk: desk.do(EditGoal(goal="beta", add_acceptance=("It is cheap",))), ("acceptance",)),
        (lambda desk: desk.do(WaiveCriterion(goal="beta", criterion="a1", reason="not now")), ("acceptance",)),
        (lambda desk: desk.do(EditGoal(goal="beta", fields={"boundary": {"write_scopes": ["src/**"]}})), ("boundary",)),
        (approve, ("gates",)),
        (answer, ()),
        (lambda desk: desk.do(MeetCriterion(goal="beta", criterion="a1", evidence=("I saw it",)), ANN), ()),
        (lambda desk: desk.do(EditGoal(goal="beta", fields={"title": "Ship it"})), ()),
    ],
    ids=["criterion added", "criterion waived", "boundary", "gate answered", "gate asked", "criterion met", "title"],
)
def test_what_changes_a_premise_and_what_does_not(happens: Callable[[Desk], object], names: tuple[str, ...]) -> None:
    desk = desk_with_vision()
    happens(desk)
    assert changed(desk) == names


def test_an_approval_that_runs_out_changes_a_premise() -> None:
    desk = Desk.of(goal())
    until = "2026-03-02T10:00:00Z"
    ask = OpenGate(goal="beta", scope="production:goal:deploy", question="Go live?", valid_until=until)
    gate = desk.do(ask, BOT).receipt.result["id"]
    desk.do(DecideGate(gate=gate, verb="approve", reason="yes", channel=Channel.TERMINAL, confirmed=True))
    desk.do(SetVision(goal="beta", agent="bot", summary="Deploy"), BOT)
    assert changed(desk) == ()
    desk.wait(hours=2)
    assert changed(desk) == ("gates",)


def test_a_vision_written_anew_rests_on_the_premises_of_its_day() -> None:
    desk = desk_with_vision()
    desk.do(EditGoal(goal="beta", fields={"boundary": {"write_scopes": ["src/**"]}}))
    assert desk.goal().boundary == Boundary(write_scopes=("src/**",))
    desk.do(SetVision(goal="beta", agent="bot", last_patch="Within src"), BOT)
    assert changed(desk) == ()
