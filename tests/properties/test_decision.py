"""Whatever the state, a decision can be made, its channels agree, and it is the one of the first rule that matches."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.kernel.decision.deciding import next_action
from loopx.kernel.decision.facts import Facts
from loopx.kernel.decision.plain import decision_facts, size_of
from loopx.kernel.decision.record import Decision, Mode
from loopx.kernel.decision.rules import ORDER
from loopx.kernel.durations import LONGEST
from loopx.kernel.state import MemorySource, State
from loopx.model.actor import Actor
from loopx.model.effect import EffectStatus
from loopx.model.gate import GateStatus
from loopx.model.goal import AgentMode, GoalOutcome, GoalPolicies, GoalStatus, Participant, Quota, VisionNeed
from loopx.model.lease import Lease, LeaseStatus
from loopx.model.policy import Ownership
from loopx.model.records import Completion, CompletionContinuation, CompletionLog, CriterionStatus
from loopx.model.todo import Priority, TodoClass, TodoStatus
from loopx.model.turn import DeliveryOutcome, Spend
from loopx.model.vision import Vision, VisionStatus
from loopx.model.workspace import AgentEntry
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, REX, config, gate
from tests.unit.kernel.deciding import (
    DEPLOY,
    beta,
    effect,
    ended,
    looked_at,
    matching,
    met,
    monitor,
    poll,
    settled,
    work,
)
from tests.unit.kernel.deciding import turn as opened

TODOS = ("t-aaaa1111", "t-bbbb2222", "t-cccc3333")
MONITORS = ("t-mmmm1111", "t-mmmm2222")
AGENTS = ("bot", "rex", "gone", "human-ann")
WAKES = (None, "at:2026-03-01T00:00Z", "at:2026-04-01T00:00Z", f"todo_done:{TODOS[1]}", "evidence:e-aaaa1111", "?")
TIMES = st.integers(-30, 30).map(lambda count: START + timedelta(hours=count))
some = st.sampled_from


def few(values: tuple[Any, ...], most: int = 2) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(some(values), max_size=most, unique=True).map(tuple)


def one_in(often: int, strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """``strategy`` once in so many times, and nothing otherwise."""
    return st.one_of(*[st.none()] * (often - 1), strategy)


def todos(name: str) -> st.SearchStrategy[Any]:
    fields: dict[str, st.SearchStrategy[Any]] = {
        "status": some([TodoStatus.OPEN] * 6 + list(TodoStatus)),
        "todo_class": some([TodoClass.ADVANCEMENT] * 4 + [TodoClass.USER_ACTION, TodoClass.BLOCKER]),
        "priority": some(list(Priority)),
        "claimed_by": one_in(2, some(AGENTS)),
        "claimed_at": one_in(2, TIMES),
        "depends_on": few((*TODOS, MONITORS[0], "t-nnnn9999"), 1),
        "requires": few((DEPLOY, "no scope at all"), 1),
        "capabilities": few(("gpu",), 1),
        "excluded_agents": few(("bot", "rex"), 1),
        "resume_when": some(WAKES),
        "acceptance": few(("a1", "a2"), 1),
        "superseded_by": few(TODOS, 1),
        "write_scopes": few(("docs/**",), 1),
    }
    return st.builds(lambda **given: work(name, **given), **fields)


def monitors(name: str) -> st.SearchStrategy[Any]:
    fields: dict[str, st.SearchStrategy[Any]] = {
        "status": some([TodoStatus.OPEN] * 3 + list(TodoStatus)),
        "priority": some(list(Priority)),
        "cadence": some(["1h", "1d", "nonsense"]),
        "expires_at": one_in(3, TIMES),
        "watch_only": st.booleans(),
        "claimed_by": one_in(3, some(AGENTS)),
        "acceptance": few(("a1",), 1),
        "target": some(["it's there", None, "https://example.org"]),
    }
    return st.builds(lambda **given: monitor(name, **given), **fields)


LOGS = st.builds(
    lambda name, at, unchanged, dead: looked_at(
        name, at, polls=20, unchanged_count=unchanged, dead_count=dead, recent=(poll(20, at), poll(21, at))
    ),
    some(MONITORS),
    TIMES,
    st.integers(0, 20),
    st.integers(0, 5),
)
GATES = st.builds(lambda status, at: gate(status=status, deadline=at), some(list(GateStatus)), one_in(2, TIMES))
EFFECTS = st.builds(
    lambda **given: effect(**given),
    status=some([EffectStatus.UNKNOWN, *EffectStatus]),
    agent=some(AGENTS[:3]),
    todo=one_in(2, some(TODOS)),
    readback=one_in(2, st.just("GET /releases")),
    readback_due_at=TIMES,
    write_scopes=few(("docs/**",), 1),
)
OPEN_TURNS = st.builds(
    lambda agent, todo, at, epoch: opened(
        f"turn-{agent[:1]}aaa1111",
        agent=agent,
        todo=todo,
        obligation=None if todo else "o-aaaa1111",
        opened_at=at,
        lease_epoch=epoch,
    ),
    some(AGENTS),
    one_in(4, st.none()) | some(TODOS),
    TIMES,
    one_in(3, st.just(1)),
)
PAST_TURNS = st.builds(
    lambda number, at, outcome, slots: settled(
        number, at, outcome, spend=Spend(slots=slots, at=at, operation=f"op-s{number}") if slots else None
    ),
    st.integers(1, 6),
    TIMES,
    some(list(DeliveryOutcome)),
    st.integers(0, 3),
)
LEASES = st.builds(
    lambda todo, owner, at, status: Lease(
        todo=todo,
        owner=owner,
        status=status,
        key="k-1",
        epoch=1,
        version=1,
        ttl_seconds=3600,
        acquired_at=at,
        renewed_at=at,
        expires_at=at + timedelta(hours=1),
        acquired_by="op-l1",
        terms="t",
        goal="beta",
    ),
    some(TODOS),
    some(AGENTS),
    TIMES,
    some([LeaseStatus.ACTIVE, LeaseStatus.RELEASED]),
)
COMPLETIONS = st.builds(
    lambda todo, at, by, way: CompletionLog(
        todo=todo, entries=(Completion(at=at, by=by, operation="op-d1", continuation=way),), goal="beta"
    ),
    some(TODOS),
    TIMES,
    some(["agent:bot", "agent:gone", "human:Ann"]),
    some(list(CompletionContinuation)),
)
VISIONS = st.builds(
    lambda agent, status: Vision(agent=agent, summary="On we go", status=status, goal="beta"),
    some(AGENTS[:3]),
    some(list(VisionStatus)),
)
GOALS = st.builds(
    lambda **given: beta(**given),
    status=some([GoalStatus.ACTIVE] * 40 + list(GoalStatus)),
    outcome=one_in(4, some(list(GoalOutcome))),
    acceptance=some([beta().acceptance] * 3 + [()]),
    agents=some(
        [
            (),
            (Participant(id="bot"), Participant(id="rex", capabilities=("gpu",))),
            (Participant(id="bot", mode=AgentMode.MONITOR_ONLY), Participant(id="rex")),
            (Participant(id="bot", vision=VisionNeed.REQUIRED), Participant(id="rex")),
        ]
    ),
    quota=some([None] * 20 + [Quota(compute=4)] * 5 + [Quota(compute=1), Quota(compute=0)]),
    policies=some(
        [
            *[None] * 4,
            GoalPolicies(ownership=Ownership.LEASE, self_repair=False),
            GoalPolicies(replan_above_open_todos=1, outcome_floor_turns=2),
        ]
    ),
)
MARKS = st.builds(lambda status: met(status=status), some(list(CriterionStatus)))
PARTS = st.one_of(
    *[todos(name) for name in TODOS],
    *[monitors(name) for name in MONITORS],
    LOGS,
    GATES,
    EFFECTS,
    OPEN_TURNS,
    PAST_TURNS,
    LEASES,
    COMPLETIONS,
    VISIONS,
    MARKS,
)
ENDS = some([None] * 30 + list(GoalOutcome)).map(lambda outcome: [ended(outcome)] if outcome else [])
STATES = st.builds(
    lambda goal, parts, ends, broken, changed: State(
        MemorySource(
            [config(AgentEntry(id="bot"), AgentEntry(id="rex")), goal, *parts, *ends],
            unreadable=["goals/beta/todos/x.md"] if broken else [],
            changed_at={"beta": changed} if changed else {},
        )
    ),
    GOALS,
    st.lists(PARTS, max_size=9),
    ENDS,
    some([False] * 40 + [True]),
    one_in(3, TIMES),
)
NOW = st.one_of(TIMES, some([START, datetime.fromisoformat("2500-01-01T00:00:00+00:00")]))
ACTORS = some([BOT, REX, ANN])
SPENDING = {Mode.DELIVER, Mode.OBSERVE, Mode.REPLAN, Mode.SETTLE}


@settings(max_examples=400)
@given(STATES, ACTORS, NOW)
def test_whatever_the_state_the_channels_of_the_decision_agree(state: State, actor: Actor, now: datetime) -> None:
    found = next_action(state, "beta", actor, now)
    assert isinstance(found, Decision), found
    agent, user, scheduler = found.channel, found.user, found.scheduler
    assert agent.must_attempt is not agent.quiet_allowed
    assert agent.delivery_allowed is (found.mode is Mode.DELIVER)
    assert not found.cli.spend_allowed or found.mode in SPENDING
    assert user.question is not None or not user.action_required
    assert agent.must_attempt or (scheduler.ended_by and scheduler.owner)
    assert 0 <= scheduler.after_seconds <= LONGEST.total_seconds()
    assert agent.must_attempt or scheduler.after_seconds > 0
    assert found.message.endswith((".", "…"))
    if found.mode is Mode.TERMINAL:
        assert not found.obligations and not found.gates and not user.action_required


@settings(max_examples=300)
@given(STATES, ACTORS, NOW)
def test_the_first_rule_that_matches_decides_and_some_rule_always_does(
    state: State, actor: Actor, now: datetime
) -> None:
    found = next_action(state, "beta", actor, now)
    goal = state.goal("beta")
    assert isinstance(found, Decision)
    assert goal is not None
    names = matching(Facts(state, goal, actor, now)) if goal.status is GoalStatus.ACTIVE else None
    decided = [each.rule for each in found.trace if each.is_match]
    assert len(decided) == 1
    if names is not None:
        assert decided == names[:1]
        assert names[-1] == ORDER[-1].name


@settings(max_examples=200)
@given(STATES, ACTORS, NOW)
def test_the_same_state_gives_the_same_decision_within_four_kilobytes(
    state: State, actor: Actor, now: datetime
) -> None:
    found, again = (next_action(state, "beta", actor, now) for _ in range(2))
    assert isinstance(found, Decision)
    assert found == again
    assert size_of(decision_facts(found)) <= 4096


@settings(max_examples=200)
@given(STATES, ACTORS, NOW)
def test_what_is_delivered_may_be_worked_on_by_whoever_asked(state: State, actor: Actor, now: datetime) -> None:
    from loopx.kernel.verdicts import verdict

    found = next_action(state, "beta", actor, now)
    assert isinstance(found, Decision)
    if found.mode is not Mode.DELIVER or found.selected is None or found.selected.kind != "todo":
        return
    todo = state.todo(found.selected.id)
    assert todo is not None
    codes = {each.code.value for each in verdict(state, todo, actor, now).reasons}
    assert codes == ({"todo-deferred"} if found.selected.facts["needs_resume"] else set())
    assert any(todo.id in each for each in found.cli.commands)
