"""Who may propose what: the table over its whole product, and the operators of a workspace."""

from __future__ import annotations

from itertools import product

import pytest

from loopx.kernel import commands as c
from loopx.kernel.authority import TABLE, Rule, is_operator, permitted, rule
from loopx.kernel.decide import RULES, judge_of
from loopx.kernel.outcome import Refused
from loopx.model.actor import Actor, ActorKind, Channel, Origin
from loopx.model.goal import GoalStatus
from loopx.model.run import RunRecord
from loopx.model.step import ExecutionState
from loopx.model.turn import DeliveryOutcome, Scale
from tests.support.clock import START
from tests.support.kernel import ANN, BEN, BOT, G1, T1, Desk, config, evidence, gate, goal, todo

EXAMPLES: dict[type[c.Command], c.Command] = {
    each.__class__: each
    for each in (
        c.NewGoal(goal="beta", title="Ship"),
        c.EditGoal(goal="beta", fields={"title": "Ship it"}),
        c.SetGoalStatus(goal="beta", verb="pause", to=GoalStatus.PAUSED),
        c.MeetCriterion(goal="beta", criterion="a1"),
        c.UnmeetCriterion(goal="beta", criterion="a1"),
        c.WaiveCriterion(goal="beta", criterion="a1", reason="no need"),
        c.AddTodo(goal="beta", title="Write"),
        c.EditTodo(todo=T1, fields={"title": "Write it"}),
        c.ClaimTodo(todo=T1),
        c.UnclaimTodo(todo=T1),
        c.BlockTodo(todo=T1, reason="stuck"),
        c.DeferTodo(todo=T1, until="at:2026-03-03T00:00:00Z"),
        c.ResumeTodo(todo=T1),
        c.CompleteTodo(todo=T1),
        c.SupersedeTodo(todo=T1, by=("Other",)),
        c.CancelTodo(todo=T1, reason="no need"),
        c.ReopenTodo(todo=T1, reason="not done"),
        c.ArchiveTodo(todo=T1),
        c.OpenGate(goal="beta", scope="other:goal:x", question="May I?"),
        c.DecideGate(gate=G1, verb="approve", reason="fine", channel=Channel.TERMINAL),
        c.WithdrawGate(gate=G1),
        c.SetVision(goal="beta", agent="bot", summary="Go on"),
        c.RetireVision(goal="beta", agent="bot"),
        c.RecordEvidence(evidence=evidence()),
        c.EditWorkspace(fields={"title": "Lab"}),
        c.Rollback(revision="abc1234", reason="wrong"),
        c.CloseGoal(goal="beta", outcome="achieved"),
        c.ReopenGoal(goal="beta", reason="not yet"),
        c.AcquireLease(todo=T1, key="k-1"),
        c.RenewLease(todo=T1, key="k-1", version=1),
        c.TransferLease(todo=T1, key="k-1", version=1, to="rex", new_key="k-2"),
        c.ReleaseLease(todo=T1, key="k-1"),
        c.AddEvidence(goal="beta", about=T1, summary="I saw it"),
        c.ReassessEvidence(evidence="e-aaaa1111", assessment="superseded", reason="old"),
        c.OpenTurn(goal="beta", todo=T1),
        c.SettleTurn(goal="beta", scale=Scale.TEST_ONLY, outcome=DeliveryOutcome.SURFACE_ONLY),
        c.VoidTurn(turn="turn-aaaa1111", reason="wrong"),
        c.PollMonitor(todo=T1, target="x", seen="y"),
        c.OpenEffect(goal="beta", summary="Publish"),
        c.SettleEffect(effect="x-aaaa1111", status="absent", evidence=("Nothing there",)),
        c.ConfirmPostcondition(effect="x-aaaa1111", number=1),
        c.AddAgent(agent="tom"),
        c.EditAgent(agent="bot", add={"capabilities": ("python",)}),
        c.RemoveAgent(agent="bot"),
        c.AddProposal(goal="beta", title="Try a queue"),
        c.AcceptProposal(proposal="p-aaaa1111"),
        c.RejectProposal(proposal="p-aaaa1111", reason="no"),
        c.CreateHandoff(goal="beta", todos=(T1,), next_action="Go on"),
        c.AcceptHandoff(handoff="h-aaaa1111"),
        c.DeclineHandoff(handoff="h-aaaa1111", reason="no"),
        c.NewPlan(todo=T1, steps=()),
        c.EditPlan(run="run-aaaa1111", objective="Go on"),
        c.OpenRun(run="run-aaaa1111"),
        c.RecordRun(
            run="run-aaaa1111",
            head="",
            point="opened",
            record=RunRecord(
                id="run-aaaa1111",
                todo=T1,
                status=ExecutionState.INITIALIZED,
                started_at=START,
                started_by="human:Ann",
                operation="op-1",
                plan_version=1,
            ),
        ),
    )
}

