"""Rule 11 of the order: nothing can be delivered, so who or what is next. An ordered list of its own."""

from __future__ import annotations

from collections.abc import Iterator

from loopx.kernel.decision import holding_up, questions
from loopx.kernel.decision.facts import Facts
from loopx.kernel.decision.finding import Finding, Match, Miss
from loopx.kernel.decision.guards import observing
from loopx.kernel.decision.record import Mode, Selected
from loopx.kernel.decision.selecting import Stuck
from loopx.kernel.wording import listed, quoted
from loopx.model.todo import TodoStatus


def observe(facts: Facts) -> Finding:
    """A monitor is due."""
    watch = facts.watch
    figures = {"due": len(watch.due), "mine": len(watch.mine)}
    return observing(watch.mine[0], "monitor-due", figures) if watch.mine else Miss(figures)


def ask_user(facts: Facts) -> Finding:
    """A person has a question to answer or something to do; or a question has to be put to one."""
    asked = next(questions.of(facts), None)
    if asked is None:
        return Miss({"gates": len(facts.open_gates), "user_actions": len(facts.for_people)})
    return Match(
        Mode.ASK_USER,
        asked.reason,
        f"{_standing_about(facts)}{asked.message}",
        asked.subject,
        asked.selected,
        question=asked.question,
        facts={"gates": len(facts.open_gates), "user_actions": len(facts.for_people)},
    )


def repair_capability(facts: Facts) -> Finding:
    """Work waits for something this agent cannot do, or not here, and nobody else can."""
    found = [each for each in facts.work.stuck if holding_up.is_beyond(facts, each)]
    if not found:
        return Miss({"stuck": len(facts.work.stuck)})
    first = found[0]
    asked = questions.ability(facts, first)
    return Match(
        Mode.REPAIR_CAPABILITY,
        asked.reason,
        asked.message,
        first,
        asked.selected,
        question=asked.question,
        facts={"todos": [each.todo.id for each in found[:5]], "count": len(found)},
    )


def wait_for_peers(facts: Facts) -> Finding:
    """Work is in the hands of others."""
    waits = tuple(holding_up.by_peers(facts))
    if not waits:
        return Miss()
    message = f"{_standing_about(facts)}Others have it in hand: {listed((each.what for each in waits), 3)}."
    return Match(Mode.WAIT_FOR_PEERS, "held-by-peers", message, waits=waits, facts={"waits": len(waits)})


def wait(facts: Facts) -> Finding:
    """Something outside or the clock has to come first, and it brings an open criterion closer."""
    every = tuple(holding_up.by_time(facts))
    waits = tuple(each for each, advances in every if advances)
    if not waits:
        return Miss({"waits_that_advance_nothing_open": len(every)})
    message = f"{_standing_about(facts)}{_sentence(waits[0].what)}"
    return Match(Mode.WAIT, "waiting", message, waits=waits, facts={"waits": len(waits)})


def replan(facts: Facts) -> Finding:
    """Nothing leads on any more: work that waits for what cannot come, or criteria that nothing advances."""
    mine = [each for each in facts.work.stuck if not holding_up.is_kept_from(facts, each)]
    dead = [each for each in mine if holding_up.is_dead(each)]
    if dead:
        why = next(holding_up.dead_reasons(dead[0]))
        message = f"{dead[0].todo.id} {quoted(dead[0].todo.title)} waits for what cannot come. {why.message}"
        return _replanning("condition-dead", message, dead[0], {"dead": len(dead)})
    unmet = facts.scene.unmet
    if unmet:
        message = f"{listed(unmet)} of {facts.goal.id} is open, and nothing there is leads to it."
        return _replanning("acceptance-open", _with_left(facts, message), None, {"criteria": len(unmet)})
    if not facts.goal.acceptance and not any(facts.scene.counts.values()):
        message = f"Goal {facts.goal.id} has neither criteria nor work: plan it."
        return _replanning("goal-unplanned", message, None, {})
    if facts.unclosed:
        message = f"{facts.unclosed} Todos of {facts.goal.id} are left, and none of them can move."
        return _replanning("nothing-can-move", message, next(iter(mine), None), {"left": facts.unclosed})
    return Miss({"criteria_open": 0, "left": 0})


def close_out(facts: Facts) -> Finding:
    """Nothing is open, blocked or deferred, and every criterion is met or waived: what is left is the audit."""
    goal = facts.goal
    message = f"Nothing is left to do for {goal.id}: its terminal audit decides whether it ends."
    return Match(Mode.CLOSE_OUT, "nothing-left", message, selected=Selected("goal", goal.id, goal.title))


def _replanning(reason: str, message: str, stuck: Stuck | None, figures: dict[str, int]) -> Match:
    selected = Selected("todo", stuck.todo.id, stuck.todo.title) if stuck else None
    return Match(Mode.REPLAN, reason, message, stuck, selected, facts=figures)


def _standing_about(facts: Facts) -> str:
    """What stands about, in figures: blocked work is never told as if only monitors were left."""
    parts = list(_left(facts))
    return f"Nothing can be worked on ({', '.join(parts)}). " if parts else ""


def _left(facts: Facts) -> Iterator[str]:
    counts = facts.scene.counts
    waiting = counts[TodoStatus.OPEN] - len(facts.scene.monitors)
    figures = {
        "open": waiting,
        "blocked": counts[TodoStatus.BLOCKED],
        "deferred": counts[TodoStatus.DEFERRED],
    }
    yield from (f"{count} {name}" for name, count in figures.items() if count > 0)
    later = len(facts.scene.monitors) - len(facts.watch.due)
    if later > 0:
        yield f"{later} monitor{'' if later == 1 else 's'} not due"


def _with_left(facts: Facts, message: str) -> str:
    return f"{_standing_about(facts)}{message}"


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}."
