"""What cites a piece of evidence."""

from __future__ import annotations

from loopx.kernel.citations import citations
from loopx.kernel.commands import CompleteTodo, MeetCriterion, ReassessEvidence, ReopenTodo
from loopx.kernel.digest import validation_inputs
from loopx.model.effect import Effect
from loopx.model.handoff import Handoff
from loopx.model.turn import Turn
from tests.support.clock import START
from tests.support.kernel import BOT, E1, G1, PYTEST, REX, T1, Desk, criterion, evidence, facts, gate, goal, todo


def cited(desk: Desk) -> list[tuple[str, str, str]]:
    found = desk.state.evidence(E1)
    assert found is not None
    return [tuple(each) for each in citations(desk.state, found)]


def test_everything_that_cites_evidence_is_named() -> None:
    desk = Desk.of(
        goal(acceptance=(criterion(),)),
        todo(validation=PYTEST, acceptance=("a1",)),
        gate(evidence=(E1,)),
        Turn(id="turn-aaaa1111", agent="bot", opened_at=START, opened_by="op-1", evidence=(E1,), goal="beta"),
        Effect(
            id="x-aaaa1111", summary="Deploy", agent="bot", goal="beta", evidence=(E1,),
            readback_due_at=START, opened_at=START, opened_by="op-1",
        ),
        Handoff(
            id="h-aaaa1111", sender="agent:bot", receiver="rex", evidence=(E1,), next_action="Go on", goal="beta",
            created_at=START, created_by="op-1",
        ),
    )  # fmt: skip
    desk.do(CompleteTodo(todo=T1, evidence=evidence(inputs=validation_inputs(desk.todo(), desk.goal()))), BOT)
    desk.do(MeetCriterion(goal="beta", criterion="a1", evidence=(T1,)), BOT)
    judged = facts(desk.do(ReassessEvidence(evidence=E1, assessment="superseded", reason="wrong"), REX))["judgement"]
    assert cited(desk) == [
        ("todo", T1, "was done on it"),
        ("criterion", "beta/a1", "was judged met on it"),
        ("gate", G1, "was asked on it"),
        ("effect", "x-aaaa1111", "is shown by it"),
        ("handoff", "h-aaaa1111", "carries it"),
        ("turn", "turn-aaaa1111", "of bot cites it"),
        ("judgement", judged, "by agent:rex: superseded"),
    ]


def test_what_was_undone_is_said_to_be() -> None:
    desk = Desk.of(goal(), todo(validation=PYTEST))
    desk.do(CompleteTodo(todo=T1, evidence=evidence(inputs=validation_inputs(desk.todo(), desk.goal()))), BOT)
    desk.do(ReopenTodo(todo=T1, reason="it broke"))
    assert cited(desk) == [("todo", T1, "was done on it, undone since")]


def test_nothing_cites_what_nobody_used() -> None:
    assert cited(Desk.of(goal(), evidence())) == []
