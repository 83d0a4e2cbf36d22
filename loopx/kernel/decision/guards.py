"""Rules 2 to 10 of the order: what stops everything, what has to be set right first, and what is done next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel.decision.facts import Facts
from loopx.kernel.decision.finding import CLOCK, PEOPLE, Finding, Match, Miss, Wait
from loopx.kernel.decision.record import Mode, Selected
from loopx.kernel.decision.selecting import Candidate
from loopx.kernel.decision.watching import LOOKS_IN_A_ROW, Watched
from loopx.kernel.lease_standing import live_lease
from loopx.kernel.obligations.record import Obligation, ObligationKind
from loopx.kernel.quota import is_past_its_slots, quota_of
from loopx.kernel.wording import cut, listed, quoted
from loopx.model.goal import GoalOutcome, GoalStatus
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.model.turn import Turn

REPLANNING = (
    ObligationKind.REPLAN,
    ObligationKind.CHECKPOINT,
    ObligationKind.SUCCESSOR,
    ObligationKind.OUTCOME_FLOOR,
)
"""Obligations that come before any other work, in the order in which they are taken up."""

_STILL = frozenset({GoalStatus.DRAFT, GoalStatus.PAUSED, GoalStatus.STOPPED})


def stopped(facts: Facts) -> Finding:
    """The Goal takes no work: it is a draft, paused or stopped, or its quota allows nothing."""
    goal = facts.goal
    if goal.status in _STILL:
        why = f": {goal.reason}" if goal.reason else ""
        wait = Wait(f"Goal {goal.id} is {goal.status}", f"a person runs `loopx goal activate {goal.id}`", PEOPLE)
        message = f"Goal {goal.id} is {goal.status}{cut(why, 120)}."
        return Match(Mode.STOPPED, f"goal-{goal.status}", message, waits=(wait,), facts={"status": goal.status.value})
    if quota_of(goal).compute <= 0:
        wait = Wait(f"the quota of {goal.id} allows nothing", "a person sets another quota in goal.md", PEOPLE)
        return Match(Mode.STOPPED, "quota-zero", f"The quota of {goal.id} allows no slots at all.", waits=(wait,))
    return Miss({"status": goal.status.value, "compute": quota_of(goal).compute})


def terminal(facts: Facts) -> Finding:
    """The Goal has ended, as its closure record says, and nothing contradicts that."""
    closure = facts.closure
    if facts.goal.status is not GoalStatus.CLOSED or closure is None or _end_contradicted(facts) is not None:
        return Miss({"status": facts.goal.status.value, "closure": closure.operation if closure else None})
    at = format_instant(closure.at)
    wait = Wait(f"Goal {facts.goal.id} has ended", f"a person runs `loopx goal reopen {facts.goal.id}`", PEOPLE)
    message = f"Goal {facts.goal.id} ended as {closure.outcome} on {at}: nothing more is done for it."
    return Match(Mode.TERMINAL, "goal-closed", message, waits=(wait,), facts={"operation": closure.operation})


def self_repair(facts: Facts) -> Finding:
    """Committed state cannot be read, or a status and the record that owns it disagree."""
    goal = facts.goal
    if facts.unreadable:
        paths = listed(facts.unreadable, 3)
        message = f"{len(facts.unreadable)} committed files of {goal.id} cannot be read: {paths}."
        selected = Selected("goal", goal.id, goal.title, {"unreadable": facts.unreadable[:5]})
        return Match(Mode.SELF_REPAIR, "document-unreadable", message, tuple(facts.unreadable), selected)
    wrong = _end_contradicted(facts)
    if wrong is not None:
        code, message = wrong
        return Match(Mode.SELF_REPAIR, code, message, selected=Selected("goal", goal.id, goal.title))
    return Miss({"unreadable": 0})


def reconcile(facts: Facts) -> Finding:
    """An act of this actor on the outside has no known outcome, is due to be read back, and can be."""
    mine = [each for each in facts.effects if facts.is_mine(each)]
    due = [each for each in mine if each.readback_due_at <= facts.now and each.readback]
    if not due:
        return Miss({"unknown": len(facts.effects), "mine": len(mine), "due": 0})
    first = min(due, key=lambda each: (str(each.readback_due_at), each.id))
    message = (
        f"Nobody knows whether {first.id} {quoted(first.summary, 60)} happened: read it back before anything else."
    )
    selected = Selected("effect", first.id, first.summary, {"readback": first.readback, "todo": first.todo})
    return Match(Mode.RECONCILE, "effect-unknown", message, first, selected, facts={"due": len(due)})


def replan(facts: Facts) -> Finding:
    """This actor owes the Goal a decision before other work."""
    owed = sorted((each for each in facts.own if each.kind in REPLANNING), key=_rank)
    if not owed:
        return Miss({"own": len(facts.own)})
    first = owed[0]
    selected = Selected("obligation", first.id, first.message, {"trigger": first.trigger})
    reason = first.trigger.replace("_", "-")
    return Match(Mode.REPLAN, reason, first.message, first, selected, facts={"owed": len(owed), "id": first.id})


def open_turn(facts: Facts) -> Finding:
    """This actor has a Turn open: it goes on with it, or ends it where it can no longer be carried on."""
    turn = facts.turn
    if turn is None:
        return Miss()
    trouble = _trouble(facts, turn)
    todo = facts.state.todo(turn.todo) if turn.todo else None
    about = f"{turn.todo} {quoted(todo.title)}" if todo is not None else turn.todo or turn.obligation or "nothing"
    selected = Selected("turn", turn.id, todo.title if todo else "", {"todo": turn.todo, "obligation": turn.obligation})
    if trouble is None:
        message = f"{turn.id} is open on {about}: carry it on."
        return Match(Mode.DELIVER, "turn-open", message, turn, selected, facts={"turn": turn.id})
    code, why = trouble
    message = f"{turn.id} on {about} is to be ended: {why}."
    return Match(Mode.SETTLE, code, message, turn, selected, facts={"turn": turn.id})


def throttled(facts: Facts) -> Finding:
    """The window's slots are spent."""
    found = facts.window
    figures = {"spent": found.spent, "limit": found.limit}
    if not found.is_used_up:
        return Miss(figures)
    frees = f"a slot frees at {format_instant(found.frees_at)}" if found.frees_at else "a slot frees"
    wait = Wait(f"the quota of {facts.goal.id} is used up", frees, CLOCK, found.frees_at)
    message = f"{found.spent} of {found.limit} slots of {facts.goal.id} are spent in this window."
    return Match(Mode.THROTTLED, "quota-used-up", message, waits=(wait,), facts=figures)


