"""The order of the decision: for each rule a state it decides, and for neighbours one in which both match."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from loopx.kernel.decision.record import Mode
from loopx.kernel.decision.rules import ADMISSION, ORDER
from loopx.model.goal import AgentMode, GoalOutcome, GoalPolicies, GoalStatus, Participant, Quota
from loopx.model.todo import Priority, TodoClass, TodoStatus
from loopx.model.turn import Spend
from tests.support.clock import START
from tests.support.kernel import T1, T2, T3, gate, goal
from tests.unit.kernel.deciding import (
    BOTH,
    DEPLOY,
    beta,
    closed,
    decided,
    effect,
    ended,
    hours,
    looked_at,
    matching,
    met,
    monitor,
    scene,
    settled,
    turn,
    work,
)

SPENT = settled(1, START, "outcome_progress", spend=Spend(slots=1, at=START, operation="op-s1"))
ONE_SLOT = Quota(compute=1)
OVERDUE = [monitor(priority=Priority.P4), looked_at(at=hours(-3))]
LACKING = work(capabilities=("gpu",))
HELD = work(T2, title="Record the demo", claimed_by="rex")
PUT_OFF = work(T3, title="Ship it", status=TodoStatus.DEFERRED, resume_when="at:2026-03-05T09:00:00Z")


@dataclass(frozen=True)
class Case:
    """A state, the rule that decides in it, and what it decides."""

    rule: str
    mode: Mode
    reason: str
    entities: tuple[Any, ...]
    more: tuple[tuple[str, Any], ...] = ()
    now: datetime = START

    @property
    def asked(self) -> dict[str, Any]:
        return {"now": self.now, **dict(self.more)}


def case(rule: str, mode: Mode, reason: str, *entities: Any, now: datetime = START, **more: Any) -> Any:
    name = f"{rule}: {reason}"
    return pytest.param(Case(rule, mode, reason, entities, tuple(more.items()), now), id=name)


BROKEN = ("goals/beta/todos/broken.md",)

CASES = [
    case("2 stopped", Mode.STOPPED, "goal-draft", beta(status=GoalStatus.DRAFT), work()),
    case("2 stopped", Mode.STOPPED, "goal-paused", beta(status=GoalStatus.PAUSED), work()),
    case("2 stopped", Mode.STOPPED, "goal-stopped", beta(status=GoalStatus.STOPPED), work()),
    case("2 stopped", Mode.STOPPED, "quota-zero", beta(quota=Quota(compute=0)), work()),
    case("3 terminal", Mode.TERMINAL, "goal-closed", closed(), ended()),
    case(
        "3 terminal",
        Mode.TERMINAL,
        "goal-closed",
        closed(outcome=GoalOutcome.ABANDONED),
        ended(GoalOutcome.ABANDONED),
        work(),
        gate(),
    ),
    case("4 self-repair", Mode.SELF_REPAIR, "document-unreadable", beta(), work(), unreadable=BROKEN),
    case("4 self-repair", Mode.SELF_REPAIR, "closure-missing", closed(), work()),
    case("4 self-repair", Mode.SELF_REPAIR, "closure-contradicted", closed(), ended(), work()),
    case("4 self-repair", Mode.SELF_REPAIR, "closure-contradicted", closed(), ended(), gate()),
    case("4 self-repair", Mode.SELF_REPAIR, "closure-contradicted", closed(), ended(), monitor()),
    case("4 self-repair", Mode.SELF_REPAIR, "closure-contradicted", closed(), ended(), effect()),
    case("4 self-repair", Mode.SELF_REPAIR, "closure-contradicted", beta(), ended(), work()),
    case("5 reconcile", Mode.RECONCILE, "effect-unknown", beta(), work(), effect()),
    case("6 obligation", Mode.REPLAN, "frontier-exhausted", beta()),
    case(
        "6 obligation",
        Mode.REPLAN,
        "todos-piling-up",
        beta(policies=GoalPolicies(replan_above_open_todos=1)),
        work(),
        work(T2),
    ),
    case("7 open turn", Mode.DELIVER, "turn-open", beta(), work(claimed_by="bot"), turn()),
    case("7 open turn", Mode.SETTLE, "turn-past-its-slots", beta(), work(), turn(), now=hours(2)),
    case("7 open turn", Mode.SETTLE, "turn-over", beta(), work(status=TodoStatus.BLOCKED), turn()),
    case("7 open turn", Mode.SETTLE, "turn-over", beta(), work(T2), turn()),
    case("7 open turn", Mode.SETTLE, "turn-over", beta(), work(), turn(todo=None, obligation="o-aaaa1111")),
    case("7 open turn", Mode.SETTLE, "turn-fenced", beta(), work(), turn(lease_epoch=1)),
    case("8 quota", Mode.THROTTLED, "quota-used-up", beta(quota=ONE_SLOT), work(), SPENT),
    case("9 monitor first", Mode.OBSERVE, "monitor-first", beta(), work(), monitor(priority=Priority.P1)),
    case("9 monitor first", Mode.OBSERVE, "monitor-first", beta(), work(), *OVERDUE),
    case(
        "9 monitor first",
        Mode.OBSERVE,
        "monitor-first",
        beta(),
        work(),
        monitor(priority=Priority.P4, expires_at=hours(0.5)),
    ),
    case("10 work", Mode.DELIVER, "todo-runnable", beta(), work()),
    case("10 work", Mode.DELIVER, "own-claim", beta(), work(), work(T2, claimed_by="bot", priority=Priority.P4)),
    case(
        "10 work",
        Mode.DELIVER,
        "condition-met",
        beta(),
        work(status=TodoStatus.DEFERRED, resume_when="at:2026-03-01T09:00:00Z"),
    ),
    case("11.1 monitor due", Mode.OBSERVE, "monitor-due", beta(), monitor(), HELD),
    case("11.2 question", Mode.ASK_USER, "gate-open", beta(), work(requires=(DEPLOY,)), gate()),
    case("11.2 question", Mode.ASK_USER, "gate-wanted", beta(), work(requires=(DEPLOY,))),
    case("11.2 question", Mode.ASK_USER, "user-action", beta(), work(todo_class=TodoClass.USER_ACTION)),
    case("11.2 question", Mode.ASK_USER, "user-action", beta(), work(todo_class=TodoClass.BLOCKER)),
    case("11.2 question", Mode.ASK_USER, "work-blocked", beta(), work(status=TodoStatus.BLOCKED, reason="legal")),
    case(
        "11.2 question",
        Mode.ASK_USER,
        "nobody-left",
        beta(agents=(Participant(id="bot"),)),
        work(excluded_agents=("bot",)),
    ),
    case("11.2 question", Mode.ASK_USER, "effect-unsure", beta(), work(), effect(readback=None, todo=T1)),
    case("11.3 capability", Mode.REPAIR_CAPABILITY, "capability-missing", beta(), LACKING),
    case("11.4 peers", Mode.WAIT_FOR_PEERS, "held-by-peers", beta(), HELD),
    case("11.4 peers", Mode.WAIT_FOR_PEERS, "held-by-peers", beta(), work(excluded_agents=("bot",))),
    case(
        "11.4 peers",
        Mode.WAIT_FOR_PEERS,
        "held-by-peers",
        beta(agents=(Participant(id="bot"), Participant(id="rex", capabilities=("gpu",)))),
        LACKING,
    ),
    case(
        "11.4 peers",
        Mode.WAIT_FOR_PEERS,
        "held-by-peers",
        beta(agents=(Participant(id="bot", mode=AgentMode.MONITOR_ONLY), Participant(id="rex"))),
        work(),
    ),
    case("11.4 peers", Mode.WAIT_FOR_PEERS, "held-by-peers", beta(), work(), effect(agent="rex", todo=T1)),
    case("11.5 wait", Mode.WAIT, "waiting", beta(), PUT_OFF),
    case("11.5 wait", Mode.WAIT, "waiting", beta(), monitor(acceptance=("a1",)), looked_at()),
    case("11.5 wait", Mode.WAIT, "waiting", beta(), work(), effect(todo=T1, readback_due_at=hours(1))),
    case("11.6 plan", Mode.REPLAN, "condition-dead", beta(), work(depends_on=("t-gggg9999",))),
    case(
        "11.6 plan",
        Mode.REPLAN,
        "condition-dead",
        beta(),
        work(status=TodoStatus.DEFERRED, resume_when=f"todo_done:{T2}"),
        work(T2, status=TodoStatus.CANCELLED, reason="no"),
    ),
    case(
        "11.6 plan",
        Mode.REPLAN,
        "acceptance-open",
        beta(),
        work(status=TodoStatus.DEFERRED, resume_when="at:2026-03-05T09:00:00Z", acceptance=()),
    ),
    case("11.6 plan", Mode.REPLAN, "goal-unplanned", goal(agents=BOTH)),
    case("11.7 close out", Mode.CLOSE_OUT, "nothing-left", beta(), met(), work(status=TodoStatus.DONE)),
    case("11.7 close out", Mode.CLOSE_OUT, "nothing-left", beta(), met(), monitor(watch_only=True), looked_at()),
]


@pytest.mark.parametrize("state", CASES)
def test_each_rule_decides_in_a_state_of_its_own(state: Case) -> None:
    found = decided(*state.entities, **state.asked)
    assert (_rule(found), found.mode, found.reason) == (state.rule, state.mode, state.reason)


def test_every_rule_and_every_mode_is_reached() -> None:
    reached = [each.values[0] for each in CASES]
    assert {each.rule for each in reached} == {rule.name for rule in ORDER}
    assert {each.mode for each in reached} == set(Mode)
    assert {(each.rule, each.mode) for each in reached} == {(rule.name, mode) for rule in ORDER for mode in rule.modes}


DUE = monitor(acceptance=("a1",))
NEIGHBOURS: list[tuple[str, str, tuple[Any, ...], dict[str, Any]]] = [
    ("2 stopped", "3 terminal", (closed(quota=Quota(compute=0)), ended()), {}),
    ("3 terminal", "4 self-repair", (closed(), ended()), {"unreadable": BROKEN}),
    ("4 self-repair", "5 reconcile", (beta(), effect()), {"unreadable": BROKEN}),
    ("5 reconcile", "6 obligation", (beta(), effect()), {}),
    ("6 obligation", "7 open turn", (beta(), turn()), {}),
    ("7 open turn", "8 quota", (beta(quota=ONE_SLOT), work(), turn(), SPENT), {}),
    ("8 quota", "9 monitor first", (beta(quota=ONE_SLOT), work(), SPENT, *OVERDUE), {}),
    ("9 monitor first", "10 work", (beta(), work(), *OVERDUE), {}),
    ("10 work", "11.1 monitor due", (beta(), work(), monitor()), {}),
    ("11.1 monitor due", "11.2 question", (beta(), DUE, gate()), {}),
    ("11.2 question", "11.3 capability", (beta(), LACKING, gate()), {}),
    ("11.3 capability", "11.4 peers", (beta(), LACKING, HELD), {}),
    ("11.4 peers", "11.5 wait", (beta(), HELD, PUT_OFF), {}),
    ("11.5 wait", "11.6 plan", (beta(), PUT_OFF), {}),
    ("11.6 plan", "11.7 close out", (beta(), work(depends_on=("t-gggg9999",))), {}),
]


@pytest.mark.parametrize(("earlier", "later", "entities", "more"), NEIGHBOURS, ids=[each[0] for each in NEIGHBOURS])
def test_of_two_neighbours_that_both_match_the_earlier_wins(
    earlier: str, later: str, entities: tuple[Any, ...], more: dict[str, Any]
) -> None:
    found = matching(scene(*entities, **more))
    assert {earlier, later} <= set(found)
    assert _rule(decided(*entities, **more)) == found[0] == earlier


def test_every_pair_of_neighbours_is_tried() -> None:
    names = [rule.name for rule in ORDER]
    assert [(earlier, later) for earlier, later, _, _ in NEIGHBOURS] == list(pairwise(names))


def test_the_trace_names_every_rule_and_marks_those_that_were_not_asked() -> None:
    trace = decided(beta(), work()).trace
    assert [each.rule for each in trace] == [ADMISSION, *(rule.name for rule in ORDER)]
    assert [each.rule for each in trace if each.is_match] == ["10 work"]
    assert all(each.facts == {"asked": False} for each in trace if each.rule.startswith("11"))
    quota = next(each for each in trace if each.rule == "8 quota")
    assert quota.facts == {"spent": 0, "limit": 100}


def _rule(found: Any) -> str:
    (rule,) = (each.rule for each in found.trace if each.is_match)
    return str(rule)
