"""The cache and memory answer every question of the kernel alike: what a command meets is what tests and ``--at`` meet.

Entities of every kind are drawn from small pools, so that ids meet each other, and put into both. Each method of
:class:`loopx.kernel.state.Source` is then asked with everything the pools offer.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.kernel.outcome import Receipt
from loopx.kernel.state import MemorySource, Source
from loopx.model import (
    effect,
    gate,
    goal,
    handoff,
    lease,
    monitor,
    plan,
    proposal,
    records,
    run,
    step,
    todo,
    turn,
    vision,
)
from loopx.model.actor import Actor, Origin
from loopx.model.baseline import BaselineLog
from loopx.model.closure import ClosureLog
from loopx.model.entities import CLASSES, Entity, goal_of, identity, kind_of
from loopx.model.ids import normalised_title
from loopx.model.kind import Kind
from loopx.model.workspace import WorkspaceConfig
from loopx.store.cache import Cache
from loopx.workspace.rows import commit_row, row_of
from loopx.workspace.source import UPKEEP, CacheSource

GOALS, AGENTS = ("alpha", "beta"), ("bot", "rex")
TODOS, GATES, EVIDENCE = ([f"{each}-aaaa{n}" for n in range(4)] for each in "tge")
RUNS = ("run-aaaa1", "run-aaaa2")
TURNS = [f"turn-aaaa{n}" for n in range(5)]
TITLES = ("Write", "write ", "Print")
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
TIMES = [NOON + timedelta(hours=hours) for hours in range(3)]
BETWEEN = NOON + timedelta(hours=1, microseconds=1)
"""A moment no record has, a hair after one that some have."""
COMMANDS = ("todo add", "refresh-state", *UPKEEP)

times = st.sampled_from(TIMES)
todos, gates, proofs = (
    st.lists(st.sampled_from(pool), max_size=2, unique=True).map(tuple) for pool in (TODOS, GATES, EVIDENCE)
)
maybe_time, maybe_agent, maybe_todo = (st.none() | st.sampled_from(pool) for pool in (TIMES, AGENTS, TODOS))
conditions = st.sampled_from((None, "at:2026-03-02T10:00:00Z", "todo_done:t-aaaa1", "gate_approved:g-aaaa1"))


def some(pool: list[str] | tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from(pool)


MAKERS: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.WORKSPACE: st.builds(WorkspaceConfig, version=st.just(1), id=st.just("w-1"), title=some(TITLES)),
    Kind.GOAL: st.builds(
        goal.Goal, id=some(GOALS), title=some(TITLES), status=st.sampled_from(goal.GoalStatus), created_at=maybe_time
    ),
    Kind.TODO: st.builds(
        todo.Todo,
        id=some(TODOS),
        title=some(TITLES),
        goal=some(GOALS),
        status=st.sampled_from(todo.TodoStatus),
        todo_class=st.sampled_from(todo.TodoClass),
        priority=st.sampled_from(todo.Priority),
        claimed_by=maybe_agent,
        depends_on=todos,
        supersedes=todos,
        successors=todos,
        resume_when=conditions,
        created_at=maybe_time,
    ),
    Kind.GATE: st.builds(
        gate.Gate,
        id=some(GATES),
        goal=some(GOALS),
        scope=st.just("other:goal:x"),
        question=some(TITLES),
        status=st.sampled_from(gate.GateStatus),
        evidence=proofs,
        created_at=maybe_time,
    ),
    Kind.VISION: st.builds(
        vision.Vision, agent=some(AGENTS), goal=some(GOALS), summary=some(TITLES), created_at=maybe_time
    ),
    Kind.COMPLETION: st.builds(records.CompletionLog, todo=some(TODOS), goal=some(GOALS), entries=st.just(())),
    Kind.DECISION: st.builds(records.DecisionLog, gate=some(GATES), goal=some(GOALS), entries=st.just(())),
    Kind.CRITERION: st.builds(
        records.CriterionLog, criterion=some(("a1", "a2")), goal=some(GOALS), entries=st.just(())
    ),
    Kind.EVIDENCE: st.builds(
        records.Evidence,
        id=some(EVIDENCE),
        goal=some(GOALS),
        kind=st.sampled_from(records.EvidenceKind),
        subject=some([*TODOS, *GATES]),
        source=st.just("human:Ann"),
        observed_at=times,
        result=st.sampled_from(records.EvidenceResult),
        references=todos,
        reassessment=st.none()
        | st.builds(
            records.Reassessment,
            of=some(EVIDENCE),
            assessment=st.sampled_from(records.Assessment),
            inputs=st.just("x"),
            difference=st.none(),
            requirement=st.none(),
            method=st.none(),
        ),
    ),
    Kind.LEASE: st.builds(
        lease.Lease,
        todo=some(TODOS),
        goal=some(GOALS),
        status=st.sampled_from((lease.LeaseStatus.ACTIVE, lease.LeaseStatus.RELEASED)),
        owner=some(AGENTS),
        key=st.just("k-1"),
        epoch=st.integers(1, 3),
        version=st.integers(1, 3),
        ttl_seconds=st.just(60),
        acquired_at=times,
        renewed_at=times,
        expires_at=times,
        acquired_by=st.just("op-1"),
        terms=st.just("x"),
        write_scopes=st.just(()),
        retired=st.just(()),
    ),
    Kind.TURN: st.builds(
        turn.Turn,
        id=some(TURNS),
        goal=some(GOALS),
        agent=some(AGENTS),
        status=st.sampled_from(turn.TurnStatus),
        todo=maybe_todo,
        opened_at=times,
        opened_by=st.just("op-1"),
        settled_at=maybe_time,
        evidence=proofs,
        spend=st.none()
        | st.builds(turn.Spend, slots=st.integers(0, 3), at=times, operation=st.just("op-1"), voided_at=maybe_time),
    ),
    Kind.MONITOR: st.builds(monitor.MonitorLog, todo=some(TODOS), goal=some(GOALS), recent=st.just(())),
    Kind.EFFECT: st.builds(
        effect.Effect,
        id=some(["x-aaaa1", "x-aaaa2"]),
        goal=some(GOALS),
        summary=some(TITLES),
        status=st.sampled_from(effect.EffectStatus),
        agent=some(AGENTS),
        todo=maybe_todo,
        compensation=maybe_todo,
        evidence=proofs,
        opened_at=times,
        readback_due_at=times,
        opened_by=st.just("op-1"),
        write_scopes=st.just(()),
        postconditions=st.just(()),
    ),
    Kind.HANDOFF: st.builds(
        handoff.Handoff,
        id=some(["h-aaaa1", "h-aaaa2"]),
        goal=some(GOALS),
        status=st.sampled_from(handoff.HandoffStatus),
        sender=st.just("human:Ann"),
        receiver=maybe_agent,
        todos=todos,
        gates=gates,
        evidence=proofs,
        next_action=some(TITLES),
        omitted=st.just(()),
        created_at=times,
        created_by=st.just("op-1"),
    ),
    Kind.PROPOSAL: st.builds(
        proposal.Proposal,
        id=some(["p-aaaa1", "p-aaaa2"]),
        goal=some(GOALS),
        title=some(TITLES),
        status=st.sampled_from(proposal.ProposalStatus),
        created_at=maybe_time,
    ),
    Kind.BASELINE: st.builds(BaselineLog, agent=some(AGENTS), goal=some(GOALS), entries=st.just(())),
    Kind.CLOSURE: st.builds(ClosureLog, goal=some(GOALS), entries=st.just(())),
    Kind.PLAN: st.builds(
        plan.PlanDocument,
        run=some(RUNS),
        todo=some(TODOS),
        goal=some(GOALS),
        objective=some(TITLES),
        steps=st.just(()),
        settings=st.just(plan.RunSettings()),
        scope=st.none(),
    ),
    Kind.RUN: st.builds(
        run.RunRecord,
        id=some(RUNS),
        todo=some(TODOS),
        goal=some(GOALS),
        status=st.sampled_from(step.ExecutionState),
        started_at=times,
        started_by=st.just("human:Ann"),
        operation=st.just("op-1"),
        plan_version=st.just(1),
        gate=st.none() | some(GATES),
        failures=st.just(()),
        archived=st.just(()),
    ),
    Kind.STEP: st.builds(
        run.StepRecord,
        run=some(RUNS),
        todo=some(TODOS),
        goal=some(GOALS),
        step=some(("s1", "s2", "t3")),
        status=st.sampled_from(step.StepStatus),
        lineage=st.just("s1"),
        version=st.just(1),
        attempts=st.just(()),
        tried=st.just(()),
        failures=st.just(()),
        metadata=st.just({"verification": "disabled"}),
    ),
    Kind.TRACE: st.builds(
        run.TraceSegment,
        run=some(RUNS),
        todo=some(TODOS),
        goal=some(GOALS),
        number=st.integers(1, 3),
        entries=st.just((run.TraceEntry(1, NOON, "run", None, "initialized", "system", "", None, {"a": 1}, "x"),)),
    ),
}
often = [Kind.TODO, Kind.EVIDENCE, Kind.TURN]
anything = st.sampled_from([*Kind, *often * 5]).flatmap(MAKERS.__getitem__)
changes = st.lists(st.tuples(some(GOALS), st.sampled_from(COMMANDS), times), max_size=5)
broken = st.sets(some([f"goals/{each}/todos/x{n}.md" for each in GOALS for n in range(2)]), max_size=3)


def key(entity: Entity) -> tuple[Kind, str, str]:
    kind = kind_of(entity)
    return (kind, "" if kind is Kind.WORKSPACE else identity(entity), goal_of(entity) if kind.is_per_goal else "")


def path_of(entity: Any) -> str:
    """A path of its own, in order of Goal and identity, as real ones are within a kind."""
    return f"goals/{goal_of(entity)}/{kind_of(entity)}/{identity(entity)}"


def receipt(operation: str, command: str, of: str, at: datetime) -> Receipt:
    who = Actor.parse("agent:bot")
    return Receipt(operation, command, who, Origin.COMMAND, f"goal {of}", of, "digest", at, {"id": operation})


@contextmanager
def both(
    entities: list[Any], changed: list[tuple[str, str, datetime]], unread: set[str]
) -> Iterator[tuple[Source, Source]]:
    """The same workspace in a cache and in memory."""
    cache = Cache(None)
    made = [receipt(f"op-{n}", command, of, at) for n, (of, command, at) in enumerate(changed)]
    for number, each in enumerate(made):
        cache.add_commit(commit_row(f"c{number}", "Ann", each, "headline", [], [each.goal]))
    for each in entities:
        cache.put_entity(*row_of(each, path_of(each), "b" * 40))
        cache.add_known(identity(each))
    for path in unread:
        cache.note_unreadable(path)
    last = {of: at for of, command, at in changed if command not in UPKEEP}
    yield CacheSource(cache), MemorySource(entities, made, changed_at=last, unreadable=unread)
    cache.close()


Ask = Callable[[Source], Any]
TITLE_KEYS = [*map(normalised_title, TITLES), "nothing"]
STATUSES: tuple[Any, ...] = (None, ("open",), ("open", "done", "active"), (todo.TodoStatus.OPEN,), ())
ANY_GOAL = (None, *GOALS, "nowhere")
QUESTIONS: dict[str, list[Ask]] = {
    "get": [
        lambda s, k=k, i=i, g=g: s.get(k, i, g)
        for k in Kind
        for i in ("", "a1", "alpha", "bot", TODOS[0], GATES[0], EVIDENCE[0], TURNS[0], "x-aaaa1", "h-aaaa1", "p-aaaa1")
        for g in ("", *GOALS)
    ],
    "select": [lambda s, k=k, g=g, w=w: list(s.select(k, g, w)) for k in Kind for g in ANY_GOAL for w in STATUSES],
    "open_todos_titled": [lambda s, g=g, t=t: list(s.open_todos_titled(g, t)) for g in GOALS for t in TITLE_KEYS],
    "dependants": [lambda s, i=i: list(s.dependants(i)) for i in [*TODOS, *GATES]],
    "matching": [lambda s, k=k, p=p: s.matching(k, p) for k in Kind for p in ("", "t-", "t-aaaa1", "b", "w", "%")],
    "within": [
        lambda s, k=k, p=p: list(s.within(k, p))
        for k in Kind
        for p in ("", "run-aaaa1/", "run-aaaa1/s", "t-", "b", "%")
    ],
    "tally": [lambda s: {g: dict(counts) for g, counts in s.tally().items()}],
    "plain_open": [lambda s: dict(s.plain_open())],
    "entangled": [lambda s, g=g, o=o: list(s.entangled(g, o)) for g in ANY_GOAL for o in (None, "bot", "x")],
    "frontier": [lambda s, g=g, n=n: s.frontier(g, n) for g in ANY_GOAL for n in (0, 2, 20)],
    "open_of_class": [
        lambda s, g=g, c=c: list(s.open_of_class(g, c))
        for g in (*GOALS, "nowhere")
        for c in (
            (),
            (todo.TodoClass.MONITOR,),
            (todo.TodoClass.BLOCKER, todo.TodoClass.USER_ACTION),
            tuple(todo.TodoClass),
        )
    ],
    "owned": [lambda s, k=k, o=o, g=g: list(s.owned(k, o, g)) for k in Kind for o in (*AGENTS, "x") for g in ANY_GOAL],
    "latest": [
        lambda s, k=k, g=g, o=o, t=t, n=n: list(s.latest(k, g, owner=o, since=t, limit=n))
        for k in Kind
        for g in ANY_GOAL
        for o in (None, "bot")
        for t in (None, TIMES[1], BETWEEN)
        for n in (None, 0, 2)
    ],
    "spent": [lambda s, g=g, t=t: list(s.spent(g, t)) for g in (*GOALS, "nowhere") for t in (*TIMES, BETWEEN)],
    "referring": [lambda s, k=k, i=i: list(s.referring(k, i)) for k in Kind for i in [*TODOS, *GATES, *EVIDENCE]],
    "last_change": [lambda s, g=g: s.last_change(g) for g in (*GOALS, "nowhere")],
    "unreadable": [lambda s, g=g: s.unreadable(g) for g in ANY_GOAL],
    "is_known_id": [lambda s, i=i: s.is_known_id(i) for i in [*TODOS, *GATES, *TURNS, "bot", "alpha", "t-zzzz9"]],
    "receipt": [lambda s, n=n: s.receipt(f"op-{n}") for n in range(6)],
    "receipts_after": [lambda s, n=n, g=g: list(s.receipts_after(f"op-{n}", g)) for n in range(6) for g in GOALS],
}


@settings(max_examples=30)
@given(st.lists(anything, max_size=20, unique_by=key), changes, broken)
def test_cache_and_memory_answer_every_question_alike(
    entities: list[Any], changed: list[tuple[str, str, datetime]], unread: set[str]
) -> None:
    with both(entities, changed, unread) as (cached, remembered):
        for name, asked in QUESTIONS.items():
            for number, ask in enumerate(asked):
                assert ask(cached) == ask(remembered), f"{name} #{number}"


def test_every_question_a_source_answers_is_asked_here() -> None:
    answered = {name for name, value in vars(Source).items() if inspect.isfunction(value) and not name.startswith("_")}
    assert answered == set(QUESTIONS)


def test_entities_of_every_kind_take_part() -> None:
    assert set(MAKERS) == set(Kind) == set(CLASSES)