PEOPLE_ONLY: set[type[c.Command]] = {
    c.SetGoalStatus,
    c.WaiveCriterion,
    c.ReopenTodo,
    c.DecideGate,
    c.EditWorkspace,
    c.Rollback,
    c.ReopenGoal,
    c.AddAgent,
    c.EditAgent,
    c.RemoveAgent,
    c.AcceptProposal,
}
OF_RECORDS: tuple[type[c.Command], ...] = (
    *(c.MeetCriterion, c.UnmeetCriterion, c.WaiveCriterion, c.CloseGoal, c.ReopenGoal),
    *(c.RecordEvidence, c.AddEvidence, c.ReassessEvidence),
    *(c.AcquireLease, c.RenewLease, c.TransferLease, c.ReleaseLease),
    *(c.OpenTurn, c.SettleTurn, c.VoidTurn, c.PollMonitor),
    *(c.OpenEffect, c.SettleEffect, c.ConfirmPostcondition),
    *(c.OpenRun, c.RecordRun),
    *(c.AcceptProposal, c.RejectProposal, c.CreateHandoff, c.AcceptHandoff, c.DeclineHandoff),
)
NEVER_BY_HAND: dict[type[c.Command], str] = {
    **dict.fromkeys(OF_RECORDS, "record-machine-owned"),
    c.DecideGate: "gate-not-by-hand",
    c.WithdrawGate: "gate-not-by-hand",
}
BY_HAND = (Origin.HAND, Origin.FOREIGN)


def test_every_command_has_a_line_and_a_rule() -> None:
    assert {each.name for each in EXAMPLES} == set(TABLE) == set(RULES) == set(c.by_name())
    assert all(callable(judge_of(each)) for each in EXAMPLES)


@pytest.mark.parametrize(("command", "kind", "origin"), list(product(EXAMPLES, ActorKind, Origin)))
def test_the_table_says_what_holds_in_every_cell(command: type[c.Command], kind: ActorKind, origin: Origin) -> None:
    desk = Desk.of(goal(), todo(), gate())
    actor = ANN if kind is ActorKind.HUMAN else BOT
    found = permitted(desk.state, EXAMPLES[command], desk.context(actor, origin=origin))
    if origin in BY_HAND and command in NEVER_BY_HAND:
        assert rule(command, kind, origin) is Rule.NOT_BY_HAND
        assert isinstance(found, Refused) and found.code == NEVER_BY_HAND[command]
    elif kind is ActorKind.AGENT and command in PEOPLE_ONLY:
        assert rule(command, kind, origin) is Rule.PERSON
        assert isinstance(found, Refused) and found.code == "actor-not-permitted"
    else:
        assert found is None


@pytest.mark.parametrize("command", list(TABLE))
def test_every_limit_is_put_in_words(command: str) -> None:
    assert bool(TABLE[command].limit) == (TABLE[command].agent is Rule.LIMITED)


@pytest.mark.parametrize("command", sorted(PEOPLE_ONLY, key=str))
def test_what_is_for_a_person_is_for_an_operator_where_there_are_any(command: type[c.Command]) -> None:
    desk = Desk.of(config(operators=["Ben"]), goal(), todo(), gate())
    refused = desk.no(EXAMPLES[command], ANN)
    assert refused.code == "operator-required"
    assert "Ben" in refused.hint
    assert permitted(desk.state, EXAMPLES[command], desk.context(BEN)) is None


@pytest.mark.parametrize(
    "name",
    ["Ann", " ann ", "ANN", "Ann <ann@example.org>", "ann@example.org", "Somebody <ANN@example.org>", "Ａnn"],
)
def test_B09_operators_are_found_whatever_the_case_and_blanks(name: str) -> None:
    desk = Desk.of(config(operators=["Ann <ann@example.org>"]))
    assert is_operator(desk.state, Actor.parse(f"human:{name}"))


@pytest.mark.parametrize("name", ["Anna", "ann@example.com", "Ben <ben@example.org>"])
def test_who_is_not_named_is_no_operator(name: str) -> None:
    desk = Desk.of(config(operators=["Ann <ann@example.org>"]))
    assert not is_operator(desk.state, Actor.parse(f"human:{name}"))


@pytest.mark.parametrize("origin", [Origin.COMMAND, Origin.FOREIGN])
def test_no_agent_acts_under_the_name_a_person_has_in_claims(origin: Origin) -> None:
    desk = Desk.of(config(), goal(), todo(claimed_by="human-ann"))
    posing = desk.context(Actor.parse("agent:human-ann"), origin=origin)
    for command in (c.UnclaimTodo(todo=T1), c.CompleteTodo(todo=T1), c.AddTodo(goal="beta", title="x")):
        refused = permitted(desk.state, command, posing)
        assert refused is not None and refused.code == "agent-invalid" and "human-NAME" in refused.problem.hint
    assert permitted(desk.state, c.UnclaimTodo(todo=T1), desk.context(Actor.parse("agent:human"))) is None


def test_an_agent_is_never_an_operator_by_its_name() -> None:
    assert not is_operator(Desk.of(config(operators=["bot"])).state, BOT)


def test_without_operators_every_person_may() -> None:
    assert is_operator(Desk.of().state, ANN)
    assert is_operator(Desk.of(config()).state, BEN)
