"""The limits of agents, line by line: what the agent bot may do within each, and how it is refused one step beyond.

The table is written by hand beside that of the kernel, and holds every line of it that lets an agent through to a
command's own rules. What is beyond an agent's limit a person may do, unless the line says what keeps them back too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from loopx.kernel import commands as c
from loopx.kernel.authority import TABLE, Rule
from loopx.kernel.outcome import Refused
from loopx.kernel.plans import chain
from loopx.model.actor import Origin
from loopx.model.goal import GoalStatus
from loopx.model.records import EvidenceKind, EvidenceResult
from loopx.model.run import TraceEntry
from loopx.model.todo import TodoStatus
from loopx.model.turn import DeliveryOutcome, Scale
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, G1, G2, REX, T1, T2, T3, T4, Desk, criterion, evidence, gate, goal, todo
from tests.support.leases import KEY, OTHER_KEY, crew
from tests.unit.kernel.test_kernel_plans import begun, plan

UNBEGUN, OWN, OTHERS = "run-aaaa1111", "run-bbbb2222", "run-cccc3333"
NEED = ("production:goal:deploy",)
SEEN = {"kind": EvidenceKind.OBSERVATION, "result": EvidenceResult.NOTED, "source": "agent:bot"}


@dataclass(frozen=True)
class Limit:
    """One line: what the agent bot may still do, what it may not, and the code it then gets."""

    name: str
    within: c.Command
    beyond: c.Command
    code: str
    persons: str = ""
    """The code a person gets for the same, where something else than the limit keeps them back."""


def settled(**fields: Any) -> c.SettleTurn:
    return c.SettleTurn(
        **{"goal": "beta", "scale": Scale.TEST_ONLY, "outcome": DeliveryOutcome.SURFACE_ONLY, "spend": 0, **fields}
    )


def known(name: str = "e-cccc3333", **fields: Any) -> c.RecordEvidence:
    return c.RecordEvidence(evidence=evidence(name, **{**SEEN, **fields}))


def judged(name: str) -> c.ReassessEvidence:
    said = {"difference": "a comma", "requirement": "the guide is out", "method": "read both"}
    return c.ReassessEvidence(evidence=name, assessment="applies", reason="it does not matter", **said)


def noted(run: str) -> c.RecordRun:
    """A record of one line, by whoever carries ``run`` on."""
    told: tuple[Any, ...] = (1, START, "artifact", None, "snapshot-1", "system", "", None, {})
    head = chain.chained("", *told)
    by = BOT if run == OWN else REX
    record = begun(id=run, todo="t-gggg7777", started_by=str(by), trace_count=1, trace_hash=head)
    return c.RecordRun(run=run, head=head, point="ended", entries=(TraceEntry._make((*told, head)),), record=record)


LIMITS = [
    Limit(
        "goal new", c.NewGoal(goal="g", title="G", draft=True), c.NewGoal(goal="g", title="G"), "actor-not-permitted"
    ),
    Limit(
        "goal edit",
        c.EditGoal(goal="later", fields={"title": "Ship it"}),
        c.EditGoal(goal="beta", fields={"title": "Ship it"}),
        "actor-not-permitted",
    ),
    Limit(
        "goal edit",
        c.EditGoal(goal="later", objective="All of it"),
        c.EditGoal(goal="later", add_acceptance=("It is easy",)),
        "actor-not-permitted",
    ),
    Limit(
        "goal meet",
        c.MeetCriterion(goal="beta", criterion="a1", evidence=("e-aaaa1111",)),
        c.MeetCriterion(goal="beta", criterion="a1", evidence=("I believe it",)),
        "criterion-evidence-insufficient",
    ),
    Limit(
        "goal unmeet",
        c.UnmeetCriterion(goal="beta", criterion="a2"),
        c.UnmeetCriterion(goal="beta", criterion="a3"),
        "actor-not-permitted",
    ),
    Limit(
        "todo edit",
        c.EditTodo(todo=T3, add={"requires": ("other:goal:x",)}),
        c.EditTodo(todo=T3, fields={"requires": []}),
        "actor-not-permitted",
    ),
    Limit(
        "todo edit",
        c.EditTodo(todo=T3, fields={"priority": "p0"}),
        c.EditTodo(todo=T3, fields={"class": "user_action"}),
        "actor-not-permitted",
    ),
    Limit("todo unclaim", c.UnclaimTodo(todo="t-eeee5555"), c.UnclaimTodo(todo=T4), "todo-claimed"),
    Limit(
        "todo block", c.BlockTodo(todo=T3, reason="stuck"), c.BlockTodo(todo="t-ffff6666", reason="x"), "todo-claimed"
    ),
    Limit(
        "todo defer",
        c.DeferTodo(todo=T3, until="at:2026-03-03T00:00:00Z"),
        c.DeferTodo(todo="t-ffff6666", until="at:2026-03-03T00:00:00Z"),
        "todo-claimed",
    ),
    Limit("todo resume", c.ResumeTodo(todo="t-eeee5555"), c.ResumeTodo(todo=T4), "todo-claimed"),
    Limit(
        "todo cancel",
        c.CancelTodo(todo=T3, reason="no need"),
        c.CancelTodo(todo=T4, reason="no need"),
        "todo-claimed",
    ),
    Limit("gate withdraw", c.WithdrawGate(gate=G1), c.WithdrawGate(gate=G2), "actor-not-permitted"),
    Limit(
        "vision set",
        c.SetVision(goal="beta", agent="bot", summary="Docs first"),
        c.SetVision(goal="beta", agent="rex", summary="Docs first"),
        "actor-not-permitted",
    ),
    Limit(
        "vision retire",
        c.RetireVision(goal="beta", agent="bot"),
        c.RetireVision(goal="beta", agent="rex"),
        "actor-not-permitted",
    ),
    Limit(
        "evidence record",
        known(),
        known(kind=EvidenceKind.VALIDATION, result=EvidenceResult.PASSED, source="loopx:validation"),
        "actor-not-permitted",
        persons="actor-not-permitted",
    ),
    Limit("evidence record", known(), known(source="agent:rex"), "actor-not-permitted", persons="actor-not-permitted"),
    Limit(
        "evidence add",
        c.AddEvidence(about=T1, summary="The page loads"),
        c.AddEvidence(about=T1, summary="The page loads", kind="readback"),
        "actor-not-permitted",
    ),
    Limit("evidence reassess", judged("e-cccc1111"), judged("e-bbbb1111"), "reassessment-own-work"),
    Limit(
        "goal close",
        c.CloseGoal(goal="gamma", outcome="no_followup", reason="there was nothing to do"),
        c.CloseGoal(goal="gamma", outcome="abandoned", reason="too costly"),
        "actor-not-permitted",
    ),
    Limit(
        "lease renew",
        c.RenewLease(todo=T1, key=KEY, version=1),
        c.RenewLease(todo=T2, key=OTHER_KEY, version=1),
        "lease-held",
        persons="lease-held",
    ),
    Limit(
        "lease transfer",
        c.TransferLease(todo=T1, key=KEY, version=1, to="cat", new_key="k-next3333"),
        c.TransferLease(todo=T2, key=OTHER_KEY, version=1, to="cat", new_key="k-next3333"),
        "lease-held",
        persons="lease-held",
    ),
    Limit("lease release", c.ReleaseLease(todo=T1, key=KEY), c.ReleaseLease(todo=T2), "lease-held"),
    Limit(
        "turn open",
        c.OpenTurn(goal="beta", todo=T1, lease_key=KEY),
        c.OpenTurn(goal="beta", todo="t-gggg7777", agent="cat"),
        "actor-not-permitted",
    ),
    Limit(
        "turn void",
        c.VoidTurn(turn="turn-a0000001", reason="a mistake"),
        c.VoidTurn(turn="turn-a0000002", reason="a mistake"),
        "actor-not-permitted",
    ),
    Limit(
        "refresh-state",
        settled(turn="turn-a0000001", lease_key=KEY),
        settled(turn="turn-a0000002", lease_key=OTHER_KEY),
        "actor-not-permitted",
    ),
    Limit(
        "effect open",
        c.OpenEffect(goal="beta", summary="Send a letter"),
        c.OpenEffect(goal="beta", summary="Send a letter", agent="rex"),
        "actor-not-permitted",
    ),
    Limit(
        "effect settle",
        c.SettleEffect(effect="x-a0000001", status="absent", evidence=("It is not there",)),
        c.SettleEffect(effect="x-a0000002", status="absent", evidence=("It is not there",)),
        "actor-not-permitted",
    ),
    Limit(
        "effect confirm",
        c.ConfirmPostcondition(effect="x-a0000003", number=1, evidence="e-a0000002"),
        c.ConfirmPostcondition(effect="x-a0000003", number=1, evidence="I believe it"),
        "postcondition-unproven",
    ),
    Limit(
        "proposal reject",
        c.RejectProposal(proposal="p-a0000001", reason="no"),
        c.RejectProposal(proposal="p-a0000002", reason="no"),
        "actor-not-permitted",
    ),
    Limit(
        "handoff accept",
        c.AcceptHandoff(handoff="h-a0000001"),
        c.AcceptHandoff(handoff="h-a0000002"),
        "actor-not-permitted",
    ),
    Limit(
        "handoff decline",
        c.DeclineHandoff(handoff="h-a0000001", reason="busy"),
        c.DeclineHandoff(handoff="h-a0000002", reason="busy"),
        "actor-not-permitted",
    ),
    Limit(
        "plan edit",
        c.EditPlan(run=UNBEGUN, objective="Cut it"),
        c.EditPlan(run=OWN, objective="Cut it"),
        "actor-not-permitted",
    ),
    Limit("run record", noted(OWN), noted(OTHERS), "actor-not-permitted", "actor-not-permitted"),
]


def office() -> Desk:
    """Bot and rex at work in one Goal, each with something of everything."""
    rows = [
        goal("beta", acceptance=(criterion(), criterion("a2", "It is safe"), criterion("a3", "It is small"))),
        goal("gamma"),
        goal("later", status=GoalStatus.DRAFT),
        todo(),
        todo(T2, "Draft"),
        todo(T3, "Deploy", requires=NEED),
        todo(T4, "Print", claimed_by="rex", status=TodoStatus.BLOCKED, reason="no paper"),
        todo("t-eeee5555", "Bind", claimed_by="bot", status=TodoStatus.BLOCKED, reason="no glue"),
        todo("t-ffff6666", "Fold", claimed_by="rex"),
        todo("t-gggg7777", "Cut"),
        gate(G1),
        gate(G2, "other:goal:x", asked_by=str(REX)),
        *(plan(run=each, todo="t-gggg7777") for each in (UNBEGUN, OWN, OTHERS)),
        begun(id=OWN, todo="t-gggg7777", started_by=str(BOT)),
        begun(id=OTHERS, todo="t-gggg7777", started_by=str(REX)),
        evidence("e-aaaa1111", "beta/a1", **{**SEEN, "source": "human:Ann"}),
        evidence("e-bbbb1111", T1, inputs="0", **{**SEEN, "kind": EvidenceKind.VALIDATION}),
        evidence("e-cccc1111", T2, inputs="0", **{**SEEN, "kind": EvidenceKind.VALIDATION, "source": "agent:rex"}),
    ]
    desk = crew(*rows)
    desk.entities.pop(1)  # the Goal of the crew, which has no criteria
    for agent, todo_id, key in ((BOT, T1, KEY), (REX, T2, OTHER_KEY)):
        desk.do(c.SetVision(goal="beta", agent=agent.name, summary="Go on"), agent)
        desk.do(c.AddProposal(goal="beta", title=f"An idea of {agent.name}"), agent)
        desk.do(c.AcquireLease(todo=todo_id, key=key), agent)
    desk.do(c.MeetCriterion(goal="beta", criterion="a2", evidence=("I saw it",)), ANN)
    desk.do(c.WaiveCriterion(goal="beta", criterion="a3", reason="not now"), ANN)
    desk.do(c.CreateHandoff(goal="beta", to="bot", next_action="Go on"), REX)
    desk.do(c.CreateHandoff(goal="beta", to="cat", next_action="Go on"), REX)
    return desk


def prepared(command: c.Command) -> Desk:
    """The office with the turns or acts the command is about; they keep other things from being done."""
    desk = office()
    if isinstance(command, c.VoidTurn | c.SettleTurn):
        desk.do(c.OpenTurn(goal="beta", todo=T1, lease_key=KEY), BOT)
        desk.do(c.OpenTurn(goal="beta", todo=T2, lease_key=OTHER_KEY), REX)
    if isinstance(command, c.SettleEffect | c.ConfirmPostcondition):
        for agent, summary in ((BOT, "Publish"), (REX, "Send"), (BOT, "Print")):
            desk.do(c.OpenEffect(goal="beta", summary=summary, postconditions=("It is seen",)), agent)
        desk.do(c.SettleEffect(effect="x-a0000003", status="confirmed", evidence=("e-aaaa1111",)), ANN)
        desk.do(c.AddEvidence(about="x-a0000003", summary="It is seen"), ANN)
    return desk


def ids() -> list[str]:
    return [f"{each.name}-{number}" for number, each in enumerate(LIMITS)]


def test_the_table_here_has_every_line_with_a_limit_and_no_other() -> None:
    assert {each.name for each in LIMITS} == {name for name, line in TABLE.items() if line.agent is Rule.LIMITED}
    assert all(each.name == each.within.name == each.beyond.name for each in LIMITS)


@pytest.mark.parametrize("limit", LIMITS, ids=ids())
def test_within_its_limit_an_agent_does_it(limit: Limit) -> None:
    desk = prepared(limit.within)
    assert desk.do(limit.within, BOT).changes


@pytest.mark.parametrize("limit", LIMITS, ids=ids())
def test_beyond_its_limit_an_agent_is_refused_and_nothing_changes(limit: Limit) -> None:
    desk = prepared(limit.beyond)
    before = list(desk.entities)
    assert desk.no(limit.beyond, BOT).code == limit.code
    assert desk.entities == before


@pytest.mark.parametrize("limit", LIMITS, ids=ids())
def test_beyond_an_agents_limit_a_person_goes_on(limit: Limit) -> None:
    desk = prepared(limit.beyond)
    answer = desk.ask(limit.beyond, ANN)
    assert (answer.code if isinstance(answer, Refused) else "") == limit.persons


@pytest.mark.parametrize("limit", LIMITS, ids=ids())
@pytest.mark.parametrize("origin", [Origin.HAND, Origin.FOREIGN])
def test_by_hand_a_limit_holds_as_well_or_the_way_is_closed(limit: Limit, origin: Origin) -> None:
    code = TABLE[limit.name].by_hand or limit.code
    assert prepared(limit.beyond).no(limit.beyond, BOT, origin=origin).code == code
    within = prepared(limit.within).ask(limit.within, BOT, origin=origin)
    assert (within.code if isinstance(within, Refused) else None) == TABLE[limit.name].by_hand