def observe_first(facts: Facts) -> Finding:
    """A due monitor comes before work: by its priority, or because it cannot be put off."""
    watch = facts.watch
    figures = {"due": len(watch.due), "ahead": len(watch.ahead)}
    if not watch.ahead:
        return Miss(figures)
    figures["looks_in_a_row"] = watch.looks
    if watch.gives_way:
        return Miss({**figures, "gives_way_after": LOOKS_IN_A_ROW})
    return observing(watch.ahead[0], "monitor-first", figures)


def deliver(facts: Facts) -> Finding:
    """There is work this actor may do now."""
    best = facts.work.best
    if best is None:
        return Miss({"watches_only": facts.watches_only})
    todo = best.todo
    why = {"priority": todo.priority.value, "own_claim": best.is_own, "needs_resume": best.needs_resume}
    selected = Selected("todo", todo.id, todo.title, why)
    message = f"{todo.id} {quoted(todo.title, 60)} ({todo.priority}) can be worked on now."
    return Match(Mode.DELIVER, _why_chosen(best), message, best, selected, facts=why)


def observing(watched: Watched, reason: str, figures: dict[str, int]) -> Match:
    """The match that has ``watched`` looked at."""
    todo = watched.todo
    facts = {"target": todo.target, "due_at": watched.standing.next_due_at, "priority": todo.priority.value}
    message = f"{todo.id} {quoted(todo.title, 60)} is to be looked at. {watched.standing.why}"
    return Match(Mode.OBSERVE, reason, message, watched, Selected("monitor", todo.id, todo.title, facts), facts=figures)


def _why_chosen(best: Candidate) -> str:
    if best.needs_resume:
        return "condition-met"
    return "own-claim" if best.is_own else "todo-runnable"


def _rank(obligation: Obligation) -> tuple[int, str]:
    return (REPLANNING.index(obligation.kind), obligation.id)


def _end_contradicted(facts: Facts) -> tuple[str, str] | None:
    """What is wrong where status, closure record and what is left to do do not agree: code and sentence."""
    goal, closure = facts.goal, facts.closure
    if goal.status is not GoalStatus.CLOSED:
        if closure is None:
            return None
        message = f"Goal {goal.id} reads {goal.status}, and its end as {closure.outcome} stands on record."
        return ("closure-contradicted", message)
    if closure is None:
        return ("closure-missing", f"Goal {goal.id} reads closed, and no end of it stands on record.")
    todos, gates = facts.unclosed + facts.unclosed_monitors, len(facts.open_gates)
    if closure.outcome is not GoalOutcome.ABANDONED and (todos or gates or facts.effects):
        left = f"{todos} Todos, {gates} Gates and {len(facts.effects)} effects"
        return ("closure-contradicted", f"Goal {goal.id} reads closed, and {left} of it are open.")
    return None


def _trouble(facts: Facts, turn: Turn) -> tuple[str, str] | None:
    """Why an open Turn cannot be carried on: code and clause."""
    if is_past_its_slots(turn, facts.goal, facts.now):
        return ("turn-past-its-slots", f"it was opened at {format_instant(turn.opened_at)} and has used its slots up")
    if turn.todo is None:
        is_armed = any(each.id == turn.obligation for each in facts.armed)
        return None if is_armed else ("turn-over", "what it was opened for is settled")
    todo = facts.state.todo(turn.todo)
    if todo is None:
        return ("turn-over", "its Todo is gone")
    if turn.lease_epoch is not None:
        lease = live_lease(facts.state, turn.todo, facts.now)
        if lease is None or lease.epoch != turn.lease_epoch or lease.owner != turn.agent:
            return ("turn-fenced", "the lease it was opened under is gone")
    reasons = facts.work.reasons(todo)
    return ("turn-over", f"its Todo may not be worked on. {reasons[0].message.rstrip('.')}") if reasons else None
